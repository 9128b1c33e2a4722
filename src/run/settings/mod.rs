//! The settings while the TUI runs: reads the files again when they change, checks and writes what the settings page
//! changes.
//!
//! A task of its own reads the files, so that a slow disk never delays a key.

use std::path::Path;

use tokio::sync::{mpsc, watch};

use super::{
    facts::{charts, is_unicode},
    watch::FileWatch,
};
use crate::{
    app::{
        msg::{Msg, Ticket},
        settings::{LiveSettings, SettingsOrder, SettingsProblem, SettingsRead, ShownSetting},
    },
    config::{
        Problem, edit, editing, languages,
        layer::{self, Loaded},
        meaning::meaning,
        origin::{Origin, Places},
        paths::Paths,
        setting::{SETTINGS, Setting},
    },
    keymap::{self, Keymap},
    model::{
        setting_kind::{EditedValue, SettingKind, TakesEffect},
        settings::Settings,
        text::Clean,
    },
    theme::{self, ColorDepth, Theme, ThemeChoice},
};

/// Where settings come from.
#[derive(Clone, Debug)]
pub struct SettingsSource {
    pub paths: Paths,
    /// The settings when the program started, with the options of its command line.
    pub begun: Loaded,
}

impl SettingsSource {
    /// Reads all layers again. The options of the command line stay.
    fn load(&self) -> Loaded {
        let places = Places {
            site: layer::SITE_FILE.into(),
            user: self.paths.config_file(),
        };
        let mut loaded = layer::load(&places, |name| std::env::var(name).ok());
        loaded.keep_options(&self.begun);
        loaded
    }

    /// Reads all layers again, and the keymap if it isn't `keymap` any more. Also returns the keymap's name then.
    pub fn read(&self, keymap: &str) -> (SettingsRead, Option<String>) {
        let loaded = self.load();
        let name = &loaded.settings.ui.keymap;
        let other = (name != keymap).then(|| Keymap::load(name, Some(&self.paths.keymaps_dir())));
        // A keymap with a problem isn't used. Its own task reports it when it is corrected.
        let other = other.filter(|(_, problems)| problems.is_empty());
        let problem = problem(&loaded, &self.paths.config_file());
        let is_other = other.is_some() && problem.is_none();
        let live = live(&loaded, other.map(|(keymap, _)| keymap));
        let read = SettingsRead {
            rows: self.rows(&loaded),
            commands: problem.is_none().then(|| loaded.commands.clone()),
            live: problem.is_none().then(|| Box::new(live)),
            problem,
        };
        (read, is_other.then(|| name.clone()))
    }

    fn rows(&self, loaded: &Loaded) -> Vec<ShownSetting> {
        let full = |setting: &Setting| {
            let key = setting.key();
            let (kind, effect) = editing::how(&key).unwrap_or_default();
            ShownSetting {
                kind: self.with_names(&key, kind),
                effect,
                current: editing::current(loaded, &self.paths.config_file(), setting),
                fixed: editing::fixed(loaded, setting),
                ..outline(loaded, setting)
            }
        };
        SETTINGS.iter().map(full).collect()
    }

    /// The names of themes and keymaps are those of files.
    fn with_names(&self, key: &str, kind: SettingKind) -> SettingKind {
        match key {
            "ui.theme" => {
                let names = theme::names(Some(&self.paths.themes_dir())).into_iter();
                let all = ["auto".to_owned()].into_iter();
                SettingKind::Choice(all.chain(names.map(|(name, _)| name)).collect())
            }
            "ui.language" => SettingKind::Choice(languages::names(&self.paths.locales_dir())),
            "ui.keymap" => {
                let names = keymap::names(Some(&self.paths.keymaps_dir())).into_iter();
                SettingKind::Choice(names.map(|(name, _)| name).collect())
            }
            _ => kind,
        }
    }

    /// Checks a value and writes it. Returns what to say about it.
    fn save(&self, key: &str, value: &EditedValue) -> Result<String, String> {
        let (setting, kind, effect) = known(key)?;
        let toml = editing::to_toml(&kind, value)?;
        editing::check(setting, &toml)?;
        self.check_name(key, value)?;
        edit::set(
            &self.paths.config_file(),
            setting.table,
            setting.name,
            &toml,
        )
        .map_err(|problem| tr!("not saved: {problem}", problem))?;
        Ok(tr!("{key} saved. {effect}", key, effect = in_words(effect)))
    }

    /// Removes a setting from the user's file. Returns what to say about it.
    fn reset(&self, key: &str) -> Result<String, String> {
        let (setting, _, effect) = known(key)?;
        edit::remove(&self.paths.config_file(), setting.table, setting.name)
            .map_err(|problem| tr!("not reset: {problem}", problem))?;
        let from = match self.load().origin(key) {
            Origin::Site { .. } => tr!("the value of the system-wide file"),
            _ => tr!("the default"),
        };
        Ok(tr!(
            "{key} is {from} now. {effect}",
            key,
            from,
            effect = in_words(effect)
        ))
    }

    /// A theme or keymap must exist and have no problem.
    fn check_name(&self, key: &str, value: &EditedValue) -> Result<(), String> {
        let EditedValue::Text(name) = value else {
            return Ok(());
        };
        let problems = match key {
            "ui.theme" => {
                let choice = ThemeChoice::read(name);
                let dir = self.paths.themes_dir();
                let load = |name: &str| Theme::load(name, Some(&dir), ColorDepth::TrueColor).1;
                choice.names().into_iter().flat_map(load).collect()
            }
            "ui.keymap" => Keymap::load(name, Some(&self.paths.keymaps_dir())).1,
            _ => Vec::new(),
        };
        match problems.first() {
            Some(problem) if problem.line == 0 => Err(match &problem.help {
                Some(help) => format!("{} ({help})", problem.message),
                None => problem.message.clone(),
            }),
            Some(problem) => Err(problem.to_string()),
            None => Ok(()),
        }
    }
}

fn known(key: &str) -> Result<(&'static Setting, SettingKind, TakesEffect), String> {
    let found = editing::find(key).zip(editing::how(key));
    let (setting, (kind, effect)) = found.ok_or_else(|| tr!("unknown setting '{key}'", key))?;
    Ok((setting, kind, effect))
}

fn in_words(effect: TakesEffect) -> &'static str {
    match effect {
        TakesEffect::AtOnce => tr!("In effect now"),
        TakesEffect::NextStart => tr!("In effect when you start workbay again"),
        TakesEffect::DaemonStart => {
            tr!("In effect when the daemon starts again: `workbay daemon stop`")
        }
    }
}

/// What the palette shows of each setting, without reading further files. The settings page reads the rest.
pub fn outlines(loaded: &Loaded) -> Vec<ShownSetting> {
    let outline = |setting| ShownSetting {
        fixed: Some(tr!("The settings are being read. Try again in a moment.").to_owned()),
        ..outline(loaded, setting)
    };
    SETTINGS.iter().map(outline).collect()
}

fn outline(loaded: &Loaded, setting: &Setting) -> ShownSetting {
    let key = setting.key();
    let origin = loaded.origin(&key);
    ShownSetting {
        value: without_secrets(setting, &loaded.settings),
        origin: origin.word().to_owned(),
        from: in_place(origin),
        meaning: meaning(&key),
        line: match origin {
            Origin::User { line, .. } => Some(*line),
            _ => None,
        },
        key,
        ..ShownSetting::default()
    }
}

fn in_place(origin: &Origin) -> String {
    match origin {
        Origin::Default => tr!("the default").to_owned(),
        Origin::Site { file, line, .. } => tr!(
            "system-wide file, {file}:{line}",
            file = file.display(),
            line
        ),
        Origin::User { file, line, .. } => {
            tr!("your file, {file}:{line}", file = file.display(), line)
        }
        Origin::Environment { variable } => tr!("environment variable {variable}", variable),
        Origin::Flag { option } => tr!("option {option}", option),
    }
}

/// The values of variables and the arguments of programs may be secret.
fn without_secrets(setting: &Setting, settings: &Settings) -> String {
    match (setting.table, setting.name) {
        ("launch", "env") => {
            let names: Vec<&str> = settings.launch.env.keys().map(String::as_str).collect();
            format!("{{ {} }}", names.join(", "))
        }
        ("hooks", "command") => match settings.hooks.command.as_slice() {
            [] => "[]".to_owned(),
            [program] => format!("[{program:?}]"),
            [program, ..] => format!("[{program:?}, …]"),
        },
        _ => (setting.show)(settings),
    }
}

fn live(loaded: &Loaded, keymap: Option<Keymap>) -> LiveSettings {
    let settings = &loaded.settings;
    LiveSettings {
        mouse: settings.ui.mouse,
        statistics: settings.ui.statistics,
        columns: settings.ui.columns.clone(),
        unicode: is_unicode(settings),
        charts: charts(settings),
        read_only: settings.ui.read_only,
        open_apps_after_launch: settings.ui.open_apps_after_launch,
        notifications: settings.notifications,
        apps: settings.apps.clone(),
        keymap,
    }
}

/// The problem to show: one of the whole file, otherwise the first one.
fn problem(loaded: &Loaded, user: &Path) -> Option<SettingsProblem> {
    let whole = editing::unreadable(loaded, user);
    let first = loaded.problems.iter().find(|it| it.file == user);
    let problem: &Problem = whole.or(first).or(loaded.problems.first())?;
    Some(SettingsProblem {
        problem: problem.clone(),
        whole: whole.is_some(),
        more: loaded.problems.len() - 1,
    })
}

/// The task that follows the settings. Dropping it ends the task.
#[derive(Debug)]
pub struct SettingsTask {
    orders: mpsc::UnboundedSender<SettingsOrder>,
}

impl SettingsTask {
    /// Starts the task. `answers` gets messages for the app, `keymaps` the name of the keymap.
    pub fn begin(
        source: SettingsSource,
        keymaps: watch::Sender<String>,
        answers: mpsc::Sender<Msg>,
    ) -> Self {
        let (orders, received) = mpsc::unbounded_channel();
        let file = source.paths.config_file();
        let directory = file.parent().map(Path::to_path_buf).unwrap_or_default();
        let keeper = SettingsKeeper {
            watch: FileWatch::new(vec![directory]),
            source,
            keymaps,
            sent: None,
            answers,
        };
        tokio::spawn(keeper.run(received));
        Self { orders }
    }

    pub fn order(&self, order: SettingsOrder) {
        let _ = self.orders.send(order);
    }
}

struct SettingsKeeper {
    source: SettingsSource,
    watch: FileWatch,
    keymaps: watch::Sender<String>,
    /// What was sent last.
    sent: Option<SettingsRead>,
    answers: mpsc::Sender<Msg>,
}

impl SettingsKeeper {
    async fn run(mut self, mut orders: mpsc::UnboundedReceiver<SettingsOrder>) {
        loop {
            tokio::select! {
                order = orders.recv() => match order {
                    Some(order) => self.take(order).await,
                    None => return,
                },
                () = self.watch.changed() => self.read(false).await,
            }
        }
    }

    async fn take(&mut self, order: SettingsOrder) {
        match order {
            SettingsOrder::Read => self.read(true).await,
            SettingsOrder::Save { ticket, key, value } => {
                self.written(ticket, move |source| source.save(&key, &value))
                    .await;
            }
            SettingsOrder::Reset { ticket, key } => {
                self.written(ticket, move |source| source.reset(&key)).await;
            }
        }
    }

    async fn written(
        &mut self,
        ticket: Ticket,
        work: impl FnOnce(&SettingsSource) -> Result<String, String> + Send + 'static,
    ) {
        let result = match self.with_source(work).await {
            Some(result) => result,
            None => Err(tr!("the setting was not saved. Try again").to_owned()),
        };
        let result = match result {
            Ok(text) => Ok(Clean::new(&text)),
            Err(why) => Err(Clean::new(&why)),
        };
        // The new value first, so that the page never shows the old one as saved.
        self.read(false).await;
        let _ = self
            .answers
            .send(Msg::SettingSaved { ticket, result })
            .await;
    }

    /// Reads the files, and sends what changed, or everything if it was asked for.
    async fn read(&mut self, asked: bool) {
        let before = self.keymaps.borrow().clone();
        let read = self.with_source(move |source| source.read(&before));
        let Some((read, name)) = read.await else {
            return;
        };
        if let Some(name) = name {
            self.keymaps.send_replace(name);
        }
        if asked || self.sent.as_ref() != Some(&read) {
            self.sent = Some(read.clone());
            let _ = self.answers.send(Msg::Settings(Box::new(read))).await;
        }
    }

    /// Works on the files, off the event loop. `None` = the program ends.
    async fn with_source<T: Send + 'static>(
        &self,
        work: impl FnOnce(&SettingsSource) -> T + Send + 'static,
    ) -> Option<T> {
        let source = self.source.clone();
        tokio::task::spawn_blocking(move || work(&source))
            .await
            .ok()
    }
}

#[cfg(test)]
mod tests;
