use clap::{Command, CommandFactory, Parser as _};

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

#[test]
fn no_arguments_are_read_as_the_defaults() {
    let read = Cli::try_parse_from(["workbay"]).unwrap();
    assert_eq!(format!("{read:?}"), format!("{:?}", Cli::default()));
}

#[test]
fn a_command_of_a_session_needs_no_dashes() {
    let argv = |line: &str| {
        let cli = Cli::try_parse_from(line.split(' ')).unwrap();
        let shown = format!("{:?}", cli.command.unwrap());
        let from = shown.rfind("argv: ").unwrap();
        shown[from..].split(']').next().unwrap().to_owned()
    };
    for line in [
        "workbay exec work ls -l -- x",
        "workbay exec work -- ls -l -- x",
        "workbay exec --kernel main1 work ls -l -- x",
        "workbay exec work --kernel main1 ls -l -- x",
        "workbay run ls -l -- x",
        "workbay run --rm --cpu 0.5 -- ls -l -- x",
    ] {
        assert_eq!(argv(line), r#"argv: ["ls", "-l", "--", "x""#, "{line}");
    }
    for line in ["workbay exec work -l ls", "workbay run --nosuch ls"] {
        assert!(Cli::try_parse_from(line.split(' ')).is_err(), "{line}");
    }
}

#[test]
fn longer_texts_are_wrapped_by_clap_alone() {
    let mut root = Cli::command();
    root.build();
    let mut wrong = Vec::new();
    for command in root.get_subcommands().chain([&root]) {
        let text = command.get_after_help().map(ToString::to_string);
        let lines: Vec<String> = text
            .unwrap_or_default()
            .lines()
            .map(str::to_owned)
            .collect();
        for pair in lines.windows(2) {
            // A line of prose after a line of prose would be the rest of its paragraph.
            let is_prose = |line: &String| !line.is_empty() && !line.starts_with(' ');
            let is_title = pair[0].ends_with(':');
            if is_prose(&pair[0]) && is_prose(&pair[1]) && !is_title {
                wrong.push(format!("{}: {}", command.get_name(), pair[1]));
            }
        }
        let examples = lines.iter().filter(|line| line.starts_with("  "));
        let wide = examples.filter(|line| line.chars().count() > 80);
        wrong.extend(wide.map(|line| format!("{}: too wide: {line}", command.get_name())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
