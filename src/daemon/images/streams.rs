//! Streams that carry an image between an engine and a client, or report a push.

use futures_util::{StreamExt as _, stream::BoxStream};
use tokio::sync::mpsc;

use crate::{
    daemon::connection::inbound::Inbound,
    engine::api::{Engine, Input, LogChunk},
    model::{failure::Failure, id::ContextName, log::LogSource, own_image::ImageProgress},
};

type Pieces = BoxStream<'static, Result<LogChunk, Failure>>;

/// The pieces of an archive that wait for the engine.
const WAITING: usize = 4;

/// The bytes of an archive.
pub(in crate::daemon) async fn export(
    engine: &dyn Engine,
    reference: &str,
) -> Result<Pieces, Failure> {
    let pieces = engine.export_image(reference).await?;
    let pieces = pieces.map(|piece| {
        piece.map(|bytes| LogChunk {
            source: LogSource::Stdout,
            bytes,
        })
    });
    Ok(pieces.boxed())
}

/// Where to send an archive, and the progress of the engine.
pub(in crate::daemon) async fn import(
    engine: &dyn Engine,
    context: ContextName,
    inbound: mpsc::Sender<Inbound>,
) -> Result<(Pieces, mpsc::Sender<Input>), Failure> {
    let (input, archive) = mpsc::channel(WAITING);
    let steps = engine.import_image(archive).await?;
    let steps = steps.then(move |step| {
        let inbound = inbound.clone();
        async move {
            if step.as_ref().is_ok_and(|it| !it.images.is_empty()) {
                // If the loop has ended, the daemon is ending.
                let _ = inbound.send(Inbound::ImagesChanged { context }).await;
            }
            step
        }
    });
    Ok((lines(steps.boxed()), input))
}

/// The progress of a push.
pub(in crate::daemon) async fn push(
    engine: &dyn Engine,
    reference: &str,
    target: &str,
) -> Result<Pieces, Failure> {
    Ok(lines(engine.push_image(reference, target).await?))
}

fn lines(steps: BoxStream<'static, Result<ImageProgress, Failure>>) -> Pieces {
    let lines = steps.map(|step| {
        let mut line = serde_json::to_vec(&step?).map_err(|error| {
            Failure::internal(tr_sent!("a report can't be sent: {error}", error))
        })?;
        line.push(b'\n');
        Ok(LogChunk {
            source: LogSource::Stdout,
            bytes: line.into(),
        })
    });
    lines.boxed()
}
