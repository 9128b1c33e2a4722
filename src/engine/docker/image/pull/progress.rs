//! What an engine tells of a pull, at the pace of eyes, and whether it goes on at all.

use std::time::Duration;

use bollard::{errors::Error, models::CreateImageInfo};
use futures_util::{StreamExt as _, stream::BoxStream};
use tokio::time::{Instant, sleep_until};

use super::totals::Tally;
use crate::{engine::docker::connect::quirks::Kind, model::pull::PullFigures};

/// The engine tells of every few kilobytes; so often is often enough for eyes.
const PACE: Duration = Duration::from_millis(250);

/// What an engine says of a pull.
pub(super) type Words = BoxStream<'static, Result<CreateImageInfo, Error>>;

/// The news of a pull.
pub(super) enum News {
    /// It went on.
    Moved(PullFigures),
    /// The engine has said all.
    Ended(PullFigures),
    Failed(Error),
    /// The registry has something to send, and nothing came for as long as is waited.
    Silent,
}

pub(super) struct Progress {
    words: Words,
    tally: Tally,
    told: PullFigures,
    due: Instant,
    patience: Duration,
    heard: Instant,
}

impl Progress {
    pub(super) fn new(words: Words, kind: Kind, patience: Duration) -> Self {
        let now = Instant::now();
        Self {
            words,
            tally: Tally::new(kind),
            told: PullFigures::default(),
            due: now,
            patience,
            heard: now,
        }
    }

    pub(super) async fn next(&mut self) -> News {
        loop {
            let figures = self.tally.figures();
            let moved = figures != self.told;
            tokio::select! {
                biased;
                () = sleep_until(self.due), if moved => {
                    self.due = Instant::now() + PACE;
                    self.told = figures;
                    return News::Moved(figures);
                }
                said = self.words.next() => match said {
                    Some(Ok(said)) => {
                        if self.tally.hear(&said) {
                            self.heard = Instant::now();
                        }
                    }
                    Some(Err(error)) => return News::Failed(error),
                    None => return News::Ended(self.tally.whole()),
                },
                () = sleep_until(self.heard + self.patience), if self.tally.waits_for_registry() => {
                    return News::Silent;
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

    /// Words with a minute between, then none for ever.
    fn slow(words: Vec<CreateImageInfo>) -> Progress {
        let words = stream::iter(words).then(async |word| {
            sleep(Duration::from_secs(60)).await;
            Ok(word)
        });
        let words = words.chain(stream::pending()).boxed();
        Progress::new(words, Kind::Docker, PATIENCE)
    }

    #[tokio::test(start_paused = true)]
    async fn a_registry_that_never_says_a_word_is_given_up() {
        assert!(matches!(slow(Vec::new()).next().await, News::Silent));
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_one_has_all_the_time_it_needs() {
        let mut progress = slow((1..=10).map(|n| said("Downloading", n)).collect());
        for _ in 1..=10 {
            assert!(matches!(progress.next().await, News::Moved(_)));
        }
        assert!(matches!(progress.next().await, News::Silent));
    }

    #[tokio::test(start_paused = true)]
    async fn an_engine_that_repeats_itself_is_no_sign_of_life() {
        let mut progress = slow(vec![said("Downloading", 7); 10]);
        assert!(matches!(progress.next().await, News::Moved(_)));
        let began = Instant::now();
        assert!(matches!(progress.next().await, News::Silent));
        assert_eq!(began.elapsed(), PATIENCE);
    }

    #[tokio::test(start_paused = true)]
    async fn the_engines_own_work_may_take_longer() {
        let mut progress = slow(vec![said("Downloading", 7), said("Extracting", 1)]);
        assert!(matches!(progress.next().await, News::Moved(_)));
        // What is told of it is the size that turned out.
        while let Ok(news) = timeout(PATIENCE * 100, progress.next()).await {
            assert!(matches!(news, News::Moved(_)));
        }
    }
}
