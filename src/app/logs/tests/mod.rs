mod paging;
mod searching;

use std::collections::VecDeque;

use jiff::Timestamp;

use super::{
    actions::SIDEWAYS,
    feed::{LogEvent, LogPage},
    *,
};
use crate::{
    action::Action,
    app::{msg::Msg, testing},
    key::Key,
    model::{failure::Failure, log::LogSource},
    protocol::message::StreamEnd,
};

/// A log and its reader, in memory.
struct LogTest {
    logs: Logs,
    ids: Ids,
    reader: LogReader,
    /// Steps that haven't been carried out.
    steps: Vec<Step>,
    /// Orders that wait while the reader is busy.
    busy: Option<VecDeque<LogOrder>>,
}

impl LogTest {
    /// A log of ten rows of twenty cells.
    fn new() -> Self {
        Self::with_limits(LogStoreLimits::default())
    }

    fn with_limits(limits: LogStoreLimits) -> Self {
        let mut ids = Ids::default();
        let (mut logs, steps) = Logs::open(&testing::session(1, "work-1"), 0, None, &mut ids);
        assert!(matches!(
            &steps[..],
            [Step::Do(Effect::Open {
                open: StreamOpen::Log { options, .. },
                ..
            })] if options.follow && options.tail.is_none()
        ));
        logs.set_size(20 + GUTTER, 10);
        let reader = LogReader::new(logs.stream, None, limits, false, Timestamp::UNIX_EPOCH);
        let mut world = Self {
            logs,
            ids,
            reader,
            steps: Vec::new(),
            busy: None,
        };
        world.opens();
        world
    }

    fn opens(&mut self) {
        self.reader.opened();
        self.settles();
    }

    fn ends(&mut self, end: StreamEnd) {
        self.reader.ended(end);
        self.settles();
    }

    fn prints(&mut self, text: &str) {
        self.reader.read(LogSource::Stdout, text.as_bytes());
        self.settles();
    }

    /// Carries out the orders of the view until there are no more.
    fn carry_out(&mut self, steps: Vec<Step>) {
        for step in steps {
            match (step, &mut self.busy) {
                (Step::Do(Effect::Log { order, .. }), Some(busy)) => busy.push_back(order),
                (Step::Do(Effect::Log { order, .. }), None) => {
                    assert_eq!(self.reader.order(order), None);
                }
                (step, _) => self.steps.push(step),
            }
        }
    }

    fn settles(&mut self) {
        loop {
            while self.reader.has_work() {
                self.reader.work();
            }
            let events = self.reader.take();
            if events.is_empty() {
                return;
            }
            for msg in events {
                let Msg::Log { log, event } = msg else {
                    panic!("{msg:?}");
                };
                let steps = self.logs.event(log, event);
                self.carry_out(steps);
            }
        }
    }

    /// The whole log has been read.
    fn is_idle(&mut self) {
        self.reader.idle();
        self.settles();
    }

    fn does(&mut self, action: Action) -> Vec<Step> {
        let steps = self.logs.action(action, &mut self.ids);
        self.carry_out(steps);
        self.settles();
        std::mem::take(&mut self.steps)
    }

    /// Answers the orders that arrived while the reader was busy.
    fn is_free(&mut self) {
        let orders = self.busy.take().unwrap_or_default();
        for order in orders {
            assert_eq!(self.reader.order(order), None);
        }
        self.settles();
    }

    fn numbered(lines: usize) -> Self {
        let mut world = Self::new();
        for n in 0..lines {
            world.prints(&format!("line {n}\n"));
        }
        world.is_idle();
        world
    }

    fn act(&mut self, action: Action) -> Vec<Step> {
        self.does(action)
    }

    fn types(&mut self, text: &str) {
        for c in text.chars() {
            let steps = self.logs.key(Key::char(c)).unwrap();
            self.carry_out(steps);
            self.settles();
        }
    }

    fn matches(&self) -> Option<u64> {
        self.logs.search.as_ref().map(|search| search.state.matches)
    }

    fn current(&self) -> Option<u64> {
        self.logs.search.as_ref().and_then(|search| search.current)
    }

    fn rows(&self) -> Vec<String> {
        let rows = self.logs.visible();
        let text = |row: &LogRow| {
            let line = self.logs.entry(row.number).unwrap().line().text.as_str();
            line[row.start..row.end].to_owned()
        };
        rows.iter().map(text).collect()
    }

    fn edges(&self) -> (String, String) {
        let rows = self.rows();
        (rows[0].clone(), rows[rows.len() - 1].clone())
    }
}

fn lines(first: usize, last: usize) -> (String, String) {
    (format!("line {first}"), format!("line {last}"))
}

#[test]
fn the_end_is_followed_until_you_scroll() {
    let mut world = LogTest::numbered(100);
    assert_eq!(world.edges(), lines(90, 99));
    world.act(Action::ListUp);
    assert_eq!(world.edges(), lines(89, 98));
    world.prints("line 100\nline 101\n");
    assert_eq!(world.edges(), lines(89, 98), "what one reads stays");
    assert_eq!(world.logs.new_lines(), 2);
    world.act(Action::ListPageDown);
    assert!(world.logs.is_following());
    assert_eq!(world.edges(), lines(92, 101));
    world.act(Action::ListFirst);
    assert_eq!(world.edges(), lines(0, 9));
    world.act(Action::ListUp);
    assert_eq!(world.edges(), lines(0, 9));
    world.act(Action::ListLast);
    assert_eq!(world.logs.new_lines(), 0);
    world.act(Action::LogsFollow);
    world.prints("line 102\n");
    assert_eq!(world.edges(), lines(92, 101));
    world.act(Action::LogsFollow);
    assert_eq!(world.edges(), lines(93, 102));
}

#[test]
fn long_lines_wrap_or_run_out_of_sight() {
    let mut world = LogTest::new();
    world.prints("가나다라마바사아자차카타\nshort\n");
    assert_eq!(world.rows(), ["가나다라마바사아자차", "카타", "short"]);
    world.act(Action::LogsWrap);
    assert_eq!(world.rows(), ["가나다라마바사아자차카타", "short"]);
    world.act(Action::LogsRight);
    assert_eq!(world.logs.left, SIDEWAYS);
    world.act(Action::LogsRight);
    assert_eq!(world.logs.left, SIDEWAYS, "nothing is further right");
    world.act(Action::LogsLeft);
    assert_eq!(world.logs.left, 0);
}

#[test]
fn scrolling_goes_by_rows_of_wrapped_lines() {
    let mut world = LogTest::new();
    for n in 0..10 {
        world.prints(&format!("{n}{}\n", "x".repeat(49)));
    }
    let all: Vec<String> = {
        world.logs.set_size(20 + GUTTER, 1000);
        world.rows()
    };
    assert_eq!(all.len(), 30);
    world.logs.set_size(20 + GUTTER, 10);
    for up in 1..=20 {
        world.act(Action::ListUp);
        assert_eq!(world.rows(), all[20 - up..30 - up]);
    }
    for down in 1..=20 {
        world.act(Action::ListDown);
        assert_eq!(world.rows(), all[down..down + 10]);
    }
    assert!(world.logs.is_following());
}

#[test]
fn saving_takes_all_lines_and_a_safe_name() {
    let mut world = LogTest::numbered(2);
    world.prints("\x1b[31mred\x1b]52;c;aGk=\x07\n");
    world.logs.name = "a/../b c".into();
    let steps = world.act(Action::LogsSave);
    assert_eq!(
        steps,
        [Step::SaveLog {
            log: world.logs.stream,
            path: "a____b_c-log.txt".into(),
            times: None,
        }]
    );
    let mut text = Vec::new();
    world.reader.write_text(&mut text, None).unwrap();
    assert_eq!(text, b"line 0\nline 1\nred\n");
}

#[test]
fn a_log_that_breaks_off_is_read_again_on_request() {
    let mut world = LogTest::numbered(3);
    world.ends(StreamEnd::Lost {
        why: "engine gone".into(),
    });
    assert!(matches!(world.logs.state, LogState::Broken { .. }));
    assert_eq!(world.rows().len(), 3, "what was read stays");
    let again = world.act(Action::LogsFollow);
    assert!(matches!(&again[..], [Step::Do(Effect::Open { .. })]));
    assert_eq!(world.rows().len(), 3, "also while it is read again");
    let (before, stream) = (world.logs.source, world.logs.stream);
    assert_ne!(before, stream);
    let now = Timestamp::UNIX_EPOCH;
    world.reader = LogReader::new(stream, None, LogStoreLimits::default(), false, now);
    world.opens();
    assert!(world.steps.contains(&close(before)), "{:?}", world.steps);
    world.prints("line 0\n");
    assert_eq!(world.rows(), ["line 0"]);
    world.ends(StreamEnd::Exited { exit_code: None });
    assert_eq!(world.logs.state, LogState::Complete);
    assert_eq!(world.logs.link_up(&mut world.ids), [], "nothing more comes");
    assert_eq!(world.logs.close(), [close(stream)]);
}

#[test]
fn what_cannot_be_read_says_why() {
    let mut world = LogTest::new();
    let failure = Failure::not_found("no log is kept").hint("look later");
    world.ends(StreamEnd::Failed { failure });
    let why = "no log is kept: look later".into();
    assert_eq!(world.logs.state, LogState::Broken { why });
}

#[test]
fn any_size_shows_something() {
    let mut world = LogTest::numbered(5);
    world.prints("한글 and more than fits\n");
    for columns in 0..12 {
        for rows in 0..4 {
            world.logs.set_size(columns, rows);
            let shown = world.rows().len();
            assert_eq!(shown, usize::from(rows).max(1), "{columns}x{rows}");
            world.act(Action::ListUp);
            world.act(Action::ListDown);
        }
    }
}

#[test]
fn times_are_shown_and_hidden_at_once() {
    let mut ids = Ids::default();
    let session = testing::session(1, "work-1");
    let (mut logs, _) = Logs::open(&session, 0, None, &mut ids);
    let page = |first: u64| {
        let mut entries = Vec::new();
        let log = b"2026-05-04T09:30:01Z \x1b[31mred\nno time\n";
        lines::Lines::with_times().read(LogSource::Stdout, log, |entry| entries.push(entry));
        let extent = Extent {
            end: first + 2,
            revision: 1,
            ..Extent::default()
        };
        LogEvent::Page(LogPage {
            first,
            entries,
            extent,
        })
    };
    logs.event(logs.stream, page(0));
    let text = |logs: &Logs| logs.entry(0).unwrap().line().text.to_string();
    assert_eq!(text(&logs), "red");
    assert_eq!(logs.toggle_times(&TimeZone::UTC), []);
    assert_eq!(text(&logs), "05-04 09:30:01 red");
    let shown = logs.entry(0).unwrap();
    assert_eq!(shown.text_start(), 15);
    assert!(shown.line().style_at(0).dim && !shown.line().style_at(15).dim);
    assert_eq!(logs.entry(1).unwrap().text_start(), 0);
    logs.event(logs.stream, page(0));
    assert_eq!(text(&logs), "05-04 09:30:01 red", "also what comes later");
    logs.toggle_times(&TimeZone::UTC);
    assert_eq!(text(&logs), "red");

    let why = Some("the cluster keeps its logs without times".into());
    let (mut logs, _) = Logs::open(&session, 0, why, &mut ids);
    let steps = logs.toggle_times(&TimeZone::UTC);
    assert!(format!("{steps:?}").contains("without times"), "{steps:?}");
}
