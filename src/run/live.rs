//! The face, alive: its parts wired to each other, to a daemon, to something to draw on and to
//! somebody who types. The terminal is one such pair; tests bring another.

use std::path::PathBuf;

use futures_util::Stream;
use tokio::sync::{mpsc, watch};

use super::{
    clipboard::Multiplexer,
    desktop,
    effects::{self, Hands},
    face::{Face, Sources},
    kept::Shelf,
    link,
    logs::Logs,
    questions::Questions,
    screen::Stage,
    streams::{self, Streams},
};
use crate::{
    app::{app::App, msg::Msg},
    client::ConnectOptions,
    model::notice::Level,
    theme::Theme,
};

/// Messages of the line to the daemon on their way to the app.
const LINK: usize = 64;

/// What a face is made of.
#[derive(Debug)]
pub struct Parts {
    pub app: App,
    pub theme: Theme,
    pub connect: ConnectOptions,
    /// What the person is to be told at the start, each with how grave it is.
    pub remarks: Vec<(Level, String)>,
    /// Where it is remembered how the TUI was left; `None` = it is not.
    pub shelf: Option<Shelf>,
    /// Where the lines of open logs are; `None` = few are kept in memory.
    pub spool: Option<PathBuf>,
}

/// Runs until the person leaves, `input` ends, or the stage fails.
pub async fn live<I>(parts: Parts, input: I, stage: &mut dyn Stage) -> std::io::Result<()>
where
    I: Stream<Item = Msg> + Unpin,
{
    let (link_in, link_out) = mpsc::channel(LINK);
    let (events_in, events_out) = mpsc::channel(streams::EVENTS);
    let (answers_in, answers_out) = mpsc::channel(effects::ANSWERS);
    let (current_in, current) = watch::channel(None);
    for (level, text) in &parts.remarks {
        let _ = answers_in.try_send(effects::remark(*level, text));
    }
    tokio::spawn(link::keep(parts.connect, link_in, current_in));
    let hands = Hands {
        shelf: parts.shelf,
        logs: Logs::new(answers_in.clone(), parts.spool),
        questions: Questions::begin(current.clone(), answers_in.clone()),
        streams: Streams::new(events_in),
        current,
        answers: answers_in,
        inside_tmux: parts.app.facts.inside_tmux,
        multiplexer: Multiplexer::of(|name| {
            std::env::var(name).ok().filter(|value| !value.is_empty())
        }),
        desktop: desktop::dialect(parts.app.facts.notifications.desktop, |name| {
            std::env::var(name).ok().filter(|value| !value.is_empty())
        }),
    };
    let sources = Sources {
        input,
        link: link_out,
        streams: events_out,
        answers: answers_out,
    };
    Face::new(parts.app, parts.theme, hands, stage)
        .run(sources)
        .await
}
