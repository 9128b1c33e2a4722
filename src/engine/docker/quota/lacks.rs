//! Whether limits are enforced, as a capability.

use super::why_measured;
use crate::{
    engine::docker::{DockerEngine, blocking::off_loop, connect::connection::EngineConnection},
    model::{capability::Capability, text::Clean},
};

impl DockerEngine {
    /// What this machine can't enforce, with the reason.
    pub(in crate::engine::docker) async fn lacks_of_quotas(
        &self,
        connection: &EngineConnection,
    ) -> Option<(Capability, Clean)> {
        let lacks = |why: &str| (Capability::DiskEnforcement, Clean::new(why));
        if let Some(why) = &connection.remote {
            return Some(lacks(why));
        }
        let homes = self.config.state_dir.join("sessions");
        let why = off_loop(move || Ok(why_measured(&homes))).await.ok()??;
        Some(lacks(&tr_sent!(
            "disk limits are measured, not enforced: {why}",
            why
        )))
    }
}
