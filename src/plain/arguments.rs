//! Completes a typed command: numbers become sessions, and what is missing is asked.

use clap::{Arg, Command};

use super::{Plain, console::Leave, words};
use crate::cli::parts;

/// The most values that are listed by number.
const MOST: usize = 40;

/// What to print before an argument is asked, because the numbers and names are there.
const SHOWN_BEFORE: [(&[&str], &[&str]); 6] = [
    (&["app", "start"], &["app", "ls"]),
    (&["app", "proxy"], &["app", "ls"]),
    (&["app", "stop"], &["app", "ls"]),
    (&["app", "logs"], &["app", "ls"]),
    (&["port", "close"], &["port", "ls"]),
    (&["port", "url"], &["port", "ls"]),
];

impl Plain {
    /// The whole command. `None` = it can't be run, and the reason was printed.
    pub(super) fn complete(&mut self, words: Vec<String>) -> Result<Option<Vec<String>>, Leave> {
        let (command, from) = words::command(&self.tree, &words);
        let command = command.clone();
        let path: Vec<String> = words[..from].to_vec();
        let mut words = match self.with_sessions(&command, words, from) {
            Ok(words) => words,
            Err(why) => {
                self.console.say(&tr!("Error: {why}", why));
                return Ok(None);
            }
        };
        let given = words::positionals(&command, &words, from).len();
        let missing: Vec<&Arg> = command
            .get_positionals()
            .skip(given)
            .take_while(|argument| is_needed(argument, &path))
            .collect();
        if !missing.is_empty() {
            self.show_before(&path, &words[from..]);
        }
        for argument in missing {
            words = self.ask_argument(argument, words)?;
        }
        Ok(Some(words))
    }

    /// Replaces numbers by the sessions of the list, and adds the session of the menu.
    fn with_sessions(
        &self,
        command: &Command,
        mut words: Vec<String>,
        from: usize,
    ) -> Result<Vec<String>, String> {
        let positionals: Vec<&Arg> = command.get_positionals().collect();
        let Some(first) = positionals.first().filter(|it| words::is_session(it)) else {
            return Ok(words);
        };
        let given = words::positionals(command, &words, from);
        let list = &self.listing.words;
        if let Some(session) = self.session() {
            let is_full =
                given.len() >= positionals.len() && !positionals.iter().any(|it| is_rest(it));
            let is_named = given.first().is_some_and(|at| {
                let word = &words[*at];
                word == session || list.contains(word) || words::is_number(word)
            });
            if given.is_empty() || !(is_full || is_named || words::is_list(first)) {
                let at = given.first().copied().unwrap_or(words.len());
                words.insert(at, session.clone());
                return Ok(words);
            }
        }
        let meant = if words::is_list(first) {
            given.as_slice()
        } else {
            given.get(..1).unwrap_or_default()
        };
        let mut out = Vec::new();
        for (at, word) in words.into_iter().enumerate() {
            match words::numbered(&word, list) {
                Ok(Some(found)) if meant.contains(&at) => out.extend(found),
                Err(why) if meant.contains(&at) => return Err(why),
                _ => out.push(word),
            }
        }
        Ok(out)
    }

    fn show_before(&mut self, path: &[String], given: &[String]) {
        let shown = SHOWN_BEFORE.iter().find(|(of, _)| **of == *path);
        if let Some((_, words)) = shown {
            let words = words.iter().map(|it| (*it).to_owned());
            let session = given.first().filter(|_| path[0] == "app").cloned();
            self.run_command(&words.chain(session).collect::<Vec<_>>());
        }
    }

    /// Asks for an argument until clap takes the answer.
    fn ask_argument(&mut self, argument: &Arg, words: Vec<String>) -> Result<Vec<String>, Leave> {
        let help = argument.get_help().map(ToString::to_string);
        let help = help.unwrap_or_else(|| argument.get_id().to_string());
        let mut typed = words.clone();
        typed.push(String::new());
        // Sessions have the numbers of the list.
        let values = if words::is_session(argument) {
            Vec::new()
        } else {
            parts::values(&self.tree, &typed, &self.start)
        };
        let values = self.offer(values);
        loop {
            let answer = self.console.ask(&format!("{help}: "))?;
            let answer = chosen(answer, &values);
            if answer.is_empty() {
                self.console
                    .say(tr!("Error: an answer is needed. Ctrl-C cancels."));
                continue;
            }
            let answers = match self.answers(argument, &answer) {
                Ok(answers) => answers,
                Err(why) => {
                    self.console.say(&tr!("Error: {why}", why));
                    continue;
                }
            };
            let mut words = words.clone();
            words.extend(answers);
            match parts::check_line(&words) {
                Err(problem) if !problem.is_missing => {
                    self.console
                        .say(&tr!("Error: {why}", why = problem.message));
                }
                _ => return Ok(words),
            }
        }
    }

    /// Lists values by number. Returns them.
    pub(super) fn offer(&self, values: Vec<(String, String)>) -> Vec<String> {
        let values: Vec<(String, String)> = values.into_iter().take(MOST).collect();
        for (at, (value, about)) in values.iter().enumerate() {
            let about = match about.as_str() {
                "" => String::new(),
                about => format!(", {about}"),
            };
            self.console.say(&format!("{}. {value}{about}", at + 1));
        }
        values.into_iter().map(|(value, _)| value).collect()
    }

    fn answers(&self, argument: &Arg, answer: &str) -> Result<Vec<String>, String> {
        if !words::is_list(argument) {
            if words::is_session(argument) {
                let found = words::numbered(answer, &self.listing.words)?;
                return match found {
                    Some(found) if found.len() > 1 => Err(tr!("type one number").to_owned()),
                    Some(found) => Ok(found),
                    None => Ok(vec![answer.to_owned()]),
                };
            }
            return Ok(vec![answer.to_owned()]);
        }
        let Some(parts) = shlex::split(answer) else {
            return Err(tr!("a quote has no end").to_owned());
        };
        let mut out = Vec::new();
        for part in parts {
            let found = if words::is_session(argument) {
                words::numbered(&part, &self.listing.words)?
            } else {
                None
            };
            out.extend(found.unwrap_or_else(|| vec![part]));
        }
        Ok(out)
    }
}

/// The value that a number means, or the answer as typed.
pub(super) fn chosen(answer: String, values: &[String]) -> String {
    let at = answer
        .parse::<usize>()
        .ok()
        .and_then(|it| it.checked_sub(1));
    at.and_then(|at| values.get(at)).cloned().unwrap_or(answer)
}

/// Whether a command isn't run without the argument.
fn is_needed(argument: &Arg, path: &[String]) -> bool {
    // All sessions must be meant in so many words.
    let terminates = path == ["terminate"] && words::is_session(argument);
    argument.is_required_set() || terminates
}

fn is_rest(argument: &Arg) -> bool {
    argument.is_trailing_var_arg_set() || argument.is_last_set()
}
