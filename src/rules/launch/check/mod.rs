//! All rules of a launch, with the same message wherever a rule is checked.

mod choices;
mod request;
mod slots;
mod warnings;

use jiff::Timestamp;

use crate::model::{
    capability::{Capabilities, Capability},
    catalogue::{Catalogue, Preset, ResourceGroup},
    environment::Environment,
    spec::{DEFAULT_GROUP, LaunchRequest},
    text::Clean,
};
pub use crate::rules::launch::check::{
    choices::check_agent,
    request::{check_value, check_words},
    warnings::{short_of_shmem, warnings},
};
use crate::{
    model::launch_field::{FieldProblem, LaunchField as Field},
    rules::launch::amounts,
};

/// The max number of sessions of one launch.
pub const MOST_COPIES: u32 = 100;

/// What a launch is checked against. Unknown parts aren't checked here, but once more at the launch.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    pub now: Timestamp,
    /// The chosen environment.
    pub environment: Option<&'a Environment>,
    /// All available environments; empty = not reported.
    pub environments: &'a [Environment],
    pub offer: Option<&'a Catalogue>,
    pub capabilities: Option<&'a Capabilities>,
    /// Whether a session that hasn't ended has this name.
    pub taken: Option<&'a dyn Fn(&str) -> bool>,
    /// How many days home directories are kept after the end of their session.
    pub keep_days: Option<u32>,
}

impl<'a> Ground<'a> {
    /// Creates a ground in which only the time is known.
    #[must_use]
    pub fn at(now: Timestamp) -> Self {
        Self {
            now,
            environment: None,
            environments: &[],
            offer: None,
            capabilities: None,
            taken: None,
            keep_days: None,
        }
    }

    /// The request, filled with the amounts of its preset.
    #[must_use]
    pub fn filled(&self, request: &LaunchRequest) -> LaunchRequest {
        let mut filled = request.clone();
        if let Some(preset) = self.preset(request) {
            amounts::fill_from(&mut filled, preset);
        }
        filled
    }

    /// The resource group of the launch: the requested one, else the only one of its preset, else the only
    /// one that exists, else `default`.
    pub fn group(&self, request: &LaunchRequest) -> Option<&'a ResourceGroup> {
        let groups = self.offer.map_or(&[][..], |offer| &offer.resource_groups);
        let preset = self
            .preset(request)
            .and_then(|it| it.resource_group.as_ref());
        let wanted = request
            .resource_group
            .as_deref()
            .or(preset.map(Clean::as_str));
        match (wanted, groups) {
            (Some(name), groups) => groups.iter().find(|group| group.name == *name),
            (None, [only]) => Some(only),
            (None, groups) => groups.iter().find(|group| group.name == *DEFAULT_GROUP),
        }
    }

    /// Whether the engine schedules, so that its manager knows more images than it lists. `None` = not known.
    fn is_scheduled(&self) -> Option<bool> {
        Some(self.capabilities?.has(Capability::Schedules))
    }

    /// The requested preset, if it exists.
    pub fn preset(&self, request: &LaunchRequest) -> Option<&'a Preset> {
        let presets = self.offer.map_or(&[][..], |offer| &offer.presets);
        let named = |preset: &&Preset| request.preset.as_deref() == Some(preset.name.as_str());
        presets.iter().find(named)
    }
}

type Problems = Vec<FieldProblem>;

/// All problems of a request, in the order of the launcher's fields; empty = it can be launched.
pub fn check(request: &LaunchRequest, ground: &Ground<'_>) -> Problems {
    let mut found = check_words(request, ground.now);
    choices::check_name(request, ground, &mut found);
    choices::check_taken(request, ground, &mut found);
    choices::check_capabilities(request, ground, &mut found);
    choices::check_idle(request, ground, &mut found);
    choices::check_environment(request, ground, &mut found);
    choices::check_group(request, ground, &mut found);
    slots::check_amounts(request, ground, &mut found);
    slots::check_accelerators(request, ground, &mut found);
    slots::check_cluster(request, ground, &mut found);
    choices::check_folders(request, ground, &mut found);
    choices::check_ports(request, ground, &mut found);
    found.sort_by_key(|problem| (problem.field, problem.item));
    found
}

fn say(found: &mut Problems, field: Field, why: impl Into<String>) {
    found.push(FieldProblem::new(field, why));
}

/// Adds a problem with one entry of a list.
fn say_at(found: &mut Problems, field: Field, at: usize, why: impl Into<String>) {
    found.push(FieldProblem::new(field, why).at(at));
}

fn add(found: &mut Problems, field: Field, outcome: Result<(), String>) {
    if let Err(why) = outcome {
        say(found, field, why);
    }
}

/// The names of that many sessions with this name.
pub fn names(name: &str, copies: u32) -> Vec<String> {
    if copies < 2 {
        return vec![name.to_owned()];
    }
    (1..=copies).map(|n| format!("{name}-{n}")).collect()
}
