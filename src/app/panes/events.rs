//! What happens to panes: output of their streams, the daemon connects and disconnects, time passes.

use jiff::Timestamp;

use super::{Pane, PaneState, Panes, ShellPlace};
use crate::{
    app::{
        msg::StreamEvent,
        step::{Ids, Step},
    },
    model::text::Clean,
    protocol::message::StreamId,
};

impl Panes {
    /// Returns `None` if the stream doesn't belong to a pane.
    pub fn stream(
        &mut self,
        stream: StreamId,
        event: &StreamEvent,
        now: Timestamp,
    ) -> Option<Vec<Step>> {
        if let Some((mut steps, brought)) = self.lines.stream(stream, event, now) {
            steps.extend(self.take_brought(brought, now));
            return Some(steps);
        }
        let at = self.list.iter().position(|pane| pane.stream == stream)?;
        let id = self.list[at].id;
        let has_keys = self.active_id() == Some(id);
        let seen = self.is_seen(id);
        let pane = &mut self.list[at];
        let mut steps = pane.event(event, now);
        if let StreamEvent::Data { bytes, .. } = event {
            steps.extend(self.record_output(id, bytes));
        }
        let pane = &mut self.list[at];
        pane.has_unseen_output &= !seen;
        if !matches!(event, StreamEvent::Data { .. }) {
            steps.extend(self.end_permit(id));
        }
        let pane = &mut self.list[at];
        if has_keys {
            self.leader &= pane.takes_keys();
        }
        if !self.daemon_is_up && pane.retry_at().is_some() && pane.place != ShellPlace::Host {
            pane.lost(Clean::new(tr!("daemon disconnected")), None);
        }
        steps.extend(self.take_copy(at, now));
        steps.extend(self.close_if_split(id));
        Some(steps)
    }

    /// The daemon is connected or reconnected.
    pub fn link_up(&mut self, ids: &mut Ids, _now: Timestamp) -> Vec<Step> {
        self.daemon_is_up = true;
        self.list
            .iter_mut()
            .filter(|pane| matches!(pane.state, PaneState::Lost { .. }))
            .map(|pane| pane.reopen(ids.stream()))
            .collect()
    }

    pub fn link_down(&mut self, why: &Clean, _now: Timestamp) {
        self.daemon_is_up = false;
        for pane in &mut self.list {
            let paused = pane.state == PaneState::Paused;
            let open = pane.is_asked() && pane.takes_keys() && !paused;
            if pane.place != ShellPlace::Host && open {
                pane.lost(why.clone(), None);
            }
        }
    }

    pub fn tick(&mut self, ids: &mut Ids, now: Timestamp) -> Vec<Step> {
        let mut steps = Vec::new();
        for pane in &mut self.list {
            pane.emulator.tick(now);
            if pane.retry_at().is_some_and(|at| now >= at) {
                steps.push(pane.reopen(ids.stream()));
            }
        }
        steps.extend(self.lines.tick(ids, now));
        steps.extend(self.tick_clipboard(now));
        steps.extend(self.tick_screens(now));
        steps
    }

    pub fn wake_at(&self) -> Option<Timestamp> {
        let seen = self.list.iter().filter(|pane| self.is_seen(pane.id));
        let updates = seen.filter_map(|pane| pane.emulator.wake_at());
        let retries = self.list.iter().filter_map(Pane::retry_at);
        let pauses = self.list.iter().filter_map(Pane::pause_at);
        let lines = [
            self.lines.wake_at(),
            self.clipboard_wakes_at(),
            self.screens.wake_at(),
        ];
        let lines = lines.into_iter().flatten();
        retries.chain(pauses).chain(updates).chain(lines).min()
    }
}
