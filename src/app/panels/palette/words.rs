//! The words that can be typed in the palette instead of choosing an entry: `:ctx prod`, `:q`. Tab completes them.

use crate::{
    app::{input::Input, mirror::Mirror, shown_contexts::ShownContexts},
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
    Refresh,
    Help,
    Notices,
    Quiet,
    Quit,
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
];

/// The name that means all contexts.
pub const ALL: &str = "all";

/// The command that Enter would carry out, `None` if the text doesn't begin with a word. The error is a sentence.
pub fn read(text: &str, mirror: &Mirror) -> Option<Result<Command, String>> {
    let mut words = text.split_whitespace();
    let first = words.next()?;
    let (word, command, _) = WORDS.iter().find(|(word, ..)| *word == first)?;
    let rest: Vec<&str> = words.collect();
    Some(match (command, rest.as_slice()) {
        (command, []) => Ok(*command),
        (Command::Contexts, [ALL]) => Ok(Command::Show(ShownContexts::All)),
        (Command::Contexts, [name]) => context(mirror, name),
        (Command::Contexts, _) => Err(format!("usage: {word} CONTEXT")),
        _ => Err(format!("{word} takes no argument")),
    })
}

/// What a command does, for its row.
pub fn meaning(command: Command) -> String {
    match command {
        Command::Contexts => "choose the context".to_owned(),
        Command::Show(ShownContexts::All) => "show all contexts".to_owned(),
        Command::Show(ShownContexts::One(name)) => format!("show the context {name}"),
        Command::Tab(tab) => format!("show the tab {}", tab.title()),
        Command::Launch => "launch a session".to_owned(),
        Command::Refresh => "refresh the list".to_owned(),
        Command::Help => "show the keys of this view".to_owned(),
        Command::Notices => "show notifications".to_owned(),
        Command::Quiet => "switch quiet mode on or off".to_owned(),
        Command::Quit => "quit (sessions and shells keep running)".to_owned(),
    }
}

/// What the last word may become, in order. An empty list if nothing begins like it, or if the cursor isn't at the
/// end.
pub fn candidates(input: &Input, mirror: &Mirror) -> Vec<String> {
    if input.before_cursor() != input.text() {
        return Vec::new();
    }
    let (mut choices, typed) = choices(input.text(), mirror);
    choices.retain(|choice| choice.starts_with(typed));
    choices
}

/// The text that Tab would add.
pub fn completion(input: &Input, mirror: &Mirror) -> Option<String> {
    let (_, typed) = choices(input.text(), mirror);
    let candidates = candidates(input, mirror);
    // A complete word isn't extended to a longer one, because Enter accepts it.
    if input.is_empty() || candidates.iter().any(|it| it == typed) {
        return None;
    }
    Some(candidates.first()?[typed.len()..].to_owned())
}

/// Why Tab completes nothing, `None` if the text is complete.
pub fn nothing_begins_so(input: &Input, mirror: &Mirror) -> Option<String> {
    let text = input.text();
    let is_known = WORDS.iter().any(|(word, ..)| *word == text);
    if is_known || input.before_cursor() != text {
        return None;
    }
    let (choices, typed) = choices(text, mirror);
    Some(match text.split_once(' ') {
        None => format!("No command starts with {typed}"),
        Some((word, _)) if choices.is_empty() => format!("{word} takes no argument"),
        Some(_) => format!("No context starts with {typed}"),
    })
}

/// All words in the place of the last word, and what is typed of it.
fn choices<'a>(text: &'a str, mirror: &Mirror) -> (Vec<String>, &'a str) {
    let Some((word, rest)) = text.split_once(' ') else {
        return (offered().into_iter().map(str::to_owned).collect(), text);
    };
    let names = if takes_argument(word) {
        names(mirror)
    } else {
        Vec::new()
    };
    (names, rest)
}

/// Whether the first word of a text takes the name of a context.
pub fn takes_argument(text: &str) -> bool {
    let word = text.split_whitespace().next();
    WORDS
        .iter()
        .any(|(known, command, _)| Some(*known) == word && *command == Command::Contexts)
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
