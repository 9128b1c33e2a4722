//! The progress of a transfer, which a stream reports as lines of JSON.

use crate::{
    cli::{
        fail::Fail,
        output,
        progress::Progress,
        reports::{JsonLines, closed, failed},
    },
    client::{Stream, StreamItem, language},
    model::{own_image::ImageProgress, resources::Bytes, text::Clean},
    protocol::message::StreamEnd,
};

pub(super) struct Reporter {
    json: bool,
    progress: Progress,
    lines: JsonLines,
    images: Vec<Clean>,
}

impl Reporter {
    pub(super) fn new(json: bool) -> Self {
        Self {
            json,
            progress: Progress::new(),
            lines: JsonLines::default(),
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
        let steps: Vec<ImageProgress> = self.lines.read(bytes)?;
        steps.into_iter().try_for_each(|mut step| {
            step.what = language::of(step.what);
            self.report(step)
        })
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

/// A size in words.
pub(super) fn size(bytes: u64) -> String {
    Bytes(bytes).to_string()
}
