//! Reports the progress of a pull a few times per second, and detects a pull that stopped.

use std::time::Duration;

use bollard::{errors::Error, models::CreateImageInfo};
use futures_util::{StreamExt as _, stream::BoxStream};
use tokio::time::{Instant, sleep_until};

use super::totals::PullTotals;
use crate::{engine::docker::connect::quirks::ContainerProgram, model::pull::PullFigures};

/// Minimum time between two reports: the engine reports every few kilobytes.
const PACE: Duration = Duration::from_millis(250);

/// The engine's reports about a pull.
pub(super) type PullReports = BoxStream<'static, Result<CreateImageInfo, Error>>;

/// A change of a pull.
pub(super) enum PullChange {
    /// The pull made progress.
    Moved(PullFigures),
    /// The engine's stream ended.
    Ended(PullFigures),
    Failed(Error),
    /// The registry still has data to send, but nothing arrived within the time limit.
    Silent,
}

pub(super) struct PullProgress {
    words: PullReports,
    tally: PullTotals,
    reported: PullFigures,
    due: Instant,
    patience: Duration,
    received: Instant,
}

impl PullProgress {
    pub(super) fn new(words: PullReports, kind: ContainerProgram, patience: Duration) -> Self {
        let now = Instant::now();
        Self {
            words,
            tally: PullTotals::new(kind),
            reported: PullFigures::default(),
            due: now,
            patience,
            received: now,
        }
    }

    pub(super) async fn next(&mut self) -> PullChange {
        loop {
            let figures = self.tally.figures();
            let moved = figures != self.reported;
            tokio::select! {
                biased;
                () = sleep_until(self.due), if moved => {
                    self.due = Instant::now() + PACE;
                    self.reported = figures;
                    return PullChange::Moved(figures);
                }
                said = self.words.next() => match said {
                    Some(Ok(said)) => {
                        if self.tally.update(&said) {
                            self.received = Instant::now();
                        }
                    }
                    Some(Err(error)) => return PullChange::Failed(error),
                    None => return PullChange::Ended(self.tally.whole()),
                },
                () = sleep_until(self.received + self.patience), if self.tally.waits_for_registry() => {
                    return PullChange::Silent;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use bollard::models::ProgressDetail;
    use futures_util::stream;
    use tokio::time::{sleep, timeout};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(90);

    fn said(status: &str, current: i64) -> CreateImageInfo {
        CreateImageInfo {
            id: Some("aa".to_owned()),
            status: Some(status.to_owned()),
            progress_detail: Some(ProgressDetail {
                current: Some(current),
                total: Some(1000),
            }),
            ..CreateImageInfo::default()
        }
    }

    /// One report per minute, then none.
    fn slow(words: Vec<CreateImageInfo>) -> PullProgress {
        let words = stream::iter(words).then(async |word| {
            sleep(Duration::from_secs(60)).await;
            Ok(word)
        });
        let words = words.chain(stream::pending()).boxed();
        PullProgress::new(words, ContainerProgram::Docker, PATIENCE)
    }

    #[tokio::test(start_paused = true)]
    async fn a_registry_that_never_says_a_word_is_given_up() {
        assert!(matches!(slow(Vec::new()).next().await, PullChange::Silent));
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_one_has_all_the_time_it_needs() {
        let mut progress = slow((1..=10).map(|n| said("Downloading", n)).collect());
        for _ in 1..=10 {
            assert!(matches!(progress.next().await, PullChange::Moved(_)));
        }
        assert!(matches!(progress.next().await, PullChange::Silent));
    }

    #[tokio::test(start_paused = true)]
    async fn an_engine_that_repeats_itself_is_no_sign_of_life() {
        let mut progress = slow(vec![said("Downloading", 7); 10]);
        assert!(matches!(progress.next().await, PullChange::Moved(_)));
        let began = Instant::now();
        assert!(matches!(progress.next().await, PullChange::Silent));
        assert_eq!(began.elapsed(), PATIENCE);
    }

    #[tokio::test(start_paused = true)]
    async fn the_engines_own_work_may_take_longer() {
        let mut progress = slow(vec![said("Downloading", 7), said("Extracting", 1)]);
        assert!(matches!(progress.next().await, PullChange::Moved(_)));
        // The reported size is the final one.
        while let Ok(change) = timeout(PATIENCE * 100, progress.next()).await {
            assert!(matches!(change, PullChange::Moved(_)));
        }
    }
}
