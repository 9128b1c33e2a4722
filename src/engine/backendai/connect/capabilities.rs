//! What some managers can't do, with the reason that a disabled action shows. What no manager can do is in
//! `model::capability`.

use super::features::Features;
use crate::model::{
    capability::{Capabilities, Capability},
    context::EngineKind,
    text::Clean,
};

/// What older managers lack, and whether a manager has it.
type Age = (fn(Features) -> bool, Capability, &'static str);
const AGES: [Age; 6] = [
    (
        |it| it.scope_id,
        Capability::IdleChecks,
        tr_sent!("this manager doesn't report idle checks: it is older than 24.12"),
    ),
    (
        |it| it.counts_streams,
        Capability::NetworkIdle,
        tr_sent!(
            "this manager doesn't count terminals and connections for its network idle check: it is older \
         than 26.8"
        ),
    ),
    (
        |it| it.scheduling_history,
        Capability::SchedulingSteps,
        tr_sent!(
            "this manager reports only when each status was reached, not its attempts: it is older than 26.2"
        ),
    ),
    (
        |it| it.reports_failed_starts,
        Capability::StartFailures,
        tr_sent!(
            "this manager may report a session as running whose container ended while it started: it is \
         older than 26.8"
        ),
    ),
    (
        |it| it.reports_timeout,
        Capability::BatchTimeout,
        tr_sent!(
            "this manager doesn't report the timeout of a batch session: it is older than 26.3"
        ),
    ),
    (
        |it| it.reports_runtime,
        Capability::LaunchRecord,
        tr_sent!(
            "this manager doesn't report the variables and the bootstrap script of a session: it is older \
         than 26.3"
        ),
    ),
];

pub(in crate::engine::backendai) const HIDDEN: &str =
    tr_sent!("this cluster doesn't show its agents to users");
pub(in crate::engine::backendai) const TOO_OLD_FOR_AGENTS: &str =
    tr_sent!("this manager can't choose an agent: it is older than 24.09.1");

pub(in crate::engine::backendai) fn of(
    features: Features,
    administrator: bool,
    hidden: bool,
) -> Capabilities {
    let too_old = AGES.iter().filter(|(has, ..)| !has(features));
    let too_old = too_old.map(|(_, capability, why)| (*capability, *why));
    let mut missing = Capabilities::of(EngineKind::Backendai).missing;
    missing.extend(too_old.map(|(capability, why)| (capability, Clean::new(why))));
    if !administrator {
        missing.push((
            Capability::Owners,
            Clean::new(tr_sent!(
                "only administrators can launch sessions for other users"
            )),
        ));
        missing.push((
            Capability::Priority,
            Clean::new(tr_sent!(
                "only administrators can change a priority on this cluster"
            )),
        ));
    } else if !features.launches_for_others {
        missing.push((
            Capability::Owners,
            Clean::new(tr_sent!(
                "this manager can't launch sessions for other users: releases 25.13 to 25.19 fail \
                 with an internal error"
            )),
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
