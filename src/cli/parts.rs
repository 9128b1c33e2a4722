//! What the plain mode uses of the command line: its tree, the values of its arguments, and the lists of its commands.

use std::{collections::BTreeSet, time::Duration};

use clap::{Command, CommandFactory as _, Parser as _, error::ErrorKind};

use super::{
    Start,
    args::Cli,
    choice::Choice,
    commands::{
        Command as Typed,
        completion::{self, Candidate},
        launch,
        ls::{self, Ls, TabChoice},
    },
    connection::{self, Connection},
    fail::Fail,
    language, parser_words,
};
use crate::{
    model::{id::ContextName, notice::Notice, session::Session, spec::LaunchRequest, status::Tab},
    protocol::message::{Reply, Request},
    rules::launch::check_words,
};

pub use super::{
    commands::events::engine_line,
    now,
    times::{elapsed, moment},
    tty::{ANSWERS, dumb_terminal},
};

/// How long to wait for the values of an argument. Without them, any text may be typed.
const PATIENCE: Duration = Duration::from_secs(5);

/// The tree of all commands, with their options and arguments.
#[must_use]
pub fn tree() -> Command {
    language::tree(Cli::command())
}

/// All texts of the help, for translators.
#[must_use]
pub fn help_texts() -> BTreeSet<String> {
    language::help_texts(Cli::command())
}

/// The values that the last of these words may have, each with a short description. Empty if any text may be typed.
#[must_use]
pub fn values(tree: &Command, words: &[String], start: &Start) -> Vec<(String, String)> {
    let found = completion::candidates(tree, words, |_| Some(start.clone()), PATIENCE);
    let found = found.into_iter();
    let found = found.map(|Candidate { value, about }| (value, about));
    found
        .filter(|(value, _)| value != completion::FILES)
        .collect()
}

/// Sessions of a tab, as `workbay ls` finds them.
#[derive(Clone, Debug)]
pub struct Found {
    /// The newest first, each with the word that means it on the command line.
    pub sessions: Vec<(String, Session)>,
    /// How many there are, where the engine has more than these.
    pub total: Option<u64>,
    /// Why the list may be old or incomplete.
    pub remarks: Vec<String>,
}

/// Finds the sessions of a tab that meet a filter.
///
/// # Errors
/// If the daemon or the engine isn't available, or the filter is invalid.
pub fn sessions(start: &Start, tab: Option<Tab>, filter: &str) -> Result<Found, Failed> {
    let arguments = Ls {
        tab: match tab {
            Some(Tab::Running) => TabChoice::Running,
            Some(Tab::Finished) => TabChoice::Finished,
            Some(Tab::Others) => TabChoice::Others,
            None => TabChoice::All,
        },
        filter: Some(filter.to_owned())
            .filter(|it| !it.is_empty())
            .into_iter()
            .collect(),
        quiet: true,
        ..Ls::default()
    };
    Ok(ls::found(start, &arguments)?)
}

/// The latest notifications, the oldest first.
///
/// # Errors
/// If the daemon isn't available.
pub fn notifications(start: &Start) -> Result<Vec<Notice>, Failed> {
    let notices = connection::block_on(async {
        let connection = Connection::connect(&start.paths).await?;
        match connection.request(Request::Notices).await? {
            Reply::Notices { notices, .. } => Ok(notices),
            other => Err(connection::unexpected(&other)),
        }
    })?;
    Ok(notices)
}

/// The context in force.
///
/// # Errors
/// If the configuration has no such context.
pub fn context(start: &Start) -> Result<ContextName, Failed> {
    Ok(Choice::of(start).configured()?)
}

/// The contexts and the states of their engines, in the order of the configuration.
///
/// # Errors
/// If the daemon isn't available.
pub fn contexts(start: &Start) -> Result<Vec<(ContextName, String)>, Failed> {
    let snapshot = connection::block_on(async {
        let connection = Connection::connect(&start.paths).await?;
        connection.snapshot_of(Some(Tab::Others)).await
    })?;
    let states = snapshot.contexts.into_iter();
    Ok(states
        .map(|state| (state.context.name, engine_line(&state.engine)))
        .collect())
}

/// Why something failed: a sentence, and what to do about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failed {
    pub message: String,
    pub hint: Option<String>,
}

impl From<Fail> for Failed {
    fn from(fail: Fail) -> Self {
        let hint = fail.failure.as_ref().and_then(|it| it.hint.clone());
        Self {
            message: fail.message().unwrap_or_default().into_string(),
            hint: hint.map(|hint| hint.to_string()),
        }
    }
}

/// A problem with a line of words: the option that it is about, and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordProblem {
    /// With its dashes. `None` = the whole line.
    pub option: Option<String>,
    pub message: String,
    /// Whether something is missing, so that more words can solve it.
    pub is_missing: bool,
}

/// Checks whether clap takes these words after `workbay`.
///
/// # Errors
/// The first problem.
pub fn check_line(words: &[String]) -> Result<(), WordProblem> {
    parse(words).map(drop)
}

/// Everything that can be said about the words of a launch without the daemon.
#[must_use]
pub fn check_launch(words: &[String]) -> Vec<WordProblem> {
    let typed = match parse(words) {
        Ok(Some(Typed::Launch(typed))) => typed,
        Ok(_) => return Vec::new(),
        Err(problem) => return vec![problem],
    };
    let around = launch::request::Around::here();
    match launch::request::over(LaunchRequest::default(), typed.fields, &around) {
        Err(fail) => {
            let message = Failed::from(fail).message;
            let (option, message) = match message.split_once(": ") {
                Some((option, rest)) if option.starts_with('-') => {
                    (Some(option.to_owned()), rest.to_owned())
                }
                _ => (None, message),
            };
            vec![WordProblem {
                option,
                message,
                is_missing: false,
            }]
        }
        Ok(request) => {
            let problems = check_words(&request, now()).into_iter();
            let problems = problems.map(|problem| WordProblem {
                option: Some(problem.field.row().option.to_owned()),
                message: problem.message,
                is_missing: false,
            });
            problems.collect()
        }
    }
}

fn parse(words: &[String]) -> Result<Option<Typed>, WordProblem> {
    let line = std::iter::once("workbay").chain(words.iter().map(String::as_str));
    match Cli::try_parse_from(line) {
        Ok(cli) => Ok(cli.command),
        Err(error) if is_help(&error) => Ok(None),
        Err(error) => Err(problem(&error)),
    }
}

pub(super) fn is_help(error: &clap::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    )
}

fn problem(error: &clap::Error) -> WordProblem {
    use clap::error::{ContextKind, ContextValue};
    use std::error::Error as _;
    let option = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => {
            let word = argument.split([' ', '=']).next().unwrap_or_default();
            word.starts_with('-').then(|| word.to_owned())
        }
        _ => None,
    };
    let text = error.to_string();
    let first = text.lines().take_while(|line| !line.trim().is_empty());
    let whole = first.map(str::trim).collect::<Vec<_>>().join(" ");
    let whole = whole.strip_prefix("error: ").unwrap_or(&whole);
    let whole = parser_words::line(whole);
    WordProblem {
        option,
        message: error.source().map_or(whole, ToString::to_string),
        is_missing: matches!(
            error.kind(),
            ErrorKind::MissingRequiredArgument
                | ErrorKind::MissingSubcommand
                | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_problem_names_the_option_and_the_rule() {
        let found = check_launch(&words("launch --cpu many"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].option.as_deref(), Some("--cpu"));
        assert!(found[0].message.contains("many"), "{found:?}");
        let found = check_launch(&words("launch --name x"));
        assert_eq!(found[0].option.as_deref(), Some("--name"));
        assert!(check_launch(&words("launch --name train-1 --cpu 0.5")).is_empty());
    }

    #[test]
    fn words_that_are_missing_are_no_mistake() {
        assert!(check_line(&words("rename")).unwrap_err().is_missing);
        let wrong = check_line(&words("rename a b --nothing")).unwrap_err();
        assert!(!wrong.is_missing, "{wrong:?}");
        assert_eq!(check_line(&words("rename a b")), Ok(()));
    }
}
