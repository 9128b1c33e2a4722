//! A session launched once more, where nobody kept how it was asked for.

use super::super::{
    resources::{Bytes, Cpu},
    session::{Session, SessionType},
    spec::{FolderMount, LaunchRequest},
    text::Clean,
};

/// What the session itself tells of its launch. Variables, scripts and the places of folders are not
/// told by it; its name is free only once it has ended; a start time has passed.
#[must_use]
pub fn again(session: &Session) -> LaunchRequest {
    let placement = &session.placement;
    let size = placement.cluster_size.max(1);
    let share = |amount: u64| Some(amount / u64::from(size)).filter(|amount| *amount > 0);
    let slots = &session.requested_slots;
    let batch = session.session_type == SessionType::Batch;
    let text = |clean: &Clean| clean.as_str().to_owned();
    LaunchRequest {
        name: session.status.is_final().then(|| text(&session.name)),
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

/// A folder whose name begins with a dot is mounted by itself.
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
    fn a_session_tells_how_it_was_launched() {
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
}
