//! The explorer: what it lists, in every size and state, and what its keys ask for.

use std::{
    ffi::OsString,
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
};

use workbay::{
    app::{
        effect::Effect, msg::Msg, msg::PathCompletion, msg::StreamEvent, panels::explorer::Explorer,
    },
    model::{
        failure::Failure,
        files::{
            FileEntry, FileKind, FileListing, FileName, FileOrder, FilePlace, FileRequest,
            FileWork, ListOptions,
        },
        id::ContextName,
        log::LogSource,
        status::Status,
        text::Clean,
    },
    protocol::message::{Reply, Request, StreamEnd, StreamId, StreamOpen},
    theme::color::ColorDepth,
};

use crate::{
    screen::Screen,
    world::{ago, day, session, snapshot},
};

pub(crate) fn entry(name: &str, kind: FileKind, size: u64, minutes: i64) -> FileEntry {
    FileEntry {
        name: FileName(OsString::from(name)),
        kind,
        size,
        modified: Some(ago(minutes)),
        mode: Some(if kind == FileKind::Directory {
            0o755
        } else {
            0o644
        }),
        target: None,
    }
}

/// Names of all kinds: Korean, very long, not text, with an escape sequence.
pub(crate) fn home() -> Vec<FileEntry> {
    let file = |name: &str, size, minutes| entry(name, FileKind::File, size, minutes);
    let mut link = entry("latest", FileKind::Link, 0, 30);
    link.target = Some(FileName("checkpoints/epoch-0400".into()));
    let mut odd = file("", 12, 90);
    odd.name = FileName(OsString::from_vec(b"caf\xe9-\x1b[31mred.txt".to_vec()));
    let mut script = file("학습_실행.sh", 1_234, 3);
    script.mode = Some(0o755);
    vec![
        entry("checkpoints", FileKind::Directory, 0, 30),
        entry("데이터셋", FileKind::Directory, 0, 3 * 24 * 60),
        odd,
        file(
            "checkpoint-2026-03-02-epoch-0400-학습결과-최종.safetensors",
            4_812_345_678,
            30,
        ),
        link,
        file("notes.md", 2_048, 400 * 24 * 60),
        entry("queue", FileKind::Special, 0, 5),
        file("requirements.txt", 312, 12),
        script,
    ]
}

pub(crate) fn listing(entries: Vec<FileEntry>) -> FileListing {
    let total = entries.len() as u64;
    FileListing {
        entries,
        total,
        all: total,
        read_only: None,
    }
}

fn options(request: &Request) -> Option<&ListOptions> {
    match request {
        Request::Files {
            request: FileRequest::List { options, .. },
            ..
        } => Some(options),
        _ => None,
    }
}

pub(crate) fn is_page(request: &Request) -> bool {
    options(request).is_some_and(|it| it.count > 200)
}

pub(crate) fn answered(screen: Screen, listing: FileListing) -> Screen {
    screen.answer(is_page, Ok(Reply::Files { listing }))
}

pub(crate) fn explorer(columns: u16, rows: u16) -> Screen {
    let screen = Screen::new(columns, rows).daemon(snapshot(day()));
    let mut all = listing(home());
    all.all += 3;
    answered(screen.press("j j f"), all)
}

/// The newest open stream that `wanted` accepts.
fn stream(screen: &Screen, wanted: impl Fn(&StreamOpen) -> bool) -> StreamId {
    let streams = screen.effects().iter().rev();
    let mut streams = streams.filter_map(|effect| match effect {
        Effect::Open { stream, open } if wanted(open) => Some(*stream),
        _ => None,
    });
    streams.next().expect("such a stream is open")
}

fn data(screen: Screen, stream: StreamId, bytes: &[u8]) -> Screen {
    let event = StreamEvent::Data {
        source: LogSource::Stdout,
        bytes: bytes.to_vec().into(),
    };
    screen.send(Msg::Stream { stream, event })
}

fn ended(screen: Screen, stream: StreamId) -> Screen {
    let end = StreamEnd::Exited { exit_code: Some(0) };
    let event = StreamEvent::Ended(end);
    screen.send(Msg::Stream { stream, event })
}

/// The preview of the marked file shows these bytes.
fn with_preview(screen: Screen, bytes: &[u8]) -> Screen {
    let screen = screen.wait(1);
    let id = stream(&screen, |open| matches!(open, StreamOpen::ReadFile { .. }));
    let screen = data(screen, id, bytes);
    ended(screen, id)
}

const SCRIPT: &str = "#!/bin/sh\n# 학습을 시작한다\nset -eu\npython train.py \\\n\t--epochs 400 \\\n\t--data 데이터셋\n";

#[test]
fn the_explorer_80x24() {
    insta::assert_snapshot!(explorer(80, 24).press("G").text());
}

#[test]
fn the_explorer_120x40() {
    let screen = explorer(120, 40).press("G");
    insta::assert_snapshot!(with_preview(screen, SCRIPT.as_bytes()).text());
}

#[test]
fn the_explorer_200x50() {
    let screen = explorer(200, 50).press("j j j");
    let bytes: Vec<u8> = (0..=255).cycle().take(4_000).collect();
    insta::assert_snapshot!(with_preview(screen, &bytes).text());
}

#[test]
fn the_explorer_in_a_light_theme() {
    let screen = explorer(80, 24).theme("default-light", ColorDepth::TrueColor);
    insta::assert_snapshot!(screen.press("j space").styled());
}

#[test]
fn the_explorer_fits_every_screen() {
    for (columns, rows) in [
        (60, 16),
        (80, 24),
        (109, 30),
        (110, 30),
        (120, 40),
        (200, 50),
    ] {
        let screen = explorer(columns, rows).theme("ansi16", ColorDepth::Ansi16);
        assert!(screen.sees("데이터셋"), "{}", screen.text());
        assert!(screen.sees("enter open"), "{}", screen.text());
    }
    let small = explorer(80, 24).resize(59, 16);
    assert!(!small.sees("데이터셋"));
    assert!(small.resize(80, 24).sees("데이터셋"));
}

#[test]
fn a_directory_is_previewed() {
    let screen = explorer(120, 40).wait(1);
    let screen = screen.answer(
        |request| options(request).is_some_and(|it| it.count == 200),
        Ok(Reply::Files {
            listing: listing(vec![
                entry("epoch-0100", FileKind::Directory, 0, 60),
                entry("결과.csv", FileKind::File, 5_000, 60),
            ]),
        }),
    );
    assert!(
        screen.sees("2 entries") && screen.sees("결과.csv"),
        "{}",
        screen.text()
    );
}

#[test]
fn the_preview_waits_until_the_cursor_rests() {
    let screen = explorer(120, 40).press("j j j j j j j j");
    let opens = |screen: &Screen| {
        let opens = screen.effects().iter();
        opens.filter(|it| matches!(it, Effect::Open { .. })).count()
    };
    assert_eq!(opens(&screen), 0);
    assert_eq!(opens(&screen.wait(1)), 1);
    assert_eq!(opens(&explorer(80, 24).press("G").wait(1)), 0, "no preview");
}

#[test]
fn names_are_shown_safely_and_used_byte_by_byte() {
    let screen = explorer(80, 24).press("j j");
    assert!(screen.sees("caf\u{fffd}-red.txt"), "{}", screen.text());
    let screen = screen.press("r").typed("x").press("enter");
    let from = screen
        .wishes()
        .into_iter()
        .find_map(|request| match request {
            Request::Files {
                request: FileRequest::Rename { from, .. },
                ..
            } => Some(from.as_path().as_os_str().as_bytes().to_vec()),
            _ => None,
        });
    assert_eq!(from.as_deref(), Some(&b"caf\xe9-\x1b[31mred.txt"[..]));
}

#[test]
fn a_very_large_directory_is_loaded_in_pages() {
    let page = |first: u64| {
        let entries = (first..first + 1_000)
            .map(|n| entry(&format!("file-{n:06}"), FileKind::File, n, 1))
            .collect();
        FileListing {
            total: 100_000,
            all: 100_000,
            ..listing(entries)
        }
    };
    let screen = Screen::new(80, 24).daemon(snapshot(day())).press("j j f");
    assert!(screen.sees("Loading"), "{}", screen.text());
    let screen = answered(screen, page(0)).press("G");
    assert!(screen.sees("100,000 of 100,000"), "{}", screen.text());
    assert!(screen.sees("Loading"), "{}", screen.text());
    let asked = screen
        .questions()
        .filter_map(|(_, request)| options(request))
        .last();
    assert_eq!(asked.unwrap().offset, 99_000);
    let screen = answered(screen, page(99_000));
    assert!(
        screen.sees("file-099999") && !screen.sees("Loading"),
        "{}",
        screen.text()
    );
}

#[test]
fn order_hidden_names_and_filter_are_up_to_the_daemon() {
    let screen = explorer(80, 24).press("o O .");
    let last = |screen: &Screen| {
        let asked = screen
            .questions()
            .filter_map(|(_, request)| options(request));
        asked.last().unwrap().clone()
    };
    let asked = last(&screen);
    assert_eq!(asked.order, FileOrder::Size);
    assert!(asked.reversed && !asked.without_hidden);
    let screen = answered(screen, listing(home())).press("/").typed("데이터");
    // One listing is under way at a time.
    let screen = answered(screen, listing(vec![home()[1].clone()]));
    assert_eq!(last(&screen).filter.as_deref(), Some("데이터"));
    let nothing = FileListing {
        all: 9,
        ..listing(Vec::new())
    };
    let screen = answered(screen.typed("x").press("enter"), nothing);
    assert!(
        screen.sees("No name contains '데이터x'."),
        "{}",
        screen.text()
    );
}

#[test]
fn an_empty_directory_says_what_to_do() {
    let screen = Screen::new(80, 24).daemon(snapshot(day())).press("j j f");
    let screen = answered(screen, listing(Vec::new()));
    insta::assert_snapshot!(screen.text());
    let hidden = FileListing {
        all: 4,
        ..listing(Vec::new())
    };
    let screen = answered(screen.press("R"), hidden);
    assert!(screen.sees("Only hidden entries."), "{}", screen.text());
}

#[test]
fn a_place_that_vanished_says_why() {
    let screen = explorer(80, 24).press("R");
    let failure = Failure::not_found("the folder data doesn't exist any more")
        .hint("create it with `workbay folder create data`");
    let screen = screen.answer(is_page, Err(failure));
    insta::assert_snapshot!(screen.text());
    let screen = answered(screen.press("R"), listing(home()));
    assert!(screen.sees("데이터셋"), "{}", screen.text());
}

#[test]
fn a_read_only_place_refuses_changes_with_the_reason() {
    let screen = Screen::new(80, 24).daemon(snapshot(day())).press("j j f");
    let read_only = FileListing {
        read_only: Some(Clean::new("the folder is mounted read-only")),
        ..listing(home())
    };
    let screen = answered(screen, read_only).press("x");
    assert!(
        screen.sees("the folder is mounted read-only"),
        "{}",
        screen.text()
    );
    assert!(screen.panel::<Explorer>().question().is_none());
    assert!(screen.press("d").sees("Download to this machine:"));
}

#[test]
fn deleting_asks_with_the_count_and_the_size() {
    let screen = explorer(80, 24).press("space space x");
    let id = stream(&screen, |open| {
        matches!(
            open,
            StreamOpen::FileWork {
                work: FileWork::Measure { .. },
                ..
            }
        )
    });
    let screen = data(screen, id, b"{\"files\":1204,\"bytes\":3435973836}\n");
    assert!(screen.sees("counting"), "{}", screen.text());
    let screen = ended(screen, id);
    insta::assert_snapshot!(screen.text());
    assert!(screen.panel::<Explorer>().question().is_some());
    let screen = screen.press("enter");
    assert!(
        screen.panel::<Explorer>().question().is_none(),
        "No is selected"
    );
    assert!(
        !screen
            .effects()
            .iter()
            .any(|it| matches!(it, Effect::Transfer { .. }))
    );
}

#[test]
fn a_new_directory_is_marked_when_it_is_there() {
    let screen = explorer(80, 24).press("n").typed("새 폴더").press("enter");
    let is_creation = |request: &Request| {
        matches!(
            request,
            Request::Files {
                request: FileRequest::CreateDirectory { .. },
                ..
            }
        )
    };
    let screen = screen.answer(is_creation, Ok(Reply::Done));
    let mut entries = home();
    entries.insert(2, entry("새 폴더", FileKind::Directory, 0, 0));
    let screen = answered(screen, listing(entries));
    assert!(
        screen.sees("'새 폴더' created") && screen.sees("3 of 10"),
        "{}",
        screen.text()
    );
    let screen = screen.press("N").typed("a/b").press("enter");
    assert!(screen.sees("Invalid name 'a/b'"), "{}", screen.text());
}

#[test]
fn a_local_path_is_completed() {
    let screen = explorer(80, 24).press("u tab");
    let completed = screen
        .effects()
        .iter()
        .rev()
        .find_map(|effect| match effect {
            Effect::CompletePath { ticket, typed } => Some((*ticket, typed.clone())),
            _ => None,
        });
    let (ticket, typed) = completed.unwrap();
    assert_eq!(typed, "/home/kim/");
    let completion = PathCompletion {
        text: "/home/kim/데이터-".to_owned(),
        candidates: vec![Clean::new("데이터-1.csv"), Clean::new("데이터-2.csv")],
        typed,
    };
    let screen = screen.send(Msg::PathCompleted { ticket, completion });
    insta::assert_snapshot!(screen.text());
}

#[test]
fn files_of_an_ended_session_are_recovered() {
    let screen = Screen::new(80, 24).daemon(snapshot(day())).press("2");
    let screen = answered(screen.press("f"), listing(home()));
    assert!(screen.sees("ended session"), "{}", screen.text());
    // A session that never ran has nothing.
    let mut never = session(7, "gave-up", Status::Cancelled, 45);
    never.started_at = None;
    never.kernels[0].container_id = None;
    let screen = Screen::new(80, 24)
        .daemon(snapshot(vec![never]))
        .press("2 f");
    assert!(
        screen.sees("never ran, so it has no files"),
        "{}",
        screen.text()
    );
}

#[test]
fn another_place_is_opened_from_a_list() {
    let mut sessions = day();
    sessions[0].folders = vec![Clean::new("공유-데이터")];
    let screen = Screen::new(80, 24)
        .daemon(snapshot(sessions))
        .press("j j f");
    let screen = answered(screen, listing(home())).press("p");
    insta::assert_snapshot!(screen.text());
    let screen = screen.press("home enter");
    let place = screen.panel::<Explorer>().place().clone();
    assert_eq!(
        place,
        FilePlace::Folder {
            context: ContextName::local(),
            folder: "공유-데이터".to_owned()
        }
    );
}

#[test]
fn links_and_pipes_arent_opened() {
    let screen = explorer(80, 24).press("j j j j enter");
    assert!(screen.sees("'latest' is a link to"), "{}", screen.text());
    let screen = explorer(80, 24).press("j j j j j j e");
    assert!(screen.sees("'queue' isn't a file"), "{}", screen.text());
}
