//! The words that can be typed in the palette instead of choosing an entry: `:ctx prod`, `:q`. Tab completes them.

use crate::{
    app::{
        input::Input, mirror::Mirror, panels::PanelEnv, sessions::columns::SavedView,
        shown_contexts::ShownContexts, themes::Themes,
    },
    model::status::Tab,
    rules::grouping::Grouping,
};

/// What words can be followed by.
#[derive(Clone, Copy)]
pub struct WordValues<'a> {
    pub mirror: &'a Mirror,
    pub views: &'a [SavedView],
    pub themes: &'a Themes,
}

impl<'a> WordValues<'a> {
    pub fn of(env: &PanelEnv<'a>) -> Self {
        Self {
            mirror: env.mirror,
            views: env.views,
            themes: env.themes,
        }
    }
}

/// The command of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Opens the list of contexts.
    Contexts,
    Show(ShownContexts),
    Tab(Tab),
    Launch,
    Refresh,
    Help,
    Notices,
    Quiet,
    Quit,
    /// Opens the settings page.
    Settings,
    /// Opens the list of themes.
    Themes,
    /// Uses a theme, or `auto`.
    Theme(String),
    View(ViewCommand),
    Dashboard,
    /// Groups by the next useful value.
    Group,
    /// Groups by a value, or by none.
    GroupBy(Option<Grouping>),
}

/// What to do with a saved view.
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
    ("dashboard", Command::Dashboard, true),
    ("finished", Command::Tab(Tab::Finished), true),
    ("group", Command::Group, true),
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
    ("settings", Command::Settings, true),
    ("set", Command::Settings, false),
    ("theme", Command::Themes, true),
    ("themes", Command::Themes, false),
    (VIEW, Command::View(ViewCommand::List), true),
    (VIEW_DELETE, Command::View(ViewCommand::List), true),
    (VIEW_SAVE, Command::View(ViewCommand::List), true),
];

const VIEW: &str = "view";
const VIEW_DELETE: &str = "view-delete";
const VIEW_SAVE: &str = "view-save";

/// The name that means all contexts.
pub const ALL: &str = "all";

/// What ends the grouping.
const NONE: &str = "none";

/// The command that Enter would carry out, `None` if the text doesn't begin with a word. The error is a sentence.
pub fn read(text: &str, values: WordValues<'_>) -> Option<Result<Command, String>> {
    let mut words = text.split_whitespace();
    let first = words.next()?;
    let (word, command, _) = WORDS.iter().find(|(word, ..)| *word == first)?;
    let rest: Vec<&str> = words.collect();
    Some(match (command, rest.as_slice()) {
        (Command::View(_), names) => view(word, names),
        (command, []) => Ok(command.clone()),
        (Command::Contexts, [ALL]) => Ok(Command::Show(ShownContexts::All)),
        (Command::Contexts, [name]) => context(values.mirror, name),
        (Command::Contexts, _) => Err(tr!("usage: {word} CONTEXT", word)),
        (Command::Themes, [name]) => theme(values.themes, name),
        (Command::Themes, _) => Err(tr!("usage: {word} NAME", word)),
        (Command::Group, [NONE]) => Ok(Command::GroupBy(None)),
        (Command::Group, [name]) => group(name),
        (Command::Group, _) => Err(tr!(
            "usage: {word} KEY, with one of: {group_names}",
            word,
            group_names = group_names().join(", ")
        )),
        _ => Err(tr!("{word} takes no argument", word)),
    })
}

fn view(word: &str, names: &[&str]) -> Result<Command, String> {
    let command = match (word, names) {
        (VIEW, []) => ViewCommand::List,
        (VIEW, [name]) => ViewCommand::Show((*name).to_owned()),
        (VIEW_SAVE, [name]) => ViewCommand::Save((*name).to_owned()),
        (VIEW_DELETE, [name]) => ViewCommand::Delete((*name).to_owned()),
        _ => return Err(tr!("usage: {word} NAME (without spaces)", word)),
    };
    Ok(Command::View(command))
}

fn group(name: &str) -> Result<Command, String> {
    let known = Grouping::from_name(name).map(|it| Command::GroupBy(Some(it)));
    known.ok_or_else(|| {
        let names = group_names().join(", ");
        tr!(
            "'{name}' isn't a key for groups. Use one of: {names}",
            name,
            names
        )
    })
}

/// The keys for groups, and what ends the grouping.
fn group_names() -> Vec<String> {
    let names = Grouping::ALL.map(Grouping::name).into_iter();
    names.chain([NONE]).map(str::to_owned).collect()
}

fn theme(themes: &Themes, name: &str) -> Result<Command, String> {
    let is_known = themes.names().iter().any(|it| it.as_str() == name);
    let found = is_known.then(|| Command::Theme(name.to_owned()));
    found.ok_or_else(|| {
        tr!(
            "theme '{name}' not found. Use 'theme' without a name to choose one",
            name
        )
    })
}

/// What a command does, for its row.
pub fn meaning(command: &Command) -> String {
    match command {
        Command::Contexts => tr!("choose the context").to_owned(),
        Command::Show(ShownContexts::All) => tr!("show all contexts").to_owned(),
        Command::Show(ShownContexts::One(name)) => tr!("show the context {name}", name),
        Command::Tab(tab) => tr!("show the tab {title}", title = tab.title()),
        Command::Launch => tr!("launch a session").to_owned(),
        Command::Dashboard => tr!("show the dashboard").to_owned(),
        Command::Group => tr!("group the list by the next value").to_owned(),
        Command::GroupBy(Some(grouping)) => {
            tr!("group the list by {title}", title = grouping.title())
        }
        Command::GroupBy(None) => tr!("list without groups").to_owned(),
        Command::Refresh => tr!("refresh the list").to_owned(),
        Command::Help => tr!("show the keys of this view").to_owned(),
        Command::Notices => tr!("show notifications").to_owned(),
        Command::Quiet => tr!("switch quiet mode on or off").to_owned(),
        Command::Quit => tr!("quit (sessions and shells keep running)").to_owned(),
        Command::Settings => tr!("show and change the settings").to_owned(),
        Command::Themes => tr!("choose the theme").to_owned(),
        Command::Theme(name) => tr!("use the theme {name}", name),
        Command::View(ViewCommand::List) => tr!("list the saved views").to_owned(),
        Command::View(ViewCommand::Show(name)) => tr!("show the view {name}", name),
        Command::View(ViewCommand::Save(name)) => tr!("save the list as the view {name}", name),
        Command::View(ViewCommand::Delete(name)) => tr!("delete the view {name}", name),
    }
}

/// What the last word may become, in order. An empty list if nothing begins like it, or if the cursor isn't at the
/// end.
pub fn candidates(input: &Input, values: WordValues<'_>) -> Vec<String> {
    if input.before_cursor() != input.text() {
        return Vec::new();
    }
    let (mut choices, typed) = choices(input.text(), values);
    choices.retain(|choice| choice.starts_with(typed));
    choices
}

/// The text that Tab would add.
pub fn completion(input: &Input, values: WordValues<'_>) -> Option<String> {
    let (_, typed) = choices(input.text(), values);
    let candidates = candidates(input, values);
    // A complete word isn't extended to a longer one, because Enter accepts it.
    if input.is_empty() || candidates.iter().any(|it| it == typed) {
        return None;
    }
    Some(candidates.first()?[typed.len()..].to_owned())
}

/// Why Tab completes nothing, `None` if the text is complete.
pub fn nothing_begins_so(input: &Input, values: WordValues<'_>) -> Option<String> {
    let text = input.text();
    let is_known = WORDS.iter().any(|(word, ..)| *word == text);
    if is_known || input.before_cursor() != text {
        return None;
    }
    let (choices, typed) = choices(text, values);
    Some(match text.split_once(' ') {
        None => tr!("No command starts with {typed}", typed),
        Some((VIEW_SAVE, _)) => return None,
        Some((VIEW | VIEW_DELETE, _)) => tr!("No view starts with '{typed}'", typed),
        Some((word, _)) if choices.is_empty() => tr!("{word} takes no argument", word),
        Some(("group", _)) => tr!("No key for groups starts with {typed}", typed),
        Some((word, _)) if word.starts_with("theme") => tr!("No theme starts with {typed}", typed),
        Some(_) => tr!("No context starts with {typed}", typed),
    })
}

/// All words in the place of the last word, and what is typed of it.
fn choices<'a>(text: &'a str, values: WordValues<'_>) -> (Vec<String>, &'a str) {
    let Some((word, rest)) = text.split_once(' ') else {
        return (offered().into_iter().map(str::to_owned).collect(), text);
    };
    let command = WORDS.iter().find(|(known, ..)| *known == word);
    let names = match command.map(|(_, command, _)| command) {
        Some(Command::Contexts) => names(values.mirror),
        Some(Command::Themes) => {
            let names = values.themes.names();
            names.iter().map(ToString::to_string).collect()
        }
        Some(Command::Group) => group_names(),
        Some(Command::View(_)) => values.views.iter().map(|it| it.name.clone()).collect(),
        _ => Vec::new(),
    };
    (names, rest)
}

/// Whether the first word of a text takes an argument that isn't guessed: the name of a context, a theme, a view
/// or a group.
pub fn takes_argument(text: &str) -> bool {
    let word = text.split_whitespace().next();
    let command = WORDS.iter().find(|(known, ..)| Some(*known) == word);
    command.is_some_and(|(_, command, _)| {
        matches!(
            command,
            Command::Contexts | Command::Themes | Command::View(_) | Command::Group
        )
    })
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
        None => Err(tr!(
            "context '{name}' not found. Configured: {mirror}",
            name,
            mirror = names(mirror).join(", ")
        )),
    }
}
