//! Rebuilds the launch request of a session, for a relaunch without a saved request.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::launch_field::LaunchField;
use crate::model::{
    resources::{Bytes, Cpu},
    session::{Session, SessionType},
    spec::{FolderMount, LaunchRequest},
    text::Clean,
};

/// A setting of a launch that the engine doesn't report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    pub field: LaunchField,
    /// "the path and mode of the folder data".
    pub what: Clean,
}

/// A launch request rebuilt from what the engine reports, and the settings that are missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recalled {
    pub launch: LaunchRequest,
    pub missing: Vec<Missing>,
}

impl From<LaunchRequest> for Recalled {
    fn from(launch: LaunchRequest) -> Self {
        Self {
            launch,
            missing: Vec::new(),
        }
    }
}

/// What an engine reports about a launch besides the session; `None` = it reports nothing about it.
#[derive(Clone, Debug, Default)]
pub struct ReportedLaunch {
    pub env: Option<BTreeMap<String, String>>,
    /// `Some(None)` = the launch had no script.
    pub bootstrap_script: Option<Option<String>>,
}

/// Rebuilds the launch request from what the engine reports, and lists what is missing.
#[must_use]
pub fn recalled(session: &Session, reported: ReportedLaunch) -> Recalled {
    let mut launch = again(session);
    let mut missing = Vec::new();
    let mut add = |field, what: String| {
        let what = Clean::new(&what);
        missing.push(Missing { field, what });
    };
    match reported.env {
        Some(env) => launch.env = env,
        None => add(
            LaunchField::Variables,
            tr!("the environment variables").to_owned(),
        ),
    }
    match reported.bootstrap_script {
        Some(script) => launch.bootstrap_script = script,
        None => add(
            LaunchField::BootstrapScript,
            tr!("the bootstrap script").to_owned(),
        ),
    }
    let folders: Vec<&str> = launch.mounts.iter().map(|it| it.folder.as_str()).collect();
    if !folders.is_empty() {
        let which = folders.join(", ");
        let what = tr!(
            "the paths of {which}, and whether they were read-only",
            which
        );
        add(LaunchField::Folders, what);
    }
    Recalled { launch, missing }
}

/// The launch request of workbay's own record, without what would be refused now: a start time that has
/// passed, or the name of a session that hasn't ended.
#[must_use]
pub fn recorded(
    mut launch: LaunchRequest,
    session: Option<&Session>,
    now: Timestamp,
) -> LaunchRequest {
    launch.starts_at = launch.starts_at.filter(|at| at.is_after(now));
    if let Some(session) = session {
        let free = session.has_ended() && launch.name.is_some();
        launch.name = free.then(|| session.name.to_string());
    }
    launch
}

/// The launch request as far as the session shows it. It doesn't show variables, scripts and the paths of
/// folders. Its name is free only once it has ended, and its start time has passed.
#[must_use]
pub fn again(session: &Session) -> LaunchRequest {
    let placement = &session.placement;
    let size = placement.cluster_size.max(1);
    let share = |amount: u64| Some(amount / u64::from(size)).filter(|amount| *amount > 0);
    let slots = &session.requested_slots;
    let batch = session.session_type == SessionType::Batch;
    let text = |clean: &Clean| clean.as_str().to_owned();
    LaunchRequest {
        name: session.has_ended().then(|| text(&session.name)),
        environment: Some(session.environment.label()),
        session_type: session.session_type,
        cpu: share(slots.cpu.millis()).map(Cpu::from_millis),
        mem: share(slots.mem.0).map(Bytes),
        shmem: Some(session.shmem).filter(|shmem| shmem.0 > 0),
        accelerators: slots
            .accelerators
            .iter()
            .filter_map(|(slot, amount)| Some((slot.clone(), share(*amount)?)))
            .collect(),
        project: placement.project.as_ref().map(text),
        resource_group: placement.resource_group.as_ref().map(text),
        startup_command: session.startup_command.as_ref().filter(|_| batch).map(text),
        timeout: session.timeout.filter(|_| batch),
        mounts: session.folders.iter().filter_map(mount).collect(),
        preopen_ports: session.preopen_ports.clone(),
        priority: placement.priority,
        cluster_mode: placement.cluster_mode,
        cluster_size: Some(size).filter(|size| *size > 1),
        ..LaunchRequest::default()
    }
}

/// Returns `None` for automounted folders, whose names begin with a dot.
fn mount(folder: &Clean) -> Option<FolderMount> {
    let asked = !folder.as_str().starts_with('.');
    asked.then(|| FolderMount {
        folder: folder.as_str().to_owned(),
        ..FolderMount::default()
    })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::model::{
        environment::{EnvironmentRef, EnvironmentSource},
        id::{ContextName, SessionId, SessionKey},
        resources::ResourceSlots,
        span::Span,
        status::Status,
    };

    fn session() -> Session {
        let key = SessionKey::new(ContextName::local(), SessionId::from_u128(1));
        let environment = EnvironmentRef {
            name: "cr/stable/python".into(),
            version: "3.12".into(),
            source: EnvironmentSource::Image {
                reference: "cr/stable/python:3.12@x86_64".to_owned(),
            },
        };
        let mut session = Session::new(key, "train".into(), environment, Timestamp::UNIX_EPOCH);
        session.session_type = SessionType::Batch;
        session.requested_slots = ResourceSlots::new(Cpu::from_millis(6000), Bytes::mib(3072));
        session
            .requested_slots
            .accelerators
            .insert("cuda.device".to_owned(), 3000);
        session.shmem = Bytes::mib(64);
        session.startup_command = Some("make all".into());
        session.timeout = Some(Span(60));
        session.starts_at = Some(Timestamp::UNIX_EPOCH);
        session.folders = vec!["data".into(), ".cache".into()];
        session.preopen_ports = vec![8080];
        session.placement.project = Some("default".into());
        session.placement.resource_group = Some("gpu".into());
        session.placement.priority = Some(30);
        session.placement.cluster_size = 3;
        session
    }

    #[test]
    fn a_session_reports_how_it_was_launched() {
        let request = again(&session());
        let wanted = LaunchRequest {
            environment: Some("cr/stable/python:3.12".to_owned()),
            session_type: SessionType::Batch,
            cpu: Some(Cpu::from_millis(2000)),
            mem: Some(Bytes::mib(1024)),
            shmem: Some(Bytes::mib(64)),
            accelerators: [("cuda.device".to_owned(), 1000)].into(),
            project: Some("default".to_owned()),
            resource_group: Some("gpu".to_owned()),
            startup_command: Some("make all".to_owned()),
            timeout: Some(Span(60)),
            mounts: vec!["data".parse().unwrap()],
            preopen_ports: vec![8080],
            priority: Some(30),
            cluster_size: Some(3),
            ..LaunchRequest::default()
        };
        assert_eq!(request, wanted);
    }

    #[test]
    fn its_name_is_free_once_it_has_ended_and_only_batch_sessions_have_a_command() {
        let mut session = session();
        session.status = Status::Terminated;
        session.session_type = SessionType::Interactive;
        session.placement.cluster_size = 0;
        let request = again(&session);
        assert_eq!(request.name.as_deref(), Some("train"));
        assert_eq!((request.startup_command, request.timeout), (None, None));
        assert_eq!(request.cluster_size, None);
        assert_eq!(request.cpu, Some(Cpu::from_millis(6000)));
    }

    #[test]
    fn what_an_engine_does_not_report_is_named() {
        let all = recalled(&session(), ReportedLaunch::default());
        let fields: Vec<LaunchField> = all.missing.iter().map(|it| it.field).collect();
        assert_eq!(
            fields,
            [
                LaunchField::Variables,
                LaunchField::BootstrapScript,
                LaunchField::Folders
            ]
        );
        let what = "the paths of data, and whether they were read-only";
        assert_eq!(all.missing[2].what, what);
        let mut session = session();
        session.folders.clear();
        let reported = ReportedLaunch {
            env: Some([("A".to_owned(), "b".to_owned())].into()),
            bootstrap_script: Some(None),
        };
        let all = recalled(&session, reported);
        assert_eq!(all.missing, []);
        assert_eq!(all.launch.env["A"], "b");
    }

    #[test]
    fn our_own_record_counts_whole() {
        let record = LaunchRequest {
            name: Some("train".to_owned()),
            env: [("A".to_owned(), "b".to_owned())].into(),
            mounts: vec!["data:in:ro".parse().unwrap()],
            ..LaunchRequest::default()
        };
        let mut session = session();
        let running = recorded(record.clone(), Some(&session), Timestamp::UNIX_EPOCH);
        assert_eq!(running.name, None);
        assert_eq!(
            (&running.env, &running.mounts),
            (&record.env, &record.mounts)
        );
        session.status = Status::Terminated;
        let ended = recorded(record.clone(), Some(&session), Timestamp::UNIX_EPOCH);
        assert_eq!(ended, record);
    }
}
