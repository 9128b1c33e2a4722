//! Sets the language of this process.

use std::{collections::BTreeSet, ffi::OsString};

use clap::{Arg, Command};

use super::{help_notes, invocation};
use crate::{
    config::{layer::Loaded, paths::Paths},
    locale,
};

/// Chooses the language before anything is shown. Returns the settings that were read for it, unless they have
/// problems: those are reported when the settings are read for the command, in the language that is then known.
///
/// The daemon stays English: its texts are stored and are shown to all clients. It has a language only for SSH clients
/// and browsers. What programs and maintainers read is English, too.
pub fn start(arguments: &[OsString]) -> Option<Loaded> {
    let is_daemon = is_daemon(arguments);
    if !is_daemon && is_english(arguments) {
        return None;
    }
    let paths = Paths::resolve().ok()?;
    let (loaded, catalog) = invocation::settings(&paths);
    if let Some(catalog) = catalog {
        let catalog = Box::leak(Box::new(catalog));
        if is_daemon {
            locale::start_speaking(catalog);
        } else {
            locale::start(catalog);
        }
    }
    loaded.problems.is_empty().then_some(loaded)
}

/// The help in the user's language, as it is printed.
#[must_use]
pub fn help(command: Command) -> Command {
    if locale::catalog().is_none() {
        return command;
    }
    help_notes::noted(tree(command))
}

/// The tree of all commands with the texts of the help in the user's language, without notes on defaults and values.
#[must_use]
pub fn tree(mut command: Command) -> Command {
    // Adds the options --help and --version.
    command.build();
    if locale::catalog().is_none() {
        return command;
    }
    translated(command)
}

/// Clap has no text of its own below this template, except in errors. `about`: a text with a line end, or its placeholder.
pub fn template(about: &str) -> String {
    let usage = tr!("Usage:");
    format!("{about}\n{usage} {{usage}}\n\n{{all-args}}{{after-help}}")
}

fn translated(mut command: Command) -> Command {
    if let Some(text) = command.get_about().map(of) {
        command = command.about(text);
    }
    if let Some(text) = command.get_long_about().map(of) {
        command = command.long_about(text);
    }
    if let Some(text) = command.get_after_help().map(of) {
        command = command.after_help(text);
    }
    command
        .help_template(template("{about-with-newline}"))
        .subcommand_help_heading(tr!("Commands"))
        .mut_args(argument)
        .mut_subcommands(translated)
}

fn argument(mut arg: Arg) -> Arg {
    if let Some(text) = arg.get_help().map(of) {
        arg = arg.help(text);
    }
    if let Some(text) = arg.get_long_help().map(of) {
        arg = arg.long_help(text);
    }
    let heading = match arg.get_help_heading() {
        Some(heading) => locale::find(heading),
        None if arg.is_positional() => Some(tr!("Arguments")),
        None => Some(tr!("Options")),
    };
    match heading {
        Some(heading) => arg.help_heading(heading),
        None => arg,
    }
}

fn of(text: &impl ToString) -> String {
    locale::of(&text.to_string()).to_owned()
}

/// All texts of the help, for translators.
#[must_use]
pub fn help_texts(mut root: Command) -> BTreeSet<String> {
    root.build();
    let mut found = BTreeSet::new();
    collect(&root, &mut found);
    found
}

fn collect(command: &Command, found: &mut BTreeSet<String>) {
    let texts = [
        command.get_about(),
        command.get_long_about(),
        command.get_after_help(),
    ];
    found.extend(texts.into_iter().flatten().map(ToString::to_string));
    for arg in command.get_arguments().filter(|it| !it.is_hide_set()) {
        let texts = [arg.get_help(), arg.get_long_help()];
        found.extend(texts.into_iter().flatten().map(ToString::to_string));
        found.extend(arg.get_help_heading().map(str::to_owned));
        let values = arg.get_possible_values();
        let values = values.iter().filter(|it| !it.is_hide_set());
        found.extend(values.filter_map(|it| Some(it.get_help()?.to_string())));
    }
    for command in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        collect(command, found);
    }
}

fn is_daemon(arguments: &[OsString]) -> bool {
    let is_run = arguments.iter().any(|word| word == "run");
    is_run && arguments.get(1).is_some_and(|word| word == "daemon")
}

fn is_english(arguments: &[OsString]) -> bool {
    let own = arguments.iter().take_while(|word| *word != "--");
    let mut options = own.filter_map(|word| word.to_str());
    let is_report = |word: &str| word == "--report" || word.starts_with("--report=");
    options.any(|word| word == "--json" || is_report(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_for_programs_and_the_daemon_are_english() {
        let english = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            is_english(&words) || is_daemon(&words)
        };
        assert!(english("workbay ls --json"));
        assert!(english("workbay daemon run"));
        assert!(english("workbay doctor --report=x"));
        assert!(!english("workbay ls"));
        assert!(!english("workbay exec s -- tool --json"));
    }
}
