//! Turns a checked launch into a session.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{
    core::Scheduler, dress::dress, fact::Launch, launch::generated_name,
    tracked_session::TrackedSession,
};
use crate::model::{
    environment::{Environment, EnvironmentRef},
    id::SessionKey,
    idle::IdleRules,
    record::{SessionRecord, Step},
    secret::Secret,
    session::Session,
    span::Span,
    spec::{FolderMount, LaunchRequest, LaunchSpec, Mounted, PRIORITY},
    text::Clean,
};

impl Scheduler {
    /// `request` has every amount. The user's own request is recorded with it.
    pub(super) fn new_held(
        &self,
        launch: &Launch,
        request: &LaunchRequest,
        environment: &Environment,
        now: Timestamp,
    ) -> TrackedSession {
        let mut env = self.settings.launch.env.clone();
        env.extend(request.env.clone());
        let rules = &self.settings.launch.secrets;
        let (hidden, open): (BTreeMap<_, _>, BTreeMap<_, _>) = env
            .into_iter()
            .partition(|(name, value)| request.is_secret(name) || rules.is_secret(name, value));
        let spec = LaunchSpec {
            env: open,
            secret_names: hidden.keys().cloned().collect(),
            mounts: self.mounts(&request.mounts),
            idle: self.own_idle_rules(request),
            ..spec(request, environment, now)
        };
        let session = self.new_session(launch, request, environment, &spec, now);
        let mut tracked = TrackedSession::new(SessionRecord {
            pids: self.settings.launch.pids,
            request: Some(Box::new(self.without_secrets(&launch.request))),
            ..SessionRecord::new(session, spec, Step::Wait)
        });
        tracked.secrets = hidden
            .into_iter()
            .map(|(name, value)| (name, Secret::new(value)))
            .collect();
        tracked
    }

    /// The idle rules of its preset and its launch. A missing rule means no limit.
    fn own_idle_rules(&self, request: &LaunchRequest) -> IdleRules {
        let presets = self.settings.resources.presets.iter();
        let wanted = request.preset.as_deref();
        let preset = presets
            .filter(|preset| wanted.is_some_and(|name| preset.name == *name))
            .map(|preset| preset.idle.clone())
            .next();
        let mut rules = preset.unwrap_or_default();
        let some = |span: Option<Span>| span.filter(|span| span.0 > 0);
        rules.tighten(&IdleRules {
            network_timeout: some(request.idle_timeout),
            session_lifetime: some(request.lifetime),
            utilization: None,
        });
        rules
    }

    /// Folders whose names begin with a dot are mounted in every session.
    fn mounts(&self, asked: &[FolderMount]) -> Vec<Mounted> {
        let own = self
            .folders
            .iter()
            .filter(|folder| folder.is_auto_mounted());
        let own = own.map(|folder| FolderMount {
            folder: folder.name.to_string(),
            path: None,
            read_only: folder.permission == *"ro",
        });
        own.chain(asked.iter().cloned())
            .map(|mount| Mounted {
                target: mount.target(),
                folder: mount.folder,
                read_only: mount.read_only,
            })
            .collect()
    }

    fn new_session(
        &self,
        launch: &Launch,
        request: &LaunchRequest,
        environment: &Environment,
        spec: &LaunchSpec,
        now: Timestamp,
    ) -> Session {
        let name = request.name.clone();
        let name = name.unwrap_or_else(|| generated_name(launch.session));
        let key = SessionKey::new(self.context, launch.session);
        let environment = EnvironmentRef::from(environment);
        let mut session = Session::new(key, Clean::new(&name), environment, now);
        session.owner.clone_from(&self.owner);
        dress(&mut session, spec, launch.kernel, &launch.subs);
        session
    }
}

fn spec(request: &LaunchRequest, environment: &Environment, asked: Timestamp) -> LaunchSpec {
    let usual = LaunchSpec::new(
        environment.source.clone(),
        environment.label(),
        request.cpu.unwrap_or_default(),
        request.mem.unwrap_or_default(),
        request.shmem.unwrap_or_default(),
    );
    let mut accelerators = request.accelerators.clone();
    accelerators.retain(|_, amount| *amount > 0);
    let group = request.resource_group.clone();
    LaunchSpec {
        session_type: request.session_type,
        accelerators,
        resource_group: group.unwrap_or_else(|| usual.resource_group.clone()),
        priority: request.priority.unwrap_or(PRIORITY),
        startup_command: request.startup_command.clone(),
        starts_at: request.starts_at.map(|start| start.moment(asked)),
        timeout: request.timeout,
        preopen_ports: request.preopen_ports.clone(),
        disk: request.disk,
        services: environment.facts.services.clone(),
        apps: environment.facts.apps.clone(),
        user: environment.facts.user,
        cluster_size: request.containers(),
        bootstrap_script: request.bootstrap_script.clone(),
        stop_hook: request.stop_hook.clone(),
        home_of: request.home_of,
        ..usual
    }
}
