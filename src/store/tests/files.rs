//! Tests with files that are damaged, newer or older, and with their copies.

use std::path::PathBuf;

use super::*;

/// Returns the files in a directory beside the store.
fn beside(dir: &TempDir, name: &str) -> Vec<PathBuf> {
    let directory = options(dir).database.with_file_name(name);
    let entries = fs::read_dir(directory).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[tokio::test]
async fn a_broken_file_is_kept_aside_and_the_instance_survives() {
    let dir = tempfile::tempdir().unwrap();
    let database = options(&dir).database;
    let (store, first) = open(&dir);
    store.write(vec![session(1)]).await.unwrap();
    store.close().await;
    for n in 1..=2 {
        let nonsense = "this isn't a database, it only looks like one";
        fs::write(&database, nonsense).unwrap();
        let (store, opened) = open(&dir);
        store.close().await;
        assert!(opened.records.is_empty());
        assert_eq!(opened.instance, first.instance);
        let kept = beside(&dir, "aside");
        assert_eq!(kept.len(), n);
        for file in kept {
            assert_eq!(fs::read_to_string(&file).unwrap(), nonsense);
            assert!(file.display().to_string().contains("workbay.db.corrupt-"));
        }
        let reported = opened.notes[0].as_str();
        assert!(reported.contains("aside/workbay.db.corrupt-"), "{reported}");
    }
}

#[tokio::test]
async fn what_is_found_broken_in_use_is_set_aside_by_the_next_opening() {
    let dir = tempfile::tempdir().unwrap();
    let (store, first) = open(&dir);
    let written = vec![session(1), Write::History(entry(1, "one"))];
    store.write(written).await.unwrap();
    store.close().await;
    break_table(&options(&dir).database, "history");
    // An opening doesn't read the damaged table.
    let (store, opened) = open(&dir);
    assert_eq!(opened.records, [record(1)]);
    let id = SessionId::from_u128(1);
    let error = store.history(id).await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
    store.close().await;
    let (store, opened) = open(&dir);
    assert_eq!(opened.instance, first.instance);
    assert_eq!((opened.records.len(), opened.notes.len()), (0, 1));
    assert_eq!(store.history(id).await, Ok(Vec::new()));
    store.close().await;
    assert!(open(&dir).1.notes.is_empty(), "reported once");
}

#[tokio::test]
async fn the_mark_of_a_file_that_has_gone_says_nothing_of_the_next() {
    let dir = tempfile::tempdir().unwrap();
    // The daemon was killed after it had set the file aside.
    let mark = options(&dir).database.with_file_name("workbay.db.broken");
    fs::create_dir_all(mark.parent().unwrap()).unwrap();
    fs::write(mark, "malformed").unwrap();
    for _ in 0..2 {
        let (store, opened) = open(&dir);
        assert!(opened.notes.is_empty());
        store.close().await;
    }
    assert!(beside(&dir, "aside").is_empty());
}

#[tokio::test]
async fn half_a_copy_does_not_stay() {
    let dir = tempfile::tempdir().unwrap();
    let database = options(&dir).database;
    open(&dir).0.close().await;
    take_back_to_step_2(&database);
    break_table(&database, "history");
    assert!(Store::open(&options(&dir)).is_ok(), "it is recreated");
    assert!(beside(&dir, "backup").is_empty());
    assert!(!beside(&dir, "aside").is_empty());
}

/// Overwrites the first page of a table.
fn break_table(database: &Path, table: &str) {
    use std::os::unix::fs::FileExt;
    let db = rusqlite::Connection::open(database).unwrap();
    let (root, size): (u64, u64) = db
        .query_row(
            "SELECT rootpage, (SELECT page_size FROM pragma_page_size()) FROM sqlite_master
             WHERE name = ?1",
            [table],
            |row| Ok((row.get::<_, u32>(0)?.into(), row.get::<_, u32>(1)?.into())),
        )
        .unwrap();
    drop(db);
    let file = fs::File::options().write(true).open(database).unwrap();
    let page = vec![0xff; size as usize];
    file.write_all_at(&page, (root - 1) * size).unwrap();
}

#[tokio::test]
async fn a_newer_layout_is_refused_with_a_fix_and_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let database = options(&dir).database;
    open(&dir).0.close().await;
    rusqlite::Connection::open(&database)
        .unwrap()
        .execute_batch("INSERT INTO migrations (number) VALUES (90), (91)")
        .unwrap();
    let before = fs::read(&database).unwrap();
    let error = Store::open(&options(&dir)).unwrap_err();
    assert!(matches!(error, StoreError::Newer { .. }), "{error}");
    assert!(error.to_string().contains("Update workbay"), "{error}");
    assert_eq!(fs::read(&database).unwrap(), before);
    assert_eq!(beside(&dir, "backup"), beside(&dir, "aside"));
}

/// Changes the file back to the layout of step 2.
fn take_back_to_step_2(database: &Path) {
    let db = rusqlite::Connection::open(database).unwrap();
    db.execute_batch(
        "DROP INDEX sessions_held; DROP INDEX sessions_by_age; DROP INDEX sessions_of_context;
         ALTER TABLE sessions DROP COLUMN context; ALTER TABLE sessions DROP COLUMN held;
         ALTER TABLE sessions DROP COLUMN checksum;
         DROP TABLE figures; DROP TABLE unreadable; DROP TABLE launches; DELETE FROM migrations WHERE number > 2",
    )
    .unwrap();
}

#[tokio::test]
async fn a_file_of_an_earlier_version_is_copied_and_brought_up_to_date() {
    let dir = tempfile::tempdir().unwrap();
    let database = options(&dir).database;
    let (store, opened) = open(&dir);
    assert_eq!(opened.copy, None, "there was nothing to copy");
    store.write(vec![session(1)]).await.unwrap();
    store.close().await;
    for _ in 0..5 {
        take_back_to_step_2(&database);
        let (store, opened) = open(&dir);
        assert_eq!(opened.records, [record(1)]);
        let key = SessionKey::local(SessionId::from_u128(1));
        store.write(vec![used(key, 1, true, 7)]).await.unwrap();
        assert!(store.figures(key).await.unwrap().is_some());
        store.close().await;
        let copy = opened.copy.unwrap();
        assert!(copy.display().to_string().contains(".layout-2"));
        let db = rusqlite::Connection::open(&copy).unwrap();
        let count = db.query_row("SELECT count(*) FROM sessions", (), |row| row.get(0));
        assert_eq!(count, Ok(1), "the copy is whole");
    }
    assert_eq!(beside(&dir, "backup").len(), 3, "the newest are kept");
    assert_eq!(open(&dir).1.copy, None, "nothing is left to do");
}
