//! Writes recordings of panes. Each has a thread, so that a slow disk delays nothing else.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc as sync_mpsc,
    },
    thread::JoinHandle,
    time::Instant,
};

use bytes::Bytes;
use tokio::sync::mpsc;

use super::{clock, files};
use crate::{
    app::{
        msg::Msg,
        panes::{RecordOrder, RecordingEnd, RecordingId},
    },
    model::text::Clean,
    terminal::asciicast::Encoder,
};

/// The most output in bytes that waits for the disk. A program that prints more ends its recording.
const MOST_WAITING: usize = 16 * 1024 * 1024;

/// What the thread of a recording writes, with the seconds since its start.
enum Entry {
    Output(f64, Bytes),
    Resize(f64, u16, u16),
    Stop,
}

struct Recording {
    started: Instant,
    entries: sync_mpsc::Sender<Entry>,
    /// The bytes of output that wait.
    waiting: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

/// The recordings that are being written.
pub struct Recordings {
    open: HashMap<RecordingId, Recording>,
    /// The threads of stopped recordings, which may still write.
    stopped: Vec<JoinHandle<()>>,
    /// The program ends, so nobody reads what is reported.
    ends: Arc<AtomicBool>,
    answers: mpsc::Sender<Msg>,
}

/// A file to write to, and how much may be written.
struct CastFile {
    file: File,
    path: PathBuf,
    written: u64,
    limit: u64,
}

impl Recordings {
    pub fn new(answers: mpsc::Sender<Msg>) -> Self {
        Self {
            open: HashMap::new(),
            stopped: Vec::new(),
            ends: Arc::default(),
            answers,
        }
    }

    pub fn order(&mut self, id: RecordingId, order: RecordOrder) {
        let entry = match order {
            RecordOrder::Start { .. } => return self.start(id, order),
            RecordOrder::Output(bytes) => {
                let Some(recording) = self.open.get(&id) else {
                    return;
                };
                let waiting = recording.waiting.fetch_add(bytes.len(), Ordering::Relaxed);
                if waiting > MOST_WAITING {
                    // Without this output the rest would be wrong, so the recording ends. Its thread reports that.
                    self.open.remove(&id);
                    return;
                }
                Entry::Output(seconds(recording.started), bytes)
            }
            RecordOrder::Resize { columns, rows } => match self.open.get(&id) {
                Some(recording) => Entry::Resize(seconds(recording.started), columns, rows),
                None => return,
            },
            RecordOrder::Stop => Entry::Stop,
        };
        let is_stop = matches!(entry, Entry::Stop);
        if let Some(recording) = self.open.get(&id) {
            // A thread that has ended has reported why.
            let _ = recording.entries.send(entry);
        }
        if is_stop && let Some(mut recording) = self.open.remove(&id) {
            self.stopped.retain(|thread| !thread.is_finished());
            self.stopped.extend(recording.thread.take());
        }
    }

    fn start(&mut self, id: RecordingId, order: RecordOrder) {
        let (entries, received) = sync_mpsc::channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let left = Arc::clone(&waiting);
        let answers = self.answers.clone();
        let ends = Arc::clone(&self.ends);
        let thread = std::thread::Builder::new()
            .name("recording".to_owned())
            .spawn(move || {
                let end = write(order, &received, &left);
                if !ends.load(Ordering::SeqCst) {
                    let _ = answers.blocking_send(Msg::Recording { id, end });
                }
            });
        let recording = Recording {
            started: clock::instant(),
            entries,
            waiting,
            thread: thread.ok(),
        };
        if recording.thread.is_some() {
            self.open.insert(id, recording);
        }
    }
}

/// When the TUI ends, what was recorded is written first.
impl Drop for Recordings {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        for (_, recording) in self.open.drain() {
            let _ = recording.entries.send(Entry::Stop);
            self.stopped.extend(recording.thread);
        }
        // A thread that reports at this moment must not wait for a reader.
        self.answers = mpsc::channel(1).0;
        for thread in self.stopped.drain(..) {
            let _ = thread.join();
        }
    }
}

fn seconds(started: Instant) -> f64 {
    clock::instant()
        .saturating_duration_since(started)
        .as_secs_f64()
}

/// Writes entries until the recording is stopped or can't be continued.
fn write(
    order: RecordOrder,
    entries: &sync_mpsc::Receiver<Entry>,
    waiting: &AtomicUsize,
) -> RecordingEnd {
    let RecordOrder::Start {
        path,
        columns,
        rows,
        title,
        screen,
        limit,
    } = order
    else {
        return ended(None, Some(tr!("it has no beginning").into()));
    };
    let header = Encoder::header(columns, rows, clock::now().as_second(), title.as_str());
    let mut encoder = Encoder::default();
    let first = encoder.output(0.0, &screen).unwrap_or_default();
    let mut cast = match CastFile::create(&path, limit, &format!("{header}{first}")) {
        Ok(cast) => cast,
        Err(why) => return ended(None, Some(Clean::new(&why))),
    };
    loop {
        let line = match entries.recv() {
            Ok(Entry::Output(at, bytes)) => {
                waiting.fetch_sub(
                    bytes.len().min(waiting.load(Ordering::Relaxed)),
                    Ordering::Relaxed,
                );
                encoder.output(at, &bytes)
            }
            Ok(Entry::Resize(at, columns, rows)) => Some(Encoder::resize(at, columns, rows)),
            Ok(Entry::Stop) => return ended(Some(cast.path), None),
            Err(_) => {
                let why = tr!("the disk is too slow for the output");
                return ended(Some(cast.path), Some(why.into()));
            }
        };
        if let Err(why) = line.map_or(Ok(()), |line| cast.add(&line)) {
            return ended(Some(cast.path), Some(Clean::new(&why)));
        }
    }
}

fn ended(path: Option<PathBuf>, problem: Option<Clean>) -> RecordingEnd {
    RecordingEnd { path, problem }
}

impl CastFile {
    /// Creates the file, which only the user can read.
    fn create(path: &Path, limit: u64, begin: &str) -> Result<Self, String> {
        let path = files::save_private(path, begin.as_bytes())?;
        let file = File::options().append(true).open(&path);
        let file = file.map_err(|error| {
            tr!(
                "{path} can't be written: {error}",
                path = path.display(),
                error
            )
        })?;
        Ok(Self {
            file,
            path,
            written: begin.len() as u64,
            limit,
        })
    }

    /// Adds a whole line, or nothing, so that the file can always be played.
    fn add(&mut self, line: &str) -> Result<(), String> {
        let length = line.len() as u64;
        if self.written + length > self.limit {
            let limit = crate::model::resources::Bytes(self.limit);
            return Err(tr!(
                "it reached {limit}, the limit of the setting terminal.record-limit",
                limit
            ));
        }
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            // A part of the line may be written. Removing it needs no space.
            let _ = self.file.set_len(self.written);
            return Err(match error.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    tr!("the disk is full").to_owned()
                }
                _ => tr!("it can't be written: {error}", error),
            });
        }
        self.written += length;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::terminal::asciicast::{Event, EventKind, Header};

    fn begin(path: &Path, limit: u64) -> RecordOrder {
        RecordOrder::Start {
            path: path.to_owned(),
            columns: 80,
            rows: 24,
            title: "train".into(),
            screen: b"screen".to_vec(),
            limit,
        }
    }

    fn output(text: &'static str) -> RecordOrder {
        RecordOrder::Output(Bytes::from_static(text.as_bytes()))
    }

    fn end(received: &mut mpsc::Receiver<Msg>) -> RecordingEnd {
        match received.blocking_recv() {
            Some(Msg::Recording { end, .. }) => end,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_recording_is_a_private_file_that_is_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new").join("a.cast");
        let (answers, mut received) = mpsc::channel(4);
        let mut recordings = Recordings::new(answers);
        let size = RecordOrder::Resize {
            columns: 100,
            rows: 30,
        };
        for order in [
            begin(&path, 1 << 20),
            output("한글\r\n"),
            size,
            RecordOrder::Stop,
        ] {
            recordings.order(1, order);
        }
        assert_eq!(end(&mut received), ended(Some(path.clone()), None));
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines = text.lines();
        assert_eq!(Header::read(lines.next().unwrap()).unwrap().columns, 80);
        let kinds: Vec<EventKind> = lines.map(|line| Event::read(line).unwrap().kind).collect();
        let resized = EventKind::Resize {
            columns: 100,
            rows: 30,
        };
        let printed = |text: &str| EventKind::Output(text.to_owned());
        assert_eq!(kinds, [printed("screen"), printed("한글\r\n"), resized]);
    }

    #[test]
    fn the_limit_ends_it_with_whole_lines() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.cast");
        let (answers, mut received) = mpsc::channel(4);
        let mut recordings = Recordings::new(answers);
        recordings.order(1, begin(&path, 300));
        for _ in 0..50 {
            recordings.order(1, output("0123456789"));
        }
        let end = end(&mut received);
        assert!(
            end.problem
                .unwrap()
                .as_str()
                .contains("terminal.record-limit")
        );
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.len() <= 300 && text.ends_with("]\n"), "{text}");
        assert!(text.lines().skip(1).all(|line| Event::read(line).is_ok()));
    }

    #[test]
    fn a_full_disk_ends_it_and_keeps_whole_lines() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.cast");
        let mut cast = CastFile::create(&path, 1 << 20, "{}\n").unwrap();
        cast.file = File::options().write(true).open("/dev/full").unwrap();
        assert_eq!(
            cast.add("[1, \"o\", \"x\"]\n"),
            Err("the disk is full".to_owned())
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{}\n");
    }

    #[test]
    fn what_was_recorded_is_written_when_the_program_ends() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.cast");
        let (answers, _received) = mpsc::channel(4);
        let mut recordings = Recordings::new(answers);
        recordings.order(1, begin(&path, 1 << 20));
        recordings.order(1, output("last"));
        drop(recordings);
        assert!(std::fs::read_to_string(&path).unwrap().contains("last"));
    }

    #[test]
    fn a_directory_that_cannot_be_made_is_reported() {
        let (answers, mut received) = mpsc::channel(4);
        let mut recordings = Recordings::new(answers);
        recordings.order(1, begin(Path::new("/dev/null/a.cast"), 1 << 20));
        let end = end(&mut received);
        assert!(end.path.is_none() && end.problem.is_some());
    }
}
