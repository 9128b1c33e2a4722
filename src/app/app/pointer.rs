//! Handles the mouse. Everything is also possible with keys.

use jiff::{SignedDuration, Timestamp};
use ratatui::layout::{Position, Rect};

use super::App;
use crate::{
    action::Action,
    app::{
        focus::Focus,
        msg::{Button, Mouse, MouseKind},
        panes::Ground,
        sort::Order,
        step::Step,
    },
    model::status::Tab,
};

/// Two clicks on a row within this time open it.
const DOUBLE_CLICK: SignedDuration = SignedDuration::from_millis(400);
/// Lines that one turn of the wheel scrolls.
const WHEEL: isize = 3;

/// The clicked part of a dialog.
enum Clicked {
    Row(usize),
    /// Its border, or a line that isn't a row.
    Frame,
    Outside,
}

impl App {
    pub(super) fn pointer(&mut self, mouse: Mouse, now: Timestamp) -> Vec<Step> {
        match self.focus() {
            Focus::Panes => {
                let ground = Ground {
                    tabs: self.areas.pane_tabs,
                    panes: &self.areas.panes,
                    borders: &self.areas.pane_borders,
                };
                return self.panes.mouse(mouse, ground, now);
            }
            Focus::Logs => {
                return match &mut self.logs {
                    Some(logs) => logs.mouse(mouse),
                    None => Vec::new(),
                };
            }
            _ => {}
        }
        match mouse.kind {
            MouseKind::WheelDown => self.wheel(mouse, WHEEL),
            MouseKind::WheelUp => self.wheel(mouse, -WHEEL),
            MouseKind::Press(Button::Left) => return self.click(mouse, now),
            _ => {}
        }
        Vec::new()
    }

    fn wheel(&mut self, mouse: Mouse, by: isize) {
        match (self.focus(), &mut self.help, &mut self.detail) {
            (Focus::Help | Focus::HelpSearch, Some(help), _) => help.move_by(by),
            (
                Focus::Confirm
                | Focus::Keep
                | Focus::WhyNot
                | Focus::Pull
                | Focus::LauncherQuestion
                | Focus::NewShell
                | Focus::LauncherPrompt,
                ..,
            ) => {}
            (Focus::Launcher, ..) => self.wheel_in_launcher(by.signum()),
            (Focus::Recents | Focus::RecentTitle, ..) => {
                if let Some(recents) = &mut self.recents {
                    recents.move_by(by.signum());
                }
            }
            (Focus::Notices, ..) => {
                let count = self.notices.len();
                if let Some(list) = &mut self.notice_list {
                    list.move_by(by.signum(), count);
                }
            }
            (Focus::Scheduling | Focus::SchedulingFilter, ..) => {
                if let Some(scheduling) = &mut self.scheduling {
                    scheduling.move_by(by.signum());
                }
            }
            (Focus::Shells, ..) => {
                if let Some(shells) = &mut self.shells {
                    shells.move_by(by.signum());
                }
            }
            (Focus::Contexts, ..) => {
                if let Some(picker) = &mut self.picker {
                    picker.move_by(by.signum());
                }
            }
            (_, _, Some(detail)) if self.areas.detail.is_some_and(|area| hits(area, mouse)) => {
                detail.move_by(by);
            }
            _ => self.sessions.scroll(by),
        }
    }

    fn click(&mut self, mouse: Mouse, now: Timestamp) -> Vec<Step> {
        match self.focus() {
            Focus::Confirm | Focus::LauncherQuestion => self.click_button(mouse, now),
            Focus::Keep => self.click_in_keep(mouse, now),
            Focus::WhyNot => self.click_in_why_not(mouse, now),
            Focus::Pull => {
                if matches!(self.clicked_in(None, mouse), Clicked::Outside) {
                    self.pull.close();
                }
                Vec::new()
            }
            Focus::LauncherPrompt => Vec::new(),
            Focus::Recents | Focus::RecentTitle => self.click_in_recents(mouse, now),
            Focus::Launcher => {
                self.click_in_launcher(mouse);
                Vec::new()
            }
            Focus::Scheduling | Focus::SchedulingFilter => {
                self.click_in_scheduling(mouse);
                Vec::new()
            }
            Focus::Contexts => self.click_in_picker(mouse),
            Focus::Shells => self.click_in_shells(mouse, now),
            Focus::NewShell => {
                self.click_in_new_shell(mouse);
                Vec::new()
            }
            Focus::Notices => self.click_in_notices(mouse, now),
            Focus::Help | Focus::HelpSearch => {
                if self.areas.dialog.is_some_and(|area| !hits(area, mouse)) {
                    self.help = None;
                }
                Vec::new()
            }
            _ => self.click_page(mouse, now),
        }
    }

    fn click_button(&mut self, mouse: Mouse, now: Timestamp) -> Vec<Step> {
        let [no, yes] = self.areas.buttons;
        if hits(no, mouse) || hits(yes, mouse) {
            return self.press_button(hits(yes, mouse), now);
        }
        Vec::new()
    }

    fn click_in_why_not(&mut self, mouse: Mouse, now: Timestamp) -> Vec<Step> {
        match self.clicked_in(self.areas.why_not_rows, mouse) {
            Clicked::Row(at) => return self.click_why_not(at, now),
            Clicked::Outside => self.waits = None,
            Clicked::Frame => {}
        }
        Vec::new()
    }

    fn click_in_keep(&mut self, mouse: Mouse, now: Timestamp) -> Vec<Step> {
        match self.clicked_in(self.areas.keep_rows, mouse) {
            Clicked::Row(at) => return self.click_keep(at, now),
            Clicked::Outside => self.keep = None,
            Clicked::Frame => {}
        }
        Vec::new()
    }

    pub(super) fn click_in_scheduling(&mut self, mouse: Mouse) {
        match (
            self.clicked_in(self.areas.scheduling_rows, mouse),
            &mut self.scheduling,
        ) {
            (Clicked::Row(at), Some(scheduling)) => scheduling.click(at),
            (Clicked::Outside, _) => self.scheduling = None,
            _ => {}
        }
    }

    /// Finds which part of the top dialog, with its list in `rows`, was clicked.
    fn clicked_in(&self, rows: Option<Rect>, mouse: Mouse) -> Clicked {
        match (rows, self.areas.dialog) {
            (Some(rows), _) if hits(rows, mouse) => Clicked::Row(usize::from(mouse.row - rows.y)),
            (_, Some(dialog)) if !hits(dialog, mouse) => Clicked::Outside,
            _ => Clicked::Frame,
        }
    }

    fn click_in_picker(&mut self, mouse: Mouse) -> Vec<Step> {
        let Some((rows, picker)) = self.areas.picker_rows.zip(self.picker.as_ref()) else {
            return Vec::new();
        };
        if hits(rows, mouse) {
            let at = picker.scroll() + usize::from(mouse.row - rows.y);
            return self.click_context(at);
        }
        if self.areas.dialog.is_some_and(|area| !hits(area, mouse)) {
            self.picker = None;
        }
        Vec::new()
    }

    fn click_in_shells(&mut self, mouse: Mouse, now: Timestamp) -> Vec<Step> {
        match self.clicked_in(self.areas.shell_rows, mouse) {
            Clicked::Row(at) => return self.click_shell(at, now),
            Clicked::Outside => self.shells = None,
            Clicked::Frame => {}
        }
        Vec::new()
    }

    fn click_in_new_shell(&mut self, mouse: Mouse) {
        match (
            self.clicked_in(self.areas.new_shell_rows, mouse),
            &mut self.new_shell,
        ) {
            (Clicked::Row(at), Some(form)) => form.go_to(at),
            (Clicked::Outside, _) => self.new_shell = None,
            _ => {}
        }
    }

    fn click_page(&mut self, mouse: Mouse, now: Timestamp) -> Vec<Step> {
        for (tab, area) in Tab::ALL.into_iter().zip(self.areas.tab_titles) {
            if hits(area, mouse) {
                self.go_to_tab(tab);
                return Vec::new();
            }
        }
        if let (Some(detail), Some(area)) = (&mut self.detail, self.areas.detail)
            && hits(area, mouse)
        {
            detail.focused = true;
            return Vec::new();
        }
        let titles = &self.areas.column_titles;
        if let Some((column, _)) = titles.iter().find(|(_, area)| hits(*area, mouse)) {
            let now = self.sessions.order();
            let order = if now.column == *column {
                now.reversed()
            } else {
                Order::by(*column)
            };
            self.sessions.sort(order);
            return Vec::new();
        }
        if hits(self.areas.rows, mouse) {
            return self.click_row(usize::from(mouse.row - self.areas.rows.y), now);
        }
        Vec::new()
    }

    fn click_row(&mut self, row: usize, now: Timestamp) -> Vec<Step> {
        let Some(id) = self.sessions.visible().get(row).copied() else {
            return Vec::new();
        };
        self.sessions.go_to(self.sessions.offset() + row);
        if let Some(detail) = &mut self.detail {
            detail.focused = false;
            detail.follow(id);
        }
        let again = self
            .clicked
            .is_some_and(|(last, at)| last == id && now.duration_since(at) <= DOUBLE_CLICK);
        self.clicked = (!again).then_some((id, now));
        if again {
            let scope = self.scope();
            return self.action(scope, Action::SessionOpen, None, now);
        }
        Vec::new()
    }
}

fn hits(area: Rect, mouse: Mouse) -> bool {
    area.contains(Position::new(mouse.column, mouse.row))
}
