//! First words that aren't commands: `help`, `version`, and the commands of Docker.

use std::ffi::{OsStr, OsString};

use clap::{
    Command,
    error::{ContextKind, ContextValue, ErrorKind},
};

use super::fail::Fail;

/// Docker's commands, and the command to use instead.
const DOCKER: [(&str, &str); 14] = [
    ("attach", "shell"),
    ("create", "launch"),
    ("images", "env ls"),
    ("inspect", "show"),
    ("kill", "terminate"),
    ("list", "ls"),
    ("ps", "ls"),
    ("pull", "env pull"),
    ("restart", "relaunch"),
    ("rmi", "env"),
    ("start", "relaunch"),
    ("stats", "top"),
    ("stop", "terminate"),
    ("volume", "folder"),
];

/// The arguments with `help` and `version` replaced by the options that do the same.
pub fn as_options(arguments: Vec<OsString>, root: &Command) -> Vec<OsString> {
    let Some((program, words)) = arguments.split_first() else {
        return arguments;
    };
    let option = match words {
        [word, rest @ ..] if word == "help" => {
            let mut words = path(root, rest);
            words.push("--help".into());
            words
        }
        [word] if word == "version" => vec!["--version".into()],
        _ => return arguments,
    };
    std::iter::once(program.clone()).chain(option).collect()
}

/// The words that lead to a command, and the first unknown one, which is then reported. What follows a command isn't
/// kept, because it could be taken as a program to run.
fn path(root: &Command, words: &[OsString]) -> Vec<OsString> {
    let mut command = root;
    let mut path = Vec::new();
    for word in words {
        if !command.has_subcommands() {
            break;
        }
        path.push(word.clone());
        match command.find_subcommand(word) {
            Some(found) => command = found,
            None => break,
        }
    }
    path
}

/// The error for a command of Docker, `None` for any other error.
pub fn of_docker(error: &clap::Error, arguments: &[OsString], root: &Command) -> Option<Fail> {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let mut before = arguments
        .iter()
        .skip(1)
        .take_while(|it| *it != OsStr::new(word));
    if before.any(|it| root.find_subcommand(it).is_some()) {
        return None;
    }
    let (_, ours) = DOCKER.iter().find(|(docker, _)| docker == word)?;
    let message = tr!(
        "unknown command '{word}'. Did you mean `workbay {ours}`?",
        word,
        ours
    );
    Some(Fail::usage(message))
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use super::*;
    use crate::cli::args::Cli;

    fn split(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn help_and_version_are_words_too() {
        for (typed, read) in [
            ("workbay help", "workbay --help"),
            ("workbay help ls", "workbay ls --help"),
            ("workbay help recent launch", "workbay recent launch --help"),
            ("workbay help run make", "workbay run --help"),
            ("workbay help nosuch", "workbay nosuch --help"),
            ("workbay version", "workbay --version"),
            ("workbay version x", "workbay version x"),
            ("workbay exec help", "workbay exec help"),
        ] {
            let options = as_options(split(typed), &Cli::command());
            assert_eq!(options, split(read), "{typed}");
        }
    }

    #[test]
    fn a_command_of_docker_leads_to_ours() {
        let root = Cli::command();
        let says = |line: &str| {
            let error = Cli::try_parse_from(split(line)).unwrap_err();
            let fail = of_docker(&error, &split(line), &root)?;
            Some(fail.message()?.into_string())
        };
        for (line, message) in [
            (
                "workbay ps -a",
                "unknown command 'ps'. Did you mean `workbay ls`?",
            ),
            (
                "workbay --context lab images",
                "unknown command 'images'. Did you mean `workbay env ls`?",
            ),
        ] {
            assert_eq!(says(line).as_deref(), Some(message), "{line}");
        }
        assert_eq!(says("workbay frobnicate"), None);
        assert_eq!(says("workbay env pull-all"), None);
        assert_eq!(
            says("workbay env list"),
            None,
            "clap suggests `ls` of `env`"
        );
    }

    #[test]
    fn each_command_to_use_instead_exists() {
        let root = Cli::command();
        for (docker, ours) in DOCKER {
            assert!(root.find_subcommand(docker).is_none(), "{docker}");
            let words: Vec<OsString> = ours.split(' ').map(OsString::from).collect();
            let mut command = &root;
            for word in words {
                command = command.find_subcommand(&word).expect(ours);
            }
        }
    }
}
