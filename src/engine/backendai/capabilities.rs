//! What a manager does not do for us, with the reason a disabled action shows.

use super::features::Features;
use crate::model::{
    capability::{Capabilities, Capability},
    text::Clean,
};

const ALWAYS: [(Capability, &str); 5] = [
    (
        Capability::HostEnvironment,
        "the host environment is this machine's own; a session on the cluster runs in an image",
    ),
    (
        Capability::LogTimes,
        "the cluster keeps its logs without times",
    ),
    (
        Capability::LastWill,
        "nothing can be run in a session of the cluster before its manager ends it",
    ),
    (
        Capability::IdleRules,
        "the cluster sets its idle checks by a person's policy, not by the session",
    ),
    (
        Capability::Reprieve,
        "the manager decides who is reclaimed: ask the cluster's administrator to spare a session",
    ),
];

pub(super) const HIDDEN: &str = "this cluster does not show its machines to its users";
pub(super) const TOO_OLD_FOR_AGENTS: &str =
    "this manager takes no choice of a machine: it is older than 24.09.1";

pub(super) fn of(features: Features, administrator: bool, hidden: bool) -> Capabilities {
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
    if !administrator {
        missing.push((
            Capability::Owners,
            Clean::new("only an administrator makes sessions for others"),
        ));
        missing.push((
            Capability::Priority,
            Clean::new("the manager lets only administrators change a priority"),
        ));
    }
    if hidden {
        missing.push((Capability::AgentChoice, Clean::new(HIDDEN)));
    } else if !features.agent_choice {
        missing.push((Capability::AgentChoice, Clean::new(TOO_OLD_FOR_AGENTS)));
    }
    Capabilities {
        missing,
        open_streams_keep_alive: true,
    }
}
