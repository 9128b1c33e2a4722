//! A terminal pane: what a user sees of it, and types.

use std::num::NonZero;

use workbay::{
    engine::api::{AttachRequest, Attached, Input, Output},
    model::{
        id::{KernelId, SessionId},
        shell_start::ShellStart,
    },
};

use crate::support::{Bench, within};

pub struct Pane {
    attached: Attached,
    screen: vt100::Parser,
}

impl Pane {
    /// Opens it at 80 by 24 and waits for a prompt.
    pub async fn open(bench: &Bench, session: SessionId, tag: &str) -> Self {
        Self::open_in(bench, session, tag, None).await
    }

    /// The same in another container than the main one.
    pub async fn open_in(
        bench: &Bench,
        session: SessionId,
        tag: &str,
        kernel: Option<KernelId>,
    ) -> Self {
        let request = AttachRequest {
            tag: tag.to_owned(),
            columns: 80,
            rows: 24,
            start: ShellStart {
                kernel,
                ..ShellStart::default()
            },
        };
        let mut pane = Self {
            attached: within(bench.engine.attach(session, request)).await.unwrap(),
            #[expect(clippy::disallowed_methods, reason = "a sane size")]
            screen: vt100::Parser::new(cells(24), cells(80), 0),
        };
        pane.wait_for("$").await;
        pane
    }

    pub async fn type_(&self, text: &str) {
        let bytes = Input::Bytes(text.as_bytes().to_vec().into());
        self.attached.input.send(bytes).await.unwrap();
    }

    pub async fn resize(&mut self, columns: u16, rows: u16) {
        let screen = self.screen.screen_mut();
        screen.set_size(cells(rows), cells(columns));
        let input = Input::Resize { columns, rows };
        self.attached.input.send(input).await.unwrap();
    }

    pub fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// Reads until a line of the screen begins with `text`, so that what was typed is not taken for
    /// its answer.
    pub async fn wait_for_line(&mut self, text: &str) {
        self.wait_until(text, |screen| {
            screen.lines().any(|line| line.starts_with(text))
        })
        .await;
    }

    /// Reads until the screen shows `text`.
    pub async fn wait_for(&mut self, text: &str) {
        self.wait_until(text, |screen| screen.contains(text)).await;
    }

    async fn wait_until(&mut self, what: &str, condition: impl Fn(&str) -> bool) {
        while !condition(&self.text()) {
            let output = self.attached.output.recv();
            match tokio::time::timeout(crate::support::PATIENCE, output).await {
                Ok(Some(Output::Stdout(bytes))) => self.screen.process(&bytes),
                other => panic!(
                    "'{what}' did not come but {other:?}; seen:\n{}",
                    self.text()
                ),
            }
        }
    }
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}
