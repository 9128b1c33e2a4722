//! Runs a command as a process of its own, so that Ctrl-C ends only the command.

use std::{
    os::unix::process::ExitStatusExt as _,
    process::{Command, ExitStatus, Stdio},
};

use super::{Plain, words};
use crate::{
    cli::parts::{self, ANSWERS},
    rules::launch::command::quote,
};

impl Plain {
    /// Prints the command, runs it, and says if it wasn't successful. Returns whether it was.
    pub(super) fn run_command(&mut self, words: &[String]) -> bool {
        let words = self.for_terminal(words);
        let context = self.start.requested_context.iter();
        let context: Vec<String> = context
            .flat_map(|name| ["--context".to_owned(), name.clone()])
            .collect();
        let shown: Vec<String> = context.iter().chain(&words).map(|it| quote(it)).collect();
        self.console
            .say(&tr!("Running: workbay {shown}", shown = shown.join(" ")));
        let status = self.process(&context, &words);
        self.console.catch_up();
        match status {
            Ok(status) if status.success() => true,
            Ok(status) => {
                self.console.say(&ended(status));
                false
            }
            Err(error) => {
                self.console
                    .say(&tr!("Error: the command can't be started: {error}", error));
                false
            }
        }
    }

    fn process(&self, context: &[String], words: &[String]) -> std::io::Result<ExitStatus> {
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(&self.options.words)
            .args(context)
            .args(words)
            .env("NO_COLOR", "1");
        if !self.console.is_terminal() {
            // A command that asks reads its answer from the script. Others must not read the script.
            let (typed, _) = words::command(&self.tree, words);
            if typed.get_arguments().any(|it| it.get_id() == "yes") {
                command.env(ANSWERS, "1");
            } else {
                command.stdin(Stdio::null());
            }
        }
        command.status()
    }

    /// A shell needs a terminal that moves its cursor. Without one, the session runs `sh`.
    fn for_terminal(&self, words: &[String]) -> Vec<String> {
        if words.first().is_none_or(|word| word != "shell") || !self.console.is_terminal() {
            return words.to_vec();
        }
        let Some(why) = parts::dumb_terminal() else {
            return words.to_vec();
        };
        self.console.say(&tr!(
            "{why}, so the session runs sh without windows. Type exit to leave it.",
            why
        ));
        let (command, from) = words::command(&self.tree, words);
        let given = words::positionals(command, words, from);
        let session = given.first().map(|at| words[*at].clone());
        let session = session.unwrap_or_default();
        ["exec", &session, "--", "env", "TERM=dumb", "sh", "-i"]
            .map(str::to_owned)
            .to_vec()
    }
}

fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => tr!("The command ended with exit code {code}.", code),
        (None, Some(signal)) if signal == signal_hook::consts::SIGINT => {
            tr!("The command was stopped with Ctrl-C.").to_owned()
        }
        _ => tr!("The command was stopped by a signal.").to_owned(),
    }
}
