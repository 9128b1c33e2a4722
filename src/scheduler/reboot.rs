//! Sessions that ended because the machine was restarted.
//!
//! Each session's record has the id of the boot in which it last ran. It stays until an engine has
//! reported what became of the session, so the reason survives any number of daemon restarts.

use super::{core::Scheduler, tracked_session::TrackedSession};
use crate::model::{capability::EngineState, text::Clean};

impl Scheduler {
    /// Sets the system's id of the current boot; `None` if it isn't known.
    pub fn set_boot(&mut self, boot: Option<Clean>) {
        self.boot = boot;
    }

    /// Whether the machine was restarted since the session last ran. This doesn't apply to engines
    /// on other machines.
    pub(super) fn was_restarted(&self, tracked: &TrackedSession) -> bool {
        let EngineState::Connected { info } = &self.connection.state else {
            return false;
        };
        let elsewhere = ["tcp:", "ssh:", "http:", "https:"];
        let endpoint = info.endpoint.as_str();
        let here = !elsewhere.iter().any(|scheme| endpoint.starts_with(scheme));
        match (&tracked.record.boot, &self.boot) {
            (Some(then), Some(now)) => here && then != now,
            _ => false,
        }
    }
}
