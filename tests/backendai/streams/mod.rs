//! Streams of a Backend.AI session through the whole engine, against a scripted manager over a socket.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail at any line"
)]

#[path = "../../support/tcpproxy.rs"]
mod tcpproxy;

mod app_proxy;
mod apps;
mod commands;
mod containers;
mod cuts;
mod dials;
mod helpers;
mod logs;
mod manager;
mod opening;
mod session_files;
mod sshd;
mod terminals;

use bytes::Bytes;
use workbay::{
    engine::api::{AttachRequest, Attached, Input, Output, Streams as _},
    model::failure::Failure,
};

use self::manager::{SESSION, StreamManager};

fn request(tag: &str) -> AttachRequest {
    AttachRequest {
        tag: tag.to_owned(),
        columns: 100,
        rows: 30,
        start: workbay::model::shell_start::ShellStart::default(),
    }
}

fn typed(text: &'static str) -> Input {
    Input::Bytes(Bytes::from_static(text.as_bytes()))
}

/// The end of a stream.
async fn last(attached: &mut Attached) -> Output {
    loop {
        match attached.output.recv().await.expect("an end is reported") {
            Output::Stdout(_) => {}
            last => return last,
        }
    }
}

/// Why a terminal can't be opened.
async fn refusal(manager: &StreamManager) -> Failure {
    let opened = manager.engine().attach(SESSION, request("pane")).await;
    opened.err().expect("it was opened")
}
