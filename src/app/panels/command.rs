//! The command line: `:ctx prod`, `:q`. Tab completes words. The error for an unknown word lists the known
//! ones.

use super::{Hint, Panel, PanelEnv, PromptLine};
use crate::{
    action::{Action, Scope},
    app::{
        input::Input,
        mirror::Mirror,
        sessions::columns::SavedView,
        shown_contexts::ShownContexts,
        step::{Go, Step},
    },
    key::{Key, KeyCode},
    model::status::Tab,
};

/// The command of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Opens the list of contexts.
    Contexts,
    Show(ShownContexts),
    Tab(Tab),
    Launch,
    /// Opens the list of themes.
    Themes,
    /// Uses the theme with this number of [`crate::app::themes::Themes::names`].
    Theme(usize),
    Refresh,
    Help,
    Notices,
    Quiet,
    Quit,
    /// Lists the saved views.
    Views,
}

/// What happens to a saved view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewCommand {
    List,
    Show(String),
    Save(String),
    Delete(String),
}

/// Every word, its meaning without an argument, and whether completion offers it. The others are known from
/// other programs and mean the same.
const WORDS: &[(&str, Command, bool)] = &[
    ("ctx", Command::Contexts, true),
    ("context", Command::Contexts, false),
    ("contexts", Command::Contexts, false),
    ("finished", Command::Tab(Tab::Finished), true),
    ("help", Command::Help, true),
    ("launch", Command::Launch, true),
    ("notifications", Command::Notices, true),
    ("others", Command::Tab(Tab::Others), true),
    ("quiet", Command::Quiet, true),
    ("quit", Command::Quit, true),
    ("q", Command::Quit, false),
    ("q!", Command::Quit, false),
    ("refresh", Command::Refresh, true),
    ("running", Command::Tab(Tab::Running), true),
    (VIEW, Command::Views, true),
    (VIEW_DELETE, Command::Views, true),
    (VIEW_SAVE, Command::Views, true),
    ("theme", Command::Themes, true),
    ("themes", Command::Themes, false),
];

const VIEW: &str = "view";
const VIEW_DELETE: &str = "view-delete";
const VIEW_SAVE: &str = "view-save";

/// The name that means all contexts.
pub const ALL: &str = "all";

#[derive(Clone, Debug, Default)]
pub struct CommandLine {
    pub input: Input,
    /// Why the line was refused, until the next key.
    pub problem: Option<String>,
    /// The names of saved views.
    views: Vec<String>,
    /// The names of themes.
    themes: Vec<String>,
}

impl CommandLine {
    #[must_use]
    pub fn new(env: &PanelEnv<'_>) -> Self {
        Self {
            views: env.views.iter().map(|it| it.name.clone()).collect(),
            themes: theme_names(env),
            ..Self::default()
        }
    }

    /// What a line about views means. `None` if it is about something else.
    fn view(&self) -> Option<Result<ViewCommand, String>> {
        let (word, name) = match self.input.text().trim().split_once(' ') {
            Some((word, name)) => (word, name.trim().to_owned()),
            None => (self.input.text().trim(), String::new()),
        };
        let is_one = !name.contains(char::is_whitespace);
        Some(match (word, name.is_empty()) {
            (VIEW, true) => Ok(ViewCommand::List),
            (VIEW, false) if is_one => Ok(ViewCommand::Show(name)),
            (VIEW_SAVE, false) if is_one => Ok(ViewCommand::Save(name)),
            (VIEW_DELETE, false) if is_one => Ok(ViewCommand::Delete(name)),
            (VIEW | VIEW_SAVE | VIEW_DELETE, _) => {
                Err(format!("usage: {word} NAME (without spaces)"))
            }
            _ => return None,
        })
    }

    /// The command that Enter would carry out. The error is a sentence.
    pub fn read(&self, mirror: &Mirror) -> Result<Command, String> {
        let mut words = self.input.text().split_whitespace();
        let Some(first) = words.next() else {
            return Err(format!("Type one of: {}", offered().join(", ")));
        };
        let Some((word, command, _)) = WORDS.iter().find(|(word, ..)| *word == first) else {
            let offered = offered().join(", ");
            return Err(format!("unknown command '{first}'. Use {offered}"));
        };
        let rest: Vec<&str> = words.collect();
        match (command, rest.as_slice()) {
            (command, []) => Ok(*command),
            (Command::Contexts, [ALL]) => Ok(Command::Show(ShownContexts::All)),
            (Command::Contexts, [name]) => context(mirror, name),
            (Command::Contexts, _) => Err(format!("usage: {word} CONTEXT")),
            (Command::Themes, [name]) => self.theme(name),
            (Command::Themes, _) => Err(format!("usage: {word} NAME")),
            _ => Err(format!("{word} takes no argument")),
        }
    }

    fn theme(&self, name: &str) -> Result<Command, String> {
        let at = self.themes.iter().position(|it| it == name);
        at.map(Command::Theme).ok_or_else(|| {
            format!("theme '{name}' not found. Use 'theme' without a name to choose one")
        })
    }

    /// What the last word may become, in order. An empty list if nothing begins like it, or if the cursor isn't
    /// at the end.
    pub fn candidates(&self, mirror: &Mirror) -> Vec<String> {
        if self.input.before_cursor() != self.input.text() {
            return Vec::new();
        }
        let (mut choices, typed) = self.choices(mirror);
        choices.retain(|choice| choice.starts_with(typed));
        choices
    }

    /// All words in the place of the last word, and what is typed of it.
    fn choices(&self, mirror: &Mirror) -> (Vec<String>, &str) {
        let text = self.input.text();
        let Some((word, rest)) = text.split_once(' ') else {
            return (offered().into_iter().map(str::to_owned).collect(), text);
        };
        if matches!(word, VIEW | VIEW_SAVE | VIEW_DELETE) {
            return (self.views.clone(), rest);
        }
        let command = WORDS.iter().find(|(known, ..)| *known == word);
        let choices = match command.map(|(_, command, _)| command) {
            Some(Command::Contexts) => names(mirror),
            Some(Command::Themes) => self.themes.clone(),
            _ => Vec::new(),
        };
        (choices, rest)
    }

    /// The text that Tab would add.
    pub fn completion(&self, mirror: &Mirror) -> Option<String> {
        let (_, typed) = self.choices(mirror);
        let candidates = self.candidates(mirror);
        // A complete word isn't extended to a longer one, because Enter accepts it.
        if self.input.is_empty() || candidates.iter().any(|it| it == typed) {
            return None;
        }
        Some(candidates.first()?[typed.len()..].to_owned())
    }

    /// Completes the last word, or says that nothing begins like it.
    pub fn complete(&mut self, mirror: &Mirror) {
        if let Some(rest) = self.completion(mirror) {
            let text = format!("{}{rest}", self.input.text());
            self.input.set(&text);
        } else if self.candidates(mirror).is_empty() {
            self.problem = self.nothing_begins_so(mirror);
        }
    }

    fn nothing_begins_so(&self, mirror: &Mirror) -> Option<String> {
        let text = self.input.text();
        let is_known = WORDS.iter().any(|(word, ..)| *word == text);
        if is_known || self.input.before_cursor() != text {
            return None;
        }
        let (choices, typed) = self.choices(mirror);
        Some(match text.split_once(' ') {
            None => format!("No command starts with {typed}"),
            Some((VIEW_SAVE, _)) => return None,
            Some((VIEW | VIEW_DELETE, _)) => format!("No view starts with '{typed}'"),
            Some((word, _)) if choices.is_empty() => format!("{word} takes no argument"),
            Some((word, _)) if word.starts_with("theme") => {
                format!("No theme starts with {typed}")
            }
            Some(_) => format!("No context starts with {typed}"),
        })
    }
}

const HINTS: &[Hint] = &[
    (Scope::Input, &[Action::InputSubmit], "run"),
    (Scope::Global, &[Action::TabNext], "complete"),
    (Scope::Input, &[Action::InputCancel], "cancel"),
];

impl Panel for CommandLine {
    fn input(&mut self) -> Option<&mut Input> {
        self.problem = None;
        Some(&mut self.input)
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        match action {
            Action::InputSubmit => {
                let step = match self.view() {
                    Some(view) => view.map(Step::View),
                    None => {
                        let command = self.read(env.mirror);
                        command.map(|command| Step::Go(Go::Command(command)))
                    }
                };
                match step {
                    Ok(step) => return vec![Step::CLOSE, step],
                    Err(why) => self.problem = Some(why),
                }
            }
            Action::TabNext => self.complete(env.mirror),
            Action::InputCancel | Action::Back => return self.back(env),
            _ => {}
        }
        Vec::new()
    }

    /// Backspace in an empty line closes it, as in vi.
    fn key(&mut self, key: Key, env: &PanelEnv<'_>) -> Option<Vec<Step>> {
        if self.input.is_empty() && key.code == KeyCode::Backspace {
            return Some(self.back(env));
        }
        self.problem = None;
        let at_end = self.input.before_cursor() == self.input.text();
        if at_end && key == Key::plain(KeyCode::Right) {
            self.complete(env.mirror);
            return Some(Vec::new());
        }
        self.input.key(key).then(Vec::new)
    }

    fn update(&mut self, env: &PanelEnv<'_>) {
        self.themes = theme_names(env);
    }

    fn hints(&self) -> Vec<Hint> {
        HINTS.to_vec()
    }

    fn problem(&self) -> Option<String> {
        self.problem.clone()
    }

    fn prompt(&self) -> Option<PromptLine<'_>> {
        Some(PromptLine {
            label: ":".to_owned(),
            input: &self.input,
            note: "",
        })
    }
}

fn theme_names(env: &PanelEnv<'_>) -> Vec<String> {
    let names = env.themes.names().into_iter();
    names.map(|name| name.into_string()).collect()
}

fn offered() -> Vec<&'static str> {
    let offered = WORDS.iter().filter(|(.., offered)| *offered);
    offered.map(|(word, ..)| *word).collect()
}

fn names(mirror: &Mirror) -> Vec<String> {
    let names = mirror.contexts().iter().map(|s| s.context.name.to_string());
    names.chain([ALL.to_owned()]).collect()
}

fn context(mirror: &Mirror, name: &str) -> Result<Command, String> {
    let found = mirror
        .contexts()
        .iter()
        .find(|state| state.context.name.as_str() == name);
    match found {
        Some(state) => Ok(Command::Show(ShownContexts::One(state.context.name))),
        None => Err(format!(
            "context '{name}' not found. Configured: {}",
            names(mirror).join(", ")
        )),
    }
}
