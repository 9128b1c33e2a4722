//! The progress of a session's image pull: source, amount, speed, remaining time.

use super::{DetailLine, DetailView, row, unbroken, wrapped_row};
use crate::{model::pull::Pull, theme::face::Face, view::bar};

/// Maximum cells of the bar.
const BAR: usize = 30;

pub(super) fn lines(view: &DetailView<'_>) -> Vec<DetailLine> {
    let Some(pull) = &view.session.pull else {
        return Vec::new();
    };
    let mut lines = unbroken(tr!("Pulling"), pull.reference.as_str(), view.width);
    lines.push(row(tr!("From"), pull.registry.as_str()));
    match &pull.broken {
        Some(why) => {
            let text = tr!("connection lost, retrying: {why}", why);
            lines.extend(wrapped_row("", &text, view.width));
        }
        None => lines.extend(progress(view, pull)),
    }
    if pull.attempt > 1 {
        lines.push(row(tr!("Attempt"), pull.attempt.to_string()));
    }
    lines.push(Vec::new());
    lines
}

fn progress(view: &DetailView<'_>, pull: &Pull) -> Vec<DetailLine> {
    if pull.figures.layers == 0 {
        return vec![row("", tr!("asking the registry"))];
    }
    let mut lines = Vec::new();
    if let Some(percent) = pull.figures.percent() {
        let cells = BAR.min(view.width.saturating_sub(super::LABEL + 6));
        let mut bar = row("", "");
        bar.extend(bar::progress(percent, cells, view.glyphs));
        bar.push((format!(" {percent}%"), Face::Value));
        lines.push(bar);
    }
    let words = pull.words();
    // The amount that has arrived, then the remaining time.
    for words in words.chunks(2) {
        lines.extend(wrapped_row("", &words.join(", "), view.width));
    }
    lines
}
