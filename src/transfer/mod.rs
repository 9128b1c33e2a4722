//! Transfers between this machine and the daemon, as the command line and the TUI share them.

pub mod many;

use crate::{model::failure::Failure, protocol::message::StreamEnd};

pub type Result<T> = std::result::Result<T, Failure>;

/// Runs work on files off the async runtime.
///
/// # Errors
///
/// The work failed or panicked.
pub async fn blocking<T, E>(
    work: impl FnOnce() -> std::result::Result<T, E> + Send + 'static,
) -> std::result::Result<T, E>
where
    T: Send + 'static,
    E: From<Failure> + Send + 'static,
{
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| {
        let text = tr!("work on files broke: {error}", error);
        Err(Failure::internal(text)
            .hint(tr!("report this error"))
            .into())
    })
}

/// The result of a stream of a transfer.
///
/// # Errors
///
/// The stream didn't end with everything transferred.
pub fn ended(end: StreamEnd) -> Result<()> {
    match end {
        StreamEnd::Exited { exit_code: Some(0) } => Ok(()),
        StreamEnd::Failed { failure } => Err(failure),
        StreamEnd::Lost { why } => Err(Failure::lost(why)),
        StreamEnd::Exited { .. } => Err(unexpected()),
    }
}

pub fn broken() -> Failure {
    Failure::lost(tr!("the connection to the daemon broke"))
        .hint(tr!("continue the transfer with `--resume`"))
}

pub fn unexpected() -> Failure {
    Failure::internal(tr!("the daemon sent an unexpected answer about files"))
        .hint(tr!("run `workbay daemon stop`, then try again"))
}
