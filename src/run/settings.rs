//! The settings while the TUI runs: reads the files again when they change, checks and writes what the settings page
//! changes.
//!
//! A task of its own reads the files, so that a slow disk never delays a key.

use std::path::Path;

use tokio::sync::{mpsc, watch};

use super::{facts::is_unicode, watch::FileWatch};
use crate::{
    app::{
        msg::{Msg, Ticket},
        settings::{LiveSettings, SettingsOrder, SettingsProblem, SettingsRead, ShownSetting},
    },
    config::{
        Problem, edit, editing,
        layer::{self, Loaded},
        library::Library,
        meaning::meaning,
        origin::{Origin, Places},
        paths::Paths,
        setting::{SETTINGS, Setting},
    },
    keymap::{Keymap, builtin::KEYMAPS},
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
            "ui.keymap" => {
                let library = Library {
                    kind: "keymap",
                    dir: Some(&self.paths.keymaps_dir()),
                    builtin: KEYMAPS,
                };
                let names = library.names().into_iter();
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
        .map_err(|problem| format!("not saved: {problem}"))?;
        Ok(format!("{key} saved. {}", in_words(effect)))
    }

    /// Removes a setting from the user's file. Returns what to say about it.
    fn reset(&self, key: &str) -> Result<String, String> {
        let (setting, _, effect) = known(key)?;
        edit::remove(&self.paths.config_file(), setting.table, setting.name)
            .map_err(|problem| format!("not reset: {problem}"))?;
        let from = match self.load().origin(key) {
            Origin::Site { .. } => "the value of the system-wide file",
            _ => "the default",
        };
        Ok(format!("{key} is {from} now. {}", in_words(effect)))
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
    let (setting, (kind, effect)) = found.ok_or_else(|| format!("unknown setting '{key}'"))?;
    Ok((setting, kind, effect))
}

fn in_words(effect: TakesEffect) -> &'static str {
    match effect {
        TakesEffect::AtOnce => "In effect now",
        TakesEffect::NextStart => "In effect when you start workbay again",
        TakesEffect::DaemonStart => "In effect when the daemon starts again: `workbay daemon stop`",
    }
}

/// What the palette shows of each setting, without reading further files. The settings page reads the rest.
pub fn outlines(loaded: &Loaded) -> Vec<ShownSetting> {
    let outline = |setting| ShownSetting {
        fixed: Some("The settings are being read. Try again in a moment.".to_owned()),
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
        Origin::Default => "the default".to_owned(),
        Origin::Site { file, line, .. } => format!("system-wide file, {}:{line}", file.display()),
        Origin::User { file, line, .. } => format!("your file, {}:{line}", file.display()),
        Origin::Environment { variable } => format!("environment variable {variable}"),
        Origin::Flag { option } => format!("option {option}"),
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
            None => Err("the setting was not saved. Try again".to_owned()),
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
mod tests {
    use std::{fs, path::PathBuf};

    use super::*;

    struct Trial {
        _dir: tempfile::TempDir,
        file: PathBuf,
        source: SettingsSource,
    }

    fn trial(text: &str) -> Trial {
        let dir = tempfile::tempdir().unwrap();
        let paths = Paths::below(dir.path());
        let file = paths.config_file();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        let begun = layer::defaults();
        Trial {
            _dir: dir,
            file,
            source: SettingsSource { paths, begun },
        }
    }

    fn text(text: &str) -> EditedValue {
        EditedValue::Text(text.to_owned())
    }

    #[test]
    fn a_saved_value_keeps_the_comments_and_a_wrong_one_changes_nothing() {
        let before = "# mine\n[ui]\n# the mouse\nmouse = true # yes\n";
        let trial = trial(before);
        let now = || fs::read_to_string(&trial.file).unwrap();
        let saved = trial.source.save("ui.mouse", &text("false")).unwrap();
        assert_eq!(saved, "ui.mouse saved. In effect now");
        assert_eq!(now(), before.replace("true", "false"));
        let why = trial.source.save("ui.theme", &text("drcula")).unwrap_err();
        assert!(
            why.contains("not found") && why.contains("dracula"),
            "{why}"
        );
        let why = trial.source.save("ui.keymap", &text("none")).unwrap_err();
        assert!(why.contains("not found"), "{why}");
        let why = trial
            .source
            .save("history.keep-days", &text("-1"))
            .unwrap_err();
        assert!(why.contains("invalid number"), "{why}");
        assert_eq!(now(), before.replace("true", "false"));
        trial.source.save("history.keep-days", &text("3")).unwrap();
        assert!(now().ends_with("\n[history]\nkeep-days = 3\n"));
        let reset = trial.source.reset("ui.mouse").unwrap();
        assert_eq!(reset, "ui.mouse is the default now. In effect now");
        assert!(
            now().starts_with("# mine\n[ui]\n# the mouse\n\n[history]"),
            "{}",
            now()
        );
    }

    #[test]
    fn rows_have_origin_default_and_no_secret() {
        let trial = trial(
            "[launch]\nenv = { API_KEY = \"hunter2\" }\n[hooks]\ncommand = [\"post\", \"hunter2\"]\n",
        );
        let loaded = trial.source.load();
        let rows = trial.source.rows(&loaded);
        let row = |key: &str| rows.iter().find(|row| row.key == key).unwrap();
        assert_eq!(row("launch.env").value, "{ API_KEY }");
        assert_eq!(row("hooks.command").value, "[\"post\", …]");
        assert_eq!(row("launch.env").line, Some(2));
        assert!(row("hooks.command").from.ends_with("config.toml:4"));
        assert_eq!(
            row("launch.env").current,
            EditedValue::List(vec!["API_KEY=hunter2".to_owned()])
        );
        let SettingKind::Choice(themes) = &row("ui.theme").kind else {
            panic!("themes are a choice");
        };
        assert!(themes.contains(&"auto".to_owned()) && themes.contains(&"dracula".to_owned()));
    }

    #[test]
    fn a_file_with_a_syntax_error_is_named_with_its_line() {
        let trial = trial("[ui]\nmouse = \n");
        let found = problem(&trial.source.load(), &trial.file).unwrap();
        assert_eq!((found.whole, found.problem.line), (true, 2));
        assert!(trial.source.save("ui.mouse", &text("false")).is_err());
        fs::write(&trial.file, "[ui]\nmouse = 3\n").unwrap();
        let found = problem(&trial.source.load(), &trial.file).unwrap();
        assert_eq!((found.whole, found.problem.line), (false, 2));
    }

    #[tokio::test]
    async fn a_changed_file_is_read_and_another_keymap_is_named() {
        let trial = trial("");
        let (keymaps, names) = watch::channel("default".to_owned());
        let (answers, mut received) = mpsc::channel(8);
        let task = SettingsTask::begin(trial.source.clone(), keymaps, answers);
        task.order(SettingsOrder::Read);
        let Some(Msg::Settings(read)) = received.recv().await else {
            panic!("the settings were not read");
        };
        assert!(read.live.unwrap().mouse);
        let value = text("vim");
        let key = "ui.keymap".to_owned();
        task.order(SettingsOrder::Save {
            ticket: 7,
            key,
            value,
        });
        let Some(Msg::Settings(read)) = received.recv().await else {
            panic!("the saved setting was not read");
        };
        let keymap = read.live.unwrap().keymap;
        assert_eq!(keymap, Keymap::builtin("vim"));
        assert_eq!(*names.borrow(), "vim");
        let saved = received.recv().await.unwrap();
        assert!(matches!(
            saved,
            Msg::SettingSaved {
                ticket: 7,
                result: Ok(_)
            }
        ));
    }
}
