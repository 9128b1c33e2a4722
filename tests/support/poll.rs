//! Waiting for what nothing reports: it is checked again and again, for a limited time.

use std::time::{Duration, Instant};

/// Checks until there is something, with a `pause` between two checks. `None` if nothing came within `patience`.
pub async fn until<T>(
    pause: Duration,
    patience: Duration,
    mut check: impl AsyncFnMut() -> Option<T>,
) -> Option<T> {
    let waiting = async {
        loop {
            if let Some(found) = check().await {
                return found;
            }
            tokio::time::sleep(pause).await;
        }
    };
    tokio::time::timeout(patience, waiting).await.ok()
}

/// The same in a thread that may block.
#[expect(clippy::disallowed_methods, reason = "the deadline of a test")]
pub fn blocking<T>(
    pause: Duration,
    patience: Duration,
    mut check: impl FnMut() -> Option<T>,
) -> Option<T> {
    let deadline = Instant::now() + patience;
    loop {
        let found = check();
        if found.is_some() || Instant::now() >= deadline {
            return found;
        }
        std::thread::sleep(pause);
    }
}
