//! The stream that copies files of a session into a folder and reports the progress.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::{
    StreamExt as _,
    future::BoxFuture,
    stream::{BoxStream, unfold},
};
use tokio::{sync::watch, time::sleep};

use crate::{
    daemon::fault::{self, Moment},
    engine::api::Engine,
    model::{
        failure::Failure,
        files::FileProgress,
        id::SessionId,
        loss::{Rescue, RescueReport, Rescued},
    },
};

/// The time between two reports of progress.
const PACE: Duration = Duration::from_millis(200);

/// A copy that is under way. Dropping it cancels the copy, and nothing stays in the folder.
struct Running {
    work: BoxFuture<'static, Result<Rescued, Failure>>,
    progress: watch::Receiver<FileProgress>,
    is_first: bool,
}

/// Lines of JSON. An error is the last item.
pub(super) fn reports(
    engine: Arc<dyn Engine>,
    session: SessionId,
    rescue: Rescue,
) -> BoxStream<'static, Result<Bytes, Failure>> {
    let (seen, progress) = watch::channel(FileProgress::default());
    let work = Box::pin(async move {
        fault::at(Moment::Before, "rescue");
        let rescued = engine.rescue(session, &rescue, seen).await?;
        fault::at(Moment::After, "rescue");
        Ok(rescued)
    });
    let running = Running {
        work,
        progress,
        is_first: true,
    };
    unfold(Some(running), async |running| {
        let mut running = running?;
        match running.next().await {
            Ok(report @ RescueReport::Progress { .. }) => Some((line(&report), Some(running))),
            Ok(report) => Some((line(&report), None)),
            Err(failure) => Some((Err(failure), None)),
        }
    })
    .boxed()
}

impl Running {
    async fn next(&mut self) -> Result<RescueReport, Failure> {
        let (progress, is_first) = (&mut self.progress, self.is_first);
        let due = async {
            if progress.changed().await.is_err() {
                // The work has ended, which its result reports.
                return std::future::pending().await;
            }
            if !is_first {
                sleep(PACE).await;
            }
            *progress.borrow_and_update()
        };
        tokio::select! {
            biased;
            rescued = &mut self.work => Ok(RescueReport::Done { rescued: rescued? }),
            progress = due => {
                self.is_first = false;
                fault::at(Moment::Before, "rescue-end");
                Ok(RescueReport::Progress { progress })
            }
        }
    }
}

fn line(report: &RescueReport) -> Result<Bytes, Failure> {
    let mut line = serde_json::to_vec(report)
        .map_err(|error| Failure::internal(tr_sent!("a report can't be sent: {error}", error)))?;
    line.push(b'\n');
    Ok(line.into())
}
