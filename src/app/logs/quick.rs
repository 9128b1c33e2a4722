//! Quick select on the visible lines of a log.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use super::{GUTTER, Logs};
use crate::{
    action::Action,
    app::{
        quick_select::{
            Picked, QuickSelect,
            lines::{ScreenLine, TextPlace},
        },
        step::Step,
    },
    key::Key,
};

impl Logs {
    /// Labels the visible lines.
    pub(super) fn begin_quick_select(&mut self) -> Vec<Step> {
        self.quick = QuickSelect::new(self.screen_lines(), Some(self.session));
        if self.quick.is_none() {
            return vec![QuickSelect::nothing()];
        }
        Vec::new()
    }

    /// Handles a key while the labels are on the screen, `None` if they aren't.
    pub(super) fn quick_key(&mut self, key: Key) -> Option<Vec<Step>> {
        Some(match self.quick.as_mut()?.key(key) {
            Picked::Nothing => Vec::new(),
            Picked::Done(steps) => {
                self.quick = None;
                steps
            }
        })
    }

    /// Handles Enter and Escape while the labels are on the screen, `None` if they aren't.
    pub(super) fn quick_action(&mut self, action: Action) -> Option<Vec<Step>> {
        let steps = self.quick.as_ref()?.action(action)?;
        self.quick = None;
        Some(steps)
    }

    /// The visible lines with their whole text. A text that begins or ends outside of the screen is found, too.
    fn screen_lines(&self) -> Vec<ScreenLine> {
        let mut lines: Vec<(u64, ScreenLine)> = Vec::new();
        for (y, row) in (0..).zip(self.visible()) {
            let Some(entry) = self.entry(row.number) else {
                continue;
            };
            let text = entry.line().text.as_str();
            if lines.last().is_none_or(|(number, _)| *number != row.number) {
                let line = ScreenLine {
                    text: text.to_owned(),
                    ..ScreenLine::default()
                };
                lines.push((row.number, line));
            }
            let shown = text.get(row.start..row.end).unwrap_or_default();
            if let Some((_, line)) = lines.last_mut() {
                line.places.extend(self.places(shown, row.start, y));
            }
        }
        lines.into_iter().map(|(_, line)| line).collect()
    }

    /// The places of the characters of one row, whose text begins at byte `start` of its line.
    fn places(&self, shown: &str, start: usize, row: u16) -> Vec<TextPlace> {
        let mut places = Vec::new();
        let mut cell = 0;
        for (at, grapheme) in shown.grapheme_indices(true) {
            let width = grapheme.width();
            let column = cell;
            cell += width;
            if column < self.left || width == 0 {
                continue;
            }
            if cell - self.left > self.columns {
                break;
            }
            places.push(TextPlace {
                at: start + at,
                column: u16::try_from(column - self.left).unwrap_or(u16::MAX) + GUTTER,
                row,
                width: u16::try_from(width).unwrap_or(1),
            });
        }
        places
    }
}
