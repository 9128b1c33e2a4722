//! A user before a screen: types, looks, waits until it shows what is wanted.

use std::{io, sync::Arc, thread::JoinHandle};

use jiff::tz::TimeZone;
use tokio::sync::{mpsc, watch};
use workbay::{
    app::{app::App, facts::Facts, msg::Msg},
    client::ConnectOptions,
    key::Key,
    keymap::Keymap,
    run::{
        connection::DaemonLink,
        live::{TuiParts, live},
    },
    theme::{ColorDepth, Theme},
};

use super::{
    board::{Board, Frames},
    support::{
        TestDaemon,
        test_daemon::{PATIENCE, settings},
    },
};

/// Keys sent to the client.
const KEYS: usize = 256;

/// The TUI runs in a thread of its own, on a runtime of one thread, as it does at a terminal.
pub struct User {
    keys: Option<mpsc::Sender<Msg>>,
    frames: Arc<Frames>,
    drawn: watch::Receiver<usize>,
    /// The number of frames when the last key was pressed.
    pressed_at: usize,
    tui: Option<JoinHandle<io::Result<usize>>>,
}

fn facts(name: &str) -> Facts {
    Facts {
        user: name.to_owned(),
        host: "gpu1".to_owned(),
        version: "0.1.0".to_owned(),
        time_zone: TimeZone::UTC,
        unicode: true,
        charts: workbay::model::settings::ChartStyle::Braille,
        layouts: "/home/kim/.local/state/workbay/layouts".into(),
        read_only: false,
        mouse: true,
        statistics: true,
        inside_tmux: false,
        tag: name.to_owned(),
        launch: settings().launch,
        notifications: settings().notifications,
        terminal: settings().terminal,
        directory: "/home/kim".into(),
        copies: "/home/kim/.local/share/workbay/copies".into(),
        home: None,
        recordings: "/home/kim/.local/share/workbay/recordings".into(),
        keep_days: 7,
        image_limit: 3,
        apps: settings().apps,
        open_apps_after_launch: false,
        ssh_connection: None,
        settings: Vec::new(),
        settings_problem: None,
        columns: Vec::new(),
        commands: workbay::app::custom_commands::CustomCommands::default(),
        settings_file: "/nowhere/config.toml".into(),
    }
}

impl User {
    /// Sits down at an 80x24 screen and sees the list of this daemon.
    pub async fn at(daemon: &TestDaemon) -> Self {
        let user = Self::sits_down("jin", ConnectOptions::existing(daemon.paths()));
        user.sees("▪ connected").await;
        user
    }

    /// Starts the TUI without waiting for anything.
    pub fn sits_down(name: &str, connect: ConnectOptions) -> Self {
        let (keys, mut typed) = mpsc::channel(KEYS);
        let (sender, drawn) = watch::channel(0);
        let frames = Arc::new(Frames::default());
        let mut board = Board::new(80, 24, Arc::clone(&frames), sender);
        let parts = TuiParts {
            state_file: None,
            spool: None,
            app: App::new(facts(name), Keymap::default()),
            keymap: None,
            settings: None,
            theme_source: None,
            theme: Theme::builtin("default-dark", ColorDepth::TrueColor).unwrap(),
            remarks: Vec::new(),
        };
        let tui = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            let input = futures_util::stream::poll_fn(move |context| typed.poll_recv(context));
            let ended = runtime.block_on(async {
                let daemon = DaemonLink::begin(connect);
                live(parts, daemon, input, &mut board).await
            });
            runtime.shutdown_background();
            ended
        });
        Self {
            keys: Some(keys),
            frames,
            drawn,
            pressed_at: 0,
            tui: Some(tui),
        }
    }

    /// Presses keys by their names, one after another: `"j j enter"`.
    pub async fn presses(&mut self, keys: &str) {
        self.pressed_at = self.frames.count();
        for key in keys.split_whitespace() {
            self.say(Msg::Key(key.parse().unwrap())).await;
        }
    }

    /// Types text, key by key.
    pub async fn types(&mut self, text: &str) {
        self.pressed_at = self.frames.count();
        for c in text.chars() {
            self.say(Msg::Key(Key::char(c))).await;
        }
    }

    async fn say(&self, msg: Msg) {
        let keys = self.keys.as_ref().expect("the user is there");
        let taken = tokio::time::timeout(PATIENCE, keys.send(msg)).await;
        match taken {
            Ok(Ok(())) => {}
            _ => panic!("keys are not taken; the screen:\n{}", self.screen()),
        }
    }

    pub fn screen(&self) -> Arc<str> {
        self.frames.last()
    }

    /// The line of the screen with this text.
    pub fn line(&self, text: &str) -> String {
        let screen = self.screen();
        let line = screen.lines().find(|line| line.contains(text));
        let none = || panic!("no line holds '{text}':\n{screen}");
        line.unwrap_or_else(none).to_owned()
    }

    /// Waits until the text is on the screen.
    pub async fn sees(&self, text: &str) {
        let wanted = format!("'{text}' is on the screen");
        self.waits(&wanted, |screen| screen.contains(text)).await;
    }

    /// Waits until the text is not on the screen.
    pub async fn sees_no(&self, text: &str) {
        let wanted = format!("'{text}' is not on the screen");
        self.waits(&wanted, |screen| !screen.contains(text)).await;
    }

    /// Waits until one line has all these texts.
    pub async fn sees_line(&self, texts: &[&str]) {
        let wanted = format!("one line holds {texts:?}");
        let has_texts = |line: &str| texts.iter().all(|text| line.contains(text));
        self.waits(&wanted, |screen| screen.lines().any(has_texts))
            .await;
    }

    /// Waits for a condition of the screen.
    pub async fn waits(&self, wanted: &str, so: impl Fn(&str) -> bool) {
        self.waits_for_frame(wanted, || so(&self.screen())).await;
    }

    /// Waits until the text is, or has been since the last key, on the screen.
    pub async fn has_seen(&self, text: &str) {
        let wanted = format!("'{text}' has been on the screen");
        let seen = || {
            let frames = self.frames.since(self.pressed_at);
            frames.iter().any(|frame| frame.contains(text))
        };
        self.waits_for_frame(&wanted, seen).await;
    }

    async fn waits_for_frame(&self, wanted: &str, so: impl Fn() -> bool) {
        let mut drawn = self.drawn.clone();
        let waiting = async {
            loop {
                drawn.borrow_and_update();
                if so() {
                    return true;
                }
                if drawn.changed().await.is_err() {
                    return so();
                }
            }
        };
        let came = tokio::time::timeout(PATIENCE, waiting).await;
        assert!(
            came == Ok(true),
            "it never came that {wanted}; the screen:\n{}",
            self.screen()
        );
    }

    /// The window is closed: no key will come any more.
    pub async fn closes_the_window(&mut self) {
        self.keys = None;
        self.has_left().await;
    }

    /// Waits until the TUI has ended without an error.
    pub async fn has_left(&mut self) {
        let tui = self.tui.take().expect("the TUI runs");
        let ended = tokio::task::spawn_blocking(move || tui.join());
        let ended = tokio::time::timeout(PATIENCE, ended).await;
        let ended = ended.expect("the TUI ends").unwrap();
        ended.expect("the TUI does not panic").unwrap();
    }

    /// Launches a session by keys and sees it run.
    pub async fn launches(&mut self, name: &str) {
        self.presses("n").await;
        self.types(name).await;
        // Launched from the current page; the second key says: without a folder.
        self.presses("alt-enter enter").await;
        self.sees_line(&[name, "RUNNING"]).await;
    }
}
