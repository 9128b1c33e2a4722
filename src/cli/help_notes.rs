//! The notes in the help about defaults, values and other names, in the user's language. Clap has them as English
//! literals, so it hides its own, and the texts of the help end with these.

use std::fmt::Write as _;

use clap::{
    Arg, Command,
    builder::{PossibleValue, Resettable, Str, Styles},
};

use crate::{cli::language, locale};

/// The command with translated notes, and those below it. Its arguments are complete: it is built.
#[must_use]
pub fn noted(command: Command) -> Command {
    let is_long = is_long(&command);
    let styles = command.get_styles().clone();
    command
        .mut_args(|arg| argument(arg, is_long, &styles))
        .mut_subcommands(|below| noted(named(below)))
}

/// A command with its other names in the text of the list that it is in.
fn named(command: Command) -> Command {
    let names: Vec<String> = command.get_visible_aliases().map(str::to_owned).collect();
    let hidden: Vec<String> = command.get_aliases().map(str::to_owned).collect();
    if names.is_empty() {
        return command;
    }
    let about = command.get_about().map(ToString::to_string);
    let about = about.unwrap_or_default();
    command
        // The note isn't for the command's own help, where clap shows none.
        .help_template(language::template(&format!("{about}\n")))
        .about(joined(&about, " ", &aliases(&names)))
        .visible_alias(Resettable::<Str>::Reset)
        .aliases(names)
        .aliases(hidden)
}

fn argument(mut arg: Arg, is_long: bool, styles: &Styles) -> Arg {
    if arg.is_hide_set() {
        return arg;
    }
    let mut values = arg.get_possible_values();
    values.retain(|it| !it.is_hide_set() && !arg.is_hide_possible_values_set());
    let is_explained = values.iter().any(|it| it.get_help().is_some());
    let mut notes = Vec::new();
    let defaults = arg.get_default_values();
    if arg.get_action().takes_values() && !arg.is_hide_default_value_set() && !defaults.is_empty() {
        let words: Vec<_> = defaults.iter().map(|it| it.to_string_lossy()).collect();
        notes.push(tr!("[default: {value}]", value = words.join(" ")));
    }
    let others = arg.get_visible_aliases().unwrap_or_default();
    let others: Vec<String> = others.into_iter().map(str::to_owned).collect();
    if !others.is_empty() {
        let options: Vec<String> = others.iter().map(|it| format!("--{it}")).collect();
        notes.push(aliases(&options));
    }
    let names: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
    let list =
        (!names.is_empty()).then(|| tr!("[possible values: {values}]", values = names.join(", ")));
    let in_short: Vec<String> = notes.iter().cloned().chain(list.clone()).collect();
    if in_short.is_empty() {
        return arg;
    }
    let help = arg.get_help().map(ToString::to_string);
    let long = arg.get_long_help().map(ToString::to_string);
    let short = help.clone().or_else(|| long.clone()).unwrap_or_default();
    if is_long {
        let mut text = long.or(help).unwrap_or_default();
        if is_explained {
            text = joined(&text, "\n\n", &explained(&values, styles));
        } else {
            notes.extend(list);
        }
        arg = arg.long_help(joined(&text, "\n\n", &notes.join("\n")));
    }
    if !others.is_empty() {
        let hidden = arg.get_aliases().unwrap_or_default();
        let hidden: Vec<String> = hidden.into_iter().map(str::to_owned).collect();
        arg = arg
            .visible_alias(Resettable::<Str>::Reset)
            .aliases(others)
            .aliases(hidden);
    }
    arg.help(joined(&short, " ", &in_short.join(" ")))
        .hide_default_value(true)
        .hide_possible_values(true)
}

fn aliases(names: &[String]) -> String {
    tr!("[aliases: {names}]", names = names.join(", "))
}

/// The values with their meanings, one on each line.
fn explained(values: &[PossibleValue], styles: &Styles) -> String {
    let literal = styles.get_literal();
    let width = values.iter().map(|it| it.get_name().len()).max();
    let width = width.unwrap_or_default();
    let mut text = tr!("Possible values:").to_owned();
    for value in values {
        let name = value.get_name();
        // Writing to a `String` can't fail.
        let _ = write!(text, "\n- {literal}{name}{literal:#}");
        if let Some(help) = value.get_help().map(ToString::to_string) {
            let padding = width - name.len();
            let _ = write!(text, ": {:padding$}{}", "", locale::of(&help));
        }
    }
    text
}

fn joined(text: &str, mark: &str, note: &str) -> String {
    match (text, note) {
        ("", note) => note.to_owned(),
        (text, "") => text.to_owned(),
        (text, note) => format!("{text}{mark}{note}"),
    }
}

/// Whether clap shows more with `--help` than with `-h`. Then it writes each note on a line of its own.
fn is_long(command: &Command) -> bool {
    let explains = |arg: &Arg| {
        let values = arg.get_possible_values();
        let is_shown = |it: &PossibleValue| !it.is_hide_set() && it.get_help().is_some();
        !arg.is_hide_possible_values_set() && values.iter().any(is_shown)
    };
    let has_more = |arg: &Arg| {
        let is_partly_hidden = arg.is_hide_long_help_set() || arg.is_hide_short_help_set();
        !arg.is_hide_set() && (arg.get_long_help().is_some() || is_partly_hidden || explains(arg))
    };
    command.get_long_about().is_some() || command.get_arguments().any(has_more)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::{cli::args::Cli, locale::embedded};

    /// How the notes of clap begin, and ours in Korean.
    const NOTES: [(&str, &str); 4] = [
        ("[default: ", "[기본값: "),
        ("[possible values: ", "[가능한 값: "),
        ("[alias: ", "[별칭: "),
        ("Possible values: - ", "가능한 값: - "),
    ];

    /// The help of a command and of those below: after `-h` and after `--help`.
    fn texts(command: &mut Command, found: &mut Vec<(String, String)>) {
        for below in command.get_subcommands_mut() {
            texts(below, found);
        }
        // Lines are broken at other places in another language.
        let in_one_line = |help: String| help.split_whitespace().collect::<Vec<_>>().join(" ");
        let name = command.get_bin_name().unwrap_or_default().to_owned();
        let short = in_one_line(command.render_help().to_string());
        found.push((format!("{name} -h"), short));
        let long = in_one_line(command.render_long_help().to_string());
        found.push((format!("{name} --help"), long));
    }

    fn all(mut root: Command) -> Vec<(String, String)> {
        let mut found = Vec::new();
        texts(&mut root, &mut found);
        found
    }

    /// Words in brackets that end with a colon, as those of clap.
    fn english_notes(text: &str) -> Vec<&str> {
        let begins = text.match_indices('[').map(|(at, _)| &text[at + 1..]);
        let is_word = |it: &str| it.chars().all(|c| c.is_ascii_lowercase() || c == ' ');
        let noted = begins.filter_map(|rest| rest.split_once(": "));
        noted.map(|(it, _)| it).filter(|it| is_word(it)).collect()
    }

    #[test]
    fn each_note_of_clap_is_in_the_users_language() {
        let mut root = Cli::command();
        root.build();
        let english = all(root.clone());
        let _korean = locale::in_this_thread(embedded::korean());
        let korean = all(language::help(Cli::command()));
        assert_eq!(korean.len(), english.len());
        for ((command, own), (_, text)) in english.iter().zip(&korean) {
            assert_eq!(english_notes(text), Vec::<&str>::new(), "{command}\n{text}");
            assert!(!text.contains("Possible values"), "{command}\n{text}");
            for (note, korean) in NOTES {
                let (expected, found) = (own.matches(note).count(), text.matches(korean).count());
                assert_eq!(found, expected, "{note} of {command}\n{text}");
            }
        }
        for (note, _) in NOTES {
            let is_used = english.iter().any(|(_, text)| text.contains(note));
            assert!(is_used, "no help has {note}: this test compares nothing");
        }
    }

    #[test]
    fn a_command_still_has_its_other_names() {
        let _korean = locale::in_this_thread(embedded::korean());
        let line = "workbay launch --resource-group a --folder data";
        let parsed = language::help(Cli::command()).try_get_matches_from(line.split(' '));
        let parsed = parsed.unwrap();
        let (_, launch) = parsed.subcommand().unwrap();
        assert_eq!(launch.get_one::<String>("group").unwrap(), "a");
        let line = "workbay folder invite --help";
        let help = language::help(Cli::command()).try_get_matches_from(line.split(' '));
        let help = help.unwrap_err().to_string();
        assert!(help.contains("workbay folder share"), "{help}");
    }

    #[test]
    fn meanings_of_values_are_below_the_help_with_the_default() {
        let _korean = locale::in_this_thread(embedded::korean());
        let help = |line: &str| {
            let parsed = language::help(Cli::command()).try_get_matches_from(line.split(' '));
            let text = parsed.unwrap_err().to_string();
            let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
            lines.join("\n")
        };
        let long = help("workbay wait --help");
        let list = "가능한 값:\n          - running: 세션이 실행 중임 (배치: 시작됨)\n          - ended:   세션이 종료됨\n\n          [기본값: ended]\n";
        assert!(long.contains(list), "{long}");
        let short = help("workbay wait -h");
        assert!(
            short.contains("[기본값: ended] [가능한 값: running, ended]"),
            "{short}"
        );
        let simple = help("workbay daemon stop --help");
        assert!(simple.contains("[기본값: 5m]"), "{simple}");
    }
}
