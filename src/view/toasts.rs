//! Short messages at the bottom right.

use ratatui::layout::Rect;

use super::{dialog, paint::Paint, text};
use crate::{
    app::{app::App, area::Areas, focus::Page},
    model::{notice::Level, text::Clean},
    theme::face::Face,
};

const WIDTH: u16 = 60;
/// Maximum lines of a toast. A longer one ends in an ellipsis.
const MAX_LINES: u16 = 10;
/// Lines of the screen that stay free: header, tabs, hints.
const FREE: u16 = 5;

/// Rows of the screen for toasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Room {
    top: u16,
    bottom: u16,
}

impl Room {
    fn height(self) -> u16 {
        self.bottom.saturating_sub(self.top)
    }
}

/// The toasts that are shown: the newest `count` of them, above `bottom`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stack {
    bottom: u16,
    count: usize,
    /// Lines of the newest toast, which is cut if no room has enough of them.
    newest: u16,
}

/// The position of each toast above the hints, the newest at the bottom.
pub fn places(app: &App, areas: &Areas, bottom: u16) -> Vec<Rect> {
    let screen = areas.screen;
    let texts: Vec<Vec<String>> = app
        .toasts
        .iter()
        .rev()
        .map(|toast| lines(&app.toast_text(toast).1, screen, MAX_LINES))
        .collect();
    let heights: Vec<u16> = texts.iter().map(|lines| lines.len() as u16).collect();
    let (rooms, most) = rooms(app, areas, bottom);
    let Some(stack) = stack(&heights, &rooms, most) else {
        return Vec::new();
    };
    let mut below = stack.bottom;
    let mut places: Vec<Rect> = Vec::new();
    for (at, lines) in texts.iter().take(stack.count).enumerate() {
        let height = if at == 0 { stack.newest } else { heights[at] };
        let widest = lines.iter().map(|line| text::width(line)).max();
        let width = (widest.unwrap_or(0) as u16 + 4).min(screen.width);
        let top = below.saturating_sub(height);
        below = top.saturating_sub(1);
        let x = screen.right().saturating_sub(width + 1);
        places.push(Rect::new(x, top, width, height));
    }
    places.reverse();
    places
}

/// The rows that toasts may cover, the preferred ones first, and how many rows they cover at most. The header and
/// the tabs stay free. In the list, so do the selected row and half of the rows.
fn rooms(app: &App, areas: &Areas, bottom: u16) -> (Vec<Room>, u16) {
    let top = areas.screen.y + 3;
    let all = Room { top, bottom };
    let is_list =
        app.page_below() == Page::Sessions && !app.panes.is_floating() && areas.dialog.is_none();
    let height = usize::from(areas.rows.height);
    let line = app.sessions.selected_line(height);
    let Some(line) = line.filter(|_| is_list && height > 0) else {
        return (vec![all], all.height());
    };
    let selected = areas.rows.y + line as u16;
    let list = Room {
        top: areas.rows.y,
        bottom,
    };
    let rooms = vec![
        Room {
            top: selected + 1,
            ..list
        },
        Room {
            bottom: selected.min(bottom),
            ..list
        },
    ];
    (rooms, list.height() / 2)
}

/// As many of the toasts as fit into one of the rooms and into `most` rows, at least the newest. `heights` begins
/// with the newest.
fn stack(heights: &[u16], rooms: &[Room], most: u16) -> Option<Stack> {
    let newest = *heights.first()?;
    let total = |count: usize| heights[..count].iter().sum::<u16>() + (count as u16 - 1);
    for count in (1..=heights.len()).rev() {
        let total = total(count);
        let mut fitting = rooms.iter().filter(|room| total <= room.height());
        if (count == 1 || total <= most)
            && let Some(room) = fitting.next()
        {
            return Some(Stack {
                bottom: room.bottom,
                count,
                newest,
            });
        }
    }
    let room = rooms.iter().max_by_key(|room| room.height())?;
    (room.height() > 0).then_some(Stack {
        bottom: room.bottom,
        count: 1,
        newest: room.height(),
    })
}

fn lines(said: &Clean, screen: Rect, most: u16) -> Vec<String> {
    let cells = usize::from(WIDTH.min(screen.width.saturating_sub(4)) - 4);
    let most = usize::from(most.min(screen.height.saturating_sub(FREE)));
    let mut lines = text::wrap(said.as_str(), cells);
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            *last = format!("{}...", text::take(last, cells.saturating_sub(3)));
        }
    }
    lines
}

pub fn draw(paint: &mut Paint<'_>, app: &App, areas: &Areas) {
    let hidden = app.toasts.iter().count() - areas.toasts.len().min(app.toasts.iter().count());
    for (toast, area) in app.toasts.iter().skip(hidden).zip(&areas.toasts) {
        dialog::blank(paint, *area);
        paint.fill(*area, Face::Toast);
        let (level, said) = app.toast_text(toast);
        let face = match level {
            Level::Info => Face::Info,
            Level::Success => Face::Success,
            Level::Warning => Face::Warning,
            Level::Error => Face::Bad,
        };
        let lines = lines(&said, areas.screen, area.height);
        for (text, y) in lines.iter().zip(area.top()..area.bottom()) {
            let marker = paint.glyphs.marker;
            paint.text(area.x, y, 1, marker, face);
            paint.text(area.x + 2, y, area.width - 3, text, Face::Toast);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BELOW: Room = Room {
        top: 12,
        bottom: 22,
    };
    const ABOVE: Room = Room { top: 5, bottom: 11 };

    fn placed(heights: &[u16], most: u16) -> Option<(u16, usize, u16)> {
        let stack = stack(heights, &[BELOW, ABOVE], most);
        stack.map(|it| (it.bottom, it.count, it.newest))
    }

    #[test]
    fn toasts_stay_below_the_selected_row_if_they_fit() {
        assert_eq!(placed(&[2, 2, 2], 8), Some((22, 3, 2)));
        // The oldest one would cover more than half of the list.
        assert_eq!(placed(&[2, 2, 2, 2], 8), Some((22, 3, 2)));
        assert_eq!(placed(&[9, 2], 8), Some((22, 1, 9)));
        assert_eq!(placed(&[], 8), None);
    }

    #[test]
    fn toasts_go_above_a_selected_row_in_their_place() {
        let low = Room {
            top: 21,
            bottom: 22,
        };
        let high = Room { top: 5, bottom: 20 };
        let stack = |heights: &[u16]| stack(heights, &[low, high], 8).unwrap();
        assert_eq!((stack(&[2]).bottom, stack(&[2]).newest), (20, 2));
        assert_eq!(stack(&[1]).bottom, 22);
        // Without enough lines anywhere, the text is cut.
        let cut = stack(&[18, 2]);
        assert_eq!((cut.bottom, cut.count, cut.newest), (20, 1, 15));
    }
}
