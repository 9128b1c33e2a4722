//! Requests that are answered at once.

use std::time::Duration;

use tokio::{sync::mpsc, time::timeout};

use super::place;
use crate::{
    daemon::{
        apps::{AppEvent, Asker},
        connection::inbound::{ConnectionId, Inbound},
        main_loop::core::Core,
    },
    model::{
        failure::Failure,
        files::{FileAnswer, FilePlace, FileRequest},
    },
    protocol::message::{Reply, RequestId},
};

/// A directory with a million entries on a slow disk takes some time.
const ANSWER: Duration = Duration::from_secs(90);

impl Core {
    /// Asks the engine in a task.
    pub(in crate::daemon) fn files_asked(
        &self,
        connection: ConnectionId,
        id: RequestId,
        place: FilePlace,
        request: FileRequest,
    ) {
        let asker = Asker { connection, id };
        let inbound = self.apps.inbound.clone();
        tokio::spawn(Box::pin(async move {
            let answered = timeout(ANSWER, answer(&inbound, &place, &request));
            let result = answered.await.unwrap_or_else(|_| {
                let text = tr_sent!(
                    "the files weren't read within {seconds} seconds",
                    seconds = ANSWER.as_secs()
                );
                Err(Failure::lost(text).hint(tr_sent!("check the disk, then try again")))
            });
            let event = AppEvent::Answered { asker, result };
            // If the loop has ended, the daemon is ending.
            let _ = inbound.send(Inbound::App(event)).await;
        }));
    }
}

async fn answer(
    inbound: &mpsc::Sender<Inbound>,
    place: &FilePlace,
    request: &FileRequest,
) -> Result<Reply, Failure> {
    let found = place::find(inbound, place, request.is_change()).await?;
    Ok(
        match found.engine.file_request(&found.root, request).await? {
            FileAnswer::Done => Reply::Done,
            FileAnswer::Entry { entry } => Reply::File { entry },
            FileAnswer::Listing { mut listing } => {
                listing.read_only = found.read_only.or(listing.read_only);
                Reply::Files { listing }
            }
        },
    )
}
