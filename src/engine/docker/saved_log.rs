//! The log that stays when a container goes: its last 4 MiB as plain text.

use std::{
    fs, io,
    io::Write as _,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::Path,
};

use bollard::{container::LogOutput, query_parameters::LogsOptionsBuilder};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;

use super::{
    joining::{Joiner, Records},
    line::Line,
    off_loop::off_loop,
};
use crate::{
    engine::{api::Result, error::EngineError},
    model::log::{LogOptions, LogSource, split_time},
};

/// How much of a log is kept.
const KEEP: usize = 4 * 1024 * 1024;

/// Less of it is not tried on a full disk.
const LEAST: usize = 16 * 1024;

/// The first line of a log that is kept with the time of each line. A terminal shows nothing of it.
const WITH_TIMES: &[u8] = b"\x1b_workbay:times\x1b\\\n";

/// One piece handed on when a saved log is read.
const PIECE: usize = 64 * 1024;

/// Copies the end of the container's log to `path`, in one step. A log the engine cannot read is no
/// reason to keep the container, nor is a full disk; another that cannot be written is.
pub(super) async fn save(line: &Line, container: &str, path: &Path) -> Result<()> {
    let options = LogsOptionsBuilder::default()
        .stdout(true)
        .stderr(true)
        .tail("all")
        .timestamps(true)
        .build();
    let mut log = line.docker.logs(container, Some(options)).boxed();
    let mut kept = BytesMut::new();
    // Standard output and standard error.
    let mut joiners = [Joiner::default(), Joiner::default()];
    let mut records = Records::default();
    while let Some(piece) = log.next().await {
        match piece {
            Ok(piece) => {
                let source = match piece {
                    LogOutput::StdErr { .. } => LogSource::Stderr,
                    _ => LogSource::Stdout,
                };
                let piece = piece.into_bytes();
                let record = records.without_second_time(source, &piece);
                let whole = joiners[source as usize].join(record);
                keep(&mut kept, &whole);
            }
            Err(error) => match line.fault(error) {
                EngineError::NotFound(_) => return Ok(()),
                lost if lost.is_lost() => return Err(lost),
                other => {
                    let note =
                        format!("\nworkbay: the rest of the log could not be read: {other}\n");
                    keep(&mut kept, note.as_bytes());
                    break;
                }
            },
        }
    }
    let (kept, path) = (last(kept), path.to_owned());
    off_loop(move || write_what_fits(&path, &kept).map_err(|error| not_saved(&path, &error))).await
}

fn not_saved(path: &Path, error: &io::Error) -> EngineError {
    EngineError::Host(format!(
        "the session's log cannot be saved to {}: {error}; make room there and try again, the \
         stopped container keeps it until then",
        path.display()
    ))
}

/// Gives the log at `path` a second name beside it.
pub(super) fn also_known_as(path: &Path, name: &Path) -> Result<()> {
    let target = path.file_name().unwrap_or(path.as_os_str());
    match std::os::unix::fs::symlink(target, name) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists || is_full(&error) => Ok(()),
        Err(error) => Err(not_saved(name, &error)),
        Ok(()) => Ok(()),
    }
}

/// Whether a log of a kernel lies beside the log at `path`.
pub(super) fn has_other_names(path: &Path) -> bool {
    let entries = path.parent().and_then(|dir| fs::read_dir(dir).ok());
    entries.is_some_and(|mut entries| {
        entries.any(|entry| {
            entry.is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("log."))
        })
    })
}

fn keep(kept: &mut BytesMut, piece: &[u8]) {
    kept.extend_from_slice(piece);
    // Cut now and then, not for every piece.
    if kept.len() > 2 * KEEP {
        let _ = kept.split_to(kept.len() - KEEP);
    }
}

/// The last `KEEP` bytes, from the beginning of a line on where there is one.
fn last(mut kept: BytesMut) -> Bytes {
    if kept.len() > KEEP {
        let _ = kept.split_to(kept.len() - KEEP);
        let line_end = kept.iter().position(|byte| *byte == b'\n');
        if let Some(end) = line_end {
            let _ = kept.split_to(end + 1);
        }
    }
    kept.freeze()
}

fn is_full(error: &io::Error) -> bool {
    let kinds = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
    kinds.contains(&error.kind())
}

/// On a full disk the end of the log, or nothing: a session must end there all the same.
fn write_what_fits(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut rest = contents;
    loop {
        match write(path, rest) {
            Err(error) if is_full(&error) && !rest.is_empty() => {
                let keep = if rest.len() > LEAST {
                    rest.len() / 8
                } else {
                    0
                };
                rest = &rest[rest.len() - keep..];
            }
            Err(error) if is_full(&error) => {
                tracing::warn!(path = %path.display(), "the disk is full: no log is kept");
                return Ok(());
            }
            result => return result,
        }
    }
}

/// In one step; nothing of it stays where that fails.
fn write(path: &Path, contents: &[u8]) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("/"));
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)?;
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let written = write_part(Path::new(&part), contents).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}

fn write_part(part: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(part)?;
    file.write_all(WITH_TIMES)?;
    file.write_all(contents)?;
    file.sync_all()
}

/// The saved log in pieces, its last lines only and with their times where that is asked; `None` when none is kept.
pub(super) fn read(path: &Path, options: LogOptions) -> Result<Option<Vec<Bytes>>> {
    match fs::read(path) {
        Ok(contents) => {
            let mut rest = Bytes::from(contents);
            // Earlier versions kept no times.
            let with_times = rest.starts_with(WITH_TIMES);
            if with_times {
                let _ = rest.split_to(WITH_TIMES.len());
            }
            let _ = rest.split_to(tail_start(&rest, options.tail));
            if with_times && !options.timestamps {
                rest = without_times(&rest);
            }
            let mut pieces = Vec::new();
            while !rest.is_empty() {
                pieces.push(rest.split_to(PIECE.min(rest.len())));
            }
            Ok(Some(pieces))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(EngineError::Host(format!(
            "the saved log {} cannot be read: {error}",
            path.display()
        ))),
    }
}

fn without_times(log: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(log.len());
    for line in log.split_inclusive(|byte| *byte == b'\n') {
        out.extend_from_slice(split_time(line).map_or(line, |(_, rest)| rest));
    }
    out.freeze()
}

/// Where the last `tail` lines begin.
fn tail_start(contents: &[u8], tail: Option<u32>) -> usize {
    let Some(lines) = tail else {
        return 0;
    };
    let body = contents.strip_suffix(b"\n").unwrap_or(contents);
    let ends = body
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, byte)| **byte == b'\n');
    match lines.checked_sub(1) {
        None => contents.len(),
        Some(before) => ends.map(|(at, _)| at + 1).nth(before as usize).unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_found() {
        let text = b"one\ntwo\nthree\n";
        let from = |tail| String::from_utf8(text[tail_start(text, tail)..].to_vec()).unwrap();
        assert_eq!(from(None), "one\ntwo\nthree\n");
        assert_eq!(from(Some(0)), "");
        assert_eq!(from(Some(1)), "three\n");
        assert_eq!(from(Some(2)), "two\nthree\n");
        assert_eq!(from(Some(9)), "one\ntwo\nthree\n");
    }

    #[test]
    fn a_long_log_keeps_its_end_from_a_whole_line_on() {
        let mut kept = BytesMut::new();
        for number in 0..1_000_000_u32 {
            keep(&mut kept, format!("line {number}\n").as_bytes());
        }
        let saved = last(kept);
        assert!(saved.len() <= KEEP && saved.len() > KEEP - 64);
        assert!(saved.starts_with(b"line "));
        assert!(saved.ends_with(b"line 999999\n"));
    }

    #[test]
    fn a_log_reads_back_as_it_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/log");
        assert!(read(&path, LogOptions::default()).unwrap().is_none());
        let text = "x".repeat(3 * PIECE + 5);
        write(&path, text.as_bytes()).unwrap();
        let pieces = read(&path, LogOptions::default()).unwrap().unwrap();
        assert_eq!(pieces.concat(), text.as_bytes());
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        assert!(!has_other_names(&path));
        let second = path.with_file_name("log.kernel");
        also_known_as(&path, &second).unwrap();
        also_known_as(&path, &second).unwrap();
        assert!(has_other_names(&path));
        let pieces = read(&second, LogOptions::default()).unwrap().unwrap();
        assert_eq!(pieces.concat(), text.as_bytes());
    }

    #[test]
    fn times_are_kept_and_told_only_where_they_are_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let kept = "2026-05-04T09:30:01Z one\nwithout\n2026-05-04T09:30:02Z  10%\r 20%\r\n";
        write(&path, kept.as_bytes()).unwrap();
        let told = |tail, timestamps| {
            let options = LogOptions {
                tail,
                timestamps,
                ..LogOptions::default()
            };
            let pieces = read(&path, options).unwrap().unwrap();
            String::from_utf8(pieces.concat()).unwrap()
        };
        assert_eq!(told(None, true), kept);
        assert_eq!(told(None, false), "one\nwithout\n 10%\r 20%\r\n");
        assert_eq!(told(Some(1), false), " 10%\r 20%\r\n");
        // As earlier versions wrote it.
        fs::write(&path, kept).unwrap();
        assert_eq!(told(None, false), kept);
    }
}
