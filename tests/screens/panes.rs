//! What panes can do together and on their own: quick select, broadcast, the floating shell.

use insta::assert_snapshot;
use workbay::{
    app::{
        effect::Effect,
        msg::{Msg, StreamEvent},
        panels::explorer::Explorer,
        panes::{RecordOrder, RecordingEnd},
    },
    protocol::message::{StreamEnd, StreamOpen},
};

use crate::{
    screen::Screen,
    terminals::{DaemonSide as _, in_a_shell, working_day},
};

fn copied(screen: &Screen) -> Option<&str> {
    screen
        .effects()
        .iter()
        .rev()
        .find_map(|effect| match effect {
            Effect::Copy { text, .. } => Some(text.as_str()),
            _ => None,
        })
}

/// The streams that got bytes, each once.
fn reached(screen: &Screen) -> usize {
    let streams = screen.effects().iter().filter_map(|effect| match effect {
        Effect::Send { stream, .. } => Some(*stream),
        _ => None,
    });
    streams.collect::<std::collections::BTreeSet<_>>().len()
}

fn with_output() -> Screen {
    in_a_shell().prints(
        "git log --oneline | head -1\r\n3f2c1ab Train 학습/모델.py for longer\r\nsee \
         https://git.example.org/runs/1?tab=log. Saved to /home/work/runs/1/out.txt\r\nconnected to \
         10.0.3.17:6006 as 019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b\r\nwork@train-llm:~$ ",
    )
}

#[test]
fn letters_label_what_is_worth_copying() {
    let screen = with_output().press("ctrl-] u");
    assert_snapshot!("quick_select_80x24", screen.text());
    assert_snapshot!("quick_select_looks", screen.styled());
    // The lowest match on the screen has the first letter. Nothing reaches the shell.
    let sent = reached(&screen);
    let chosen = screen.press("a");
    assert_eq!(
        copied(&chosen),
        Some("019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b")
    );
    assert_eq!(reached(&chosen), sent);
    assert!(!chosen.sees("matches"), "{}", chosen.text());
    let left = with_output()
        .press("ctrl-] u")
        .paste("rm x\n")
        .press("esc x");
    assert_eq!(
        (copied(&left), reached(&left)),
        (None, 1),
        "only x is typed"
    );
}

#[test]
fn a_capital_opens_a_url_or_the_directory_of_a_path() {
    let screen = with_output().press("ctrl-] u").press("F");
    let browsed = screen.effects().iter().any(
        |it| matches!(it, Effect::Browse { url, .. } if url == "https://git.example.org/runs/1?tab=log"),
    );
    assert!(browsed, "{:?}", screen.effects().last());
    let files = with_output().press("ctrl-] u").press("D");
    assert!(files.is_open::<Explorer>(), "{}", files.text());
}

#[test]
fn labels_stay_while_the_program_prints_and_go_with_the_size() {
    let screen = with_output().press("ctrl-] u");
    let before = screen.text();
    let printed = screen.prints("\x1b[2J\x1b[Hnew output /tmp/x");
    assert_eq!(printed.text(), before);
    let resized = printed.resize(90, 24);
    assert!(resized.sees("new output"), "{}", resized.text());
    let nothing = in_a_shell().prints("\x1b[2J\x1b[H$ ").press("ctrl-] u");
    assert!(nothing.sees("No URL, path, hash"), "{}", nothing.text());
}

fn split() -> Screen {
    in_a_shell()
        .press("ctrl-] |")
        .happens(StreamEvent::Opened)
        .prints("work@train-llm:~$ ")
}

#[test]
fn broadcast_shows_its_badge_everywhere() {
    let one = split().press("x");
    assert_eq!(reached(&one), 1);
    let screen = split().press("ctrl-] a");
    assert_snapshot!("broadcast_80x24", screen.text());
    let typed = screen.press("x");
    assert_eq!(reached(&typed), 2);
    let off = typed.press("ctrl-] a");
    assert!(!off.sees("BROADCAST"), "{}", off.text());
    let left = split().press("ctrl-] a ctrl-] d");
    assert!(left.sees("Broadcast off"), "{}", left.text());
    let ended = split()
        .press("ctrl-] a")
        .happens(StreamEvent::Ended(StreamEnd::Exited { exit_code: Some(1) }));
    assert!(!ended.sees("BROADCAST"), "{}", ended.text());
}

#[test]
fn marked_panes_are_shown_and_chosen() {
    let screen = split().press("ctrl-] space");
    assert!(
        screen.sees("1 pane marked") && screen.sees(" marked "),
        "{}",
        screen.text()
    );
}

#[test]
fn a_floating_shell_is_over_any_view_and_stays_when_it_is_hidden() {
    let screen = working_day(80, 24).press("`");
    assert!(
        screen.sees("opening a shell in train-llm"),
        "{}",
        screen.text()
    );
    let fresh = screen.effects().iter().any(|effect| {
        matches!(effect, Effect::Open { open: StreamOpen::Terminal { start, columns: 68, .. }, .. } if start.fresh)
    });
    assert!(fresh, "a window of its own, with the size of the frame");
    let screen = screen
        .happens(StreamEvent::Opened)
        .prints("work@train-llm:~$ nvidia-smi");
    assert_snapshot!("floating_over_the_list", screen.text());
    let hidden = screen.press("ctrl-] `");
    assert!(!hidden.sees("nvidia-smi"), "{}", hidden.text());
    // It is the same shell, also over another view.
    let opens = |screen: &Screen| {
        let is_open = |it: &&Effect| {
            matches!(
                it,
                Effect::Open {
                    open: StreamOpen::Terminal { .. },
                    ..
                }
            )
        };
        screen.effects().iter().filter(is_open).count()
    };
    let again = hidden.press("`");
    assert!(again.sees("nvidia-smi"), "{}", again.text());
    assert_eq!(opens(&again), 1);
    let over_log = again.press("ctrl-] d l `");
    assert!(
        over_log.sees("nvidia-smi") && over_log.sees("Log of"),
        "{}",
        over_log.text()
    );
    let log = over_log.press("ctrl-] d");
    assert!(
        log.sees("Log of train-llm") && !log.sees("nvidia-smi"),
        "{}",
        log.text()
    );
}

#[test]
fn a_floating_shell_is_over_panes_and_closes_with_its_shell() {
    let screen = split()
        .press("ctrl-] `")
        .happens(StreamEvent::Opened)
        .prints("floating$ ");
    assert_snapshot!("floating_over_panes", screen.text());
    let typed = screen.press("x");
    assert!(typed.sees("floating$"));
    let refused = typed.press("ctrl-] |");
    assert!(refused.sees("Hide it first"), "{}", refused.text());
    let closed = refused.happens(StreamEvent::Ended(StreamEnd::Exited { exit_code: Some(0) }));
    assert!(!closed.sees("floating$"), "{}", closed.text());
    assert!(closed.sees("학습.py"), "{}", closed.text());
    let list = split().press("ctrl-] d esc esc").press("2 `");
    assert!(
        list.sees("no session is selected") || list.sees("not running") || list.sees("session"),
        "{}",
        list.text()
    );
}

#[test]
fn a_recorded_pane_says_so_until_it_is_stopped() {
    let screen = in_a_shell().press("ctrl-] R");
    assert!(
        screen.sees(" REC ") && screen.sees("Keys aren't recorded"),
        "{}",
        screen.text()
    );
    let started = screen.effects().iter().any(|it| {
        matches!(
            it,
            Effect::Record {
                order: RecordOrder::Start { .. },
                ..
            }
        )
    });
    assert!(started);
    let stopped = screen.press("ctrl-] R").send(Msg::Recording {
        id: 1,
        end: RecordingEnd {
            path: Some("/home/kim/train.cast".into()),
            problem: None,
        },
    });
    assert!(
        stopped.sees("Recording saved to /home/kim/train.cast"),
        "{}",
        stopped.text()
    );
    assert!(!stopped.sees(" REC "), "{}", stopped.text());
}
