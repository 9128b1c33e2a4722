//! The guide of the tour: two lines below everything else.

use ratatui::layout::Rect;

use super::{
    paint::{Paint, Piece},
    text,
};
use crate::{
    action::{Action, Scope},
    app::{
        app::App,
        area::Areas,
        tour::{GuidePart, TourStep},
    },
    theme::face::Face,
};

/// The lines of the guide on a screen of this width.
pub fn rows(width: u16) -> u16 {
    if width < 80 { 3 } else { 2 }
}

pub fn draw(paint: &mut Paint<'_>, app: &App, areas: &Areas) {
    let Some(area) = areas.guide else { return };
    let Some((step, parts)) = app.tour_guide() else {
        return;
    };
    paint.extras.clear(area);
    paint.clear(area);
    let right = buttons(app, step.is_some());
    let taken = measure(&right) as u16;
    let room = area.width.saturating_sub(2);
    let lines = broken(
        words(app, step, &parts),
        usize::from(room),
        usize::from(area.height),
    );
    for (row, pieces) in (area.y..area.bottom()).zip(&lines) {
        // The keys are at the end of the last line.
        let is_last = row + 1 == area.bottom();
        let taken = if is_last { taken + 2 } else { 0 };
        paint.pieces(area.x + 1, row, room.saturating_sub(taken), pieces);
    }
    let x = area.right().saturating_sub(taken + 1);
    paint.pieces(x, area.bottom() - 1, taken, &right);
}

/// Where the guide is on a screen, and the rest of the screen.
pub fn split(screen: Rect) -> (Rect, Rect) {
    let height = screen.height.saturating_sub(rows(screen.width));
    let rest = Rect { height, ..screen };
    let guide = Rect {
        y: rest.bottom(),
        height: screen.height - height,
        ..screen
    };
    (rest, guide)
}

/// The keys of the tour itself.
fn buttons(app: &App, has_next: bool) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if has_next {
        pieces.push((key(app, Scope::Tour, Action::TourSkip), Face::Key));
        pieces.push((format!(" {}  ", tr!("skip")), Face::Hint));
    }
    pieces.push((key(app, Scope::Tour, Action::TourLeave), Face::Key));
    pieces.push((format!(" {}", tr!("end the tour")), Face::Hint));
    pieces
}

/// The guide in words that may be on different lines, each with the blank after it.
fn words(app: &App, step: Option<TourStep>, parts: &[GuidePart]) -> Vec<Piece> {
    let mut words: Vec<Piece> = Vec::new();
    if let Some(step) = step {
        let count = TourStep::ALL.len();
        words.push((
            format!(
                "{} ",
                tr!("Step {number} of {count}:", number = step.number(), count)
            ),
            Face::Accent,
        ));
    }
    for part in parts {
        match part {
            GuidePart::Text(text) => {
                let pieces = text.split_inclusive(' ');
                words.extend(pieces.map(|word| (word.to_owned(), Face::Text)));
            }
            GuidePart::Key(scope, action) => words.push((key(app, *scope, *action), Face::Key)),
        }
    }
    words
}

/// Breaks the words into lines. The last one takes what is left.
fn broken(words: Vec<Piece>, cells: usize, most: usize) -> Vec<Vec<Piece>> {
    let mut lines = vec![Vec::new()];
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        let mut taken = text::width(word.0.trim_end());
        // A period after a key stays beside it.
        if !word.0.ends_with(' ')
            && let Some((next, _)) = words.peek()
        {
            taken += text::width(next.trim_end());
        }
        let used = lines.last().map_or(0, |line| measure(line));
        if lines.len() < most && used + taken > cells {
            lines.push(Vec::new());
        }
        if let Some(line) = lines.last_mut() {
            line.push(word);
        }
    }
    lines
}

fn measure(pieces: &[Piece]) -> usize {
    pieces.iter().map(|(text, _)| text::width(text)).sum()
}

/// The most convenient key of an action, or the way to it without a key.
fn key(app: &App, scope: Scope, action: Action) -> String {
    let keys = app.keymap.keys_for(scope, action);
    keys.into_iter().next().unwrap_or_else(|| {
        let palette = app.keymap.keys_for(Scope::Global, Action::Command);
        let palette = palette.into_iter().next().unwrap_or_default();
        format!("{palette} {}", action.name())
    })
}
