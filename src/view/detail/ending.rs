//! How a session ended: the verdict first, and further down the last lines of its log.

use super::{DetailLine, DetailView, text};
use crate::{
    action::{Action, Scope},
    app::detail::Used,
    model::{
        figures::{Figures, Metric},
        own_line,
        resources::Bytes,
        text::Clean,
    },
    rules::verdict::{Tone, memory_of_one, ran_out_of_memory, verdict},
    theme::face::Face,
};

/// Maximum number of the last lines. The log has the rest.
const LAST_LINES: usize = 10;

/// Returns no lines for a session that hasn't ended.
pub fn ending_lines(view: &DetailView<'_>) -> Vec<DetailLine> {
    let Some(verdict) = verdict(view.session, peak(view)) else {
        return Vec::new();
    };
    let face = match verdict.tone {
        Tone::Good => Face::StatusGood,
        Tone::Plain => Face::Strong,
        Tone::Warning => Face::Warning,
        Tone::Bad => Face::Bad,
    };
    let wrapped = text::wrap(&verdict.text, view.width).into_iter();
    let mut lines: Vec<DetailLine> = wrapped.map(|line| vec![(line, face)]).collect();
    lines.extend(more_memory(view));
    lines
}

/// The key that relaunches the session with more memory.
fn more_memory(view: &DetailView<'_>) -> Option<DetailLine> {
    if !ran_out_of_memory(view.session) {
        return None;
    }
    let keys = view
        .app
        .keymap
        .keys_for(Scope::Detail, Action::SessionAgain);
    let key = keys.into_iter().next()?;
    let was = memory_of_one(view.session);
    let twice = Bytes(was.0.saturating_mul(2));
    Some(tr_pieces!(
        "{key} launches it again with {twice} instead of {was}",
        Face::Dim,
        key = (key, Face::Key),
        twice = (twice.to_string(), Face::Dim),
        was = (was.to_string(), Face::Dim)
    ))
}

fn figures<'a>(view: &DetailView<'a>) -> Option<&'a Figures> {
    match view.detail.figures() {
        Used::Known(figures) => Some(figures),
        Used::Asked | Used::Failed(_) | Used::Lacking(_) => None,
    }
}

/// The highest memory use that was recorded.
fn peak(view: &DetailView<'_>) -> Option<Bytes> {
    let mut series = figures(view)?.series.iter();
    let memory = series.find(|series| series.metric == Metric::Mem)?;
    memory.peak.map(Bytes)
}

pub fn last_lines(view: &DetailView<'_>) -> Vec<DetailLine> {
    let kept = figures(view).map_or(&[][..], |figures| &figures.last_lines);
    if kept.is_empty() {
        return Vec::new();
    }
    let mut title = vec![(tr!("Last lines of the log").to_owned(), Face::Title)];
    let keys = view.app.keymap.keys_for(Scope::Detail, Action::SessionLogs);
    if let Some(key) = keys.into_iter().next() {
        title.push(("  ".to_owned(), Face::Dim));
        title.extend(tr_pieces!(
            "{key} show all",
            Face::Dim,
            key = (key, Face::Key)
        ));
    }
    let mut lines = vec![Vec::new(), title];
    let shown = kept.iter().skip(kept.len().saturating_sub(LAST_LINES));
    let line = |line: &Clean| {
        let own = own_line::shown(line.as_str());
        let shown = own.as_deref().unwrap_or(line.as_str());
        let text = text::fit(shown, view.width, view.glyphs.ellipsis);
        vec![(text, Face::Text)]
    };
    lines.extend(shown.map(line));
    lines
}
