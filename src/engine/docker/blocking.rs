//! Work on files beside the loop, which it would hold up.

use crate::engine::{api::Result, error::EngineError};

/// File work beside the loop.
pub(super) async fn off_loop<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| EngineError::Host(format!("work on files broke: {error}")))?
}
