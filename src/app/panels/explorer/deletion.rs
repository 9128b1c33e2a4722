//! The question whether to delete entries: what they contain.

use crate::{
    app::{
        effect::Effect,
        msg::StreamEvent,
        panels::DialogButton,
        step::{Ids, Step},
    },
    model::{
        files::{FilePath, FilePlace, FileProgress, FileWork},
        text::Clean,
    },
    protocol::message::{StreamEnd, StreamId, StreamOpen},
};

/// The longest line of progress that is read.
const LONGEST: usize = 4096;

#[derive(Clone, Debug)]
pub struct DeleteQuestion {
    pub paths: Vec<FilePath>,
    pub names: Vec<Clean>,
    pub button: DialogButton,
    /// What was counted so far.
    pub measured: FileProgress,
    pub measuring: Measuring,
    line: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measuring {
    /// It begins with the next frame.
    Due,
    Runs(StreamId),
    Done,
    Failed(Clean),
}

impl DeleteQuestion {
    #[must_use]
    pub fn new(paths: Vec<FilePath>, names: Vec<Clean>) -> Self {
        Self {
            paths,
            names,
            button: DialogButton::No,
            measured: FileProgress::default(),
            measuring: Measuring::Due,
            line: Vec::new(),
        }
    }

    pub fn owns(&self, stream: StreamId) -> bool {
        self.measuring == Measuring::Runs(stream)
    }

    /// Counts what the entries contain.
    pub fn measure(&mut self, place: &FilePlace, ids: &mut Ids) -> Option<Step> {
        if self.measuring != Measuring::Due {
            return None;
        }
        let stream = ids.stream();
        self.measuring = Measuring::Runs(stream);
        Some(Step::Do(Effect::Open {
            stream,
            open: StreamOpen::FileWork {
                place: place.clone(),
                work: FileWork::Measure {
                    paths: self.paths.clone(),
                },
            },
        }))
    }

    pub fn stream(&mut self, event: &StreamEvent) {
        match event {
            StreamEvent::Opened => {}
            StreamEvent::Data { bytes, .. } => {
                for byte in bytes {
                    self.read(*byte);
                }
            }
            StreamEvent::Ended(StreamEnd::Exited { .. }) => self.measuring = Measuring::Done,
            StreamEvent::Ended(StreamEnd::Failed { failure }) => {
                self.measuring = Measuring::Failed(failure.message());
            }
            StreamEvent::Ended(StreamEnd::Lost { why }) => {
                self.measuring = Measuring::Failed(why.clone());
            }
        }
    }

    fn read(&mut self, byte: u8) {
        if byte != b'\n' {
            if self.line.len() < LONGEST {
                self.line.push(byte);
            }
            return;
        }
        if let Ok(progress) = serde_json::from_slice(&self.line) {
            self.measured = progress;
        }
        self.line.clear();
    }

    /// Stops counting.
    pub fn close(&mut self) -> Option<Step> {
        let Measuring::Runs(stream) = self.measuring else {
            return None;
        };
        self.measuring = Measuring::Done;
        Some(Step::Do(Effect::Close { stream }))
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::model::{id::ContextName, log::LogSource};

    #[test]
    fn the_count_arrives_in_lines() {
        let paths = vec![FilePath::root().join("data".as_ref()).unwrap()];
        let mut question = DeleteQuestion::new(paths, vec![Clean::new("data")]);
        let place = FilePlace::Folder {
            context: ContextName::local(),
            folder: "data".to_owned(),
        };
        let mut ids = Ids::default();
        assert!(question.measure(&place, &mut ids).is_some());
        assert!(question.measure(&place, &mut ids).is_none());
        let mut send = |bytes: &'static [u8]| {
            question.stream(&StreamEvent::Data {
                source: LogSource::Stdout,
                bytes: Bytes::from_static(bytes),
            });
            question.measured
        };
        assert_eq!(send(b"{\"files\":1,\"by").files, 0);
        assert_eq!(send(b"tes\":10}\n{\"files\":2,").files, 1);
        assert_eq!(send(b"\"bytes\":30}\nnonsense\n").bytes, 30);
        let end = StreamEnd::Exited { exit_code: Some(0) };
        question.stream(&StreamEvent::Ended(end));
        assert_eq!(question.measuring, Measuring::Done);
        assert!(question.close().is_none());
    }
}
