//! The steps before and after a frame: which messages change the screen, updating the list, and taking sizes
//! and positions from the layout.

use jiff::Timestamp;

use super::App;
use crate::{
    app::{
        area::Areas,
        effect::Effect,
        focus::Page,
        msg::Msg,
        step::{Purpose, Step},
    },
    model::id::SessionKey,
};

impl App {
    /// Updates the list from the mirror before keys are read and before drawing, not for each one of many
    /// notices.
    pub(super) fn settle(&mut self) {
        self.go_along_with_detail();
        self.sessions.refresh(&self.mirror);
        self.follow_selection();
    }

    /// Whether a message can change the screen.
    pub(super) fn is_seen(&self, msg: &Msg) -> bool {
        match msg {
            Msg::Answer { ticket, .. } => self.asked.get(ticket) != Some(&Purpose::Watch),
            Msg::Stream { stream, .. } => {
                self.page != Page::Sessions || self.is_of_explorer(*stream)
            }
            Msg::Log { .. } => self.page_below() == Page::Logs,
            _ => true,
        }
    }

    /// Whether something has changed since the last call. If so, layout and drawing are due, and the list is
    /// up to date for them.
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

    /// Must be called with the result of `view::layout` before drawing. Scrolling, terminal sizes and samples
    /// of use follow what is visible.
    pub fn laid_out(&mut self, areas: &Areas, now: Timestamp) -> Vec<Effect> {
        self.areas.clone_from(areas);
        let mut steps = Vec::new();
        if areas.too_small {
            return Vec::new();
        }
        self.sessions
            .laid_out(usize::from(areas.rows.height), &self.mirror);
        steps.extend(self.reach.ask_if_due(&self.mirror, &self.sessions, now));
        if self.mirror.is_up() {
            steps.extend(self.sessions.ask_if_due(&self.mirror, now));
        }
        if let (Some(detail), Some(area)) = (&mut self.detail, areas.detail) {
            detail.laid_out(areas.detail_lines, usize::from(area.height));
            if self.mirror.is_up() {
                steps.extend(detail.ask_if_due(&self.mirror, now));
                let session = detail.session();
                steps.extend(self.load_rules(session));
            }
        }
        if let Some(dialog) = &areas.dialog {
            let height = usize::from(dialog.rows.height);
            self.with_panel(now, |top, env| top.laid_out(height, env));
        }
        steps.extend(self.ask_for_explorer(now));
        steps.extend(self.ask_for_dashboard(now));
        match self.page_below() {
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
        if let Some(floating) = &areas.floating_pane {
            steps.extend(self.panes.set_floating(floating.cells));
        }
        steps.extend(self.watch());
        self.carry_out(steps, now)
    }

    /// Requests the rules for a session with an extension, to show how often it can be extended.
    fn load_rules(&mut self, id: SessionKey) -> Option<Step> {
        let session = self.mirror.session(id)?;
        session.reprieve.until?;
        self.extension_rules.ask_once(id.context)
    }

    /// If the session of a focused detail has moved to another tab, the list follows it.
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

    /// An open detail always shows the selected row, so that keys never apply to another session than the one
    /// on the screen.
    fn follow_selection(&mut self) {
        let Some(detail) = &mut self.detail else {
            return;
        };
        // Keys for a session that is gone must not reach the next session.
        let gone = detail.focused && self.mirror.session(detail.session()).is_none();
        match self.sessions.selected() {
            Some(id) if !gone => {
                detail.follow(id);
                if let Some((_, at)) = self.sessions.selected_container()
                    && !detail.focused
                {
                    detail.go_to_kernel(at);
                }
            }
            // Next to the list, it shows the group, and stays for the next session.
            None if !gone && !detail.focused && self.sessions.selected_group().is_some() => {}
            _ => self.detail = None,
        }
    }
}
