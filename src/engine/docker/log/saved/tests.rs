use std::fs;

use bytes::BytesMut;
use futures_util::StreamExt as _;

use super::{write::Saving, *};

const PIECE: usize = 64 * 1024;

async fn reported(path: &Path, options: LogOptions) -> Option<String> {
    let pieces = read(path.to_owned(), options).await.unwrap()?;
    let pieces: Vec<Bytes> = pieces.map(|piece| piece.unwrap()).collect().await;
    Some(String::from_utf8(pieces.concat()).unwrap())
}

fn write(path: &Path, text: &str) {
    let mut saving = Saving::begin(path).unwrap();
    saving.add(text.as_bytes()).unwrap();
    saving.finish().unwrap();
}

#[tokio::test]
async fn the_last_lines_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    let of = async |text: &str, lines: u32| {
        write(&path, text);
        let tail = Some(lines);
        let options = LogOptions {
            tail,
            ..LogOptions::default()
        };
        reported(&path, options).await.unwrap()
    };
    let text = "one\ntwo\nthree\n";
    assert_eq!(of(text, 0).await, "");
    assert_eq!(of(text, 1).await, "three\n");
    assert_eq!(of(text, 2).await, "two\nthree\n");
    assert_eq!(of(text, 3).await, text);
    assert_eq!(of(text, 9).await, text);
    assert_eq!(of("one\ntwo", 1).await, "two");
    let lines: Vec<String> = (0..50_000).map(|n| format!("line {n}\n")).collect();
    assert_eq!(of(&lines.concat(), 30_000).await, lines[20_000..].concat());
}

#[tokio::test]
async fn a_log_is_kept_whole_however_long_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("deep/log");
    assert!(reported(&path, LogOptions::default()).await.is_none());
    let mut saving = Saving::begin(&path).unwrap();
    let mut expected = String::new();
    for number in 0..800_000_u32 {
        let line = format!("line {number}\n");
        expected.push_str(&line);
        saving.add(line.as_bytes()).unwrap();
    }
    assert!(expected.len() > 8 * 1024 * 1024);
    assert!(!path.exists(), "not before it is complete");
    saving.finish().unwrap();
    let kept = reported(&path, LogOptions::default()).await.unwrap();
    assert!(kept == expected, "it differs");
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);

    assert!(!has_other_names(&path));
    let second = path.with_file_name("log.kernel");
    also_known_as(&path, &second).unwrap();
    also_known_as(&path, &second).unwrap();
    assert!(has_other_names(&path));
    assert!(reported(&second, LogOptions::default()).await.unwrap() == expected);
}

#[test]
fn nothing_stays_of_a_log_that_was_not_read_to_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    let (pieces, received) = mpsc::channel(4);
    pieces.try_send(LogPiece::Bytes("begun\n".into())).unwrap();
    drop(pieces);
    write::all(&path, received).unwrap();
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn of_a_long_log_the_end_from_a_whole_line_on_is_kept_for_a_full_disk() {
    let mut kept = BytesMut::new();
    while kept.len() < 5 * 1024 * 1024 {
        kept.extend_from_slice(b"a line of a log\n");
    }
    let last = write::last(kept);
    assert!(last.len() <= 4 * 1024 * 1024 && last.len() > 4 * 1024 * 1024 - 64);
    assert!(last.starts_with(b"a line"));
}

#[tokio::test]
async fn times_are_kept_and_reported_only_where_they_are_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    let kept = "2026-05-04T09:30:01Z one\nwithout\n2026-05-04T09:30:02Z  10%\r 20%\r\n";
    write(&path, kept);
    let of = async |tail, timestamps, before: Option<&str>| {
        let options = LogOptions {
            tail,
            timestamps,
            before: before.map(|at| at.parse().unwrap()),
            ..LogOptions::default()
        };
        reported(&path, options).await.unwrap()
    };
    assert_eq!(of(None, true, None).await, kept);
    assert_eq!(of(None, false, None).await, "one\nwithout\n 10%\r 20%\r\n");
    assert_eq!(of(Some(1), false, None).await, " 10%\r 20%\r\n");
    let second = Some("2026-05-04T09:30:02Z");
    assert_eq!(
        of(None, true, second).await,
        "2026-05-04T09:30:01Z one\nwithout\n"
    );
    assert_eq!(of(None, false, second).await, "one\nwithout\n");
    assert_eq!(of(None, false, Some("2026-05-04T09:30:01Z")).await, "");
    // The format of earlier versions.
    fs::write(&path, kept).unwrap();
    assert_eq!(of(None, false, None).await, kept);
}

#[tokio::test]
async fn times_come_off_lines_of_any_length() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    let time = "2026-05-04T09:30:01.123456789Z ";
    let lines: Vec<String> = (0..400)
        .map(|n| "x".repeat(n * 7 % 700) + &"y".repeat(if n == 5 { 3 * PIECE } else { 0 }))
        .collect();
    let with = lines.iter().map(|it| format!("{time}{it}\n"));
    let with = with.collect::<Vec<_>>().concat();
    let without = lines.join("\n") + "\n";
    write(&path, &format!("{with}{time}no end"));
    let kept = reported(&path, LogOptions::default()).await.unwrap();
    assert!(kept == format!("{without}no end"), "{kept}");
}
