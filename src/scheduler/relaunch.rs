//! The settings of an earlier session, for a relaunch.

use jiff::Timestamp;

use super::tracked_session::TrackedSession;
use crate::model::{
    environment::EnvironmentSource,
    record::SessionRecord,
    session::ClusterMode,
    spec::{FolderMount, LaunchRequest},
    start_time::StartAt,
};

/// The original request without what would be refused now: a start time in the past, or the name of
/// an unfinished session. Values of secret variables are empty.
pub(super) fn again(tracked: &TrackedSession, now: Timestamp) -> LaunchRequest {
    let record = &tracked.record;
    let kept = record.request.as_deref().cloned();
    let mut request = kept.unwrap_or_else(|| rebuilt(record));
    request.count = None;
    request.home_of = None;
    request.starts_at = request.starts_at.filter(|at| at.is_after(now));
    request.name = Some(record.session.name.to_string())
        .filter(|_| record.session.has_ended() && request.name.is_some());
    request
}

/// Rebuilds the request from the container's labels, if it wasn't recorded.
fn rebuilt(record: &SessionRecord) -> LaunchRequest {
    let (session, spec) = (&record.session, &record.spec);
    let mut env = spec.env.clone();
    let secret_names = spec.secret_names.iter().cloned().collect();
    let hidden = spec.secret_names.iter();
    env.extend(hidden.map(|name| (name.clone(), String::new())));
    let (environment, image) = match &spec.source {
        EnvironmentSource::Host => (Some(spec.environment_label.clone()), None),
        EnvironmentSource::Image { reference } => (None, Some(reference.clone())),
    };
    let chosen = spec.mounts.iter().filter(|it| !it.folder.starts_with('.'));
    LaunchRequest {
        name: Some(session.name.to_string()),
        environment,
        image,
        session_type: spec.session_type,
        cpu: Some(spec.cpu),
        mem: Some(spec.mem),
        shmem: Some(spec.shmem),
        disk: spec.disk,
        env,
        secret_names,
        accelerators: spec.accelerators.clone(),
        resource_group: Some(spec.resource_group.clone()),
        startup_command: spec.startup_command.clone(),
        starts_at: spec.starts_at.map(StartAt::At),
        timeout: spec.timeout,
        mounts: chosen
            .map(|mounted| FolderMount {
                folder: mounted.folder.clone(),
                path: Some(mounted.target.clone()),
                read_only: mounted.read_only,
            })
            .collect(),
        preopen_ports: spec.preopen_ports.clone(),
        priority: Some(spec.priority),
        cluster_size: (spec.cluster_size > 1).then_some(spec.cluster_size),
        bootstrap_script: spec.bootstrap_script.clone(),
        stop_hook: spec.stop_hook.clone(),
        idle_timeout: spec.idle.network_timeout,
        lifetime: spec.idle.session_lifetime,
        // What the session doesn't have here, or what a new session doesn't take over.
        project: None,
        preset: None,
        cluster_mode: ClusterMode::default(),
        count: None,
        agent: None,
        owner: None,
        home_of: None,
        idempotency_key: None,
    }
}
