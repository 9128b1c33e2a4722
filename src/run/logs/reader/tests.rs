use super::*;
use crate::app::logs::search::Matcher;

fn reader(timed: bool) -> LogReader {
    let limits = LogStoreLimits::default();
    LogReader::new(1, None, limits, timed, Timestamp::UNIX_EPOCH)
}

fn events(reader: &mut LogReader) -> Vec<LogEvent> {
    let events = reader.take().into_iter().map(|msg| match msg {
        Msg::Log { log: 1, event } => event,
        msg => panic!("{msg:?}"),
    });
    events.collect()
}

fn pages(events: &[LogEvent]) -> Vec<&LogPage> {
    let mut pages = Vec::new();
    for event in events {
        if let LogEvent::Page(page) = event {
            pages.push(page);
        }
    }
    pages
}

#[test]
fn an_unfinished_line_is_the_last_of_a_page() {
    let mut reader = reader(false);
    reader.opened();
    reader.read(LogSource::Stdout, b"one\n 10%\r 20%");
    let want = LogOrder::Page(PageRequest::Last { lines: 10 });
    assert_eq!(reader.order(want.clone()), None);
    let events_seen = events(&mut reader);
    let page = pages(&events_seen)[0];
    let text = |page: &LogPage, at: usize| page.entries[at].line.text.to_string();
    assert_eq!((page.first, page.entries.len()), (0, 2));
    assert_eq!(text(page, 1), " 20%");
    let before = page.extent.clone();
    assert_eq!(before.end, 2);
    reader.read(LogSource::Stdout, b"\r 30%");
    let events_seen = events(&mut reader);
    let [LogEvent::Extent(extent)] = &events_seen[..] else {
        panic!("{events_seen:?}");
    };
    assert_eq!(extent.end, 2);
    assert_ne!(extent.revision, before.revision, "the line is another now");
    assert_eq!(events(&mut reader), [], "nothing is said twice");
    reader.ended(StreamEnd::Exited { exit_code: None });
    reader.order(want);
    let events_seen = events(&mut reader);
    assert_eq!(text(pages(&events_seen)[0], 1), " 30%");
}

#[test]
fn a_search_is_replaced_and_ended_at_any_time() {
    let mut reader = reader(false);
    reader.opened();
    let log: Vec<String> = (0..20_000).map(|n| format!("line {n}\n")).collect();
    reader.read(LogSource::Stdout, log.concat().as_bytes());
    reader.idle();
    let search = |id, text: &str| LogOrder::Search {
        id,
        matcher: Matcher::text(text),
        from: 0,
    };
    reader.order(search(1, "line"));
    reader.work();
    assert!(reader.has_work(), "one step isn't all");
    reader.order(search(2, "line 1999"));
    reader.order(LogOrder::Seek {
        id: 1,
        from: 5,
        forward: true,
    });
    while reader.has_work() {
        reader.work();
    }
    let events_seen = events(&mut reader);
    let hits: Vec<&LogEvent> = events_seen
        .iter()
        .filter(|event| matches!(event, LogEvent::Hit { id: 2, .. }))
        .collect();
    let number = Some(1_999);
    assert_eq!(hits, [&LogEvent::Hit { id: 2, number }]);
    let Some(LogEvent::Searched(state)) = events_seen.last() else {
        panic!("{events_seen:?}");
    };
    assert_eq!((state.id, state.matches, state.position), (2, 11, Some(1)));
    assert!(state.complete && state.searched == 20_000);
    reader.order(search(3, "line"));
    reader.order(LogOrder::EndSearch);
    assert!(!reader.has_work());
}

#[test]
fn the_first_error_and_those_after_it_are_found_in_the_whole_log() {
    let mut reader = reader(false);
    reader.opened();
    let lines = (0..9_000).map(|n| match n {
        7_000 | 8_999 => "ValueError: no\n".to_owned(),
        _ => format!("{n} errors\n"),
    });
    reader.read(LogSource::Stderr, lines.collect::<String>().as_bytes());
    reader.idle();
    reader.order(LogOrder::Search {
        id: 1,
        matcher: Matcher::Errors,
        from: 0,
    });
    let mut found = Vec::new();
    for _ in 0..3 {
        while reader.has_work() {
            reader.work();
        }
        found.extend(events(&mut reader).into_iter().filter_map(|it| match it {
            LogEvent::Hit { number, .. } => number,
            _ => None,
        }));
        reader.order(LogOrder::Seek {
            id: 1,
            from: found.last().map_or(0, |last| last + 1),
            forward: true,
        });
    }
    assert_eq!(found, [7_000, 8_999, 7_000]);
}

#[test]
fn a_saved_log_has_all_lines_and_their_times_if_they_are_shown() {
    let mut reader = reader(true);
    reader.opened();
    let log =
        "2026-05-04T09:30:01Z one\n2026-05-04T09:30:02Z \x1b[31mtwo\n2026-05-04T09:30:03Z thr";
    reader.read(LogSource::Stdout, log.as_bytes());
    let text = |reader: &LogReader, zone: Option<&TimeZone>| {
        let mut text = Vec::new();
        reader.write_text(&mut text, zone).unwrap();
        String::from_utf8(text).unwrap()
    };
    assert_eq!(text(&reader, None), "one\ntwo\nthr\n");
    let timed = text(&reader, Some(&TimeZone::UTC));
    assert!(timed.starts_with("05-04 09:30:01 one\n05-04 09:30:02 two\n"));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x-log.txt");
    let save = LogOrder::Save {
        ticket: 7,
        path: path.clone(),
        times: None,
    };
    let Some(Msg::Done { ticket: 7, result }) = reader.order(save) else {
        panic!("an answer");
    };
    assert_eq!(
        result.unwrap().as_str(),
        format!("saved to {}", path.display())
    );
    assert_eq!(std::fs::read_to_string(path).unwrap(), "one\ntwo\nthr\n");
}

#[test]
fn what_is_held_of_a_flood_is_bounded() {
    let mut reader = reader(false);
    reader.opened();
    let flood = "y\n".repeat(1 << 16);
    for _ in 0..30 {
        reader.read(LogSource::Stdout, flood.as_bytes());
    }
    let extent = reader.extent();
    assert_eq!(extent.end, 30 << 16);
    assert!(extent.first > 0, "16 MiB in memory are less than that");
    reader.order(LogOrder::Search {
        id: 1,
        matcher: Matcher::text("y"),
        from: 0,
    });
    while reader.has_work() {
        reader.work();
    }
    reader.idle();
    let events_seen = events(&mut reader);
    let Some(LogEvent::Searched(state)) = events_seen.last() else {
        panic!("{events_seen:?}");
    };
    assert_eq!(state.matches, extent.end - extent.first);
    assert_eq!(state.position, Some(1), "the first line kept");
}
