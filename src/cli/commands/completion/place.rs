//! Finds the position of the last word in the tree of commands, and what is valid there.

use clap::{Arg, ArgAction, Command};

/// What is valid as the last word.
#[derive(Clone, Copy)]
pub enum Expected<'c> {
    Option,
    Value(&'c Arg),
    /// A subcommand, or the value of this argument.
    Word(Option<&'c Arg>),
}

pub struct Place<'c> {
    pub command: &'c Command,
    /// The subcommands before the last word.
    pub path: Vec<&'c str>,
    /// The values that were given before, by the ids of their arguments.
    given: Vec<(&'c str, String)>,
    pub expected: Expected<'c>,
    /// The part of the last word that isn't completed: `--env=`, `name,` of a list.
    pub before: &'c str,
    /// The part that is completed.
    pub typed: &'c str,
}

/// The words before the last one, as read so far.
struct WordReader<'c> {
    command: &'c Command,
    path: Vec<&'c str>,
    given: Vec<(&'c str, String)>,
    /// An option whose value is the next word.
    pending: Option<&'c Arg>,
    /// Positional arguments that are complete.
    positional: usize,
    /// `--` was read.
    escaped: bool,
}

impl<'c> Place<'c> {
    pub fn find(root: &'c Command, words: &'c [String]) -> Option<Self> {
        let (last, before) = words.split_last()?;
        let mut reader = WordReader {
            command: root,
            path: Vec::new(),
            given: Vec::new(),
            pending: None,
            positional: 0,
            escaped: false,
        };
        for word in before {
            reader.take(word);
        }
        Some(reader.end(last))
    }

    /// The last value that was given for an argument.
    pub fn given(&self, id: &str) -> Option<&str> {
        let mut all = self.given.iter().rev();
        let found = all.find(|(known, _)| *known == id);
        found.map(|(_, value)| value.as_str())
    }
}

impl<'c> WordReader<'c> {
    fn take(&mut self, word: &str) {
        if let Some(option) = self.pending.take() {
            self.give(option, word);
            return;
        }
        if self.escaped {
            return;
        }
        if word == "--" {
            self.escaped = true;
        } else if let Some(long) = word.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            };
            if let Some(option) = self.long(name) {
                match value {
                    Some(value) => self.give(option, value),
                    None => self.pending = Some(option).filter(|it| needs_value(it)),
                }
            }
        } else if let Some(short) = word.strip_prefix('-').filter(|it| !it.is_empty()) {
            self.shorts(short);
        } else if let Some(command) = self.subcommand(word) {
            self.command = command;
            self.path.push(command.get_name());
        } else if let Some(argument) = self.positional() {
            self.give(argument, word);
            // What follows belongs to the command that runs in the session.
            self.escaped = argument.is_trailing_var_arg_set();
            if !matches!(argument.get_action(), ArgAction::Append) {
                self.positional += 1;
            }
        }
    }

    fn end(self, last: &'c str) -> Place<'c> {
        let (expected, before, typed) = self.expected(last);
        let delimiter = match expected {
            Expected::Value(argument) => argument.get_value_delimiter(),
            _ => None,
        };
        let list = delimiter.and_then(|delimiter| typed.rfind(delimiter));
        let kept = before.len() + list.map_or(0, |at| at + 1);
        Place {
            command: self.command,
            path: self.path,
            given: self.given,
            expected,
            before: &last[..kept],
            typed: &last[kept..],
        }
    }

    fn expected(&self, last: &'c str) -> (Expected<'c>, &'c str, &'c str) {
        if let Some(option) = self.pending {
            return (Expected::Value(option), "", last);
        }
        if self.escaped {
            let mut all = self.command.get_positionals();
            let argument = all.find(|argument| argument.is_last_set());
            return match argument.or_else(|| self.positional()) {
                Some(argument) => (Expected::Value(argument), "", last),
                None => (Expected::Word(None), "", last),
            };
        }
        if last.starts_with('-') {
            let equals = last.find('=').filter(|_| last.starts_with("--"));
            let option = equals.and_then(|at| Some((at + 1, self.long(&last[2..at])?)));
            return match option {
                Some((at, option)) => (Expected::Value(option), &last[..at], &last[at..]),
                None => (Expected::Option, "", last),
            };
        }
        (Expected::Word(self.positional()), "", last)
    }

    fn give(&mut self, argument: &'c Arg, value: &str) {
        let id = argument.get_id().as_str();
        self.given.push((id, value.to_owned()));
    }

    fn long(&self, name: &str) -> Option<&'c Arg> {
        let mut all = self.command.get_arguments();
        all.find(|argument| {
            let also = argument.get_all_aliases().unwrap_or_default();
            argument.get_long() == Some(name) || also.contains(&name)
        })
    }

    /// `-fn 3` is `-f -n 3`.
    fn shorts(&mut self, word: &str) {
        for (at, c) in word.char_indices() {
            let mut all = self.command.get_arguments();
            let Some(option) = all.find(|argument| argument.get_short() == Some(c)) else {
                return;
            };
            if needs_value(option) {
                match &word[at + c.len_utf8()..] {
                    "" => self.pending = Some(option),
                    value => self.give(option, value),
                }
                return;
            }
        }
    }

    fn subcommand(&self, name: &str) -> Option<&'c Command> {
        let command = self.command;
        (self.positional == 0).then(|| command.find_subcommand(name))?
    }

    fn positional(&self) -> Option<&'c Arg> {
        let command = self.command;
        let mut all = command.get_positionals().filter(|it| !it.is_last_set());
        all.nth(self.positional)
    }
}

/// Whether the value must be the next word.
fn needs_value(argument: &Arg) -> bool {
    let takes = matches!(argument.get_action(), ArgAction::Set | ArgAction::Append);
    let least = argument.get_num_args().map(|range| range.min_values());
    takes && least != Some(0)
}
