//! The keys, actions and mouse events of a log.

use std::path::PathBuf;

use jiff::tz::TimeZone;
use unicode_width::UnicodeWidthStr as _;

use super::{LogState, Logs, scroll::Goal};
use crate::{
    action::Action,
    app::{
        file_name::file_name,
        input::Input,
        msg::{Mouse, MouseKind},
        step::{Go, Ids, Step},
    },
    key::Key,
    model::notice::Level,
};

/// Cells of a sideways step.
pub(super) const SIDEWAYS: usize = 16;
/// Rows that one turn of the wheel scrolls.
const WHEEL: isize = 3;

impl Logs {
    /// Handles a key that no scope binds. Returns `None` if the key isn't used.
    pub fn key(&mut self, key: Key) -> Option<Vec<Step>> {
        if let Some(steps) = self.quick_key(key) {
            return Some(steps);
        }
        let taken = self.typing.as_mut()?.key(key);
        taken.then(|| self.search_typed())
    }

    pub fn paste(&mut self, text: &str) -> Vec<Step> {
        match &mut self.typing {
            _ if self.quick.is_some() => Vec::new(),
            Some(input) => {
                input.paste(text);
                self.search_typed()
            }
            None => Vec::new(),
        }
    }

    /// Handles an action of the scopes Logs and Input. `Back` and `Quit` close what is open first and then
    /// the view (`Go::Sessions`).
    pub fn action(&mut self, action: Action, ids: &mut Ids) -> Vec<Step> {
        if let Some(steps) = self.quick_action(action) {
            return steps;
        }
        let mut steps = self.act(action, ids);
        steps.extend(self.settle());
        steps
    }

    fn act(&mut self, action: Action, ids: &mut Ids) -> Vec<Step> {
        let page = isize::try_from(self.rows.saturating_sub(1).max(1)).unwrap_or(1);
        match action {
            Action::ListDown => self.move_by(1),
            Action::ListUp => self.move_by(-1),
            Action::ListPageDown => self.move_by(page),
            Action::ListPageUp => self.move_by(-page),
            Action::ListHalfDown => self.move_by(page.midpoint(1)),
            Action::ListHalfUp => self.move_by(-page.midpoint(1)),
            Action::ListFirst => self.go_to(Goal::First),
            Action::ListLast => self.go_to(Goal::End),
            Action::LogsFollow => return self.follow(ids),
            Action::LogsWrap => self.toggle_wrap(),
            Action::LogsLeft | Action::LogsRight if self.wrap => {
                let text = tr!("long lines are wrapped, so there is nothing on the right");
                return vec![Step::toast(Level::Info, text)];
            }
            Action::LogsLeft => self.left = self.left.saturating_sub(SIDEWAYS),
            Action::LogsRight => self.go_right(),
            Action::LogsSearch => self.typing = Some(Input::default()),
            Action::LogsError => return vec![self.next_error()],
            Action::LogsNext => return self.seek(true),
            Action::LogsPreviousHit => return self.seek(false),
            Action::LogsNextKernel => return self.turn(1, ids),
            Action::LogsPreviousKernel => return self.turn(-1, ids),
            Action::LogsSave => return vec![self.save()],
            Action::LogsQuickSelect => return self.begin_quick_select(),
            Action::InputSubmit => self.typing = None,
            Action::InputCancel => {
                self.typing = None;
                return self.end_search();
            }
            Action::Back | Action::Quit => return self.back(),
            _ => {}
        }
        Vec::new()
    }

    fn back(&mut self) -> Vec<Step> {
        if self.typing.take().is_some() | self.search.is_some() {
            return self.end_search();
        }
        vec![Step::Go(Go::Sessions)]
    }

    /// Whether lines can still come, or can be read again.
    pub fn can_follow(&self) -> bool {
        self.state != LogState::Complete
    }

    /// Switches following on or off. A log that broke off is read again.
    fn follow(&mut self, ids: &mut Ids) -> Vec<Step> {
        if !self.can_follow() {
            return Vec::new();
        }
        if matches!(self.state, LogState::Broken { .. }) {
            return self.read_again(ids);
        }
        if self.is_following() {
            self.goal = None;
            self.pause();
        } else {
            self.go_to(Goal::End);
        }
        Vec::new()
    }

    /// Shows or hides the times before the lines.
    pub fn toggle_times(&mut self, zone: &TimeZone) -> Vec<Step> {
        if let Some(why) = &self.no_times {
            return vec![Step::toast(Level::Info, why)];
        }
        self.times = match self.times {
            Some(_) => None,
            None => Some(zone.clone()),
        };
        self.window.show_times(self.times.as_ref());
        self.begin_of_line();
        self.settle().into_iter().collect()
    }

    pub fn shows_times(&self) -> bool {
        self.times.is_some()
    }

    pub fn has_times(&self) -> bool {
        self.no_times.is_none()
    }

    /// Shows the first visible line from its beginning, because the rows of lines have changed.
    pub(super) fn begin_of_line(&mut self) {
        if let Some(top) = &mut self.top {
            top.row = 0;
        }
    }

    fn toggle_wrap(&mut self) {
        self.wrap = !self.wrap;
        self.left = 0;
        self.begin_of_line();
    }

    fn go_right(&mut self) {
        let widths = self
            .visible()
            .into_iter()
            .filter_map(|row| Some(self.entry(row.number)?.line().text.as_str().width()));
        let widest = widths.max().unwrap_or(0);
        if self.left + self.columns < widest {
            self.left += SIDEWAYS;
        }
    }

    fn save(&self) -> Step {
        let of = match self.kernel().filter(|(_, at, _)| *at > 1) {
            Some((hostname, ..)) => format!("{}-{hostname}", self.name),
            None => self.name.to_string(),
        };
        Step::SaveLog {
            log: self.source,
            path: PathBuf::from(format!("{}-log.txt", file_name(&of))),
            times: self.times.clone(),
        }
    }

    pub fn mouse(&mut self, mouse: Mouse) -> Vec<Step> {
        if self.quick.is_some() {
            if matches!(mouse.kind, MouseKind::Press(_)) {
                self.quick = None;
            }
            return Vec::new();
        }
        match mouse.kind {
            MouseKind::WheelUp => self.move_by(-WHEEL),
            MouseKind::WheelDown => self.move_by(WHEEL),
            _ => {}
        }
        self.settle().into_iter().collect()
    }
}
