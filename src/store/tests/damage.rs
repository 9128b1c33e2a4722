//! Tests that a database with damaged bytes is opened, or set aside and recreated, without an error or a panic.

use super::*;
use crate::store::{file::StoreFile, health};

const VARIANTS: u64 = 240;

/// Returns a database with all kinds of content.
async fn filled(dir: &TempDir) -> Vec<u8> {
    let (store, _) = open(dir);
    let mut writes: Vec<Write> = (1..40).map(session).collect();
    for number in 1..40 {
        writes.push(Write::History(entry(number, "one")));
        writes.push(Write::History(entry(number, "two")));
    }
    writes.push(Write::Recent {
        at: Timestamp::UNIX_EPOCH,
        context: ContextName::local(),
        title: "title".into(),
        launch: Box::default(),
    });
    writes.push(Write::Launch {
        session: SessionKey::local(SessionId::from_u128(1)),
        launch: Box::default(),
    });
    store.write(writes).await.unwrap();
    store.close().await;
    fs::read(options(dir).database).unwrap()
}

/// A generator of the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        for shift in [13, -7, 17_i32] {
            self.0 ^= if shift > 0 {
                self.0 << shift
            } else {
                self.0 >> -shift
            };
        }
        (self.0 >> 11) as usize % end
    }
}

/// Changes some bytes, mostly in the definitions of the tables, or removes the end.
fn damage(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut bytes = bytes.to_vec();
    let definitions = 3 * 4096;
    let whole = bytes.len();
    match seed % 8 {
        0 => bytes.truncate(random.below(whole - 1) + 1),
        1 => {
            let from = random.below(whole);
            let to = (from + random.below(4095) + 1).min(whole);
            bytes[from..to].fill(0);
        }
        kind => {
            let end = if kind < 6 { definitions } else { whole };
            let count = if kind % 2 == 0 { 1 } else { 8 };
            let at = random.below(end.min(whole) - count);
            for byte in &mut bytes[at..at + count] {
                *byte ^= random.below(255) as u8 + 1;
            }
        }
    }
    bytes
}

#[tokio::test]
async fn damaged_bytes_never_stop_the_daemon() {
    let first = tempfile::tempdir().unwrap();
    let whole = filled(&first).await;
    let instance = fs::read(options(&first).instance_file).unwrap();
    let (mut aside, mut misjudged) = (0, Vec::new());
    for seed in 0..VARIANTS {
        let dir = tempfile::tempdir().unwrap();
        let options = options(&dir);
        fs::create_dir_all(options.database.parent().unwrap()).unwrap();
        fs::write(&options.instance_file, &instance).unwrap();
        fs::write(&options.database, damage(&whole, seed)).unwrap();
        let examined = health::look(&options.database);
        let opened = StoreFile::open(&options);
        let (file, opened) = opened.unwrap_or_else(|error| panic!("variant {seed}: {error}"));
        assert_eq!(
            opened.instance.to_string(),
            String::from_utf8_lossy(&instance).trim()
        );
        let kept = options.database.with_file_name("aside").exists();
        aside += u32::from(kept);
        if kept {
            assert!(opened.records.is_empty(), "variant {seed}");
            // A file that the daemon doesn't start with must not pass the examination.
            if examined.is_ok() {
                misjudged.push((seed, opened.notes.clone()));
            }
        }
        drop(file);
        let again = StoreFile::open(&options);
        assert!(again.is_ok(), "variant {seed} at the second start");
    }
    assert!(
        aside > VARIANTS as u32 / 4,
        "only {aside} were damaged enough"
    );
    assert!(
        misjudged.is_empty(),
        "called whole and set aside: {misjudged:?}"
    );
}

#[tokio::test]
async fn a_damaged_name_of_a_column_is_found_by_both() {
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = filled(&dir).await;
    let name = b"terminated_at TEXT";
    let at = bytes.windows(name.len()).position(|it| it == name).unwrap();
    bytes[at] = b's';
    fs::write(options(&dir).database, bytes).unwrap();
    let examined = health::look(&options(&dir).database);
    assert!(
        matches!(examined, Err(StoreError::Corrupt { .. })),
        "{examined:?}"
    );
    let (store, opened) = open(&dir);
    assert!(opened.records.is_empty() && opened.notes.len() == 1);
    store.close().await;
    assert!(open(&dir).1.notes.is_empty());
}

/// Returns a database with running sessions and one that has ended.
async fn with_running(dir: &TempDir) -> Vec<u8> {
    let (store, _) = open(dir);
    let mut ended = record(9);
    ended.session.status = Status::Terminated;
    (ended.step, ended.forgotten) = (Step::Settled, true);
    let records = running().into_iter().chain([ended]);
    let writes = records.map(|it| Write::Session(Box::new(it)));
    store.write(writes.collect()).await.unwrap();
    store.close().await;
    fs::read(options(dir).database).unwrap()
}

fn running() -> [SessionRecord; 3] {
    [1, 2, 3].map(|number| {
        let mut record = record(number);
        record.session.status = Status::Running;
        record.session.kernels[0].status = Status::Running;
        record.step = Step::Settled;
        record
    })
}

/// Opens a file with these bytes, and returns whether the result is correct.
fn opens_true(bytes: &[u8], instance: &[u8]) -> (Opened, bool) {
    let dir = tempfile::tempdir().unwrap();
    let options = options(&dir);
    fs::create_dir_all(options.database.parent().unwrap()).unwrap();
    fs::write(&options.instance_file, instance).unwrap();
    fs::write(&options.database, bytes).unwrap();
    let (_, opened) = StoreFile::open(&options).unwrap();
    let listed = running().map(|it| opened.records.contains(&it));
    // Either all running sessions are unchanged, or the list is marked as incomplete.
    let is_true = opened.incomplete.is_some() || listed == [true; 3];
    (opened, is_true)
}

fn places_of(bytes: &[u8], text: &[u8]) -> Vec<usize> {
    let windows = bytes.windows(text.len()).enumerate();
    let found = windows.filter(|(_, it)| *it == text);
    found.map(|(at, _)| at).collect()
}

#[tokio::test]
async fn no_damaged_byte_changes_or_hides_a_running_session_silently() {
    let first = tempfile::tempdir().unwrap();
    let whole = with_running(&first).await;
    let instance = fs::read(options(&first).instance_file).unwrap();
    let mut untrue = Vec::new();
    for (number, at) in (0..whole.len()).step_by(499).enumerate() {
        let mut bytes = whole.clone();
        bytes[at] = if number % 2 == 0 { 0xff } else { bytes[at] ^ 1 };
        if !opens_true(&bytes, &instance).1 {
            untrue.push(at);
        }
    }
    assert!(untrue.is_empty(), "silent: {untrue:?}");
}

#[tokio::test]
async fn a_session_whose_rows_were_changed_is_set_aside_and_the_list_says_so() {
    let first = tempfile::tempdir().unwrap();
    let whole = with_running(&first).await;
    let instance = fs::read(options(&first).instance_file).unwrap();
    let (_, is_true) = opens_true(&whole, &instance);
    assert!(is_true, "what is whole is read");
    // Each change results in another valid value of a status, a context or a container.
    for text in ["\"status\":\"RUNNING", "\"context\":\"local", "RUNNINGabc"] {
        let found = places_of(&whole, text.as_bytes());
        let at = found.first().unwrap_or_else(|| panic!("{text} is there")) + text.len() - 1;
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        let (opened, _) = opens_true(&bytes, &instance);
        let left = opened.records.iter();
        let left = left.filter(|it| running().contains(it)).count();
        assert_eq!((left, opened.incomplete.is_some()), (2, true), "{text}");
        assert_eq!(opened.notes.len(), 1, "{:?}", opened.notes);
    }
}

#[tokio::test]
async fn an_unknown_status_that_an_earlier_version_did_not_guard_is_no_ended_session() {
    let dir = tempfile::tempdir().unwrap();
    with_running(&dir).await;
    let db = rusqlite::Connection::open(options(&dir).database).unwrap();
    db.execute_batch(
        "UPDATE sessions SET checksum = NULL;
         UPDATE sessions SET body = replace(body, '\"RUNNING', '\"SUNNING') WHERE name LIKE '%-2'",
    )
    .unwrap();
    drop(db);
    let opened = open(&dir).1;
    assert!(opened.incomplete.is_some());
    let [first, _, third] = running();
    assert!(opened.records.contains(&first) && opened.records.contains(&third));
    assert_eq!(opened.records.len(), 3, "with the one that ended");
}

#[tokio::test]
async fn an_index_that_lost_a_session_is_made_again() {
    let first = tempfile::tempdir().unwrap();
    let whole = with_running(&first).await;
    let instance = fs::read(options(&first).instance_file).unwrap();
    let db = rusqlite::Connection::open(options(&first).database).unwrap();
    for index in ["sessions_held", "sessions_by_age"] {
        let query = "SELECT rootpage FROM sqlite_master WHERE name = ?1";
        let page: u32 = db.query_row(query, [index], |row| row.get(0)).unwrap();
        let mut bytes = whole.clone();
        // The number of entries follows the kind of the page and its first free block.
        let count = (page as usize - 1) * 4096 + 4;
        bytes[count] -= 1;
        let (opened, _) = opens_true(&bytes, &instance);
        assert!(opened.incomplete.is_some(), "{index}");
        assert_eq!(opened.records.len(), 4, "{index}: nothing is lost");
        let [note] = opened.notes.as_slice() else {
            panic!("{:?}", opened.notes);
        };
        assert!(note.as_str().contains("index"), "{note}");
    }
}
