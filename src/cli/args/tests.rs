use clap::{Command, CommandFactory};

use crate::cli::args::Cli;

/// The longest help of an option or a command, in characters, so that it takes one or two lines.
const LONGEST: usize = 100;

/// Every help of one line: of each command, of its options and of their values, with its place.
fn helps(command: &Command, path: &str, all: &mut Vec<(String, String)>) {
    if let Some(about) = command.get_about() {
        all.push((path.to_owned(), about.to_string()));
    }
    for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
        let place = format!("{path} {}", arg.get_id());
        let help = arg.get_help().map(ToString::to_string);
        all.push((place.clone(), help.unwrap_or_default()));
        for value in arg.get_possible_values() {
            if let Some(help) = value.get_help() {
                let place = format!("{place} {}", value.get_name());
                all.push((place, help.to_string()));
            }
        }
    }
    for inner in command.get_subcommands() {
        helps(inner, &format!("{path} {}", inner.get_name()), all);
    }
}

#[test]
fn each_help_is_one_short_phrase_without_a_final_period() {
    let mut all = Vec::new();
    helps(&Cli::command(), "workbay", &mut all);
    assert!(all.len() > 150, "only {} texts found", all.len());
    let wrong: Vec<String> = all
        .iter()
        .filter(|(_, help)| {
            help.ends_with('.') || help.contains('\n') || help.chars().count() > LONGEST
        })
        .map(|(place, help)| format!("{place}: {help}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_command_and_option_has_a_help() {
    let mut all = Vec::new();
    helps(&Cli::command(), "workbay", &mut all);
    let wrong: Vec<&str> = all
        .iter()
        .filter(|(_, help)| help.is_empty())
        .map(|(place, _)| place.as_str())
        .collect();
    assert!(wrong.is_empty(), "no help: {wrong:?}");
}
