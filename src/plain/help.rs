//! The help: the words of plain mode, and the commands.

use super::{Plain, words::WORDS};
use crate::locale;

/// The longest line of a list of names.
const WIDTH: usize = 76;

impl Plain {
    pub(super) fn help(&self) {
        let mut lines = vec![
            tr!(
                "Type a number of the last list, or a command. Enter alone shows more, or the list again."
            )
            .to_owned(),
            tr!(
                "A command that needs a session takes its number or its name: terminate 2, log train-1."
            )
            .to_owned(),
            tr!("In the menu of a session, commands apply to that session.").to_owned(),
            tr!(
                "Ctrl-C cancels a question. Ctrl-C twice, or Ctrl-D, leaves. Sessions keep running."
            )
            .to_owned(),
        ];
        for word in &WORDS {
            let (first, others) = word.names.split_first().unwrap_or((&"", &[]));
            let help = locale::text(word.help);
            lines.push(match others {
                [] => format!("{first}: {help}"),
                others => tr!(
                    "{first} (or {others}): {help}",
                    first,
                    others = others.join(", "),
                    help
                ),
            });
        }
        lines.push(tr!("Every other command of workbay also works, with its options:").to_owned());
        let commands = self.tree.get_subcommands().filter(|it| !it.is_hide_set());
        let names: Vec<&str> = commands.map(clap::Command::get_name).collect();
        lines.extend(wrapped(&names));
        lines.push(tr!("Type help and a command to read more about it: help launch.").to_owned());
        self.console.say(&lines.join("\n"));
    }

    pub(super) fn help_of(&mut self, words: &[String]) {
        let words = words.iter().cloned().chain(["--help".to_owned()]);
        self.run_command(&words.collect::<Vec<_>>());
    }
}

/// Names in lines, separated by commas.
fn wrapped(names: &[&str]) -> Vec<String> {
    let mut lines = vec![String::new()];
    for (at, name) in names.iter().enumerate() {
        let end = if at + 1 == names.len() { "." } else { "," };
        let line = lines.last().map_or(0, String::len);
        if line > 0 && line + name.len() + 2 > WIDTH {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(name);
            line.push_str(end);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fill_lines_and_end_with_a_period() {
        assert_eq!(wrapped(&["a", "b"]), ["a, b."]);
        let many = ["a-long-name"; 20];
        let lines = wrapped(&many);
        assert!(lines.len() > 1 && lines.iter().all(|line| line.len() <= WIDTH));
    }
}
