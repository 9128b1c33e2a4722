//! Notices when the daemon has stopped responding.
//!
//! The check runs only while the client expects something: an answer, or the figures of watched sessions.
//! After a few quiet seconds the client asks for the daemon's status. Without any message in return, the
//! daemon counts as not responding until it sends something again. No timer runs while nothing is expected.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{Notify, mpsc, watch},
    time::{Instant, sleep_until, timeout},
};

use crate::protocol::{
    frame::Frame,
    message::{FromClient, Request, RequestId},
};

/// How long the client waits before it checks whether the daemon responds.
const QUIET: Duration = Duration::from_secs(3);
/// The longest pause between two checks while the same answer is expected.
const LONGEST_QUIET: Duration = Duration::from_secs(30);
/// The time limit for an answer to a check.
const ANSWER: Duration = Duration::from_secs(4);
/// This program may have been stopped as well: then the answer is still unread in the socket.
const GRACE: Duration = Duration::from_millis(500);
/// No request has this number.
const PING: RequestId = 0;

#[derive(Debug)]
pub(super) struct Pulse {
    inner: Mutex<PulseState>,
    /// The client expects something, or the daemon has answered a check.
    changed: Notify,
    unresponsive: watch::Sender<bool>,
}

#[derive(Debug)]
struct PulseState {
    /// The number of expected answers and streams.
    expected: usize,
    /// The client expects figures of sessions.
    watching: bool,
    /// Since when the client has waited for something expected.
    since: Option<Instant>,
    /// The daemon has sent something unasked since the last check.
    active: bool,
    received: Instant,
    /// A check was sent and isn't answered yet.
    asked: bool,
}

/// While this value exists, the client expects something of the daemon.
#[derive(Debug)]
pub struct Expecting(Arc<Pulse>);

impl Drop for Expecting {
    fn drop(&mut self) {
        let mut inner = self.0.lock();
        inner.expected = inner.expected.saturating_sub(1);
        inner.rest();
    }
}

impl PulseState {
    fn expects(&self) -> bool {
        self.expected > 0 || self.watching
    }

    /// Resets the timer when nothing is expected.
    fn rest(&mut self) {
        if !self.expects() {
            self.since = None;
        }
    }
}

impl Pulse {
    pub(super) fn new() -> Self {
        Self {
            inner: Mutex::new(PulseState {
                expected: 0,
                watching: false,
                since: None,
                active: false,
                received: Instant::now(),
                asked: false,
            }),
            changed: Notify::new(),
            unresponsive: watch::Sender::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, PulseState> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the daemon isn't responding.
    pub(super) fn unresponsive(&self) -> watch::Receiver<bool> {
        self.unresponsive.subscribe()
    }

    pub(super) fn expect(self: &Arc<Self>) -> Expecting {
        self.lock().expected += 1;
        self.wait_for_anything();
        Expecting(self.clone())
    }

    /// Sets whether the client expects figures of sessions.
    pub(super) fn watching(&self, watching: bool) {
        self.lock().watching = watching;
        if watching {
            self.wait_for_anything();
        } else {
            self.lock().rest();
        }
    }

    /// Expects any message, after something was sent that usually causes one.
    pub(super) fn wait_for_anything(&self) {
        self.lock().since.get_or_insert_with(Instant::now);
        self.changed.notify_one();
    }

    /// Expects any message, unless the daemon sent one recently.
    pub(super) fn check(&self) {
        let received = self.lock().received;
        if received.elapsed() > LONGEST_QUIET {
            self.wait_for_anything();
        }
    }

    /// Notes that a message arrived.
    pub(super) fn received(&self) {
        let mut inner = self.lock();
        inner.received = Instant::now();
        inner.since = inner.expects().then_some(inner.received);
        if std::mem::take(&mut inner.asked) {
            drop(inner);
            self.changed.notify_one();
        } else {
            inner.active = true;
        }
    }

    async fn until_expecting(&self) {
        while self.lock().since.is_none() {
            self.changed.notified().await;
        }
    }

    async fn until_received(&self) {
        while self.lock().asked {
            self.changed.notified().await;
        }
    }

    /// Checks the daemon while the connection exists.
    pub(super) async fn watch(self: Arc<Self>, out: mpsc::WeakSender<Frame<FromClient>>) {
        loop {
            self.until_expecting().await;
            let mut quiet = QUIET;
            while let Some(since) = self.since() {
                if std::mem::take(&mut self.lock().active) {
                    quiet = QUIET;
                }
                if Instant::now() < since + quiet {
                    sleep_until(since + quiet).await;
                    continue;
                }
                let Some(out) = out.upgrade() else { return };
                self.lock().asked = true;
                let request = Request::Status;
                // If the channel is full, the daemon doesn't read, which counts as no answer.
                let _ = out.try_send(Frame::Control(FromClient::Ask { id: PING, request }));
                drop(out);
                if timeout(ANSWER, self.until_received()).await.is_err()
                    && timeout(GRACE, self.until_received()).await.is_err()
                {
                    self.unresponsive.send_replace(true);
                    self.until_received().await;
                    self.unresponsive.send_replace(false);
                }
                quiet = (quiet * 2).min(LONGEST_QUIET);
            }
        }
    }

    fn since(&self) -> Option<Instant> {
        self.lock().since
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin() -> (
        Arc<Pulse>,
        mpsc::Sender<Frame<FromClient>>,
        mpsc::Receiver<Frame<FromClient>>,
    ) {
        let (out, sent) = mpsc::channel(8);
        let pulse = Arc::new(Pulse::new());
        tokio::spawn(pulse.clone().watch(out.downgrade()));
        (pulse, out, sent)
    }

    #[tokio::test(start_paused = true)]
    async fn figures_that_stop_coming_are_noticed() {
        let (pulse, _out, mut sent) = begin();
        let mut unresponsive = pulse.unresponsive();
        pulse.watching(true);
        for _ in 0..60 {
            tokio::time::sleep(Duration::from_secs(2)).await;
            pulse.received();
        }
        assert!(sent.try_recv().is_err(), "figures are signs of life");
        let begun = Instant::now();
        unresponsive.wait_for(|it| *it).await.unwrap();
        assert!(begun.elapsed() < Duration::from_secs(10));
        pulse.received();
        pulse.watching(false);
        while sent.try_recv().is_ok() {}
        tokio::time::sleep(Duration::from_secs(3600)).await;
        assert!(sent.try_recv().is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn sessions_whose_figures_rest_cost_a_question_in_half_a_minute() {
        let (pulse, _out, mut sent) = begin();
        pulse.watching(true);
        let mut asked = 0;
        let answer = async {
            while sent.recv().await.is_some() {
                asked += 1;
                pulse.received();
            }
        };
        let _ = timeout(Duration::from_secs(3600), answer).await;
        assert!((100..130).contains(&asked), "{asked}");
    }

    #[tokio::test(start_paused = true)]
    async fn without_expectations_nothing_is_sent() {
        let (pulse, _out, mut sent) = begin();
        drop(pulse.expect());
        tokio::time::sleep(Duration::from_secs(3600)).await;
        assert!(sent.try_recv().is_err());
        assert!(!*pulse.unresponsive().borrow());
    }

    #[tokio::test(start_paused = true)]
    async fn a_daemon_that_says_nothing_is_silent_until_it_says_something() {
        let (pulse, _out, mut sent) = begin();
        let mut unresponsive = pulse.unresponsive();
        let _expecting = pulse.expect();
        unresponsive.wait_for(|it| *it).await.unwrap();
        assert!(matches!(
            sent.recv().await,
            Some(Frame::Control(FromClient::Ask { id: PING, .. }))
        ));
        assert!(sent.try_recv().is_err(), "it is asked once");
        pulse.received();
        unresponsive.wait_for(|it| !it).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_answer_of_a_daemon_that_lives_is_waited_for() {
        let (pulse, _out, mut sent) = begin();
        let expecting = pulse.expect();
        for _ in 0..5 {
            sent.recv().await.unwrap();
            pulse.received();
        }
        assert!(!*pulse.unresponsive().borrow());
        drop(expecting);
        tokio::time::sleep(Duration::from_secs(3600)).await;
        assert!(sent.try_recv().is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_typed_expects_any_message() {
        let (pulse, _out, mut sent) = begin();
        pulse.wait_for_anything();
        pulse.received();
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert!(sent.try_recv().is_err());
        pulse.check();
        sent.recv().await.unwrap();
    }
}
