//! Terminals and logs: tabs, states, leaving, search.

use bytes::Bytes;
use insta::assert_snapshot;
use workbay::{
    app::{
        effect::Effect,
        logs::{
            feed::{Extent, LogEvent, LogOrder, LogPage, PREVIEW, Searched},
            lines::LogEntry,
            log_line::LogLine,
        },
        msg::{Msg, StreamEvent},
        panels::shells::ShellPicker,
    },
    model::{failure::Failure, log::LogSource, status::Status},
    protocol::message::{StreamEnd, StreamId, StreamOpen},
};

use crate::{
    screen::Screen,
    world::{session, snapshot},
};

/// What the daemon does with the stream opened last.
pub trait DaemonSide {
    fn stream(&self) -> StreamId;
    fn happens(self, event: StreamEvent) -> Self;
    fn prints(self, text: &str) -> Self;
}

impl DaemonSide for Screen {
    fn stream(&self) -> StreamId {
        let opened = self.effects().iter().rev().find_map(|effect| match effect {
            Effect::Open {
                open: StreamOpen::Control { .. },
                ..
            } => None,
            Effect::Open { stream, .. } | Effect::OpenHostShell { stream, .. } => Some(*stream),
            _ => None,
        });
        opened.expect("no stream was opened")
    }

    fn happens(self, event: StreamEvent) -> Self {
        let stream = self.stream();
        self.send(Msg::Stream { stream, event })
    }

    fn prints(self, text: &str) -> Self {
        self.happens(StreamEvent::Data {
            source: LogSource::Stdout,
            bytes: Bytes::copy_from_slice(text.as_bytes()),
        })
    }
}

pub fn working_day(columns: u16, rows: u16) -> Screen {
    Screen::new(columns, rows).daemon(snapshot(vec![
        session(1, "train-llm", Status::Running, 12),
        session(2, "노트북-세션", Status::Running, 61),
    ]))
}

pub fn in_a_shell() -> Screen {
    working_day(80, 24)
        .press("s")
        .happens(StreamEvent::Opened)
        .prints("work@train-llm:~$ ls\r\n\x1b[1;34mdata\x1b[0m  학습.py\r\nwork@train-llm:~$ ")
}

#[test]
fn a_shell_opens_and_shows_the_fix() {
    let opening = working_day(80, 24).press("s");
    assert!(opening.sees("opening a shell in train-llm"));
    assert!(opening.sees("Ctrl-] d back"));
    assert_snapshot!("shell_80x24", in_a_shell().text());
    assert_snapshot!("shell_looks", in_a_shell().styled());
}

#[test]
fn everything_typed_goes_to_the_shell_but_the_leader() {
    let screen = in_a_shell().press("q esc 1 ? ctrl-c");
    let sent: Vec<u8> = screen
        .effects()
        .iter()
        .filter_map(|effect| match effect {
            Effect::Send { bytes, .. } => Some(bytes.to_vec()),
            _ => None,
        })
        .flatten()
        .collect();
    assert_eq!(sent, b"q\x1b1?\x03");
    let leader = screen.press("ctrl-]");
    assert_snapshot!("after_the_leader", leader.text());
    let list = leader.press("d");
    assert!(list.sees("노트북-세션"));
    let back = list.press("s");
    assert!(back.sees("학습.py"), "the same shell: {}", back.text());
}

#[test]
fn the_only_shell_takes_one_key_and_several_are_listed() {
    let one = in_a_shell().press("ctrl-] d j t");
    assert!(one.sees("학습.py"), "{}", one.text());
    let several = one.press("ctrl-] d s ctrl-] d t");
    assert!(several.is_open::<ShellPicker>(), "{}", several.text());
    let chosen = several.press("up enter");
    assert!(chosen.sees("학습.py"), "{}", chosen.text());
}

#[test]
fn several_terminals_are_tabs() {
    let screen = in_a_shell()
        .press("F12 d j s")
        .happens(StreamEvent::Opened)
        .prints("work@노트북:~$ ")
        .press("ctrl-] d !")
        .happens(StreamEvent::Opened)
        .prints("person@login:~$ ");
    assert_snapshot!("three_terminals", screen.text());
    let first = screen.press("ctrl-] tab");
    assert!(first.sees("학습.py"));
    let zoomed = first.press("ctrl-] z");
    assert!(!zoomed.sees("노트북-세션"), "{}", zoomed.text());
}

#[test]
fn panes_share_the_page() {
    let mut screen = working_day(100, 30)
        .press("s")
        .happens(StreamEvent::Opened)
        .prints("work@train-llm:~$ python train.py\r\nepoch 1  loss 0.93\r\n");
    for (keys, said) in [
        (
            "ctrl-] |",
            "\x1b]0;vim 학습.py\x07work@train-llm:~$ vim 학습.py",
        ),
        ("ctrl-] -", "work@train-llm:~$ htop"),
    ] {
        screen = screen.press(keys).happens(StreamEvent::Opened).prints(said);
    }
    assert_snapshot!("three_panes", screen.text());
    assert_snapshot!("three_panes_looks", screen.styled());
    let left = screen.press("ctrl-] left");
    assert!(left.press("ctrl-] ctrl-right").sees("move the border"));
}

#[test]
fn every_shell_is_one_list() {
    let screen = in_a_shell().press("ctrl-] w");
    assert_snapshot!("shells_80x24", screen.text());
    let other = screen.press("j").typed("노트북");
    assert!(!other.sees("host gpu1"), "{}", other.text());
    let none = other.typed(" nobody");
    assert!(none.sees("no shell matches '"), "{}", none.text());
    let beside = in_a_shell()
        .press("ctrl-] w")
        .typed("노트북")
        .press("ctrl-v")
        .happens(StreamEvent::Opened)
        .prints("work@노트북:~$ ");
    assert!(
        beside.sees("학습.py") && beside.sees("work@노트북"),
        "{}",
        beside.text()
    );
    let back = beside.press("ctrl-] w").typed("train").press("enter x");
    let typed = back.effects().iter().rev().find_map(|effect| match effect {
        Effect::Send { stream, .. } => Some(*stream),
        _ => None,
    });
    let first = back.effects().iter().find_map(|effect| match effect {
        Effect::Open { stream, .. } => Some(*stream),
        _ => None,
    });
    assert!(typed.is_some() && typed == first);
}

#[test]
fn a_new_shell_begins_as_chosen() {
    let form = in_a_shell().press("ctrl-] C");
    assert_snapshot!("new_shell_80x24", form.text());
    let wrong = form.typed("zsh").press("tab").typed("data").press("enter");
    assert!(
        wrong.sees("use the absolute path, for example /home/work/data"),
        "{}",
        wrong.text()
    );
    let opened = wrong
        .press("ctrl-u")
        .typed("/tmp")
        .press("down")
        .typed("root")
        .press("enter");
    let start = opened
        .effects()
        .iter()
        .rev()
        .find_map(|effect| match effect {
            Effect::Open {
                open: StreamOpen::Terminal { start, .. },
                ..
            } => Some(start.clone()),
            _ => None,
        });
    let start = start.expect("a terminal is opened");
    assert_eq!(start.shell.as_deref(), Some("zsh"));
    assert_eq!(start.directory.as_deref(), Some("/tmp"));
    assert_eq!(start.user.as_deref(), Some("root"));
}

#[test]
fn a_shell_that_ended_says_what_now() {
    let screen = in_a_shell().happens(StreamEvent::Ended(StreamEnd::Exited { exit_code: Some(0) }));
    assert_snapshot!("shell_ended", screen.text());
    let closed = screen.press("esc");
    assert!(closed.sees("Running 2"), "{}", closed.text());
}

#[test]
fn a_broken_connection_says_why_and_reconnects() {
    let lost = in_a_shell().daemon_lost("the daemon was killed");
    assert_snapshot!("shell_without_daemon", lost.text());
    let back = lost.daemon(snapshot(vec![session(1, "train-llm", Status::Running, 12)]));
    assert!(back.sees("opening a shell in train-llm"));

    let broken = in_a_shell().happens(StreamEvent::Ended(StreamEnd::Lost {
        why: "the engine went away".into(),
    }));
    assert!(broken.sees("the engine went away"));
    assert!(broken.wait(2).sees("opening a shell in train-llm"));
}

#[test]
fn a_shell_that_cannot_be_opened_gives_the_reason() {
    let failure = Failure::refused("train-llm has no tmux").hint("install tmux on this host");
    let screen = working_day(80, 24)
        .press("s")
        .happens(StreamEvent::Ended(StreamEnd::Failed { failure }));
    assert!(screen.sees("train-llm has no tmux"), "{}", screen.text());
}

#[test]
fn hostile_output_stays_inside_its_cells() {
    let screen = in_a_shell().prints(
        "\x1b]0;\u{202e}evil\x07\x1b]52;c;aGk=\x07\x1b[?1049h\x1b[1;1H\u{202e}abc\u{2066}\x1b[?25l",
    );
    let text = screen.text();
    assert!(
        !text.contains('\u{202e}') && !text.contains('\x1b'),
        "{text:?}"
    );
    let asked = screen.wait(2);
    assert!(
        asked.sees("wants your clipboard: 2 bytes"),
        "{}",
        asked.text()
    );
}

fn log() -> Screen {
    working_day(80, 24)
        .press("l")
        .happens(StreamEvent::Opened)
        .prints("workbay: ready\n\x1b[32mepoch 1\x1b[0m loss 0.31\n")
        .happens(StreamEvent::Data {
            source: LogSource::Stderr,
            bytes: Bytes::from_static("경고: 메모리가 부족합니다\n".as_bytes()),
        })
        .prints(" 10%\r 55%\r100%\n")
}

#[test]
fn a_log_is_followed_searched_and_paused() {
    assert_snapshot!("log_80x24", log().text());
    assert_snapshot!("log_looks", log().styled());
    let many = (0..100).fold(log(), |screen, n| {
        screen.prints(&format!("step {n} loss 0.{n}\n"))
    });
    let screen = many.press("k k").prints("one more\n");
    assert!(screen.sees("paused, 1 new"), "{}", screen.text());
    let searched = screen.press("/").typed("step 5").press("enter n");
    assert_snapshot!("log_searched", searched.text());
    assert!(searched.press("esc F").sees("following"));
}

#[test]
fn a_log_that_ended_is_not_followed() {
    let ended = log().happens(StreamEvent::Ended(StreamEnd::Exited { exit_code: None }));
    assert!(!ended.sees("F pause"), "{}", ended.text());
    let pressed = ended.press("F");
    assert!(!pressed.sees("paused") && !pressed.sees("F follow"));
    assert!(pressed.sees("ended"), "{}", pressed.text());
}

/// The log that was opened last is like this.
fn with_log_event(screen: Screen, event: LogEvent) -> Screen {
    let log = screen.stream();
    screen.send(Msg::Log { log, event })
}

/// Four lines.
fn page(first: u64, extent: Extent) -> LogPage {
    let entry = |n: u64| LogEntry {
        line: LogLine {
            text: format!("step {n}").as_str().into(),
            ..LogLine::default()
        },
        ..LogEntry::default()
    };
    LogPage {
        first,
        entries: (1..5).map(entry).collect(),
        extent,
    }
}

#[test]
fn while_a_long_log_is_read_its_end_is_shown() {
    let extent = Extent {
        end: 340_000,
        preview: Some((PREVIEW, PREVIEW + 4)),
        loading: true,
        revision: 1_000,
        ..Extent::default()
    };
    let reading = with_log_event(log(), LogEvent::Page(page(PREVIEW, extent)));
    assert!(
        reading.sees("end of the log, 340,000 lines read   following"),
        "{}",
        reading.text()
    );
    let searching = reading.press("/").typed("zz");
    let state = Searched {
        id: 2,
        matches: 1_200,
        searched: 300_000,
        lines: 340_000,
        ..Searched::default()
    };
    let searching = with_log_event(searching, LogEvent::Searched(state)).press("enter");
    assert_snapshot!("log_searching_80x24", searching.text());
    assert!(!searching.press("esc").sees("searching"));
}

#[test]
fn a_log_that_fits_in_no_file_says_so() {
    let why = "Only the last 16 MiB are kept in memory: no space left on device";
    let extent = Extent {
        first: 1_200,
        end: 1_204,
        in_memory: Some(why.into()),
        revision: 1_000,
        ..Extent::default()
    };
    let screen = with_log_event(log().resize(140, 40), LogEvent::Page(page(1_200, extent)));
    assert_snapshot!("log_in_memory_140x40", screen.text());
}

#[test]
fn times_of_a_log_are_shown_on_a_key() {
    let timed = working_day(80, 24)
        .press("l")
        .happens(StreamEvent::Opened)
        .prints("2026-03-02T11:59:01Z epoch 1\n2026-03-02T11:59:08.5Z epoch 2 with a line that is longer than one row of this screen\n");
    assert!(!timed.sees("11:59:01"), "{}", timed.text());
    let timed = timed.press("T");
    assert_snapshot!("log_times_80x24", timed.text());
    assert!(!timed.press("T").sees("11:59:01"));
}

#[test]
fn a_log_that_cannot_be_read_gives_the_reason() {
    let failure = Failure::not_found("no log is kept of train-llm");
    let screen = working_day(80, 24)
        .press("l")
        .happens(StreamEvent::Ended(StreamEnd::Failed { failure }));
    assert!(screen.sees("no log is kept of train-llm"));
    assert!(
        working_day(80, 24)
            .press("l")
            .happens(StreamEvent::Opened)
            .sees("No output yet")
    );
}

#[test]
fn a_log_is_saved_under_the_sessions_name() {
    let screen = log().press("S");
    let saved = screen.effects().iter().any(|effect| {
        matches!(effect, Effect::Log { order: LogOrder::Save { path, .. }, .. }
            if path.ends_with("train-llm-log.txt"))
    });
    assert!(saved);
}

#[test]
fn any_size_can_be_drawn() {
    for columns in [60, 61, 80, 200] {
        for rows in [16, 17, 50] {
            let screen = in_a_shell().resize(columns, rows).press("ctrl-]");
            assert!(screen.sees("back"), "{}", screen.text());
            log().resize(columns, rows).press("k g G w right");
        }
    }
}
