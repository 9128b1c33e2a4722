//! Tests that each row that can't be written is set aside and the others are kept.

use super::*;

/// Makes the database refuse the rows that meet this condition.
fn refuse(dir: &TempDir, event: &str, when: &str) {
    let db = rusqlite::Connection::open(options(dir).database).unwrap();
    db.execute_batch(&format!(
        "CREATE TRIGGER refuses BEFORE {event} WHEN {when}
         BEGIN SELECT RAISE(ABORT, 'not this one'); END"
    ))
    .unwrap();
}

fn aside(dir: &TempDir) -> Vec<(String, String, String)> {
    let db = rusqlite::Connection::open(options(dir).database).unwrap();
    let mut query = db
        .prepare("SELECT kept_of, why, body FROM unreadable ORDER BY number")
        .unwrap();
    let rows = query.query_map((), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    rows.unwrap().map(Result::unwrap).collect()
}

#[tokio::test]
async fn a_row_that_cannot_be_written_is_set_aside_and_the_others_are_written() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(&dir);
    refuse(&dir, "INSERT ON history", "NEW.phase = 'bad'");
    let writes = vec![
        session(1),
        Write::History(entry(1, "bad")),
        Write::History(entry(1, "good")),
        session(2),
    ];
    let error = store.write(writes.clone()).await.unwrap_err();
    assert!(error.is_of_a_row(), "{error:?}");
    assert!(error.to_string().contains("not this one"), "{error}");
    let unwritten = store
        .write_apart(WritePurpose::Ordinary, writes)
        .await
        .unwrap();
    let [one] = unwritten.as_slice() else {
        panic!("{unwritten:?}");
    };
    assert!(one.is_first && !one.is_record);
    assert_eq!(one.session, Some(SessionId::from_u128(1)));
    let [(table, why, body)] = &aside(&dir)[..] else {
        panic!("one is set aside");
    };
    assert_eq!(
        (table.as_str(), why.as_str()),
        ("history", "can't be written: not this one")
    );
    assert!(body.contains("\"phase\":\"bad\""), "{body}");
    let history = store.history(SessionId::from_u128(1)).await.unwrap();
    assert_eq!(history[0].phase, "good");
    let again = vec![Write::History(entry(1, "bad"))];
    let unwritten = store
        .write_apart(WritePurpose::Ordinary, again)
        .await
        .unwrap();
    assert!(!unwritten[0].is_first, "it is reported once");
    assert_eq!(aside(&dir).len(), 2);
}

#[tokio::test]
async fn of_a_session_that_cannot_be_written_the_newest_is_kept_and_no_half_of_it_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(&dir);
    store.write(vec![session(1)]).await.unwrap();
    refuse(&dir, "INSERT ON kernels", "NEW.hostname = 'bad'");
    let mut changed = record(1);
    changed.session.kernels[0].hostname = "bad".into();
    for retries in [7, 8] {
        changed.retries = retries;
        let writes = vec![Write::Session(Box::new(changed.clone()))];
        let unwritten = store
            .write_apart(WritePurpose::Ending, writes)
            .await
            .unwrap();
        assert!(unwritten[0].is_record);
        assert_eq!(unwritten[0].is_first, retries == 7);
    }
    let [(_, _, body)] = &aside(&dir)[..] else {
        panic!("the newest is set aside");
    };
    assert!(body.contains("\"retries\":8"), "{body}");
    let kept = store.sessions(vec![SessionId::from_u128(1)]).await.unwrap();
    assert_eq!(kept, [record(1)]);
}

#[tokio::test]
async fn a_full_disk_sets_nothing_aside() {
    let dir = tempfile::tempdir().unwrap();
    let mut tight = options(&dir);
    tight.page_limit = Some(24);
    let (store, _) = Store::open(&tight).unwrap();
    let many: Vec<Write> = (2..200).map(session).collect();
    let error = store
        .write_apart(WritePurpose::Ordinary, many)
        .await
        .unwrap_err();
    assert_eq!(error, StoreError::Full(tight.database.clone()));
    assert!(!error.is_of_a_row() && aside(&dir).is_empty());
}
