//! Runs the TUI: connects its parts to each other, to a daemon, to a stage and to an input. The terminal
//! provides stage and input, and tests bring their own.

use std::path::PathBuf;

use futures_util::Stream;
use tokio::sync::{mpsc, watch};

use super::{
    clipboard::Multiplexer,
    connection::DaemonLink,
    custom_commands::BackgroundCommands,
    desktop,
    effects::{self, EffectRunner},
    event_loop::{EventLoop, Sources},
    keymaps::WatchedKeymap,
    logs::LogReaders,
    recordings::Recordings,
    requests::Requests,
    saved::StateFile,
    screen::Stage,
    settings::{SettingsSource, SettingsTask},
    streams::{self, Streams},
    theming::{ThemeSource, Theming},
    transfers::TransferRunner,
};
use crate::{
    app::{app::App, msg::Msg},
    model::notice::Level,
    theme::Theme,
};

/// The parts of the TUI.
#[derive(Debug)]
pub struct TuiParts {
    pub app: App,
    pub theme: Theme,
    /// What decides about the theme while the TUI runs. `None` = the theme stays.
    pub theme_source: Option<ThemeSource>,
    /// Read again when its files change. `None` = the keymap stays as it is.
    pub keymap: Option<WatchedKeymap>,
    /// Where the settings are read again and written. `None` = they stay as they are.
    pub settings: Option<SettingsSource>,
    /// Notifications to show at the start, each with its level.
    pub remarks: Vec<(Level, String)>,
    /// The file that keeps the state of the TUI. `None` = the state isn't kept.
    pub state_file: Option<StateFile>,
    /// The directory for the lines of open logs. `None` = only a few lines are kept, in memory.
    pub spool: Option<PathBuf>,
}

/// Runs until the user leaves, `input` ends, or the stage fails. Returns how many shells keep running.
pub async fn live<I>(
    parts: TuiParts,
    daemon: DaemonLink,
    input: I,
    stage: &mut dyn Stage,
) -> std::io::Result<usize>
where
    I: Stream<Item = Msg> + Unpin,
{
    let DaemonLink { link, current } = daemon;
    let (events_in, events_out) = mpsc::channel(streams::EVENTS);
    let (answers_in, answers_out) = mpsc::channel(effects::ANSWERS);
    for (level, text) in &parts.remarks {
        let _ = answers_in.try_send(effects::remark(*level, text));
    }
    let name = parts.keymap.as_ref().map(WatchedKeymap::name);
    let (keymaps_in, keymaps) = watch::channel(name.unwrap_or_default().to_owned());
    if let Some(keymap) = parts.keymap {
        tokio::spawn(keymap.follow(answers_in.clone(), keymaps));
    }
    let settings = parts
        .settings
        .map(|source| SettingsTask::begin(source, keymaps_in, answers_in.clone()));
    // Without a cache directory, the system's directory for temporary files has the drafts.
    let drafts = parts.spool.clone().unwrap_or_else(std::env::temp_dir);
    let theming = parts
        .theme_source
        .map(|source| Theming::begin(source, parts.theme.clone(), answers_in.clone()));
    let effects = EffectRunner {
        state_file: parts.state_file,
        settings,
        background: BackgroundCommands::new(answers_in.clone()),
        transfers: TransferRunner::new(current.clone(), answers_in.clone(), drafts),
        recordings: Recordings::new(answers_in.clone()),
        directory: parts.app.facts.directory.clone(),
        logs: LogReaders::new(answers_in.clone(), parts.spool),
        questions: Requests::begin(current.clone(), answers_in.clone()),
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
        link,
        streams: events_out,
        answers: answers_out,
    };
    EventLoop::new(parts.app, parts.theme, effects, stage)
        .theming(theming)
        .run(sources)
        .await
}
