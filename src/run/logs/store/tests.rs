use proptest::prelude::*;

use super::*;
use crate::{
    app::logs::{lines::Lines, search::Matcher},
    model::log::LogSource,
    run::logs::scan::{Scan, Seek, Sought},
};

fn entries(texts: &[String]) -> Vec<LogEntry> {
    let mut lines = Lines::default();
    let mut entries = Vec::new();
    for text in texts {
        lines.read(LogSource::Stdout, text.as_bytes(), |entry| {
            entries.push(entry);
        });
        lines.read(LogSource::Stdout, b"\n", |entry| entries.push(entry));
    }
    entries
}

fn numbered(range: Range<u64>) -> Vec<LogEntry> {
    entries(&range.map(|n| format!("line {n}")).collect::<Vec<_>>())
}

fn texts(entries: &[LogEntry]) -> Vec<String> {
    let text = |entry: &LogEntry| entry.line.text.to_string();
    entries.iter().map(text).collect()
}

const SMALL: LogStoreLimits = LogStoreLimits {
    spool: 64 << 10,
    memory: 32 << 10,
    segment: 8 << 10,
    free: 0,
};

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// The store has exactly these lines from its first one on.
fn assert_range(store: &LogStore, first: u64, end: u64) {
    assert_eq!((store.first(), store.end()), (first, end));
    for number in [first, first.midpoint(end), end - 1] {
        let (from, page) = store.page(number, 10).unwrap();
        assert_eq!(from, number.saturating_sub(10).max(first));
        let to = (number + 10).min(end);
        let expected: Vec<String> = (from..to).map(|n| format!("line {n}")).collect();
        assert_eq!(texts(&page), expected);
    }
}

#[test]
fn nothing_is_left_in_the_directory_and_nobody_else_may_read_it() {
    let directory = directory();
    let spool = directory.path().join("of/the/cache");
    let mut store = LogStore::new(Some(spool.clone()), LogStoreLimits::default());
    store.append(&numbered(0..5_000));
    assert_range(&store, 0, 5_000);
    assert!(store.in_memory().is_none());
    assert!(std::fs::read_dir(&spool).unwrap().next().is_none());
    let Some(Segment::File { file, .. }) = store.segments.front() else {
        panic!("a file");
    };
    let mode = std::os::unix::fs::MetadataExt::mode(&file.metadata().unwrap());
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn the_oldest_lines_go_beyond_the_limits_and_numbers_stay() {
    let directory = directory();
    for spool in [Some(directory.path().to_owned()), None] {
        let limit = if spool.is_some() {
            SMALL.spool
        } else {
            SMALL.memory
        };
        let mut store = LogStore::new(spool, SMALL);
        for at in 0..100 {
            store.append(&numbered(at * 100..(at + 1) * 100));
            assert!(store.bytes <= limit, "{}", store.bytes);
        }
        assert!(store.first() > 0);
        assert!(store.bytes > limit / 2, "{}", store.bytes);
        assert_range(&store, store.first(), 10_000);
        assert!(store.blocks.len() < 200);
    }
}

#[test]
fn without_a_place_on_the_disk_the_last_lines_stay_in_memory() {
    let directory = directory();
    let file = directory.path().join("a-file");
    std::fs::write(&file, b"").unwrap();
    let mut store = LogStore::new(Some(file), SMALL);
    store.append(&numbered(0..300));
    assert_range(&store, 0, 300);
    let why = store.in_memory().unwrap();
    assert!(why.as_str().contains("kept in memory"), "{why}");
    // A disk with less room than must stay free.
    let full = LogStoreLimits {
        free: u64::MAX,
        ..SMALL
    };
    let mut store = LogStore::new(Some(directory.path().to_owned()), full);
    store.append(&numbered(0..300));
    assert!(store.in_memory().is_some());
    assert_range(&store, 0, 300);
}

#[test]
fn a_disk_that_fills_up_loses_no_line() {
    let directory = directory();
    let mut store = LogStore::new(Some(directory.path().to_owned()), SMALL);
    store.append(&numbered(0..100));
    // A file that can't be written stands for a full disk.
    let path = directory.path().join("read-only");
    std::fs::write(
        &path,
        store.segments[0]
            .read(0, store.segments[0].length())
            .unwrap(),
    )
    .unwrap();
    store.segments[0] = Segment::File {
        length: store.segments[0].length(),
        file: std::fs::File::open(path).unwrap(),
    };
    store.append(&numbered(100..200));
    assert!(store.in_memory().is_some());
    store.append(&numbered(200..250));
    assert_range(&store, 0, 250);
    for number in 90..110 {
        assert_line(&store, number);
    }
}

fn assert_line(store: &LogStore, number: u64) {
    let (first, page) = store.page(number, 1).unwrap();
    let at = usize::try_from(number - first).unwrap();
    assert_eq!(texts(&page)[at], format!("line {number}"));
}

#[test]
fn long_lines_make_short_pages() {
    let mut store = LogStore::new(None, LogStoreLimits::default());
    let long = vec!["x".repeat(15_000); 1_000];
    store.append(&entries(&long));
    let (first, page) = store.page(500, 500).unwrap();
    assert!(first > 200 && first < 500, "{first}");
    assert!(page.len() < 600);
    assert!(first + page.len() as u64 > 500, "the wanted line is there");
}

/// All matches, one search step after the other.
fn search(store: &LogStore, matcher: &Matcher, from: u64) -> Scan {
    let mut scan = Scan::new(1, matcher.clone(), from, store);
    while scan.step(store).unwrap() {}
    assert!(scan.is_complete(store));
    scan
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        5 => "[abA ]{0,6}",
        1 => "[ab]{300,900}",
        1 => Just("한글 ab".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Paging and searching are what they are on a plain list of lines.
    #[test]
    fn it_is_a_list_of_lines(
        batches in proptest::collection::vec(proptest::collection::vec(line(), 0..120), 1..12),
        asked in proptest::collection::vec((0_u64..1_500, 1_u64..40), 8),
        wanted in "[abA]{1,2}",
        in_memory in any::<bool>(),
    ) {
        let directory = directory();
        let spool = (!in_memory).then(|| directory.path().to_owned());
        let mut store = LogStore::new(spool, SMALL);
        let matcher = Matcher::text(&wanted);
        let mut model: Vec<String> = Vec::new();
        let mut growing = Scan::new(2, matcher.clone(), asked[0].0, &store);
        for batch in &batches {
            let batch = entries(batch);
            store.append(&batch);
            model.extend(texts(&batch));
            prop_assert!(growing.step(&store).is_ok());
        }
        let (first, end) = (store.first(), store.end());
        prop_assert_eq!(end, model.len() as u64);
        for (number, lines) in asked.iter().copied() {
            let (from, page) = store.page(number, lines).unwrap();
            let expected = number.saturating_sub(lines).max(first).min(end)
                ..(number + lines).min(end);
            if !page.is_empty() {
                prop_assert_eq!(from, expected.start);
            }
            let expected = expected.start as usize..expected.end.max(expected.start) as usize;
            prop_assert_eq!(texts(&page), model[expected].to_vec());
        }
        let hits: Vec<u64> = (first..end)
            .filter(|number| matcher.matches(&model[*number as usize]))
            .collect();
        let mut scan = search(&store, &matcher, asked[0].0);
        while growing.step(&store).unwrap() {}
        prop_assert_eq!(growing.matches(), hits.len() as u64);
        prop_assert_eq!(scan.matches(), hits.len() as u64);
        for (from, _) in asked {
            let after = hits.iter().find(|hit| **hit >= from).or(hits.first());
            let before = hits.iter().rfind(|hit| **hit < from).or(hits.last());
            for (forward, expected) in [(true, after), (false, before)] {
                let found = scan.seek(Seek { from, forward }, &store).unwrap();
                let expected = expected.map_or(Sought::Nothing, |hit| Sought::At(*hit));
                prop_assert_eq!(found, expected);
            }
        }
        for (at, hit) in hits.iter().enumerate().step_by(7) {
            prop_assert_eq!(scan.position(*hit, &store).unwrap(), Some(at as u64 + 1));
        }
    }
}
