//! The progress of a transfer, which a stream reports as lines of JSON.

use crate::{
    cli::{
        fail::{Fail, code},
        output,
        progress::Progress,
    },
    client::{Stream, StreamItem},
    model::{own_image::ImageProgress, resources::Bytes, text::Clean},
    protocol::message::StreamEnd,
};

/// The longest unfinished line that is kept.
const LONGEST: usize = 1 << 20;

pub(super) struct Reporter {
    json: bool,
    progress: Progress,
    line: Vec<u8>,
    images: Vec<Clean>,
}

impl Reporter {
    pub(super) fn new(json: bool) -> Self {
        Self {
            json,
            progress: Progress::new(),
            line: Vec::new(),
            images: Vec::new(),
        }
    }

    /// Follows the stream to its end, and returns the images that are complete.
    pub(super) async fn follow(&mut self, stream: &mut Stream) -> Result<Vec<Clean>, Fail> {
        while let Some(item) = stream.recv().await {
            match item {
                StreamItem::Opened => {}
                StreamItem::Data { bytes, .. } => self.take(&bytes)?,
                StreamItem::Ended(end) => return self.end(end),
            }
        }
        Err(closed())
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), Fail> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if self.line.len() > LONGEST {
                return Err(lost("the daemon sent a report that is too long"));
            }
            if self.line.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                let step: ImageProgress = serde_json::from_slice(&line)
                    .map_err(|_| lost("the daemon sent a report of an unknown form"))?;
                self.report(step)?;
            }
        }
        Ok(())
    }

    fn report(&mut self, step: ImageProgress) -> Result<(), Fail> {
        if self.json {
            output::json_line(&step)?;
        } else {
            self.progress
                .image(step.what.as_str(), step.done, step.total);
        }
        self.images.extend(step.images);
        Ok(())
    }

    fn end(&mut self, end: StreamEnd) -> Result<Vec<Clean>, Fail> {
        self.progress.clear();
        failed(end)?;
        Ok(std::mem::take(&mut self.images))
    }
}

/// The failure of a stream, if it failed.
pub(super) fn failed(end: StreamEnd) -> Result<(), Fail> {
    match end {
        StreamEnd::Exited { .. } => Ok(()),
        StreamEnd::Failed { failure } => Err(failure.into()),
        StreamEnd::Lost { why } => Err(Fail::new(code::UNREACHABLE, why)),
    }
}

/// The daemon ended without a word.
pub(super) fn closed() -> Fail {
    lost("the daemon closed the stream")
}

fn lost(why: &str) -> Fail {
    let fail = Fail::new(code::UNREACHABLE, why.to_owned());
    fail.hint("try again. `workbay daemon status` shows whether the daemon runs")
}

/// Ends the work when the user or the system ends the command.
pub(super) async fn unless_interrupted<T>(
    work: impl Future<Output = Result<T, Fail>>,
    left: &str,
) -> Result<T, Fail> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut ended = signal(SignalKind::terminate())?;
    tokio::select! {
        result = work => result,
        _ = tokio::signal::ctrl_c() => Err(cancelled(left)),
        _ = ended.recv() => Err(cancelled(left)),
    }
}

fn cancelled(left: &str) -> Fail {
    Fail::new(code::INTERRUPTED, format!("cancelled: {left}"))
}

/// A size in words.
pub(super) fn size(bytes: u64) -> String {
    Bytes(bytes).to_string()
}
