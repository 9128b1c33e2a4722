//! The windows of a pane in its head, what is asked about them, copy mode, the clipboard, pastes.

use bytes::Bytes;
use insta::assert_snapshot;
use workbay::{
    app::{
        effect::Effect,
        msg::{MouseKind, Msg, StreamEvent},
    },
    model::{log::LogSource, status::Status},
    protocol::message::{StreamId, StreamOpen},
};

use crate::{
    screen::Screen,
    world::{session, snapshot},
};

/// Number, marks (shown, printed, rang), copy mode, name.
type WindowRow = (u32, &'static str, &'static str, &'static str);

const THREE: &[WindowRow] = &[
    (1, "0 1 0", "", "make"),
    (2, "1 0 0", "", "학습"),
    (3, "0 1 1", "", "bash"),
];

fn stream(screen: &Screen, control: bool) -> StreamId {
    let opened = screen
        .effects()
        .iter()
        .rev()
        .find_map(|effect| match effect {
            Effect::Open { stream, open } => {
                let is_control = matches!(open, StreamOpen::Control { .. });
                (is_control == control).then_some(*stream)
            }
            _ => None,
        });
    opened.expect("no such stream was opened")
}

fn prints(screen: Screen, control: bool, text: &str) -> Screen {
    let stream = stream(&screen, control);
    let event = StreamEvent::Data {
        source: LogSource::Stdout,
        bytes: Bytes::copy_from_slice(text.as_bytes()),
    };
    screen.send(Msg::Stream { stream, event })
}

fn lists(screen: Screen, rows: &[WindowRow]) -> Screen {
    let tag = screen.effects().iter().find_map(|effect| match effect {
        Effect::Open {
            open: StreamOpen::Terminal { tag, .. },
            ..
        } => Some(tag.clone()),
        _ => None,
    });
    let own = workbay::model::inside::pane_session(&tag.expect("a terminal"));
    let rows: Vec<String> = rows
        .iter()
        .map(|(index, marks, mode, name)| {
            let marks = marks.replace(' ', "\t");
            let mode = if mode.is_empty() {
                "0\t\t\t\t0\t22\t0\temacs"
            } else {
                mode
            };
            format!("{own}\t{index}\t{marks}\t1\t{mode}\t{name}\tvim\n")
        })
        .collect();
    let rows = rows.concat();
    prints(screen, true, &format!("%begin 1 2 1\n{rows}%end 1 2 1\n"))
}

fn shell(columns: u16, rows: u16) -> Screen {
    let screen = Screen::new(columns, rows)
        .daemon(snapshot(vec![session(1, "train-llm", Status::Running, 12)]))
        .press("s");
    let terminal = stream(&screen, false);
    let screen = screen.send(Msg::Stream {
        stream: terminal,
        event: StreamEvent::Opened,
    });
    prints(screen, false, "work@train-llm:~$ ")
}

fn with(columns: u16, rows: u16, windows: &[WindowRow]) -> Screen {
    let screen = shell(columns, rows);
    let control = stream(&screen, true);
    let screen = screen.send(Msg::Stream {
        stream: control,
        event: StreamEvent::Opened,
    });
    let screen = prints(screen, true, "%session-changed $0 main\n");
    let screen = prints(screen, true, "%begin 1 1 1\n%end 1 1 1\n");
    lists(screen, windows)
}

/// What was said to tmux since the list.
fn said(screen: &Screen) -> Vec<String> {
    let control = stream(screen, true);
    let lines = screen.effects().iter().filter_map(|effect| match effect {
        Effect::Send { stream, bytes, .. } if *stream == control => {
            Some(String::from_utf8_lossy(bytes).trim_end().to_owned())
        }
        _ => None,
    });
    lines.skip(2).collect()
}

#[test]
fn the_connection_to_tmux_opens_once_the_pane_has_painted() {
    let lines = |screen: &Screen| {
        let effects = screen.effects().iter();
        let control = |it: &&Effect| {
            matches!(
                it,
                Effect::Open {
                    open: StreamOpen::Control { .. },
                    ..
                }
            )
        };
        effects.filter(control).count()
    };
    let screen = Screen::new(80, 24)
        .daemon(snapshot(vec![session(1, "train-llm", Status::Running, 12)]))
        .press("s");
    let terminal = stream(&screen, false);
    let screen = screen.send(Msg::Stream {
        stream: terminal,
        event: StreamEvent::Opened,
    });
    assert_eq!(lines(&screen), 0);
    let screen = prints(screen, false, "work@train-llm:~$ ");
    assert_eq!(lines(&screen), 1);
}

#[test]
fn the_head_has_the_windows_with_their_marks() {
    let screen = with(80, 24, THREE);
    assert_snapshot!("windows_80x24", screen.text());
    assert_snapshot!("windows_looks", screen.styled());
    assert!(with(60, 16, THREE).sees("2 학습*"));
}

#[test]
fn a_click_on_a_window_shows_it() {
    let screen = with(80, 24, THREE);
    let text = screen.text();
    let head = text.lines().find(|line| line.contains("3 bash!")).unwrap();
    let head = head.trim_start_matches(|c: char| c != ' ' && c != 't');
    assert!(head.contains("train-llm"), "{text}");
    // The head is the first row; the columns are counted in cells.
    let clicked = screen.mouse(MouseKind::Press(workbay::app::msg::Button::Left), 12, 0);
    let said = said(&clicked);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("select-window"), "{said:?}");
}

#[test]
fn the_list_of_shells_has_the_windows() {
    let listed = with(80, 24, THREE).press("ctrl-] w");
    assert_snapshot!("shells_with_windows", listed.text());
    let chosen = listed.typed("3 bash").press("enter");
    let said = said(&chosen);
    assert!(said[0].starts_with("select-window"), "{said:?}");
    assert!(!chosen.sees("type to search"));
}

#[test]
fn a_window_is_renamed_and_ended_in_the_status_line() {
    let renaming = with(80, 24, THREE).press("ctrl-] ,");
    assert_snapshot!("window_rename", renaming.text());
    let left = renaming.press("ctrl-c");
    assert!(
        left.sees("Ctrl-] d back"),
        "one step back alone: {}",
        left.text()
    );
    let ending = left.press("ctrl-] &");
    assert_snapshot!("window_close", ending.text());
    let ended = ending.press("enter y");
    assert!(
        said(&ended)[0].starts_with("kill-window"),
        "{:?}",
        said(&ended)
    );
}

#[test]
fn copy_mode_says_where_one_is_and_its_keys() {
    let at = |keys: &str| format!("1\tcopy-mode\t30\t4\t10000\t22\t0\t{keys}");
    for keys in ["vi", "emacs"] {
        let mode: &'static str = Box::leak(at(keys).into_boxed_str());
        let screen = with(80, 24, &[(1, "1 0 0", mode, "bash")]);
        let text = screen.text();
        assert_snapshot!(format!("copy_mode_{keys}"), text.lines().last().unwrap());
    }
}

#[test]
fn a_search_is_typed_below() {
    let screen = with(80, 24, THREE).press("ctrl-] /").typed("손실 0.1");
    assert!(
        screen.sees("Search upwards for: 손실 0.1"),
        "{}",
        screen.text()
    );
    // Letter by letter; at the end it is only asked whether it is there.
    let searched = said(&screen.press("enter"));
    let [.., enters, whole, found, asked] = &searched[..] else {
        panic!("{searched:?}");
    };
    assert!(enters.starts_with("copy-mode"), "{searched:?}");
    assert!(
        whole.ends_with("search-backward-incremental '=손실 0.1'"),
        "{searched:?}"
    );
    assert!(found.contains("search_present") && asked == found);
}

#[test]
fn a_program_that_asks_for_the_clipboard_waits_and_disturbs_nobody() {
    let screen = prints(shell(80, 24), false, "\x1b]52;c;aGVsbG8=\x07").wait(2);
    assert_snapshot!("clipboard_asked", screen.text().lines().last().unwrap());
    let typed = screen.press("x");
    assert!(
        typed.sees("wants your clipboard"),
        "keys go on to the shell"
    );
    let allowed = typed.press("ctrl-] y");
    let copied = allowed
        .effects()
        .iter()
        .any(|effect| matches!(effect, Effect::Copy { text, .. } if text == "hello"));
    assert!(copied);
    assert!(!allowed.sees("wants your clipboard"));
}

#[test]
fn a_paste_of_several_lines_is_asked_about() {
    let screen = shell(80, 24).paste("make clean\nmake all\nmake install\n");
    assert_snapshot!("paste_asked", screen.text());
    let left = screen.press("esc");
    assert!(!left.sees("Paste 3 lines"), "{}", left.text());
}
