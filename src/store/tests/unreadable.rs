//! Tests that each row that can't be read is set aside and the others are kept.

use super::*;
use crate::model::recent::Recent;

fn change(dir: &TempDir, sql: &str) {
    let db = rusqlite::Connection::open(options(dir).database).unwrap();
    db.execute_batch(sql).unwrap();
}

/// Returns the rows that were set aside: their tables and their contents.
fn aside(dir: &TempDir) -> Vec<(String, String)> {
    let db = rusqlite::Connection::open(options(dir).database).unwrap();
    let mut query = db
        .prepare("SELECT kept_of, body FROM unreadable ORDER BY number")
        .unwrap();
    let rows = query.query_map((), |row| Ok((row.get(0)?, row.get(1)?)));
    rows.unwrap().map(Result::unwrap).collect()
}

/// Creates a store with three sessions.
async fn begun() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(&dir);
    store.write((1..=3).map(session).collect()).await.unwrap();
    store.close().await;
    dir
}

fn of(number: u128) -> String {
    format!("id = '{}'", SessionId::from_u128(number))
}

/// Changes the file back to the layout in which the column `reported` had another name.
fn take_back_the_column(dir: &TempDir) {
    change(
        dir,
        "ALTER TABLE unreadable RENAME COLUMN reported TO told;
         DROP INDEX sessions_of_context;
         CREATE INDEX sessions_on_shelf ON sessions (context, created_at, id, name) WHERE held = 0;
         DELETE FROM migrations WHERE number = (SELECT max(number) FROM migrations)",
    );
}

#[tokio::test]
async fn rows_set_aside_by_an_earlier_version_are_reported_once() {
    let dir = begun().await;
    take_back_the_column(&dir);
    change(
        &dir,
        "INSERT INTO unreadable (kept_of, why, body, told) VALUES
             ('history', 'reported before', '{}', 1), ('audit', 'not reported yet', '{}', 0)",
    );
    let (store, opened) = open(&dir);
    assert_eq!(opened.records, [record(1), record(2), record(3)]);
    let [note] = opened.notes.as_slice() else {
        panic!("{:?}", opened.notes);
    };
    assert!(
        note.as_str().contains("a row of the state database"),
        "{note}"
    );
    assert!(note.as_str().contains("audit: not reported yet"), "{note}");
    assert_eq!(aside(&dir).len(), 2);
    store.close().await;
    assert!(open(&dir).1.notes.is_empty());
}

#[tokio::test]
async fn a_session_that_cannot_be_read_is_set_aside_alone_and_reported_once() {
    let dir = begun().await;
    let nonsense = "body = json_set(body, '$.spec', 'nonsense')";
    change(
        &dir,
        &format!("UPDATE sessions SET {nonsense} WHERE {}", of(2)),
    );
    let (store, opened) = open(&dir);
    assert_eq!(opened.records, [record(1), record(3)]);
    let [note] = opened.notes.as_slice() else {
        panic!("{:?}", opened.notes);
    };
    assert!(
        note.as_str()
            .contains("a row of the state database can't be read"),
        "{note}"
    );
    assert!(note.as_str().contains("workbay doctor"), "{note}");
    let [(table, body)] = &aside(&dir)[..] else {
        panic!("one is set aside");
    };
    assert_eq!(table, "sessions");
    assert!(
        body.contains("nonsense") && body.contains("한글-2"),
        "{body}"
    );
    assert!(body.contains("main1"), "with its kernels: {body}");
    let health = look(&options(&dir).database).unwrap().unwrap();
    assert_eq!((health.sessions, health.unreadable.unwrap().0), (2, 1));
    // Its container may still run, so the session can be written again.
    store.write(vec![session(2)]).await.unwrap();
    store.close().await;
    let (_, opened) = open(&dir);
    assert_eq!(opened.records, [record(1), record(2), record(3)]);
    assert!(opened.notes.is_empty(), "reported once");
}

#[tokio::test]
async fn so_is_one_of_another_kind_or_with_such_a_kernel() {
    let dir = begun().await;
    let (two, three) = (of(2), of(3).replace("id", "session"));
    let broken = format!(
        "UPDATE sessions SET body = 7 WHERE {two};
         UPDATE kernels SET started_at = 'never' WHERE {three};"
    );
    change(&dir, &broken);
    let (store, opened) = open(&dir);
    assert_eq!(opened.records, [record(1)]);
    assert_eq!((opened.notes.len(), aside(&dir).len()), (1, 2));
    store.write(vec![session(4)]).await.unwrap();
    store.close().await;
    assert_eq!(open(&dir).1.records, [record(1), record(4)]);
}

/// No SQL statement can create such a body, because columns and indexes are generated from it.
#[tokio::test]
async fn one_that_a_damaged_disk_changed_goes_in_spite_of_what_is_worked_out_of_it() {
    const UNINDEXED: &str = "DROP INDEX sessions_held; DROP INDEX sessions_by_age";
    for before in ["", UNINDEXED] {
        let dir = begun().await;
        change(&dir, before);
        damage_a_body(&options(&dir).database);
        let (store, opened) = open(&dir);
        assert_eq!((opened.records.len(), opened.notes.len()), (2, 1));
        let again = (1..=3).map(session).collect();
        store.write(again).await.unwrap();
        store.close().await;
        let opened = open(&dir).1;
        assert_eq!((opened.records.len(), opened.notes.len()), (3, 0));
        let by_index = "SELECT id FROM sessions INDEXED BY sessions_held WHERE held = 1";
        let db = rusqlite::Connection::open(options(&dir).database).unwrap();
        assert_eq!(db.prepare(by_index).is_ok(), before.is_empty());
    }
}

/// Changes the first byte of a session's body.
fn damage_a_body(database: &Path) {
    let body: String = rusqlite::Connection::open(database)
        .unwrap()
        .query_row("SELECT body FROM sessions LIMIT 1", (), |row| row.get(0))
        .unwrap();
    let begin = &body.as_bytes()[..20];
    let mut bytes = fs::read(database).unwrap();
    let mut places = bytes.windows(begin.len());
    let place = places.position(|it| it == begin).unwrap();
    bytes[place] = b'!';
    fs::write(database, bytes).unwrap();
}

#[tokio::test]
async fn entries_and_earlier_launches_are_found_out_when_they_are_read() {
    let dir = begun().await;
    let (store, _) = open(&dir);
    let remembered = |title: &str| Write::Recent {
        at: Timestamp::UNIX_EPOCH,
        context: ContextName::local(),
        title: title.into(),
        launch: Box::default(),
    };
    let entries = ["one", "two"].map(|phase| Write::History(entry(1, phase)));
    let writes = entries.into_iter().chain(["a", "b"].map(remembered));
    store.write(writes.collect()).await.unwrap();
    store.close().await;
    change(
        &dir,
        "UPDATE history SET at = 'yesterday' WHERE phase = 'one';
         UPDATE recents SET launch = '7' WHERE title = 'a'",
    );
    let (store, opened) = open(&dir);
    assert_eq!((opened.records.len(), opened.notes.len()), (3, 0));
    let history = store.history(SessionId::from_u128(1)).await.unwrap();
    let phases: Vec<&str> = history.iter().map(|it| it.phase.as_str()).collect();
    assert_eq!(phases, ["two"]);
    let recents: Vec<Recent> = store.recents().await.unwrap();
    let titles: Vec<&str> = recents.iter().map(|it| it.title.as_str()).collect();
    assert_eq!(titles, ["b"]);
    store.close().await;
    assert_eq!(open(&dir).1.notes.len(), 1, "the next opening reports them");
    let tables: Vec<String> = aside(&dir).into_iter().map(|(table, _)| table).collect();
    assert_eq!(tables, ["history", "recents"]);
}
