//! The theme of the TUI: loads it, shows others for a while, saves the chosen one, and follows changes of its
//! files and of the terminal's background.
//!
//! A task of its own reads the files, so that a slow disk never delays a key.

use std::path::{Path, PathBuf};

use tokio::sync::mpsc;

use crate::{
    app::{
        msg::{Msg, Ticket},
        themes::{ThemeKind, ThemeOrder, ThemeRow, Themes},
    },
    config::{
        Problem, edit,
        layer::{self, Loaded},
        origin::{Origin, Places},
        paths::Paths,
    },
    model::{notice::Level, text::Clean},
    run::{effects, watch::FileWatch},
    theme::{self, ColorDepth, Theme, ThemeChoice, contrast},
};

/// The key of the setting.
const SETTING: &str = "ui.theme";

/// What decides about the theme.
#[derive(Clone, Debug)]
pub struct ThemeSource {
    pub paths: Paths,
    /// The value of `ui.theme`.
    pub setting: String,
    /// What set the value.
    pub origin: Origin,
    pub depth: ColorDepth,
    /// Whether the terminal's background is dark, if known.
    pub is_dark: Option<bool>,
}

impl ThemeSource {
    pub fn new(paths: Paths, loaded: &Loaded, depth: ColorDepth, is_dark: Option<bool>) -> Self {
        Self {
            paths,
            setting: loaded.settings.ui.theme.clone(),
            origin: loaded.origin(SETTING).clone(),
            depth,
            is_dark,
        }
    }

    /// The theme that the setting chooses, or all its problems.
    pub fn open(&self) -> Result<Theme, Vec<Problem>> {
        self.open_value(&self.setting)
    }

    /// The name of the theme that the setting chooses now.
    pub fn name(&self) -> String {
        let choice = ThemeChoice::read(&self.setting);
        choice.name(self.is_dark, self.depth).into_owned()
    }

    fn open_value(&self, setting: &str) -> Result<Theme, Vec<Problem>> {
        let choice = ThemeChoice::read(setting);
        let name = choice.name(self.is_dark, self.depth);
        let theme = Theme::open(&name, Some(&self.paths.themes_dir()), self.depth)?;
        Ok(theme.on_background(self.is_dark))
    }

    /// Reads the setting again. A file with a problem, or without the setting, changes nothing.
    fn read_setting(&mut self) {
        // They override the file, and a theme that was chosen since then overrides them.
        if matches!(
            self.origin,
            Origin::Flag { .. } | Origin::Environment { .. }
        ) {
            return;
        }
        let places = Places {
            site: layer::SITE_FILE.into(),
            user: self.paths.config_file(),
        };
        let loaded = layer::load(&places, |name| std::env::var(name).ok());
        if loaded.problems.is_empty() {
            self.setting.clone_from(&loaded.settings.ui.theme);
            self.origin = loaded.origin(SETTING).clone();
        }
    }

    /// Saves a theme in the user's configuration file. Returns what to say about it.
    fn keep(&mut self, name: &str) -> Result<String, Problem> {
        let file = self.paths.config_file();
        edit::set_text(&file, Some("ui"), "theme", name)?;
        name.clone_into(&mut self.setting);
        let stronger = match &self.origin {
            Origin::Environment { variable } => Some(format!("${variable}")),
            Origin::Flag { option } => Some((*option).to_owned()),
            _ => None,
        };
        Ok(match stronger {
            Some(other) => tr!(
                "theme {name} saved. At the next start, {other} overrides it",
                name,
                other
            ),
            None => tr!("theme {name} saved in {file}", name, file = file.display()),
        })
    }

    fn list(&self) -> Themes {
        let dir = self.paths.themes_dir();
        let rows = theme::names(Some(&dir)).into_iter().map(|(name, own)| {
            let kind = match Theme::open(&name, Some(&dir), ColorDepth::TrueColor) {
                Ok(theme) => match contrast::is_dark(&theme) {
                    Some(true) => ThemeKind::Dark,
                    Some(false) => ThemeKind::Light,
                    None => ThemeKind::Any,
                },
                Err(_) => ThemeKind::Broken,
            };
            ThemeRow {
                name: Clean::new(&name),
                own,
                kind,
            }
        });
        Themes {
            rows: rows.collect(),
            setting: Clean::new(&self.setting),
        }
    }
}

/// What the task is asked for.
#[derive(Debug)]
enum Order {
    App(ThemeOrder),
    /// The terminal's background is dark, or light.
    Background(bool),
}

/// The task that follows the theme. Dropping it ends the task.
#[derive(Debug)]
pub struct Theming {
    orders: mpsc::UnboundedSender<Order>,
    themes: Option<mpsc::Receiver<Theme>>,
}

impl Theming {
    /// Starts the task. `shown` is the theme on the screen, `answers` gets messages for the app.
    pub fn begin(source: ThemeSource, shown: Theme, answers: mpsc::Sender<Msg>) -> Self {
        let (orders, received) = mpsc::unbounded_channel();
        let (themes_in, themes) = mpsc::channel(1);
        let keeper = ThemeKeeper {
            watch: FileWatch::new(watched(&source.paths)),
            source,
            shown,
            previewed: None,
            problem: None,
            themes: themes_in,
            answers,
        };
        tokio::spawn(keeper.run(received));
        Self {
            orders,
            themes: Some(themes),
        }
    }

    pub fn order(&self, order: ThemeOrder) {
        let _ = self.orders.send(Order::App(order));
    }

    pub fn background(&self, is_dark: bool) {
        let _ = self.orders.send(Order::Background(is_dark));
    }

    /// The themes to draw with, as they change. `None` = they are taken already.
    pub fn themes(&mut self) -> Option<mpsc::Receiver<Theme>> {
        self.themes.take()
    }
}

/// The directories of themes and of the setting.
fn watched(paths: &Paths) -> Vec<PathBuf> {
    let config = paths.config_file();
    let config = config.parent().map(Path::to_path_buf).unwrap_or_default();
    vec![paths.themes_dir(), config]
}

/// The state of the task.
struct ThemeKeeper {
    source: ThemeSource,
    watch: FileWatch,
    /// The theme that was sent last.
    shown: Theme,
    /// The value that is shown in place of the setting.
    previewed: Option<String>,
    /// The last reported problem, so that it is reported once.
    problem: Option<String>,
    themes: mpsc::Sender<Theme>,
    answers: mpsc::Sender<Msg>,
}

impl ThemeKeeper {
    async fn run(mut self, mut orders: mpsc::UnboundedReceiver<Order>) {
        loop {
            tokio::select! {
                order = orders.recv() => match order {
                    Some(order) => self.take(order).await,
                    None => return,
                },
                () = self.watch.changed() => {
                    self.with_source(ThemeSource::read_setting).await;
                    self.show(true).await;
                }
            }
        }
    }

    async fn take(&mut self, order: Order) {
        match order {
            Order::Background(is_dark) => {
                self.source.is_dark = Some(is_dark);
                self.show(true).await;
            }
            Order::App(ThemeOrder::List) => {
                if let Some(themes) = self.with_source(|source| source.list()).await {
                    let _ = self.answers.send(Msg::Themes(themes)).await;
                }
            }
            Order::App(ThemeOrder::Preview(name)) => {
                self.previewed = Some(name);
                self.show(false).await;
            }
            Order::App(ThemeOrder::Restore) => {
                self.previewed = None;
                self.show(false).await;
            }
            Order::App(ThemeOrder::Keep { ticket, name }) => self.keep(ticket, name).await,
        }
    }

    async fn keep(&mut self, ticket: Ticket, name: String) {
        self.previewed = None;
        let kept = self.with_source(move |source| source.keep(&name)).await;
        let result = match kept {
            Some(Ok(text)) => Ok(Clean::new(&text)),
            Some(Err(problem)) => Err(Clean::new(&tr!(
                "the theme was not saved: {problem}",
                problem
            ))),
            None => Err(Clean::new(tr!("the theme was not saved. Try again"))),
        };
        let _ = self.answers.send(Msg::Done { ticket, result }).await;
        self.show(false).await;
    }

    /// Loads the theme and sends it if it differs from the shown one. A theme with problems changes nothing. They
    /// are reported if `reports` is set, once.
    async fn show(&mut self, reports: bool) {
        let value = self.previewed.clone();
        let opened = self
            .with_source(move |source| match value {
                Some(value) => source.open_value(&value),
                None => source.open(),
            })
            .await;
        match opened {
            Some(Ok(theme)) => {
                self.problem = None;
                if theme != self.shown {
                    self.shown = theme.clone();
                    let _ = self.themes.send(theme).await;
                }
            }
            Some(Err(problems)) => self.report(&problems, reports).await,
            None => {}
        }
    }

    async fn report(&mut self, problems: &[Problem], reports: bool) {
        let Some(first) = problems.first() else {
            return;
        };
        let more = match problems.len() {
            1 => String::new(),
            n => tr!(" (and {n} more: `workbay themes check`)", n = n - 1),
        };
        let text = tr!("theme not changed: {first}{more}", first, more);
        if reports && self.problem.as_ref() != Some(&text) {
            let _ = self
                .answers
                .send(effects::remark(Level::Error, &text))
                .await;
            self.problem = Some(text);
        }
    }

    /// Works on the files, off the event loop. `None` = the program ends.
    async fn with_source<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut ThemeSource) -> T + Send + 'static,
    ) -> Option<T> {
        let mut source = self.source.clone();
        let done = tokio::task::spawn_blocking(move || {
            let outcome = work(&mut source);
            (source, outcome)
        });
        let (source, outcome) = done.await.ok()?;
        self.source = source;
        Some(outcome)
    }
}

#[cfg(test)]
mod tests;
