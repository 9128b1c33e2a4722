//! How hands tell their own context's heart.

use tokio::sync::mpsc;

use super::heart::News;

/// Counts contexts in the order of the configuration.
pub(super) type Number = usize;

/// Bears the number of its context.
#[derive(Clone)]
pub(super) struct Teller {
    pub number: Number,
    news: mpsc::Sender<(Number, News)>,
}

impl Teller {
    pub fn new(number: Number, news: mpsc::Sender<(Number, News)>) -> Self {
        Self { number, news }
    }

    pub async fn tell(&self, news: News) {
        // The loop is gone only when the daemon ends.
        let _ = self.news.send((self.number, news)).await;
    }
}
