//! The control room: which screens are watched, how they are drawn, and what keys do.

use bytes::Bytes;
use insta::assert_snapshot;
use workbay::{
    app::{
        effect::Effect,
        msg::{Msg, StreamEvent},
        panels::control_room::ControlRoom,
    },
    model::{id::SessionKey, log::LogSource, session::Session, status::Status},
    protocol::message::{StreamId, StreamOpen},
};

use crate::{
    screen::Screen,
    world::{session, snapshot},
};

fn running(count: u128) -> Vec<Session> {
    let names = ["train-llm", "노트북-세션", "eval", "serve"];
    let name = |at: u128| match names.get(at as usize - 1) {
        Some(name) => (*name).to_owned(),
        None => format!("job-{at:02}"),
    };
    (1..=count)
        .map(|at| session(at, &name(at), Status::Running, 12))
        .collect()
}

/// The open control connections with their sessions.
fn watched(screen: &Screen) -> Vec<(SessionKey, StreamId)> {
    let mut open = Vec::new();
    for effect in screen.effects() {
        match effect {
            Effect::Open {
                stream,
                open: StreamOpen::Control { session, .. },
            } => open.push((*session, *stream)),
            Effect::Close { stream } => open.retain(|(_, it)| it != stream),
            _ => {}
        }
    }
    open
}

fn stream_of(screen: &Screen, number: u128) -> StreamId {
    let key = session(number, "x", Status::Running, 1).key();
    let open = watched(screen);
    let found = open.iter().find(|(session, _)| *session == key);
    found.expect("the session is watched").1
}

fn says(screen: Screen, number: u128, text: &str) -> Screen {
    let stream = stream_of(&screen, number);
    let event = StreamEvent::Data {
        source: LogSource::Stdout,
        bytes: Bytes::copy_from_slice(text.as_bytes()),
    };
    screen.send(Msg::Stream { stream, event })
}

fn sent(screen: &Screen, number: u128) -> Vec<String> {
    let stream = stream_of(screen, number);
    let lines = screen.effects().iter().filter_map(|effect| match effect {
        Effect::Send {
            stream: to, bytes, ..
        } if *to == stream => Some(String::from_utf8_lossy(bytes).trim_end().to_owned()),
        _ => None,
    });
    lines.collect()
}

/// tmux attaches the client, and answers the commands so far.
fn attaches(screen: Screen, number: u128) -> Screen {
    let screen = says(
        screen,
        number,
        "%begin 1 1 0\n%end 1 1 0\n%session-changed $0 main\n",
    );
    let answers = sent(&screen, number).len();
    let answer = "%begin 1 2 1\n%end 1 2 1\n".repeat(answers);
    says(screen, number, &answer)
}

/// The screen changes, and is read.
fn shows(screen: Screen, number: u128, size: &str, lines: &str) -> Screen {
    let changed = format!(
        "%subscription-changed workbay-screen $0 @0 1 %0 : {size} 1 %0 1764255600 0 0 3 1 0\n"
    );
    let screen = says(screen, number, &changed);
    let asked = sent(&screen, number);
    assert!(
        asked.last().unwrap().starts_with("capture-pane -p -e"),
        "{asked:?}"
    );
    says(
        screen,
        number,
        &format!("%begin 1 9 1\n{lines}%end 1 9 1\n"),
    )
}

fn room(columns: u16, rows: u16, count: u128) -> Screen {
    Screen::new(columns, rows)
        .daemon(snapshot(running(count)))
        .press("W")
}

fn three() -> Screen {
    let mut screen = room(80, 24, 3);
    for number in 1..=3 {
        screen = attaches(screen, number);
    }
    let screen = shows(
        screen,
        1,
        "80x24",
        "epoch 1\nepoch 2\nepoch 3\nepoch 4\nepoch 5\nepoch 6\nepoch 7\nepoch 8\nepoch 9\n\
         \x1b[1;32mwork@train-llm\x1b[0m:~$ python train.py\n\n\n",
    );
    shows(screen, 2, "80x24", "한글 출력\n>>> \n").wait(1)
}

#[test]
fn each_running_session_has_a_tile_with_its_screen() {
    let screen = three();
    assert_snapshot!("control_room_80x24", screen.text());
    assert_snapshot!("control_room_looks", screen.styled());
    assert!(screen.sees("Loading the screen"), "the third has none yet");
    assert_snapshot!("control_room_scaled", screen.press("v").text());
    let small = room(60, 16, 3);
    assert_snapshot!("control_room_60x16", small.text());
}

#[test]
fn nothing_is_attached_and_the_connections_end_with_the_room() {
    let screen = three();
    let terminals = |screen: &Screen| {
        let is_terminal = |it: &&Effect| {
            matches!(
                it,
                Effect::Open {
                    open: StreamOpen::Terminal { .. },
                    ..
                }
            )
        };
        screen.effects().iter().filter(is_terminal).count()
    };
    assert_eq!((watched(&screen).len(), terminals(&screen)), (3, 0));
    let closed = screen.press("esc");
    assert!(!closed.is_open::<ControlRoom>());
    assert_eq!(watched(&closed), []);
}

#[test]
fn output_is_read_once_more_and_frames_are_bounded() {
    let screen = attaches(room(80, 24, 1), 1);
    let screen = shows(screen, 1, "80x24", "first\n");
    // The frame comes a moment later, so that many screens share it.
    assert!(!screen.text().contains("first"));
    let captures = |screen: &Screen| {
        let is_capture = |it: &&String| it.starts_with("capture-pane");
        sent(screen, 1).iter().filter(is_capture).count()
    };
    assert_eq!(captures(&screen), 1);
    let screen = screen.wait(2);
    assert!(screen.sees("first"), "{}", screen.text());
    assert_eq!(captures(&screen), 2, "output of the same second");
    let screen = says(screen, 1, "%begin 1 10 1\nsecond\n%end 1 10 1\n").wait(5);
    assert!(screen.sees("second"), "{}", screen.text());
    assert_eq!(
        captures(&screen),
        2,
        "nothing is asked while nothing changes"
    );
}

#[test]
fn marked_sessions_pages_and_the_selected_terminal() {
    let marked = Screen::new(80, 24)
        .daemon(snapshot(running(3)))
        .press("space W");
    assert_eq!(watched(&marked).len(), 1);
    assert!(marked.sees("1 marked session"), "{}", marked.text());
    let many = room(80, 24, 9).press("home");
    assert!(many.sees("page 1 of 3"), "{}", many.text());
    assert_eq!(watched(&many).len(), 4);
    let next = many.press("pagedown");
    assert!(next.sees("page 2 of 3"), "{}", next.text());
    assert_eq!(watched(&next).len(), 4);
    // No shell is opened while its connection is half made.
    let early = room(80, 24, 1).press("enter");
    assert!(early.sees("isn't ready"), "{}", early.text());
    let opened = three().press("right enter");
    assert!(opened.sees("opening a shell in"), "{}", opened.text());
    assert!(!opened.is_open::<ControlRoom>());
}

#[test]
fn without_sessions_it_says_what_would_be_here() {
    let empty = Screen::new(80, 24).daemon(snapshot(Vec::new())).press("W");
    assert_snapshot!("control_room_empty", empty.text());
    let bell = says(
        attaches(room(80, 24, 1), 1),
        1,
        "%window-add @1\n%begin 1 3 1\nmain\t1\t1\t0\t1\t1\t0\t\t\t\t0\t24\t0\temacs\tsh\tsh\n%end 1 3 1\n",
    );
    assert!(bell.wait(1).press("v").sees(" bell "));
}

#[test]
fn a_large_screen_with_text_at_its_top_is_not_cut() {
    let screen = attaches(room(80, 24, 1), 1);
    let lines = format!("only line\n{}", "\n".repeat(49));
    let shown = shows(screen, 1, "80x50", &lines).wait(1);
    assert!(shown.sees("only line"), "{}", shown.text());
}
