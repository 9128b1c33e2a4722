//! Logs that are too long for memory, read in parts, and kept when the container goes.

use futures_util::StreamExt as _;
use workbay::{
    app::{
        logs::{
            feed::{LogEvent, LogOrder, PREVIEW, PageRequest},
            lines::LogEntry,
            search::Matcher,
        },
        msg::Msg,
    },
    engine::api::{Containers as _, CreatePlan, Streams as _},
    model::{
        id::SessionId,
        log::{LogOptions, split_time},
        session::SessionType,
        spec::LaunchSpec,
    },
    run::logs::{LogReader, LogStoreLimits},
};

use crate::support::{Bench, host_spec, plan};

const LINES: usize = 120_000;

fn batch(command: &str) -> CreatePlan {
    let spec = LaunchSpec {
        session_type: SessionType::Batch,
        startup_command: Some(command.to_owned()),
        ..host_spec()
    };
    plan("writer", spec)
}

async fn read(bench: &Bench, session: SessionId, options: LogOptions) -> String {
    let chunks = bench.engine.logs(session, options).await.unwrap();
    let pieces: Vec<_> = chunks.map(|chunk| chunk.unwrap().bytes).collect().await;
    String::from_utf8(pieces.concat()).unwrap()
}

/// The end of the log and what comes before it are the log.
async fn is_read_in_parts(bench: &Bench, session: SessionId) -> String {
    let timed = LogOptions {
        timestamps: true,
        ..LogOptions::default()
    };
    let whole = read(bench, session, timed).await;
    let tail = LogOptions {
        tail: Some(1_000),
        ..timed
    };
    let end = read(bench, session, tail).await;
    assert_eq!(end.lines().count(), 1_000);
    let (first, _) = split_time(end.as_bytes()).unwrap();
    let before = LogOptions {
        before: Some(first),
        ..timed
    };
    let beginning = read(bench, session, before).await;
    assert!(beginning + &end == whole, "the parts are not the whole");
    let untimed = LogOptions {
        timestamps: false,
        ..before
    };
    let plain = read(bench, session, untimed).await;
    assert_eq!(plain.lines().count(), whole.lines().count() - 1_000);
    assert!(!plain.contains(&whole[..20]), "no times");
    whole
}

#[tokio::test]
async fn a_long_log_is_read_in_parts_and_kept_whole() {
    let bench = Bench::new();
    let plan = batch(&format!(
        "seq -f 'line %.0f of a log with more than four megabytes' {LINES}"
    ));
    bench.launch(&plan).await;
    assert_eq!(bench.ended(plan.session).await, 0);
    let log = is_read_in_parts(&bench, plan.session).await;
    let numbers = log
        .lines()
        .filter(|line| line.contains(" of a log with more"));
    assert_eq!(numbers.count(), LINES + 1, "each line and the command");
    assert!(log.contains("Z line 1 of") && log.contains(&format!("Z line {LINES} of")));

    bench.engine.remove(plan.session).await.unwrap();
    let kept = is_read_in_parts(&bench, plan.session).await;
    assert!(kept == log, "the saved log differs");
}

#[tokio::test]
async fn of_a_progress_bar_without_an_end_the_last_state_is_kept() {
    let bench = Bench::new();
    let plan = batch("printf 'loading  10%%\\r'; sleep 1; printf 'loading  70%%\\r'");
    bench.launch(&plan).await;
    assert_eq!(bench.ended(plan.session).await, 0);
    bench.engine.remove(plan.session).await.unwrap();
    let kept = bench.log(plan.session, None).await;
    assert!(
        kept.contains("loading  10%\rloading  70%\r\nworkbay: ended"),
        "{kept}"
    );
}

/// What the log view does with a log of a real container: read from the beginning, with the end beside it.
#[tokio::test]
async fn the_log_view_reaches_every_line_of_a_long_log() {
    let bench = Bench::new();
    let plan = batch("seq -f 'entry %.0f' 200000; echo 'ValueError: at the end'; sleep 600");
    bench.launch(&plan).await;
    let timed = LogOptions {
        timestamps: true,
        ..LogOptions::default()
    };
    let tail = LogOptions {
        tail: Some(2_000),
        ..timed
    };
    while !read(&bench, plan.session, tail)
        .await
        .contains("ValueError: at the end\n")
    {}
    let spool = tempfile::tempdir().unwrap();
    let mut log = LogReader::new(
        1,
        Some(spool.path().to_owned()),
        LogStoreLimits::default(),
        true,
        jiff::Timestamp::MAX,
    );
    log.opened();
    let mut whole = bench.engine.logs(plan.session, timed).await.unwrap();
    while !log.needs_preview() {
        let chunk = whole.next().await.unwrap().unwrap();
        log.read(chunk.source, &chunk.bytes);
    }
    log.preview_opened();
    let mut end = bench.engine.logs(plan.session, tail).await.unwrap();
    while let Some(chunk) = end.next().await {
        let chunk = chunk.unwrap();
        log.preview(chunk.source, &chunk.bytes);
    }
    let (first, texts) = page(&mut log, PageRequest::Last { lines: 10 });
    assert!(first >= PREVIEW);
    assert!(
        texts.contains(&"ValueError: at the end".to_owned()),
        "{texts:?}"
    );
    assert!(texts.contains(&"entry 200000".to_owned()), "{texts:?}");
    while let Some(chunk) = whole.next().await {
        let chunk = chunk.unwrap();
        log.read(chunk.source, &chunk.bytes);
    }
    let joined = log.take().into_iter().find_map(|msg| match msg {
        Msg::Log {
            event: LogEvent::Joined { preview, line },
            ..
        } => Some((preview, line)),
        _ => None,
    });
    let (preview, line) = joined.expect("the preview was reached");
    assert!(!log.is_loading());
    // The same lines by both numbers.
    let around = |number| PageRequest::Around { number, lines: 5 };
    assert_eq!(
        page(&mut log, around(preview - 9)),
        page(&mut log, around(line - 9))
    );
    // Every line, from the first one on.
    let mut numbers = Vec::new();
    let mut next = 0;
    loop {
        let number = next + 1_000;
        let want = PageRequest::Around {
            number,
            lines: 1_000,
        };
        let (first, mut texts) = page(&mut log, want);
        texts.drain(..usize::try_from(next - first).unwrap());
        let number = |text: &String| text.strip_prefix("entry ")?.parse::<u64>().ok();
        numbers.extend(texts.iter().filter_map(number));
        if texts.is_empty() {
            break;
        }
        next += texts.len() as u64;
    }
    assert!(
        numbers.into_iter().eq(1..=200_000),
        "each line once, in order"
    );
    let errors = LogOrder::Search {
        id: 1,
        matcher: Matcher::Errors,
        from: 0,
    };
    log.order(errors);
    while log.has_work() {
        log.work();
    }
    let events = format!("{:?}", log.take());
    // The line of workbay that names the command isn't an error.
    assert!(events.contains("matches: 1,"), "{events}");
    assert!(spool.path().read_dir().unwrap().next().is_none());
    bench.engine.remove(plan.session).await.unwrap();
}

/// The lines of a page, and the number of the first.
fn page(log: &mut LogReader, want: PageRequest) -> (u64, Vec<String>) {
    log.order(LogOrder::Page(want));
    let events = log.take();
    let page = events.into_iter().find_map(|msg| match msg {
        Msg::Log {
            event: LogEvent::Page(page),
            ..
        } => Some(page),
        _ => None,
    });
    let page = page.expect("a page");
    let text = |entry: &LogEntry| entry.line.text.to_string();
    (page.first, page.entries.iter().map(text).collect())
}
