//! Waiting for what nothing reports: it is checked again and again, for a limited time.

use std::time::Duration;

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
