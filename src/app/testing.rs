//! Helpers that the unit tests of the panels share.

use jiff::{Timestamp, tz::TimeZone};

use super::{
    command_log::CommandLog, custom_commands::CustomCommands, extension_rules::ExtensionRules,
    facts::Facts, frecency::Frecency, layouts::LayoutRow, mirror::Mirror, notices::Notices,
    panels::PanelEnv, panes::Panes, sessions::Sessions, shown_contexts::ShownContexts,
    themes::Themes, transfers::Transfers,
};
use crate::{
    keymap::Keymap,
    model::{
        resources::{Bytes, Cpu, ResourceSlots},
        secret_rules::SecretRules,
        session::Session,
        settings::{
            AppSettings, ChartStyle, LaunchSettings, NotificationSettings, TerminalSettings,
        },
        status::Status,
        testing,
        text::Clean,
    },
    protocol::message::Snapshot,
};

/// A running session of the host environment, created `n` seconds after the epoch.
pub fn session(n: u128, name: &str) -> Session {
    let created = Timestamp::from_second(i64::try_from(n).unwrap()).unwrap();
    Session {
        status: Status::Running,
        requested_slots: ResourceSlots::new(Cpu::from_millis(1000), Bytes::mib(512)),
        shmem: Bytes::mib(64),
        owner: Clean::new("work"),
        started_at: Some(created),
        created_at: created,
        ..testing::session(n << 96, name)
    }
}

/// A snapshot with these sessions and without contexts.
pub fn snapshot(sessions: Vec<Session>) -> Snapshot {
    Snapshot {
        seq: 0,
        sessions,
        contexts: Vec::new(),
        forwards: Vec::new(),
    }
}

/// The facts of a client with the default settings.
pub fn facts() -> Facts {
    Facts {
        user: String::new(),
        host: String::new(),
        version: String::new(),
        time_zone: TimeZone::UTC,
        unicode: true,
        charts: ChartStyle::Braille,
        read_only: false,
        mouse: true,
        statistics: true,
        inside_tmux: false,
        tag: String::new(),
        launch: LaunchSettings {
            environment: "host".to_owned(),
            cpu: Cpu::from_millis(1000),
            mem: Bytes::mib(512),
            shmem: Bytes::mib(64),
            pids: 100,
            env: std::collections::BTreeMap::new(),
            secrets: SecretRules::default(),
        },
        directory: "/home/kim".into(),
        copies: "/home/kim/.local/share/workbay/copies".into(),
        home: Some("/home/kim".into()),
        recordings: "/home/kim/.local/share/workbay/recordings".into(),
        layouts: "/home/kim/.local/state/workbay/layouts".into(),
        notifications: NotificationSettings::default(),
        terminal: TerminalSettings::default(),
        keep_days: 7,
        image_limit: 3,
        apps: AppSettings::default(),
        open_apps_after_launch: false,
        ssh_connection: None,
        settings: Vec::new(),
        settings_problem: None,
        columns: Vec::new(),
        commands: CustomCommands::default(),
        settings_file: "/home/kim/.config/workbay/config.toml".into(),
    }
}

/// What panels can read, without a daemon.
pub struct TestEnv {
    facts: Facts,
    keymap: Keymap,
    mirror: Mirror,
    panes: Panes,
    notices: Notices,
    extension_rules: ExtensionRules,
    pub transfers: Transfers,
    pub themes: Themes,
    frecency: Frecency,
    commands: CommandLog,
    sessions: Sessions,
    pub layouts: Option<Vec<LayoutRow>>,
}

impl Default for TestEnv {
    fn default() -> Self {
        Self {
            facts: facts(),
            keymap: Keymap::default(),
            mirror: Mirror::default(),
            panes: Panes::new(""),
            notices: Notices::new(false),
            extension_rules: ExtensionRules::default(),
            transfers: Transfers::default(),
            themes: Themes::default(),
            frecency: Frecency::default(),
            commands: CommandLog::default(),
            sessions: Sessions::default(),
            layouts: None,
        }
    }
}

impl TestEnv {
    /// A daemon without sessions and contexts is connected.
    pub fn connect(&mut self) {
        self.mirror
            .replace(snapshot(Vec::new()), Timestamp::UNIX_EPOCH);
    }

    pub fn env(&self) -> PanelEnv<'_> {
        PanelEnv {
            mirror: &self.mirror,
            facts: &self.facts,
            keymap: &self.keymap,
            panes: &self.panes,
            detail: None,
            sessions: &self.sessions,
            notices: &self.notices,
            extension_rules: &self.extension_rules,
            transfers: &self.transfers,
            views: &[],
            themes: &self.themes,
            layouts: self.layouts.as_deref(),
            frecency: &self.frecency,
            commands: &self.commands,
            screen: ratatui::layout::Rect::new(0, 0, 80, 24),
            shown: ShownContexts::All,
            now: Timestamp::UNIX_EPOCH,
        }
    }
}
