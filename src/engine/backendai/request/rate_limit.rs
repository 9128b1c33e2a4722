//! Slows down requests before the manager's request limit is reached.
//!
//! Every answer reports how many requests are left in the window. While few are left, each request
//! waits a little, so that they last. After a refusal, nothing is sent until the time that the
//! manager named.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use reqwest::header::HeaderMap;
use tokio::time::{Instant, sleep, sleep_until};

use super::manager_error::declined;
use crate::engine::api::Result;

/// Requests are slowed down below this percentage of the limit.
const LOW_PERCENT: u64 = 5;
/// The longest time that a request waits because of the limit.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest pause between requests while few are left.
const SPREAD: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
pub(in crate::engine::backendai) struct RateLimit {
    state: Mutex<RateState>,
}

#[derive(Debug, Default)]
struct RateState {
    /// The pause before each request while few are left.
    pause: Duration,
    /// The manager refuses requests until then.
    blocked: Option<Instant>,
}

impl RateLimit {
    /// Waits as long as the limit requires. Returns an error if that takes too long.
    pub(in crate::engine::backendai) async fn wait(&self) -> Result<()> {
        let (pause, blocked) = {
            let state = self.lock();
            (state.pause, state.blocked)
        };
        if let Some(until) = blocked {
            let left = until.saturating_duration_since(Instant::now());
            if left > PATIENCE {
                return Err(too_many(left));
            }
            sleep_until(until).await;
            self.lock().blocked = None;
        }
        if !pause.is_zero() {
            sleep(pause).await;
        }
        Ok(())
    }

    /// Reads the limit's state from an answer.
    pub(in crate::engine::backendai) fn note(&self, headers: &HeaderMap) {
        let (Some(limit), Some(remaining)) = (
            number(headers, "x-ratelimit-limit"),
            number(headers, "x-ratelimit-remaining"),
        ) else {
            return;
        };
        let low = remaining * 100 < limit * LOW_PERCENT;
        let window = number(headers, "x-ratelimit-reset")
            .or_else(|| number(headers, "x-ratelimit-window"))
            .unwrap_or(0);
        self.lock().pause = if low {
            Duration::from_millis(window * 1000 / remaining.max(1)).min(SPREAD)
        } else {
            Duration::ZERO
        };
    }

    /// After a refusal (429): how long to wait before the next attempt, or the final error. `tries`
    /// counts the earlier refusals of this request.
    pub(in crate::engine::backendai) fn refused(
        &self,
        headers: &HeaderMap,
        tries: u32,
    ) -> Result<Duration> {
        let reported =
            number(headers, "retry-after").or_else(|| number(headers, "x-ratelimit-reset"));
        let wait = Duration::from_secs(reported.unwrap_or(u64::from(tries) + 1));
        if wait <= PATIENCE && tries < 2 {
            return Ok(wait);
        }
        self.lock().blocked = Some(Instant::now() + wait);
        Err(too_many(wait))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, RateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn too_many(left: Duration) -> crate::model::failure::Failure {
    declined(tr_sent!(
        "too many requests: the manager's limit allows the next one in {seconds}s",
        seconds = left.as_secs().max(1)
    ))
}

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| {
                (
                    reqwest::header::HeaderName::from_static(name),
                    reqwest::header::HeaderValue::from_static(value),
                )
            })
            .collect()
    }

    #[tokio::test(start_paused = true)]
    async fn while_few_are_left_requests_are_spread() {
        let pace = RateLimit::default();
        pace.note(&headers(&[
            ("x-ratelimit-limit", "1000"),
            ("x-ratelimit-remaining", "49"),
            ("x-ratelimit-reset", "49"),
        ]));
        let before = Instant::now();
        pace.wait().await.unwrap();
        assert_eq!(before.elapsed(), Duration::from_secs(1));
        pace.note(&headers(&[
            ("x-ratelimit-limit", "1000"),
            ("x-ratelimit-remaining", "51"),
            ("x-ratelimit-reset", "49"),
        ]));
        let before = Instant::now();
        pace.wait().await.unwrap();
        assert_eq!(before.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_is_waited_for_when_short_and_reported_when_long() {
        let pace = RateLimit::default();
        let short = headers(&[("retry-after", "2")]);
        assert_eq!(pace.refused(&short, 0).unwrap(), Duration::from_secs(2));
        assert!(pace.refused(&short, 2).is_err());
        let long = headers(&[("x-ratelimit-reset", "300")]);
        let pace = RateLimit::default();
        let error = pace.refused(&long, 0).unwrap_err().to_string();
        assert_eq!(
            error,
            "too many requests: the manager's limit allows the next one in 300s"
        );
        // Nothing is sent until then.
        assert!(pace.wait().await.is_err());
        tokio::time::advance(Duration::from_secs(296)).await;
        pace.wait().await.unwrap();
    }
}
