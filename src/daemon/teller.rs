//! Sends events of an engine to the controller or observer of its context.

use tokio::sync::mpsc;

use super::heart::News;

/// The index of a context in the order of the configuration.
pub(super) type Number = usize;

/// Sends events with the number of its context.
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
        // The receiver is closed only when the daemon ends.
        let _ = self.news.send((self.number, news)).await;
    }
}
