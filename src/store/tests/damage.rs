//! A database with damaged bytes is opened, or set aside and begun again: never an error, never a panic.

use super::*;
use crate::store::{file::StoreFile, health};

const VARIANTS: u64 = 240;

/// A database with all that there may be in it.
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

/// The same numbers in every run.
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

/// Some bytes are others, mostly where the tables are defined, or the end is missing.
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
            // What the daemon does not start with is not called whole.
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
