//! The words of clap about a command line in the user's language. Clap has them as English literals, so each line of
//! its text is recognized by its template, like the texts of a daemon.

use crate::locale;

/// The first lines of clap's errors, and its hints. The markers are for the catalogs: no code reads this table.
#[cfg_attr(not(test), expect(dead_code, reason = "catalogs are made of it"))]
const TEMPLATES: &[&str] = &[
    tr_later!("unexpected argument '{arg}' found"),
    tr_later!("unrecognized subcommand '{name}'"),
    tr_later!("a value is required for '{arg}' but none was supplied"),
    tr_later!("invalid value '{value}' for '{arg}'"),
    tr_later!("invalid value '{value}' for '{arg}': {why}"),
    tr_later!("equal sign is needed when assigning values to '{arg}'"),
    tr_later!("unexpected value '{value}' for '{arg}' found; no more were expected"),
    tr_later!("{least} values required by '{arg}'; only {count} were provided"),
    tr_later!("{least} values required by '{arg}'; only {count} was provided"),
    tr_later!("{wanted} values required for '{arg}' but {count} were provided"),
    tr_later!("{wanted} values required for '{arg}' but {count} was provided"),
    tr_later!("the argument '{arg}' cannot be used multiple times"),
    tr_later!("the argument '{arg}' cannot be used with '{other}'"),
    tr_later!("the argument '{arg}' cannot be used with:"),
    tr_later!(
        "the argument '{arg}' cannot be used with one or more of the other specified arguments"
    ),
    tr_later!("the following required arguments were not provided:"),
    tr_later!("'{command}' requires a subcommand but one was not provided"),
    tr_later!("invalid UTF-8 was detected in one or more arguments"),
    tr_later!("[possible values: {values}]"),
    tr_later!("a similar argument exists: '{name}'"),
    tr_later!("a similar subcommand exists: '{name}'"),
    tr_later!("a similar value exists: '{name}'"),
    tr_later!("some similar arguments exist: {names}"),
    tr_later!("some similar subcommands exist: {names}"),
    tr_later!("some similar values exist: {names}"),
    tr_later!("to pass '{arg}' as a value, use '{line}'"),
    tr_later!("subcommand '{name}' exists; to use it, remove the '{mark}' before it"),
    tr_later!("For more information, try '{option}'."),
];

/// An error of clap, as it prints it, in the user's language.
#[must_use]
pub fn error(text: &str) -> String {
    let lines = text.trim_end().lines().map(line);
    lines.collect::<Vec<_>>().join("\n")
}

/// A line of an error. What isn't recognized stays: names of options, and values.
#[must_use]
pub fn line(english: &str) -> String {
    let words = english.trim_start();
    let indent = &english[..english.len() - words.len()];
    let (mark, rest) = marked(words);
    let rest = locale::sent(rest).unwrap_or_else(|| rest.to_owned());
    format!("{indent}{mark}{rest}")
}

/// The word in front of a line, translated, and the rest.
fn marked(words: &str) -> (String, &str) {
    let marks = [
        ("error: ", tr!("error:")),
        ("tip: ", tr!("tip:")),
        ("Usage: ", tr!("Usage:")),
        ("[subcommands: ", tr!("[subcommands:")),
    ];
    let found = marks
        .into_iter()
        .find_map(|(english, mark)| Some((format!("{mark} "), words.strip_prefix(english)?)));
    found.unwrap_or((String::new(), words))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::{cli::args::Cli, locale::embedded};

    #[test]
    fn an_error_of_clap_is_in_the_users_language() {
        let error_of = |line: &str| {
            let parsed = Cli::try_parse_from(line.split(' '));
            parsed.map(drop).unwrap_err().to_string()
        };
        let english = error_of("workbay ls --nosuch");
        assert_eq!(error(&english), english.trim_end());
        let _korean = locale::in_this_thread(embedded::korean());
        let lines: Vec<String> = error(&english).lines().map(str::to_owned).collect();
        assert_eq!(lines[0], "오류: 알 수 없는 인수 '--nosuch'");
        assert!(
            lines.iter().any(|it| it.starts_with("사용법: workbay ls")),
            "{lines:?}"
        );
        let last = lines.last().unwrap();
        assert_eq!(last, "자세한 내용은 '--help'로 볼 수 있습니다.");
        for line in [
            "ls --sort",
            "launch --cpu many",
            "session",
            "rename",
            "logs a b c d",
        ] {
            let text = error(&error_of(&format!("workbay {line}")));
            let first = text.lines().next().unwrap();
            let is_korean = first.chars().any(|c| ('가'..='힣').contains(&c));
            assert!(is_korean && first.starts_with("오류: "), "{text}");
            assert!(
                !first.contains(" is ") && !first.contains(" for "),
                "{text}"
            );
        }
        assert!(TEMPLATES.iter().all(|it| locale::sent(it).is_some()));
    }
}
