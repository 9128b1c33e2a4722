mod damage;
mod files;
mod finished;
mod scrub;
mod unreadable;
mod unwritable;

use std::{collections::BTreeMap, fs, path::Path};

use jiff::Timestamp;
use tempfile::TempDir;

use super::*;
use crate::model::{
    environment::EnvironmentSource,
    figures::{Figures, FiguresRecord, Metric, Series},
    history::Outcome,
    id::{ContextName, KernelId, SessionKey},
    kernel::Kernel,
    record::{AuditEntry, Step},
    resources::{Bytes, Cpu, ResourceSlots},
    session::Session,
    spec::LaunchSpec,
    status::Status,
    testing,
};

fn record(number: u128) -> SessionRecord {
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
        created_at: Timestamp::from_second(1_700_000_000 + number as i64).unwrap(),
        ..testing::session(number, &format!("한글-{number}"))
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
        result: Outcome::NeedRetry,
        message: Some("why".into()),
        ..HistoryEntry::new(
            SessionId::from_u128(number),
            Timestamp::UNIX_EPOCH,
            phase,
            Some(Status::Creating),
            Status::Running,
        )
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
    let numbered = |number: &str, phase| HistoryEntry {
        id: Some(number.into()),
        ..entry(2, phase)
    };
    assert_eq!(history, [numbered("2", "two"), numbered("1", "one")]);
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

fn figures(cpu: u64) -> FiguresRecord {
    let series = Series {
        metric: Metric::Cpu,
        values: vec![None, Some(cpu)],
        average: Some(cpu),
        peak: Some(cpu),
        limit: Some(2_000),
        total: None,
    };
    let whole = Figures {
        at: vec![Timestamp::UNIX_EPOCH, Timestamp::from_second(1).unwrap()],
        series: vec![series],
        ..Figures::default()
    };
    let kernel = KernelId::from_u128(7);
    FiguresRecord {
        figures: Figures {
            kernels: [(kernel, whole.clone())].into(),
            ..whole
        },
        spans: vec![1_000],
        kernel_spans: [(kernel, vec![1_000])].into(),
    }
}

fn used(session: SessionKey, second: i64, ended: bool, cpu: u64) -> Write {
    Write::Figures {
        session,
        at: Timestamp::from_second(second).unwrap(),
        ended,
        record: Box::new(figures(cpu)),
    }
}

#[tokio::test]
async fn figures_are_kept_until_they_are_forgotten_or_too_old() {
    let dir = tempfile::tempdir().unwrap();
    let local = |number| SessionKey::local(SessionId::from_u128(number));
    let elsewhere = SessionKey::new("prod".parse().unwrap(), SessionId::from_u128(1));
    let (store, first) = open(&dir);
    assert_eq!(first.figures, []);
    let writes = vec![
        used(local(1), 10, false, 1),
        used(elsewhere, 20, false, 2),
        used(local(3), 30, true, 3),
        used(local(1), 40, true, 4),
        used(local(5), 50, true, 5),
    ];
    store.write(writes).await.unwrap();
    store.close().await;
    let (store, second) = open(&dir);
    assert_eq!(
        second.figures,
        [(elsewhere, figures(2))],
        "the others ended"
    );
    let kept = async |session| store.figures(session).await.unwrap();
    assert_eq!(kept(local(1)).await, Some(figures(4).figures));
    assert_eq!(kept(local(9)).await, None);
    let forget = Write::ForgetFigures { session: local(1) };
    let before = Write::ForgetFiguresBefore {
        at: Timestamp::from_second(50).unwrap(),
    };
    store.write(vec![forget]).await.unwrap();
    assert_eq!(kept(local(1)).await, None);
    assert_eq!(kept(elsewhere).await, Some(figures(2).figures));
    store.write(vec![before]).await.unwrap();
    assert_eq!((kept(elsewhere).await, kept(local(3)).await), (None, None));
    assert_eq!(kept(local(5)).await, Some(figures(5).figures));
}

#[tokio::test]
async fn of_a_deleted_session_nothing_is_kept_and_of_others_all() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(&dir);
    let key = |number| SessionKey::local(SessionId::from_u128(number));
    let entry = |number| {
        let (id, at) = (SessionId::from_u128(number), Timestamp::UNIX_EPOCH);
        Write::History(HistoryEntry::new(id, at, "made", None, Status::Creating))
    };
    let of = |number| {
        let session = Write::Session(Box::new(record(number)));
        [session, entry(number), used(key(number), 1, true, 1)]
    };
    store.write([of(1), of(2)].concat()).await.unwrap();
    let delete = Write::DeleteSession { session: key(1) };
    store.write(vec![delete]).await.unwrap();
    store.close().await;
    let db = rusqlite::Connection::open(options(&dir).database).unwrap();
    for table in ["sessions", "kernels", "history", "figures"] {
        let query = format!("SELECT count(*) FROM {table}");
        let count: i64 = db.query_row(&query, (), |row| row.get(0)).unwrap();
        assert_eq!(count, 1, "{table}");
    }
    drop(db);
    let (_, opened) = open(&dir);
    let ids: Vec<_> = opened.records.iter().map(|it| it.session.id).collect();
    assert_eq!(ids, [SessionId::from_u128(2)]);
}

#[tokio::test]
async fn figures_that_cannot_be_read_are_none() {
    let dir = tempfile::tempdir().unwrap();
    let key = SessionKey::local(SessionId::from_u128(1));
    let (store, _) = open(&dir);
    store.write(vec![used(key, 1, false, 7)]).await.unwrap();
    store.close().await;
    let db = rusqlite::Connection::open(options(&dir).database).unwrap();
    db.execute_batch("UPDATE figures SET body = '{}'").unwrap();
    drop(db);
    let (store, opened) = open(&dir);
    assert_eq!((opened.figures, opened.notes), (Vec::new(), Vec::new()));
    assert_eq!(store.figures(key).await.unwrap(), None);
}

#[tokio::test]
async fn open_forwards_are_there_after_a_restart_and_closed_ones_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let forward = |id| {
        let body = serde_json::json!({
            "id": id, "session": {"context": "local", "id": "00000000-0000-0000-0000-000000000001"}, "session_name": "한글",
            "target": {"to": "port", "port": 80}, "title": "Port 80", "protocol": "http",
            "address": "127.0.0.1", "port": 10250, "path": "/", "address_url": "http://127.0.0.1:10250",
            "opened_at": "2026-01-01T00:00:00Z",
        });
        Box::new(serde_json::from_value::<Forward>(body).unwrap())
    };
    let (store, _) = open(&dir);
    let writes = [2, 11, 1].map(|id| Write::Forward(forward(id)));
    store.write(writes.to_vec()).await.unwrap();
    let forget = Write::ForgetForward { id: 2 };
    store.write(vec![forget]).await.unwrap();
    store.close().await;
    let (store, opened) = open(&dir);
    assert_eq!(opened.forwards, [*forward(1), *forward(11)]);
    store.close().await;
}
