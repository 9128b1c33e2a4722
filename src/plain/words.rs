//! What the user can type: the words of plain mode itself, short words for commands, and numbers for sessions.

use clap::{Arg, ArgAction, Command};

use crate::model::status::Tab;

/// What a word of plain mode does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Help,
    Menu,
    Back,
    Quit,
    /// A list of sessions. `None` = of every tab.
    List(Option<Tab>),
    Filter,
    Contexts,
    /// Use another context from now on.
    Switch,
    Notifications,
    /// The menu of a session.
    Open,
    /// Short for these words, with what was typed after it.
    Command(&'static [&'static str]),
}

/// A word of plain mode.
pub struct Word {
    /// The first one is shown.
    pub names: &'static [&'static str],
    pub help: &'static str,
    pub act: Act,
}

const fn word(names: &'static [&'static str], help: &'static str, act: Act) -> Word {
    Word { names, help, act }
}

pub const WORDS: [Word; 24] = [
    word(
        &["running", "list", "l"],
        tr_later!("list the running and waiting sessions"),
        Act::List(Some(Tab::Running)),
    ),
    word(
        &["finished"],
        tr_later!("list the finished sessions"),
        Act::List(Some(Tab::Finished)),
    ),
    word(
        &["others"],
        tr_later!("list the sessions with problems"),
        Act::List(Some(Tab::Others)),
    ),
    word(&["all"], tr_later!("list all sessions"), Act::List(None)),
    word(
        &["filter", "/"],
        tr_later!("list only sessions that match, for example: filter train gpu>0"),
        Act::Filter,
    ),
    word(
        &["open"],
        tr_later!("open the menu of a session, by number or name"),
        Act::Open,
    ),
    word(
        &["details", "d"],
        tr_later!("show the details of a session"),
        Act::Command(&["show"]),
    ),
    word(
        &["log"],
        tr_later!("print the last lines of a log"),
        Act::Command(&["logs", "--tail", "40"]),
    ),
    word(
        &["follow"],
        tr_later!("print a log as it grows, until Ctrl-C"),
        Act::Command(&["logs", "--tail", "10", "--follow"]),
    ),
    word(
        &["attach"],
        tr_later!("open a shell of a session"),
        Act::Command(&["shell"]),
    ),
    word(
        &["stop", "end"],
        tr_later!("terminate a session"),
        Act::Command(&["terminate"]),
    ),
    word(
        &["exempt"],
        tr_later!("exempt a session from idle checks"),
        Act::Command(&["extend", "--exempt"]),
    ),
    word(
        &["apps"],
        tr_later!("list the apps of a session"),
        Act::Command(&["app", "ls"]),
    ),
    word(
        &["ports"],
        tr_later!("list the open ports"),
        Act::Command(&["port", "ls"]),
    ),
    word(
        &["folders"],
        tr_later!("list the folders"),
        Act::Command(&["folder", "ls"]),
    ),
    word(
        &["environments"],
        tr_later!("list the environments"),
        Act::Command(&["env", "ls"]),
    ),
    word(
        &["recents"],
        tr_later!("list the recent launches"),
        Act::Command(&["recent", "ls"]),
    ),
    word(
        &["notifications", "n"],
        tr_later!("print the latest notifications"),
        Act::Notifications,
    ),
    word(
        &["contexts"],
        tr_later!("list the contexts and choose one"),
        Act::Contexts,
    ),
    word(
        &["switch"],
        tr_later!("use another context, by name"),
        Act::Switch,
    ),
    word(
        &["menu", "m"],
        tr_later!("list everything by number"),
        Act::Menu,
    ),
    word(
        &["back", "b", "0"],
        tr_later!("go back to the list"),
        Act::Back,
    ),
    word(
        &["help", "h", "?"],
        tr_later!("explain the words"),
        Act::Help,
    ),
    word(
        &["quit", "q", "exit"],
        tr_later!("leave; sessions keep running"),
        Act::Quit,
    ),
];

/// The word of plain mode that begins this line.
pub fn find(words: &[String]) -> Option<&'static Word> {
    let [first, rest @ ..] = words else {
        return None;
    };
    let first = first.to_lowercase();
    // `ls` alone is the numbered list. With options it is the command.
    if first == "ls" && rest.is_empty() {
        return WORDS.first();
    }
    WORDS.iter().find(|it| it.names.contains(&first.as_str()))
}

/// The command that these words lead to, and how many of them.
pub fn command<'c>(tree: &'c Command, words: &[String]) -> (&'c Command, usize) {
    let mut command = tree;
    let mut count = 0;
    for word in words {
        match command.find_subcommand(word) {
            Some(found) => command = found,
            None => break,
        }
        count += 1;
    }
    (command, count)
}

/// The indices of the words that are positional arguments. `from`: the number of words that lead to the command.
pub fn positionals(command: &Command, words: &[String], from: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = from;
    while let Some(word) = words.get(at) {
        if word == "--" {
            found.extend(at + 1..words.len());
            break;
        }
        let option = option(command, word);
        if option.is_some() || (word.starts_with('-') && word.len() > 1) {
            let takes = option.is_some_and(takes_value);
            let has_own = word.contains('=') || (!word.starts_with("--") && word.len() > 2);
            at += if takes && !has_own { 2 } else { 1 };
            continue;
        }
        let argument = command.get_positionals().nth(found.len());
        found.push(at);
        at += 1;
        if argument.is_some_and(Arg::is_trailing_var_arg_set) {
            found.extend(at..words.len());
            break;
        }
    }
    found
}

fn option<'c>(command: &'c Command, word: &str) -> Option<&'c Arg> {
    let mut all = command.get_arguments();
    match word.strip_prefix("--") {
        Some(long) => {
            let name = long.split('=').next();
            all.find(|it| it.get_long() == name)
        }
        None => {
            let short = word.strip_prefix('-')?.chars().next()?;
            all.find(|it| it.get_short() == Some(short))
        }
    }
}

fn takes_value(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::Set | ArgAction::Append)
}

/// Whether an argument is a session, or several.
pub fn is_session(argument: &Arg) -> bool {
    matches!(argument.get_id().as_str(), "session" | "sessions")
}

/// Whether an argument takes several values.
pub fn is_list(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::Append) || argument.is_trailing_var_arg_set()
}

/// Whether a word can be a number of the list.
pub fn is_number(word: &str) -> bool {
    !word.is_empty() && word.len() <= 4 && word.chars().all(|c| c.is_ascii_digit())
}

/// A number, or a range of numbers, as the words of the list. `Ok(None)` = another word.
pub fn numbered(word: &str, list: &[String]) -> Result<Option<Vec<String>>, String> {
    let number = |text: &str| {
        let number = is_number(text).then(|| text.parse::<usize>().ok());
        number.flatten()
    };
    let range = match word.split_once('-') {
        None => number(word).map(|at| (at, at)),
        Some((first, last)) => number(first).zip(number(last)),
    };
    let Some((first, last)) = range else {
        return Ok(None);
    };
    let chosen = first.checked_sub(1).and_then(|at| list.get(at..last));
    match chosen {
        Some(chosen) if !chosen.is_empty() => Ok(Some(chosen.to_vec())),
        _ if list.is_empty() => Err(tr!(
            "number {word} isn't in the list, which is empty. Type a name, or list.",
            word
        )),
        _ => Err(tr!(
            "number {word} isn't in the list. Use 1 to {list}, or a name.",
            word,
            list = list.len()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::parts;

    fn split(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn no_word_has_two_meanings_and_each_command_exists() {
        let tree = parts::tree();
        let mut names: Vec<&str> = WORDS.iter().flat_map(|it| it.names).copied().collect();
        for word in &WORDS {
            if let Act::Command(words) = word.act {
                let words: Vec<String> = words.iter().map(|it| (*it).to_owned()).collect();
                assert_ne!(command(&tree, &words).1, 0, "{words:?}");
            }
        }
        for name in &names {
            assert!(
                tree.find_subcommand(name).is_none(),
                "{name} hides a command"
            );
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn positional_words_are_found_among_options() {
        let tree = parts::tree();
        let of = |line: &str| {
            let words = split(line);
            let (command, from) = command(&tree, &words);
            positionals(command, &words, from)
                .into_iter()
                .map(|at| words[at].clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(of("logs --tail 40 2 --follow"), ["2"]);
        assert_eq!(of("terminate --yes 1 3"), ["1", "3"]);
        assert_eq!(of("exec 1 ls -la"), ["1", "ls", "-la"]);
        assert_eq!(
            of("app start train jupyter --port=8080"),
            ["train", "jupyter"]
        );
        assert!(of("port ls").is_empty());
    }

    #[test]
    fn numbers_and_ranges_mean_the_sessions_of_the_list() {
        let list = split("a b c");
        assert_eq!(numbered("2", &list), Ok(Some(split("b"))));
        assert_eq!(numbered("2-3", &list), Ok(Some(split("b c"))));
        assert_eq!(numbered("train-1", &list), Ok(None));
        assert_eq!(numbered("01a2b3", &list), Ok(None));
        for wrong in ["0", "4", "3-2", "2-4"] {
            assert!(numbered(wrong, &list).unwrap_err().contains("1 to 3"));
        }
        assert!(numbered("1", &[]).unwrap_err().contains("empty"));
    }
}
