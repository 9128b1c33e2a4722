//! What a manager does not do for us, with the reason a disabled action shows.

use super::features::Features;
use crate::model::{
    capability::{Capabilities, Capability},
    text::Clean,
};

const ALWAYS: [(Capability, &str); 2] = [
    (
        Capability::HostEnvironment,
        "the host environment is this machine's own; a session on the cluster runs in an image",
    ),
    (
        Capability::Exec,
        "a command beside the session needs its sshd, which is not spoken yet",
    ),
];

pub(super) fn of(features: Features) -> Capabilities {
    let mut missing: Vec<(Capability, Clean)> = ALWAYS
        .iter()
        .map(|(capability, why)| (*capability, Clean::new(why)))
        .collect();
    if !features.scope_id {
        missing.push((
            Capability::IdleChecks,
            Clean::new("this manager tells nothing about idle checks: it is older than 24.12"),
        ));
    }
    Capabilities {
        missing,
        open_streams_keep_alive: true,
    }
}
