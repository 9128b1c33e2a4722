use bytes::Bytes;

use super::*;
use crate::{
    app::testing,
    model::log::LogSource,
    protocol::message::{Failure, FailureKind},
};

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

struct World {
    logs: Logs,
    ids: Ids,
}

impl World {
    /// A log of ten rows of twenty cells.
    fn new() -> Self {
        let mut ids = Ids::default();
        let (mut logs, steps) = Logs::open(&testing::session(1, "work-1"), 0, &mut ids);
        assert!(matches!(
            &steps[..],
            [Step::Do(Effect::Open {
                open: StreamOpen::Log { options, .. },
                ..
            })] if options.follow
        ));
        logs.set_size(20 + GUTTER, 10);
        let mut world = Self { logs, ids };
        world.happens(StreamEvent::Opened);
        world
    }

    fn happens(&mut self, event: StreamEvent) {
        let stream = self.logs.stream;
        self.logs.stream(stream, &event, NOW).unwrap();
    }

    fn prints(&mut self, text: &str) {
        self.happens(StreamEvent::Data {
            source: LogSource::Stdout,
            bytes: Bytes::copy_from_slice(text.as_bytes()),
        });
    }

    fn numbered(lines: usize) -> Self {
        let mut world = Self::new();
        for n in 0..lines {
            world.prints(&format!("line {n}\n"));
        }
        world
    }

    fn act(&mut self, action: Action) -> Vec<Step> {
        self.logs.action(action, &mut self.ids, NOW)
    }

    fn types(&mut self, text: &str) {
        for c in text.chars() {
            assert!(self.logs.key(Key::char(c)));
        }
    }

    fn rows(&self) -> Vec<String> {
        let rows = self.logs.visible();
        let text = |row: &Row| {
            let line = self.logs.entry(row.number).unwrap().line.text.as_str();
            line[row.start..row.end].to_owned()
        };
        rows.iter().map(text).collect()
    }

    fn ends(&self) -> (String, String) {
        let rows = self.rows();
        (rows[0].clone(), rows[rows.len() - 1].clone())
    }
}

fn lines(first: usize, last: usize) -> (String, String) {
    (format!("line {first}"), format!("line {last}"))
}

#[test]
fn the_end_is_followed_until_one_scrolls_away() {
    let mut world = World::numbered(100);
    assert_eq!(world.ends(), lines(90, 99));
    world.act(Action::ListUp);
    assert_eq!(world.ends(), lines(89, 98));
    world.prints("line 100\nline 101\n");
    assert_eq!(world.ends(), lines(89, 98), "what one reads stays");
    assert_eq!(world.logs.new_lines(), 2);
    world.act(Action::ListPageDown);
    assert!(world.logs.is_following());
    assert_eq!(world.ends(), lines(92, 101));
    world.act(Action::ListFirst);
    assert_eq!(world.ends(), lines(0, 9));
    world.act(Action::ListUp);
    assert_eq!(world.ends(), lines(0, 9));
    world.act(Action::ListLast);
    assert_eq!(world.logs.new_lines(), 0);
    world.act(Action::LogsFollow);
    world.prints("line 102\n");
    assert_eq!(world.ends(), lines(92, 101));
    world.act(Action::LogsFollow);
    assert_eq!(world.ends(), lines(93, 102));
}

#[test]
fn long_lines_wrap_or_run_out_of_sight() {
    let mut world = World::new();
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
    let mut world = World::new();
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
fn searching_goes_from_hit_to_hit() {
    let mut world = World::numbered(100);
    world.act(Action::LogsSearch);
    assert_eq!(world.logs.scope(), Scope::Input);
    world.types("line 5");
    let count = |world: &World| world.logs.search.as_ref().map(Search::count);
    assert_eq!(count(&world), Some(11));
    assert!(world.rows().contains(&"line 5".to_owned()));
    world.act(Action::InputSubmit);
    world.act(Action::LogsNext);
    let current = |world: &World| world.logs.search.as_ref().unwrap().current;
    assert_eq!(current(&world), Some(50));
    assert!(world.rows().contains(&"line 50".to_owned()));
    world.act(Action::LogsPreviousHit);
    world.act(Action::LogsPreviousHit);
    assert_eq!(current(&world), Some(59), "round to the last");
    world.prints("line 5 again\n");
    assert_eq!(count(&world), Some(12));
    assert_eq!(world.act(Action::Back), [], "the search ends first");
    assert_eq!(world.act(Action::Back), [Step::Go(Go::Sessions)]);
}

#[test]
fn saving_takes_what_is_held_and_a_safe_name() {
    let mut world = World::numbered(2);
    world.prints("\x1b[31mred\x1b]52;c;aGk=\x07\n");
    world.logs.name = "a/../b c".into();
    let steps = world.act(Action::LogsSave);
    assert_eq!(
        steps,
        [Step::Save {
            path: "a____b_c-log.txt".into(),
            contents: b"line 0\nline 1\nred\n".to_vec(),
        }]
    );
}

#[test]
fn a_log_that_breaks_off_is_read_again_on_request() {
    let mut world = World::numbered(3);
    world.happens(StreamEvent::Ended(StreamEnd::Lost {
        why: "engine gone".into(),
    }));
    assert!(matches!(world.logs.state, State::Broken { .. }));
    assert_eq!(world.rows().len(), 3, "what was read stays");
    let again = world.act(Action::LogsFollow);
    assert!(matches!(&again[..], [Step::Do(Effect::Open { .. })]));
    world.happens(StreamEvent::Opened);
    world.prints("line 0\n");
    assert_eq!(world.rows(), ["line 0"]);
    world.happens(StreamEvent::Ended(StreamEnd::Exited { exit_code: None }));
    assert_eq!(world.logs.state, State::Complete);
    assert_eq!(world.logs.link_up(&mut world.ids), [], "nothing more comes");
    assert_eq!(world.logs.close(), []);
}

#[test]
fn what_cannot_be_read_says_why() {
    let mut world = World::new();
    let failure = Failure::new(FailureKind::NotFound, "no log is kept").with_help("look later");
    world.happens(StreamEvent::Ended(StreamEnd::Failed { failure }));
    let why = "no log is kept. look later".into();
    assert_eq!(world.logs.state, State::Broken { why });
}

#[test]
fn any_size_shows_something() {
    let mut world = World::numbered(5);
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
fn no_name_leads_out_of_the_directory_its_file_is_saved_in() {
    for (name, file) in [
        ("my-session_1", "my-session_1"),
        ("세션", "세션"),
        ("../../etc/passwd", "______etc_passwd"),
        ("/etc", "_etc"),
        ("-rf", "_rf"),
        ("a\0\n\u{1b}[2J", "a____2J"),
        ("..", "__"),
    ] {
        assert_eq!(file_name(name), file, "{name:?}");
    }
    assert_eq!(file_name(&"세".repeat(300)).len(), LONGEST_NAME);
}

#[test]
fn a_key_goes_to_the_first_error_and_then_to_the_next() {
    let mut world = World::numbered(100);
    let press = |world: &mut World| world.logs.action(Action::LogsError, &mut world.ids, NOW);
    let steps = press(&mut world);
    assert!(format!("{steps:?}").contains("no error found"), "{steps:?}");
    world.prints("epoch 1: 0 errors, error_rate 0.1\n");
    world.prints("Traceback (most recent call last):\n  File \"a.py\"\nValueError: no\n");
    for n in 0..200 {
        world.prints(&format!("after {n}\n"));
    }
    let current = |world: &World| world.logs.search.as_ref().and_then(|search| search.current);
    assert!(press(&mut world).is_empty());
    assert_eq!(current(&world), Some(101));
    assert!(world.logs.visible().iter().any(|row| row.number == 101));
    assert!(!world.logs.is_following());
    press(&mut world);
    assert_eq!(current(&world), Some(103));
    press(&mut world);
    assert_eq!(current(&world), Some(101), "from the top again");
}
