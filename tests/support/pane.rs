//! A terminal of a session as a user sees it, and waiting for what happens there.

use std::{future::Future, panic::Location, time::Duration};

use bytes::Bytes as Chunk;
use jiff::Timestamp;
use workbay::{
    engine::api::{Attached, Input, Output},
    terminal::emulator::Emulator,
};

use crate::poll;

/// Long enough for a loaded machine; a test that works never waits for it.
pub const DEADLINE: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Waits for `what`, but not for ever.
#[track_caller]
pub fn within<T>(what: impl Future<Output = T>) -> impl Future<Output = T> {
    // The place of the caller, which an async function does not know.
    let place = Location::caller();
    async move {
        let waited = tokio::time::timeout(DEADLINE, what).await;
        waited.unwrap_or_else(|_| panic!("it did not happen: {place}"))
    }
}

/// Polls until `what` returns something.
#[track_caller]
pub fn until<T, F: Future<Output = Option<T>>>(
    mut what: impl FnMut() -> F,
) -> impl Future<Output = T> {
    let place = Location::caller();
    async move {
        let found = poll::until(LOOK_AGAIN, DEADLINE, async || what().await).await;
        found.unwrap_or_else(|| panic!("it did not happen: {place}"))
    }
}

/// A pane: what a user sees of an attached terminal.
pub struct Terminal {
    pub attached: Attached,
    screen: vt100::Parser,
    /// The screen of our own emulator.
    pub emulator: Emulator,
}

impl Terminal {
    #[expect(clippy::disallowed_methods, reason = "sizes of tests are sane")]
    pub fn new(attached: Attached, columns: u16, rows: u16) -> Self {
        Self {
            attached,
            screen: vt100::Parser::new(cells(rows), cells(columns), 0),
            emulator: Emulator::new(columns, rows),
        }
    }

    async fn process(&mut self, bytes: &[u8]) {
        self.screen.process(bytes);
        self.emulator.feed(bytes, Timestamp::UNIX_EPOCH);
        let answers = Chunk::from(self.emulator.take_answers());
        if !answers.is_empty() {
            // A client that has disconnected needs none.
            let _ = self.attached.input.send(Input::Bytes(answers)).await;
        }
    }

    pub async fn type_text(&self, text: &str) {
        let bytes = Chunk::copy_from_slice(text.as_bytes());
        self.attached.input.send(Input::Bytes(bytes)).await.unwrap();
    }

    pub async fn resize(&mut self, columns: u16, rows: u16) {
        self.screen
            .screen_mut()
            .set_size(cells(rows), cells(columns));
        self.emulator.resize(columns, rows);
        self.attached
            .input
            .send(Input::Resize { columns, rows })
            .await
            .unwrap();
    }

    pub fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// Reads until the screen shows `text`.
    pub async fn wait_for(&mut self, text: &str) {
        self.wait_until(text, |pane| pane.text().contains(text))
            .await;
    }

    /// Reads until a condition holds.
    pub async fn wait_until(&mut self, text: &str, condition: impl Fn(&Self) -> bool) {
        while !condition(self) {
            let seen = tokio::time::timeout(DEADLINE, self.attached.output.recv()).await;
            match seen {
                Ok(Some(Output::Stdout(bytes))) => self.process(&bytes).await,
                other => panic!("'{text}' did not come but {other:?}; seen: {}", self.text()),
            }
        }
    }

    /// Takes what comes next; `false` = nothing came for this long.
    pub async fn take(&mut self, patience: Duration) -> bool {
        let next = tokio::time::timeout(patience, self.attached.output.recv());
        match next.await {
            Ok(Some(Output::Stdout(bytes))) => self.process(&bytes).await,
            Ok(other) => panic!("the terminal ended: {other:?}"),
            Err(_) => return false,
        }
        true
    }

    /// Reads to the end.
    pub async fn end(&mut self) -> Output {
        loop {
            match within(self.attached.output.recv())
                .await
                .expect("no end came")
            {
                Output::Stdout(bytes) => self.process(&bytes).await,
                end => return end,
            }
        }
    }
}

fn cells(count: u16) -> std::num::NonZero<u16> {
    std::num::NonZero::new(count).unwrap()
}
