//! Follows a session's log.

use bollard::{container::LogOutput, query_parameters::LogsOptionsBuilder};
use futures_util::{StreamExt as _, stream, stream::BoxStream};

use super::{
    join::{Records, joined},
    saved,
};
use crate::{
    engine::{
        api::{LogChunk, Result},
        docker::{DockerEngine, blocking::off_loop, home::directories::Scratches},
    },
    model::{
        failure::Failure,
        id::SessionId,
        log::{LogOptions, LogSource, split_time},
    },
};

type Chunks = BoxStream<'static, Result<LogChunk>>;

/// The log of one of the session's containers, or its saved log when the container is gone.
pub(in crate::engine::docker) async fn open(
    engine: &DockerEngine,
    session: SessionId,
    options: LogOptions,
) -> Result<Chunks> {
    let connection = match engine.connection().await {
        Ok(connection) => connection,
        // A saved log is on this machine, even if the engine doesn't respond.
        Err(lost) => {
            let saved = saved(&engine.scratches, session, options).await;
            return saved.map_err(|_| lost);
        }
    };
    let known = match engine
        .container_of(&connection, session, options.kernel)
        .await
    {
        Ok(id) => engine_log(&connection, &id, options).await,
        Err(error) => Err(error),
    };
    match known {
        Err(error) if error.is_not_found() => {
            engine.forget_container(session);
            saved(&engine.scratches, session, options).await
        }
        Ok(chunks) => Ok(or_saved(engine.scratches.clone(), session, options, chunks)),
        other => other,
    }
}

/// A container that is being removed returns no log anymore, but by then its log is saved.
fn or_saved(
    scratches: Scratches,
    session: SessionId,
    options: LogOptions,
    mut chunks: Chunks,
) -> Chunks {
    let begun = async move {
        match chunks.next().await {
            Some(Err(error)) if !error.is_lost() => {
                let saved = saved(&scratches, session, options).await;
                saved.unwrap_or_else(|_| stream::iter([Err(error)]).boxed())
            }
            first => stream::iter(first).chain(chunks).boxed(),
        }
    };
    stream::once(begun).flatten().boxed()
}

/// Waits for the first piece to detect a missing container, except where the log may be empty and is
/// followed.
async fn engine_log(
    connection: &std::sync::Arc<crate::engine::docker::connect::connection::EngineConnection>,
    id: &str,
    options: LogOptions,
) -> Result<Chunks> {
    let there = connection.docker.inspect_container(
        id,
        None::<bollard::query_parameters::InspectContainerOptions>,
    );
    there.await.map_err(|error| connection.fault(error))?;
    let tail = options
        .tail
        .map_or_else(|| "all".to_owned(), |lines| lines.to_string());
    // Without its time, an empty record isn't sent: the one that ends a line of exactly 16 KiB.
    let timed =
        options.timestamps || options.before.is_some() || connection.quirks.loses_line_ends();
    let asked = LogsOptionsBuilder::default()
        .stdout(true)
        .stderr(true)
        .follow(options.follow)
        .tail(&tail)
        .timestamps(timed)
        .build();
    let chunks = connection.docker.logs(id, Some(asked));
    let mut records = Records::new(connection.quirks.loses_line_ends());
    let connection = std::sync::Arc::clone(connection);
    let chunks = chunks.map(move |piece| piece.map(chunk).map_err(|error| connection.fault(error)));
    let wanted = move |piece: &Result<LogChunk>| {
        let time = piece.as_ref().ok().and_then(|it| split_time(&it.bytes));
        let is_over = options.before.is_some() && options.before == time.map(|(at, _)| at);
        std::future::ready(!is_over)
    };
    let mut wash = move |LogChunk { source, bytes }| {
        let bytes = match options.timestamps {
            true => records.with_time(source, bytes),
            false if timed => records.without_time(source, bytes),
            false => records.whole(source, bytes),
        };
        LogChunk { source, bytes }
    };
    let chunks = chunks
        .take_while(wanted)
        .map(move |piece| piece.map(&mut wash));
    Ok(joined(chunks.boxed()))
}

fn chunk(output: LogOutput) -> LogChunk {
    let source = match output {
        LogOutput::StdErr { .. } => LogSource::Stderr,
        _ => LogSource::Stdout,
    };
    LogChunk {
        source,
        bytes: output.into_bytes(),
    }
}

async fn saved(scratches: &Scratches, session: SessionId, options: LogOptions) -> Result<Chunks> {
    let main = scratches.log(session);
    let of_kernel = options
        .kernel
        .map(|kernel| scratches.log_of(session, kernel));
    let path = off_loop(move || {
        Ok(match of_kernel {
            // Earlier versions saved only one log, under one name.
            Some(path) if path.exists() || saved::has_other_names(&main) => path,
            _ => main,
        })
    });
    let pieces = saved::read(path.await?, options).await?;
    let pieces = pieces.ok_or_else(|| Failure::session_not_found(session))?;
    let chunk = |bytes| LogChunk {
        source: LogSource::Stdout,
        bytes,
    };
    Ok(pieces.map(move |piece| piece.map(chunk)).boxed())
}
