use std::{collections::BTreeMap, fs, path::Path};

use jiff::Timestamp;
use tempfile::TempDir;

use super::*;
use crate::model::{
    environment::{EnvironmentRef, EnvironmentSource},
    history::Outcome,
    id::{KernelId, SessionKey},
    kernel::Kernel,
    record::{AuditEntry, Step},
    resources::{Bytes, Cpu, ResourceSlots},
    session::Session,
    spec::LaunchSpec,
    status::Status,
};

fn record(number: u128) -> SessionRecord {
    let id = SessionId::from_u128(number);
    let session = Session {
        status: Status::Creating,
        requested_slots: ResourceSlots::new(Cpu::from_millis(500), Bytes::mib(256)),
        shmem: Bytes::mib(64),
        owner: "me".into(),
        kernels: vec![Kernel {
            container_id: Some("abc".into()),
            exit_code: Some(137),
            oom_killed: true,
            started_at: Some(Timestamp::UNIX_EPOCH),
            ..Kernel::new(
                KernelId::from_u128(number),
                "main1".into(),
                Status::Creating,
            )
        }],
        pending_request: Some("terminating".into()),
        ..Session::new(
            SessionKey::local(id),
            Clean::new(&format!("한글-{number}")),
            EnvironmentRef {
                name: "host".into(),
                version: "debian-12".into(),
                source: EnvironmentSource::Host,
            },
            Timestamp::from_second(1_700_000_000 + number as i64).unwrap(),
        )
    };
    let spec = LaunchSpec {
        env: BTreeMap::from([("A".into(), "b\nc".into())]),
        ..LaunchSpec::new(
            EnvironmentSource::Image {
                reference: "busybox:1".into(),
            },
            "busybox:1".into(),
            Cpu::from_millis(500),
            Bytes::mib(256),
            Bytes::mib(64),
        )
    };
    SessionRecord {
        pids: 512,
        renaming: Some("other".into()),
        retries: 3,
        ..SessionRecord::new(session, spec, Step::Create)
    }
}

fn entry(number: u128, phase: &str) -> HistoryEntry {
    HistoryEntry {
        session: SessionId::from_u128(number),
        at: Timestamp::UNIX_EPOCH,
        phase: phase.into(),
        from: Some(Status::Creating),
        to: Status::Running,
        result: Outcome::NeedRetry,
        message: Some("why".into()),
        error_code: None,
        attempts: 1,
        until: None,
        steps: Vec::new(),
    }
}

fn session(number: u128) -> Write {
    Write::Session(Box::new(record(number)))
}

fn options(dir: &TempDir) -> StoreOptions {
    StoreOptions::new(dir.path().join("state/workbay.db"))
}

fn open(dir: &TempDir) -> (Store, Opened) {
    Store::open(&options(dir)).unwrap()
}

#[tokio::test]
async fn what_was_written_is_there_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let (store, first) = open(&dir);
    assert!(first.records.is_empty() && first.notes.is_empty());
    let mut changed = record(2);
    store.write(vec![session(1), session(2)]).await.unwrap();
    changed.session.status = Status::Running;
    changed.session.kernels[0].exit_code = None;
    let audit = AuditEntry {
        at: Timestamp::UNIX_EPOCH,
        action: "launch".into(),
        session: Some(SessionId::from_u128(2)),
        detail: "host".into(),
    };
    let writes = vec![
        Write::Session(Box::new(changed.clone())),
        Write::History(entry(2, "one")),
        Write::History(entry(2, "two")),
        Write::Audit(audit),
    ];
    store.write(writes).await.unwrap();
    store.close().await;
    let (store, second) = open(&dir);
    assert_eq!(second.instance, first.instance);
    assert_eq!(second.records, [record(1), changed]);
    let history = store.history(SessionId::from_u128(2)).await.unwrap();
    assert_eq!(history, [entry(2, "two"), entry(2, "one")]);
}

#[tokio::test]
async fn a_full_disk_is_a_sentence_and_leaves_no_half() {
    let dir = tempfile::tempdir().unwrap();
    let mut tight = options(&dir);
    tight.page_limit = Some(24);
    let (store, _) = Store::open(&tight).unwrap();
    store.write(vec![session(1)]).await.unwrap();
    let many = (2..200).map(session).collect();
    let error = store.write(many).await.unwrap_err();
    assert_eq!(error, StoreError::Full(tight.database.clone()));
    assert!(error.to_string().contains("the disk is full"), "{error}");
    store.close().await;
    let (_, opened) = open(&dir);
    assert_eq!(opened.records, [record(1)]);
}

#[tokio::test]
async fn a_broken_file_is_kept_aside_and_the_instance_survives() {
    let dir = tempfile::tempdir().unwrap();
    let database = options(&dir).database;
    let (store, first) = open(&dir);
    store.write(vec![session(1)]).await.unwrap();
    store.close().await;
    for n in 1..=2 {
        fs::write(&database, "this is no database, it only looks like a file").unwrap();
        let (store, opened) = open(&dir);
        store.close().await;
        assert!(opened.records.is_empty());
        assert_eq!(opened.instance, first.instance);
        let aside = format!("workbay.db.corrupt-{n}");
        assert!(opened.notes[0].as_str().contains(&aside));
        assert!(database.with_file_name(aside).exists());
    }
}

#[test]
fn a_newer_layout_is_refused_with_the_way_out() {
    let dir = tempfile::tempdir().unwrap();
    let database = options(&dir).database;
    drop(open(&dir));
    rusqlite::Connection::open(&database)
        .unwrap()
        .execute_batch("INSERT INTO migrations (number) VALUES (90), (91)")
        .unwrap();
    let error = Store::open(&options(&dir)).unwrap_err();
    assert!(matches!(error, StoreError::Newer { .. }), "{error}");
    assert!(error.to_string().contains("update workbay"), "{error}");
}

#[test]
fn nobody_else_may_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    drop(open(&dir));
    let database = options(&dir).database;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&database), 0o600);
    assert_eq!(mode(database.parent().unwrap()), 0o700);
}
