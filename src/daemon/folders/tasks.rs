//! What takes time: asking an engine about folders.

use std::{sync::Arc, time::Duration};

use tokio::time::timeout;

use crate::{
    daemon::fault::{self, Moment},
    engine::api::Engine,
    model::{
        failure::{Failure, FailureKind},
        folder::{FolderAnswer, FolderRequest},
    },
};

/// How long a request may take. A list may wait for sizes.
const REQUEST: Duration = Duration::from_secs(120);

/// Sends a request to the engine. A copy takes as long as it takes: its client can cancel it.
pub(super) async fn carry_out(
    engine: &Arc<dyn Engine>,
    request: &FolderRequest,
) -> Result<FolderAnswer, Failure> {
    fault::at(Moment::Before, request.name());
    let asked = engine.folder(request);
    let result = if matches!(request, FolderRequest::Clone { .. }) {
        asked.await
    } else {
        match timeout(REQUEST, asked).await {
            Ok(result) => result,
            Err(_) => {
                let what = tr_sent!(
                    "the engine didn't answer within {seconds}s",
                    seconds = REQUEST.as_secs()
                );
                Err(Failure::new(FailureKind::Failed, what).hint(tr_sent!("try again later")))
            }
        }
    };
    fault::at(Moment::After, request.name());
    result
}
