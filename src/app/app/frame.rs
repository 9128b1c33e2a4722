//! What goes before and after a frame: what may change the screen, the list brought up to date, sizes and
//! places as the layout gives them.

use jiff::Timestamp;

use super::App;
use crate::app::{area::Areas, effect::Effect, focus::Page, msg::Msg, step::Purpose};

impl App {
    /// Brings the list up to date with the mirror: before keys are read and before drawing, not at
    /// every one of a thousand notices.
    pub(super) fn settle(&mut self) {
        self.go_along_with_detail();
        self.sessions.refresh(&self.mirror);
        self.follow_selection();
    }

    /// Whether a message can change what is on the screen.
    pub(super) fn is_seen(&self, msg: &Msg) -> bool {
        match msg {
            Msg::Answer { ticket, .. } => self.asked.get(ticket) != Some(&Purpose::Watch),
            Msg::Stream { .. } => self.page != Page::Sessions,
            Msg::Log { .. } => self.page == Page::Logs,
            _ => true,
        }
    }

    /// Whether something changed since the last call: then layout and drawing are due, and the
    /// list is up to date for them.
    pub fn take_dirty(&mut self) -> bool {
        if self.dirty {
            self.settle();
        }
        std::mem::take(&mut self.dirty)
    }

    pub fn is_dirty(&self) -> bool {
        self.dirty
    }

    pub fn set_dirty(&mut self) {
        self.dirty = true;
    }

    /// To be called with the result of `view::layout` before drawing: scrolling, terminal sizes
    /// and the sampling of usage follow what is visible.
    pub fn laid_out(&mut self, areas: &Areas, now: Timestamp) -> Vec<Effect> {
        self.areas.clone_from(areas);
        let mut steps = Vec::new();
        if areas.too_small {
            return Vec::new();
        }
        self.sessions
            .laid_out(usize::from(areas.rows.height), &self.mirror);
        steps.extend(self.reach.ask_if_due(&self.mirror, &self.sessions, now));
        if let (Some(detail), Some(area)) = (&mut self.detail, areas.detail) {
            detail.laid_out(areas.detail_lines, usize::from(area.height));
            if self.mirror.is_up() {
                steps.extend(detail.ask_if_due(&self.mirror, now));
                let session = detail.session();
                steps.extend(self.rules_for(session));
            }
        }
        if let (Some(help), Some(area)) = (&mut self.help, areas.help_rows) {
            help.laid_out(usize::from(area.height));
        }
        if let (Some(recents), Some(area)) = (&mut self.recents, areas.recent_rows) {
            recents.laid_out(usize::from(area.height));
        }
        if let (Some(list), Some(area)) = (&mut self.notice_list, areas.notice_rows) {
            list.laid_out(usize::from(area.height), self.notices.len());
        }
        if let (Some(scheduling), Some(area)) = (&mut self.scheduling, areas.scheduling_rows) {
            scheduling.laid_out(usize::from(area.height));
        }
        if let (Some(picker), Some(area)) = (&mut self.picker, areas.picker_rows) {
            picker.laid_out(usize::from(area.height));
        }
        if let (Some(shells), Some(area)) = (&mut self.shells, areas.shell_rows) {
            shells.update(&self.mirror, &self.panes, &self.facts.host);
            shells.laid_out(usize::from(area.height));
        }
        match self.page {
            Page::Panes => {
                steps.extend(self.panes.set_page(areas.pane_page));
            }
            Page::Logs => {
                if let Some(logs) = &mut self.logs {
                    steps.extend(logs.set_size(areas.log.width, areas.log.height));
                }
            }
            Page::Sessions => {}
        }
        steps.extend(self.watch());
        self.carry_out(steps, now)
    }

    /// A session with the keys on its detail has gone to another tab: the list goes along.
    fn go_along_with_detail(&mut self) {
        let read = self.detail.as_ref().filter(|detail| detail.focused);
        let session = read.and_then(|detail| self.mirror.session(detail.session()));
        if let Some(session) = session
            && session.tab() != self.sessions.tab()
            && self.sessions.shown().has(session.context)
        {
            self.sessions.go_along(session.key());
        }
    }

    /// What an open detail describes is the selected row: what a key is about is never another session
    /// than the one that is read.
    fn follow_selection(&mut self) {
        let Some(detail) = &mut self.detail else {
            return;
        };
        // Keys for a session that is no more must not reach the next one.
        let gone = detail.focused && self.mirror.session(detail.session()).is_none();
        match self.sessions.selected() {
            Some(id) if !gone => detail.follow(id),
            _ => self.detail = None,
        }
    }
}
