//! The machine was restarted: what ran on it then ended with it, and that is the reason.
//!
//! Each session's record says in which start of the machine it was last seen running. It says so until
//! an engine has told what became of it, so the reason outlives any number of daemons.

use super::{core::Controller, held::Held};
use crate::model::{capability::EngineState, text::Clean};

impl Controller {
    /// Which start of the machine this is, as the system calls it; `None` = it does not say.
    pub fn know_boot(&mut self, boot: Option<Clean>) {
        self.boot = boot;
    }

    /// Whether the machine was restarted since it was last seen running. Another machine's engine is
    /// not concerned.
    pub(super) fn was_restarted(&self, held: &Held) -> bool {
        let EngineState::Connected { info } = &self.line.state else {
            return false;
        };
        let elsewhere = ["tcp:", "ssh:", "http:", "https:"];
        let endpoint = info.endpoint.as_str();
        let here = !elsewhere.iter().any(|scheme| endpoint.starts_with(scheme));
        match (&held.record.boot, &self.boot) {
            (Some(then), Some(now)) => here && then != now,
            _ => false,
        }
    }
}
