//! A screen without a terminal: `Screen::new(80, 24).daemon(…).press("n").typed("abc")`.

mod picture;

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use ratatui::{
    buffer::Buffer,
    layout::{Rect, Size},
};
use workbay::{
    app::{
        app::App,
        area::Areas,
        custom_commands::CustomCommands,
        effect::Effect,
        facts::Facts,
        logs::feed::LogOrder,
        msg::{Button, Link, Mouse, MouseKind, Msg, StreamEvent, Ticket},
        panels::PanelType,
        settings::ShownSetting,
    },
    keymap::Keymap,
    model::{
        change::Change,
        failure::Failure,
        request::{ContextRequest, SessionRequest},
        resources::{Bytes, Cpu},
        settings::{
            AppSettings, ChartStyle, LaunchSettings, NotificationSettings, PortRange,
            TerminalSettings,
        },
        text::Clean,
    },
    protocol::message::{Reply, Request, Snapshot, StreamId, StreamOpen},
    run::logs::{LogReader, LogStoreLimits},
    theme::{Theme, color::ColorDepth},
    view::{draw::draw, layout::layout, still::Still, surface::Surface},
};

/// When everything on these screens happens.
pub fn noon() -> Timestamp {
    "2026-03-02T12:00:00Z".parse().unwrap()
}

/// An app and the terminal it is drawn on.
pub struct Screen {
    pub app: App,
    theme: Theme,
    size: Size,
    now: Timestamp,
    areas: Areas,
    buffer: Buffer,
    effects: Vec<Effect>,
    /// Effects that logs have carried out.
    carried_out: usize,
    /// Open logs, in memory.
    logs: BTreeMap<StreamId, LogReader>,
}

pub fn facts() -> Facts {
    Facts {
        user: "jin".to_owned(),
        host: "gpu1".to_owned(),
        version: "0.1.0".to_owned(),
        time_zone: TimeZone::UTC,
        unicode: true,
        charts: ChartStyle::Braille,
        read_only: false,
        mouse: true,
        statistics: true,
        inside_tmux: false,
        tag: "face".to_owned(),
        launch: LaunchSettings {
            environment: "host".to_owned(),
            cpu: Cpu::from_millis(1000),
            mem: Bytes::mib(512),
            shmem: Bytes::mib(64),
            pids: 4096,
            env: std::collections::BTreeMap::new(),
            secrets: workbay::model::secret_rules::SecretRules::default(),
        },
        directory: "/home/kim".into(),
        copies: "/home/kim/.local/share/workbay/copies".into(),
        home: Some("/home/jin".into()),
        recordings: "/home/kim/.local/share/workbay/recordings".into(),
        layouts: "/home/kim/.local/state/workbay/layouts".into(),
        notifications: NotificationSettings {
            bell: true,
            ..NotificationSettings::default()
        },
        terminal: TerminalSettings::default(),
        keep_days: 7,
        image_limit: 3,
        apps: AppSettings {
            open_to_public: true,
            port_pool: PortRange {
                first: 10250,
                last: 10749,
            },
            ..AppSettings::default()
        },
        open_apps_after_launch: false,
        ssh_connection: Some("10.9.8.7 51234 10.1.2.3 22".to_owned()),
        settings: vec![
            ShownSetting {
                key: "ui.theme".to_owned(),
                value: "\"auto\"".to_owned(),
                origin: "default".to_owned(),
                meaning: "Theme: auto, default-dark, default-light".to_owned(),
                ..ShownSetting::default()
            },
            ShownSetting {
                key: "ui.keymap".to_owned(),
                value: "\"vim\"".to_owned(),
                origin: "user".to_owned(),
                meaning: "Keymap: default, vim, emacs, arrows, k9s".to_owned(),
                line: Some(3),
                ..ShownSetting::default()
            },
        ],
        settings_problem: None,
        columns: Vec::new(),
        commands: CustomCommands::default(),
        settings_file: "/home/kim/.config/workbay/config.toml".into(),
    }
}

impl Screen {
    pub fn new(columns: u16, rows: u16) -> Self {
        Self::with(columns, rows, facts())
    }

    pub fn with(columns: u16, rows: u16, facts: Facts) -> Self {
        let mut screen = Self {
            app: App::new(facts, Keymap::default()),
            theme: Theme::builtin("default-dark", ColorDepth::TrueColor).unwrap(),
            size: Size::new(columns, rows),
            now: noon(),
            areas: Areas::default(),
            buffer: Buffer::default(),
            effects: Vec::new(),
            carried_out: 0,
            logs: BTreeMap::new(),
        };
        screen.draw();
        screen
    }

    /// Begins with this context.
    pub fn starting_in(mut self, context: &str) -> Self {
        let context = context.parse().unwrap();
        self.app = App::new(self.app.facts.clone(), Keymap::default()).starting_in(Some(context));
        self
    }

    /// Guides through the TUI with this session.
    pub fn touring(mut self, session: Option<workbay::model::id::SessionKey>) -> Self {
        self.app = App::new(self.app.facts.clone(), Keymap::default()).touring(session);
        self.draw();
        self
    }

    /// Uses a built-in keymap.
    pub fn keymap(mut self, name: &str) -> Self {
        self.app.keymap = Keymap::builtin(name).unwrap();
        self
    }

    pub fn theme(mut self, name: &str, depth: ColorDepth) -> Self {
        self.theme = Theme::builtin(name, depth).unwrap();
        self.draw();
        self
    }

    /// The daemon answers with its state.
    pub fn daemon(self, snapshot: Snapshot) -> Self {
        self.send(Msg::Daemon(Link::Up(Box::new(snapshot))))
    }

    pub fn notice(self, change: Change) -> Self {
        self.send(Msg::Daemon(Link::Notice(change)))
    }

    pub fn daemon_lost(self, why: &str) -> Self {
        self.send(Msg::Daemon(Link::Down {
            why: Clean::new(why),
            attempt: 1,
        }))
    }

    /// Keys by their names, one after another: `"j j enter"`.
    pub fn press(mut self, keys: &str) -> Self {
        for key in keys.split_whitespace() {
            self = self.send(Msg::Key(key.parse().unwrap()));
        }
        self
    }

    /// Characters as a user types them.
    pub fn typed(mut self, text: &str) -> Self {
        for c in text.chars() {
            self = self.send(Msg::Key(workbay::key::Key::char(c)));
        }
        self
    }

    pub fn paste(self, text: &str) -> Self {
        self.send(Msg::Paste(text.to_owned()))
    }

    pub fn click(self, column: u16, row: u16) -> Self {
        self.mouse(MouseKind::Press(Button::Left), column, row)
    }

    pub fn mouse(self, kind: MouseKind, column: u16, row: u16) -> Self {
        self.send(Msg::Mouse(Mouse {
            kind,
            column,
            row,
            ctrl: false,
            alt: false,
            shift: false,
        }))
    }

    pub fn resize(mut self, columns: u16, rows: u16) -> Self {
        self.size = Size::new(columns, rows);
        self.send(Msg::Resize { columns, rows })
    }

    /// Time passes; the app is woken as often as it asked to be.
    pub fn wait(mut self, seconds: i64) -> Self {
        let end = self.now + SignedDuration::from_secs(seconds);
        while let Some(at) = self.app.wake_at(self.now).filter(|at| *at <= end) {
            assert!(at > self.now, "it wants to be woken in the past");
            self.now = at;
            self = self.send(Msg::Tick);
        }
        self.now = end;
        self.draw();
        self
    }

    /// The answer to the latest question that `wanted` accepts.
    pub fn answer(self, wanted: impl Fn(&Request) -> bool, result: Result<Reply, Failure>) -> Self {
        let ticket = self
            .questions()
            .filter(|(_, request)| wanted(request))
            .map(|(ticket, _)| ticket)
            .last()
            .expect("nothing like that was asked");
        self.send(Msg::Answer { ticket, result })
    }

    /// Everything asked of the daemon so far.
    pub fn questions(&self) -> impl Iterator<Item = (Ticket, &Request)> {
        self.effects.iter().filter_map(|effect| match effect {
            Effect::Ask { ticket, request } => Some((*ticket, request)),
            _ => None,
        })
    }

    /// What was asked of the daemon but what the TUI asks on its own.
    pub fn wishes(&self) -> Vec<&Request> {
        self.questions()
            .map(|(_, request)| request)
            .filter(|request| match request {
                Request::Session { request, .. } => !matches!(
                    request,
                    SessionRequest::History | SessionRequest::Figures | SessionRequest::Detail
                ),
                Request::Context { request, .. } => !matches!(
                    request,
                    ContextRequest::Catalogue { .. }
                        | ContextRequest::Reach { .. }
                        | ContextRequest::Environments
                ),
                Request::Watch { .. } | Request::Notices => false,
                _ => true,
            })
            .collect()
    }

    /// The open panel of a type.
    pub fn panel<P: PanelType>(&self) -> &P {
        self.app.panels.get().unwrap()
    }

    pub fn is_open<P: PanelType>(&self) -> bool {
        self.app.panels.is_open::<P>()
    }

    pub fn effects(&self) -> &[Effect] {
        &self.effects
    }

    pub fn has_left(&self) -> bool {
        self.effects.contains(&Effect::Quit)
    }

    pub fn send(mut self, msg: Msg) -> Self {
        match msg {
            Msg::Stream { stream, event } if self.logs.contains_key(&stream) => {
                self.log_happens(stream, event);
            }
            msg => self.update(msg),
        }
        self.carry_out_logs();
        if self.app.take_dirty() {
            self.draw();
            self.carry_out_logs();
            if self.app.take_dirty() {
                self.draw();
            }
        }
        self
    }

    fn update(&mut self, msg: Msg) {
        let effects = self.app.update(msg, self.now);
        self.effects.extend(effects);
    }

    fn log_happens(&mut self, stream: StreamId, event: StreamEvent) {
        let Some(log) = self.logs.get_mut(&stream) else {
            return;
        };
        match event {
            StreamEvent::Opened => log.opened(),
            StreamEvent::Data { source, bytes } => {
                log.read(source, &bytes);
                log.idle();
            }
            StreamEvent::Ended(end) => log.ended(end),
        }
    }

    /// What logs are to do, done at once.
    fn carry_out_logs(&mut self) {
        loop {
            for effect in self.effects.iter().skip(self.carried_out) {
                match effect {
                    Effect::Open {
                        stream,
                        open: StreamOpen::Log { options, .. },
                    } => {
                        let limits = LogStoreLimits::default();
                        let log =
                            LogReader::new(*stream, None, limits, options.timestamps, self.now);
                        self.logs.insert(*stream, log);
                    }
                    Effect::Log {
                        order: LogOrder::Save { .. },
                        ..
                    } => {}
                    Effect::Log { log, order } => {
                        if let Some(log) = self.logs.get_mut(log) {
                            log.order(order.clone());
                        }
                    }
                    Effect::Close { stream } => {
                        self.logs.remove(stream);
                    }
                    _ => {}
                }
            }
            self.carried_out = self.effects.len();
            let mut events = Vec::new();
            for log in self.logs.values_mut() {
                while log.has_work() {
                    log.work();
                }
                events.extend(log.take());
            }
            if events.is_empty() {
                return;
            }
            for msg in events {
                self.update(msg);
            }
        }
    }

    fn draw(&mut self) {
        self.areas = layout(&self.app, self.size);
        let effects = self.app.laid_out(&self.areas, self.now);
        self.effects.extend(effects);
        let mut surface = Surface::empty(Rect::new(0, 0, self.size.width, self.size.height));
        draw(
            &mut surface,
            &self.app,
            &self.theme,
            (&self.areas, &Still::default()),
            self.now,
        );
        self.buffer = surface.buffer;
    }

    /// Every cell of the screen.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }
}
