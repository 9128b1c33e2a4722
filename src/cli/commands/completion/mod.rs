//! `workbay completion SHELL`, and what its scripts call at each Tab: `workbay __complete`.
//!
//! It prints only candidates, and never starts a daemon.

mod daemon;
mod kind;
mod line;
mod place;
#[cfg(test)]
mod tests;

use std::{ffi::OsString, time::Duration};

use clap::Args;
use clap::{Command, CommandFactory, builder::StyledStr};
use clap_complete::Shell;

use crate::{
    cli::{
        Start,
        args::{Cli, GlobalOptions},
        commands::RunCommand,
        fail::Outcome,
        invocation::Invocation,
        language, output,
    },
    locale,
};
use kind::Kind;
use line::Typed;
use place::{Expected, Place};

#[derive(Args, Debug)]
pub struct Completion {
    /// Shell to print the script for
    pub shell: Shell,
}

impl RunCommand for Completion {
    fn run(self, _invocation: &Invocation<'_>) -> Outcome {
        print(self.shell)
    }
}

/// The word after `workbay` with which scripts request candidates.
pub const ASKED: &str = "__complete";

/// How long a Tab may wait for the daemon.
const PATIENCE: Duration = Duration::from_millis(150);

/// Tells the scripts to complete file names.
pub const FILES: &str = ":files";

fn print(shell: Shell) -> Outcome {
    match shell {
        Shell::Bash => output::bytes(include_bytes!("workbay.bash"))?,
        Shell::Zsh => output::bytes(include_bytes!("workbay.zsh"))?,
        Shell::Fish => output::bytes(include_bytes!("workbay.fish"))?,
        // The scripts of other shells complete only commands and options.
        other => {
            let mut script = Vec::new();
            let mut command = language::tree(Cli::command());
            clap_complete::generate(other, &mut command, "workbay", &mut script);
            output::bytes(&script)?;
        }
    }
    Ok(0)
}

/// A candidate for the last word, with a short description.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidate {
    pub value: String,
    pub about: String,
}

impl Candidate {
    pub fn new(value: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            about: about.into(),
        }
    }
}

/// Prints the candidates, one on each line. Prints nothing if there is a problem.
pub fn complete(arguments: &[OsString], start: impl Fn(&GlobalOptions) -> Option<Start>) {
    let Some(typed) = Typed::read(arguments) else {
        return;
    };
    let mut command = Cli::command();
    command.build();
    let lines: String = candidates(&command, &typed.words, start, PATIENCE)
        .into_iter()
        .map(|candidate| typed.printed(&candidate))
        .collect();
    // The reader may have closed the pipe.
    let _ = output::bytes(lines.as_bytes());
}

/// The candidates for the last word. `patience`: how long the daemon may take.
pub fn candidates(
    command: &Command,
    words: &[String],
    start: impl Fn(&GlobalOptions) -> Option<Start>,
    patience: Duration,
) -> Vec<Candidate> {
    let Some(place) = Place::find(command, words) else {
        return Vec::new();
    };
    let mut found = match place.expected {
        Expected::Option => options(place.command),
        Expected::Value(_) => Vec::new(),
        Expected::Word(_) => subcommands(place.command),
    };
    if let Expected::Value(argument) | Expected::Word(Some(argument)) = place.expected {
        let known = argument.get_possible_values();
        let shown = known.iter().filter(|value| !value.is_hide_set());
        found.extend(
            shown.map(|value| Candidate::new(value.get_name(), described(value.get_help()))),
        );
        match kind::of(&place.path, argument) {
            Some(Kind::Files) => return vec![Candidate::new(FILES, "")],
            Some(kind) => found.extend(kind.candidates(&place, start, patience)),
            None => {}
        }
    }
    found.retain(|candidate| candidate.value.starts_with(place.typed));
    for candidate in &mut found {
        candidate.value.insert_str(0, place.before);
    }
    found
}

fn options(command: &Command) -> Vec<Candidate> {
    let shown = command.get_arguments().filter(|it| !it.is_hide_set());
    let named = shown.filter_map(|argument| {
        let name = format!("--{}", argument.get_long()?);
        Some(Candidate::new(name, described(argument.get_help())))
    });
    named.collect()
}

fn subcommands(command: &Command) -> Vec<Candidate> {
    let shown = command.get_subcommands().filter(|it| !it.is_hide_set());
    let named =
        shown.map(|command| Candidate::new(command.get_name(), described(command.get_about())));
    named.collect()
}

/// A text of the help in the user's language.
fn described(help: Option<&StyledStr>) -> String {
    let english = help.map(ToString::to_string).unwrap_or_default();
    locale::of(&english).to_owned()
}
