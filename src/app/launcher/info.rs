//! What is known while a launch is prepared: the available resources, the time, and the names in use.

use std::collections::HashSet;

use jiff::{Timestamp, tz::TimeZone};

use crate::{
    app::{facts::Facts, mirror::Mirror},
    model::{
        capability::{Capability, EngineInfo},
        catalogue::{Catalogue, ResourceGroup},
        environment::Environment,
        id::ContextName,
        settings::LaunchSettings,
        spec::LaunchRequest,
        text::Clean,
    },
    rules::launch::{Ground, environment, table::TimeContext},
};

#[derive(Clone, Debug)]
pub struct LaunchInfo {
    pub context: ContextName,
    /// There are several contexts, so the command line must name one.
    pub several: bool,
    /// The contexts to choose from, empty if there is no choice.
    pub contexts: Vec<ContextName>,
    pub environments: Vec<Environment>,
    /// The available resources of the context, once it has reported them.
    pub catalogue: Option<Catalogue>,
    /// Why the available resources are missing or incomplete.
    pub gap: Option<Clean>,
    pub engine: Option<EngineInfo>,
    /// Names of sessions of this context that have not ended.
    pub taken: HashSet<String>,
    /// The default settings of a launch.
    pub defaults: LaunchSettings,
    pub now: Timestamp,
    pub zone: TimeZone,
    /// How many days home directories are kept.
    pub keep_days: Option<u32>,
}

impl LaunchInfo {
    /// The time and the zone for reading typed texts.
    pub fn reading(&self) -> TimeContext<'_> {
        TimeContext {
            now: self.now,
            zone: &self.zone,
        }
    }

    #[must_use]
    pub fn new(facts: &Facts, context: ContextName, contexts: Vec<ContextName>) -> Self {
        Self {
            context,
            several: false,
            contexts,
            environments: Vec::new(),
            catalogue: None,
            gap: None,
            engine: None,
            taken: HashSet::new(),
            defaults: facts.launch.clone(),
            now: Timestamp::UNIX_EPOCH,
            zone: facts.time_zone.clone(),
            keep_days: Some(facts.keep_days),
        }
    }

    /// Takes what the daemon has sent about the context.
    pub fn update(&mut self, mirror: &Mirror) {
        let context = self.context;
        self.several = mirror.has_several_contexts();
        self.environments = mirror.environments(context).to_vec();
        self.engine = mirror.engine_info(context).cloned();
        let lives = mirror
            .sessions()
            .filter(|it| it.context == context && !it.has_ended());
        self.taken = lives.map(|it| it.name.to_string()).collect();
    }

    /// Goes to another context and forgets what was known about the last one.
    pub fn go_to(&mut self, context: ContextName, mirror: &Mirror) {
        self.context = context;
        self.catalogue = None;
        self.gap = None;
        self.update(mirror);
    }

    pub fn has(&self, capability: Capability) -> bool {
        let engine = self.engine.as_ref();
        engine.is_some_and(|it| it.capabilities.has(capability))
    }

    /// Why the engine doesn't support the capability. `None` if it does, or hasn't reported it.
    pub fn why_not(&self, capability: Capability) -> Option<&Clean> {
        self.engine.as_ref()?.capabilities.why_not(capability)
    }

    /// The environment of a request, found by its name or its image.
    pub fn environment(&self, request: &LaunchRequest) -> Option<&Environment> {
        environment::find(request, &self.environments, &self.defaults.environment)
    }

    /// The group of a request.
    pub fn group(&self, request: &LaunchRequest) -> Option<&ResourceGroup> {
        let ground = Ground {
            offer: self.catalogue.as_ref(),
            capabilities: self.engine.as_ref().map(|it| &it.capabilities),
            ..Ground::at(self.now)
        };
        ground.group(request)
    }

    /// The facts that a request is checked against.
    pub fn with_ground<T>(
        &self,
        request: &LaunchRequest,
        then: impl FnOnce(&Ground<'_>) -> T,
    ) -> T {
        let taken = |name: &str| self.taken.contains(name);
        then(&Ground {
            now: self.now,
            environment: self.environment(request),
            environments: &self.environments,
            offer: self.catalogue.as_ref(),
            capabilities: self.engine.as_ref().map(|it| &it.capabilities),
            taken: Some(&taken),
            keep_days: self.keep_days,
        })
    }
}

#[cfg(test)]
impl LaunchInfo {
    /// A context about which nothing is known, with the default amounts of the settings.
    pub fn blank() -> Self {
        let facts = crate::app::testing::facts();
        Self::new(&facts, ContextName::local(), Vec::new())
    }
}
