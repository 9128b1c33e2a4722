//! The queue in simulated time.

mod any;
mod backfill;
mod launches;
mod passing;
mod priorities;
mod waits;

use crate::{
    model::{
        policy::{GroupRules, ResourceRules},
        resources::{Bytes, Cpu},
        settings::Settings,
        spec::LaunchRequest,
    },
    scheduler::tests::play::{self, Play},
};

/// The simulated machine has 4 CPU and 1 GiB. Each session of this test has 1 CPU.
fn named(name: &str) -> LaunchRequest {
    LaunchRequest {
        name: Some(name.to_owned()),
        ..LaunchRequest::default()
    }
}

fn cpus(name: &str, millis: u64) -> LaunchRequest {
    LaunchRequest {
        cpu: Some(Cpu::from_millis(millis)),
        ..named(name)
    }
}

fn settings(change: impl FnOnce(&mut ResourceRules)) -> Settings {
    let mut settings = play::settings();
    change(&mut settings.resources);
    settings
}

fn group(rules: &mut ResourceRules) -> &mut GroupRules {
    rules.groups.get_mut("default").unwrap()
}

/// A machine without free CPU.
fn full() -> Play {
    full_by(|_| ())
}

fn full_by(change: impl FnOnce(&mut ResourceRules)) -> Play {
    let mut play = Play::with(settings(change));
    for name in ["full-1", "full-2", "full-3", "full-4"] {
        play.comes(named(name));
    }
    play
}

const MIB_64: Bytes = Bytes::mib(64);
