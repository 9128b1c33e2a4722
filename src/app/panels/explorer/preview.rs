//! The preview of the marked entry: the first lines of a text, or what else it is.

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};

use crate::{
    app::{
        effect::Effect,
        msg::StreamEvent,
        step::{Ids, Step},
    },
    model::{
        failure::Failure,
        files::{FileEntry, FileKind, FileListing, FilePath, FilePlace, FileRequest, ListOptions},
        text::Clean,
    },
    protocol::message::{Request, StreamEnd, StreamId, StreamOpen},
};

use super::{ExplorerPurpose, Purpose};

/// How much of a file is read.
const MOST: usize = 32 * 1024;
/// How many lines are kept.
const LINES: usize = 200;
/// The preview appears this long after the last move.
const PAUSE: SignedDuration = SignedDuration::from_millis(80);
/// The bytes of a line of a binary file.
const ROW: usize = 16;

/// What the preview shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreviewContent {
    Loading,
    /// The first lines. `true` = there are more.
    Text(Vec<Clean>, bool),
    /// The first bytes.
    Binary(Vec<u8>),
    Directory(FileListing),
    Empty,
    /// A link, a pipe or a device has no content to show.
    Nothing,
    Failed(Clean),
}

/// The entry that is previewed, as it was then.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Subject {
    path: FilePath,
    entry: FileEntry,
}

#[derive(Clone, Debug, Default)]
pub struct Preview {
    subject: Option<Subject>,
    content: Option<PreviewContent>,
    /// When the content is requested, if it isn't yet.
    due: Option<Timestamp>,
    stream: Option<StreamId>,
    bytes: Vec<u8>,
}

impl Preview {
    /// What is known of the entry at this path.
    pub fn content(&self) -> Option<&PreviewContent> {
        self.content.as_ref()
    }

    pub fn wake_at(&self) -> Option<Timestamp> {
        self.due
    }

    pub fn owns(&self, stream: StreamId) -> bool {
        self.stream == Some(stream)
    }

    /// Follows the marked entry. Requests its content after a pause.
    pub fn follow(
        &mut self,
        place: &FilePlace,
        entry: Option<(FilePath, &FileEntry)>,
        ids: &mut Ids,
        now: Timestamp,
    ) -> Vec<Step> {
        let subject = entry.map(|(path, entry)| Subject {
            path,
            entry: entry.clone(),
        });
        let mut steps = Vec::new();
        if subject != self.subject {
            steps.extend(self.close());
            self.content = subject.as_ref().map(|_| PreviewContent::Loading);
            self.due = subject.as_ref().and_then(|_| now.checked_add(PAUSE).ok());
            self.subject = subject;
        }
        if self.due.is_some_and(|due| now >= due) {
            self.due = None;
            steps.extend(self.ask(place, ids));
        }
        steps
    }

    fn ask(&mut self, place: &FilePlace, ids: &mut Ids) -> Option<Step> {
        let subject = self.subject.as_ref()?;
        match subject.entry.kind {
            FileKind::Directory => Some(Step::Ask {
                request: Request::Files {
                    place: place.clone(),
                    request: FileRequest::List {
                        path: subject.path.clone(),
                        options: ListOptions {
                            count: LINES as u32,
                            ..ListOptions::default()
                        },
                    },
                },
                purpose: Purpose::Explorer(ExplorerPurpose::Preview(subject.path.clone())),
            }),
            FileKind::File if subject.entry.size == 0 => {
                self.content = Some(PreviewContent::Empty);
                None
            }
            FileKind::File => {
                let stream = ids.stream();
                self.stream = Some(stream);
                Some(Step::Do(Effect::Open {
                    stream,
                    open: StreamOpen::ReadFile {
                        place: place.clone(),
                        path: subject.path.clone(),
                        offset: 0,
                    },
                }))
            }
            FileKind::Link | FileKind::Special => {
                self.content = Some(PreviewContent::Nothing);
                None
            }
        }
    }

    /// Takes the content of a directory.
    pub fn listed(&mut self, path: &FilePath, result: Result<FileListing, Failure>) {
        if self.subject.as_ref().is_some_and(|it| it.path == *path) {
            self.content = Some(match result {
                Ok(listing) if listing.entries.is_empty() => PreviewContent::Empty,
                Ok(listing) => PreviewContent::Directory(listing),
                Err(failure) => PreviewContent::Failed(failure.message()),
            });
        }
    }

    /// Takes bytes of the file. Reading stops as soon as there are enough.
    pub fn stream(&mut self, event: &StreamEvent) -> Option<Step> {
        match event {
            StreamEvent::Opened => None,
            StreamEvent::Data { bytes, .. } => {
                self.read(bytes);
                (self.bytes.len() >= MOST).then(|| self.finish())?
            }
            StreamEvent::Ended(StreamEnd::Exited { .. }) => {
                self.finish();
                None
            }
            StreamEvent::Ended(StreamEnd::Failed { failure }) => {
                self.fail(failure.message());
                None
            }
            StreamEvent::Ended(StreamEnd::Lost { why }) => {
                self.fail(why.clone());
                None
            }
        }
    }

    fn read(&mut self, bytes: &Bytes) {
        let room = MOST.saturating_sub(self.bytes.len());
        self.bytes
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn fail(&mut self, why: Clean) {
        self.stream = None;
        self.bytes.clear();
        self.content = Some(PreviewContent::Failed(why));
    }

    fn finish(&mut self) -> Option<Step> {
        let bytes = std::mem::take(&mut self.bytes);
        let whole = self
            .subject
            .as_ref()
            .is_some_and(|it| it.entry.size <= bytes.len() as u64);
        self.content = Some(content_of(&bytes, whole));
        self.close()
    }

    /// Stops reading.
    pub fn close(&mut self) -> Option<Step> {
        self.bytes.clear();
        let stream = self.stream.take()?;
        Some(Step::Do(Effect::Close { stream }))
    }

    /// The entry may have changed, or the connection is new.
    pub fn forget(&mut self) -> Option<Step> {
        self.subject = None;
        self.content = None;
        self.due = None;
        self.close()
    }
}

/// The content of the first bytes of a file. `whole` = they are all.
fn content_of(bytes: &[u8], whole: bool) -> PreviewContent {
    if bytes.is_empty() {
        return PreviewContent::Empty;
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        // A character may be cut at the end.
        Err(error) if !whole && error.error_len().is_none() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()
        }
        Err(_) => None,
    };
    match text.filter(|text| !text.contains('\0')) {
        Some(text) => {
            let mut lines = text.lines();
            let shown: Vec<Clean> = lines
                .by_ref()
                .take(LINES)
                .map(|line| Clean::new(&line.replace('\t', "    ")))
                .collect();
            let more = !whole || lines.next().is_some();
            PreviewContent::Text(shown, more)
        }
        None => PreviewContent::Binary(bytes[..bytes.len().min(LINES * ROW)].to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_other_files_are_distinguished() {
        let PreviewContent::Text(lines, more) = content_of("가\tx\n\x1b[31mred".as_bytes(), true)
        else {
            panic!("not a text");
        };
        assert_eq!(lines, [Clean::new("가    x"), Clean::new("red")]);
        assert!(!more);
        let cut = &"가나".as_bytes()[..4];
        assert!(matches!(
            content_of(cut, false),
            PreviewContent::Text(_, true)
        ));
        assert!(matches!(content_of(cut, true), PreviewContent::Binary(_)));
        assert!(matches!(
            content_of(b"ELF\0x", true),
            PreviewContent::Binary(_)
        ));
        assert_eq!(content_of(b"", true), PreviewContent::Empty);
    }
}
