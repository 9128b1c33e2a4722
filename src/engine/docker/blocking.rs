//! Runs blocking file work off the async runtime.

use crate::{engine::api::Result, model::failure::Failure};

/// Runs blocking work on another thread.
pub(super) async fn off_loop<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Failure::internal(tr_sent!("work on files broke: {error}", error)))?
}
