//! The commands that do what was done in this TUI, to learn and to copy.

use jiff::Timestamp;

/// The number of commands that are kept.
const KEPT: usize = 200;

/// A command, and when the TUI did the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedCommand {
    pub at: Timestamp,
    /// One line for a shell: `workbay terminate train-1`.
    pub line: String,
}

/// The last commands, the newest last.
#[derive(Clone, Debug, Default)]
pub struct CommandLog {
    entries: Vec<LoggedCommand>,
}

impl CommandLog {
    pub fn entries(&self) -> &[LoggedCommand] {
        &self.entries
    }

    /// Adds a command. The oldest one is forgotten.
    pub fn add(&mut self, line: String, at: Timestamp) {
        if self.entries.len() >= KEPT {
            self.entries.remove(0);
        }
        self.entries.push(LoggedCommand { at, line });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_command_is_forgotten_first() {
        let mut log = CommandLog::default();
        for n in 0..=KEPT {
            log.add(n.to_string(), Timestamp::UNIX_EPOCH);
        }
        let lines: Vec<&str> = log.entries().iter().map(|it| it.line.as_str()).collect();
        assert_eq!((lines.len(), lines[0]), (KEPT, "1"));
    }
}
