//! Your own commands in the TUI: when each is possible, and what it runs.

use super::{allowed, facts::Facts, mirror::Mirror, shown_contexts::ShownContexts};
use crate::{
    action::{Action, Scope},
    keymap::commands::{CommandKeys, scope_of},
    model::{
        custom_command::{CommandTarget, Confirm, CustomCommand},
        id::SessionKey,
        session::Session,
        text::Clean,
    },
    rules::{
        command_template::{Template, TemplateValues},
        filter::{Filter, FilterEnv},
    },
};

/// The commands and their keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CustomCommands {
    pub list: Vec<CustomCommand>,
    pub keys: CommandKeys,
}

impl CustomCommands {
    /// The commands of a scope, each with its position.
    pub fn of(&self, scope: Scope) -> impl Iterator<Item = (usize, &CustomCommand)> {
        let all = self.list.iter().enumerate();
        all.filter(move |(_, it)| it.scopes.iter().any(|own| scope_of(*own) == scope))
    }
}

/// One run of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandRun {
    /// The session that it is about. `None` = it is about none.
    pub session: Option<SessionKey>,
    /// The session's name.
    pub name: Clean,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The command line as a user reads it.
    pub line: Clean,
}

/// What a command does with which sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandPlan {
    /// The command's name.
    pub command: Clean,
    pub target: CommandTarget,
    pub confirm: Confirm,
    pub runs: Vec<CommandRun>,
    /// Sessions that are left out, each with a sentence that names it.
    pub refused: Vec<String>,
}

/// What a command can read.
#[derive(Clone, Copy)]
pub struct CommandEnv<'a> {
    pub mirror: &'a Mirror,
    pub facts: &'a Facts,
    pub now: jiff::Timestamp,
}

impl CommandEnv<'_> {
    /// Why a command isn't possible for a session, `None` if it is.
    pub fn why_not(&self, command: &CustomCommand, session: Option<&Session>) -> Option<String> {
        self.run(command, session).err()
    }

    /// The run of a command for a session. The error is a sentence.
    pub fn run(
        &self,
        command: &CustomCommand,
        session: Option<&Session>,
    ) -> Result<CommandRun, String> {
        if command.changes
            && let Some(why) = self.read_only(session)
        {
            return Err(why);
        }
        let template = Template::read(&command.template).map_err(|fault| fault.message)?;
        let needs_session = template.needs_session()
            || command.target == CommandTarget::Session
            || !command.show.is_empty();
        // A command that isn't about a session runs once, whatever is selected.
        let session = session.filter(|_| needs_session);
        match session {
            None if needs_session => return Err(tr!("no session is selected").to_owned()),
            None => {}
            Some(session) => self.meets(command, session)?,
        }
        let values = TemplateValues {
            session,
            forwards: self.mirror.forwards(),
            user: &self.facts.user,
        };
        Ok(CommandRun {
            session: session.map(Session::key),
            name: session.map_or_else(|| Clean::new(&command.name), |it| it.name.clone()),
            argv: template.fill(values)?,
            line: Clean::new(&template.shown(values)),
        })
    }

    fn read_only(&self, session: Option<&Session>) -> Option<String> {
        let reason = allowed::why_no_change(self.facts).or_else(|| {
            let context = session?.context;
            allowed::read_only(self.mirror, context)
        });
        reason.map(|why| tr!("{why}. The command needs `changes = false` there", why))
    }

    fn meets(&self, command: &CustomCommand, session: &Session) -> Result<(), String> {
        let zone = &self.facts.time_zone;
        let filter = Filter::read(&command.show, self.now, zone).map_err(|error| error.message)?;
        let accounts = self.mirror.accounts();
        let env = FilterEnv {
            now: self.now,
            accounts: &accounts,
        };
        if !filter.holds(session, self.mirror.has_several_contexts(), env) {
            let (name, show) = (&session.name, &command.show);
            return Err(tr!(
                "{name} doesn't match the command's filter '{show}'",
                name,
                show
            ));
        }
        if command.target != CommandTarget::Session {
            return Ok(());
        }
        let shown = ShownContexts::One(session.context);
        let shell = Action::SessionShell;
        let why = allowed::why_not(shell, Some(session), shown, self.mirror, self.facts);
        why.map_or(Ok(()), Err)
    }
}

/// The program of a pane: the command, then a line that keeps its output visible until a key is pressed.
pub fn in_pane(argv: &[String]) -> Vec<String> {
    const KEEP: &str = "\"$@\"; code=$?; printf '\\n[exit code %s] Press Enter to close. ' \"$code\"; \
                        read -r line; exit \"$code\"";
    let shell = ["sh", "-c", KEEP, "workbay"].map(str::to_owned);
    shell.into_iter().chain(argv.iter().cloned()).collect()
}

/// `In a pane on this machine`.
pub fn sentence(target: CommandTarget) -> &'static str {
    match target {
        CommandTarget::Pane => tr!("In a pane on this machine"),
        CommandTarget::Session => tr!("In the session, in a pane"),
        CommandTarget::Background => tr!("In the background, on this machine"),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::Write as _,
        process::{Command, Stdio},
    };

    use super::*;
    use crate::{
        app::testing::{facts, session, snapshot},
        model::custom_command::{CommandPlace, CommandScope},
    };

    fn command(template: &str) -> CustomCommand {
        CustomCommand {
            name: "mine".to_owned(),
            key: None,
            scopes: vec![CommandScope::List],
            template: template.to_owned(),
            confirm: Confirm::No,
            target: CommandTarget::Pane,
            changes: true,
            show: String::new(),
            place: CommandPlace::default(),
        }
    }

    #[test]
    fn a_command_is_refused_where_nothing_may_be_changed_unless_it_changes_nothing() {
        let mut mirror = Mirror::default();
        let train = session(1, "train");
        mirror.replace(snapshot(vec![train.clone()]), jiff::Timestamp::UNIX_EPOCH);
        let writable = facts();
        let env = CommandEnv {
            mirror: &mirror,
            facts: &writable,
            now: jiff::Timestamp::UNIX_EPOCH,
        };
        let writes = command("echo {name}");
        let mut reads = writes.clone();
        reads.changes = false;
        assert_eq!(env.why_not(&writes, Some(&train)), None);
        let none = env.why_not(&writes, None);
        assert_eq!(none.as_deref(), Some("no session is selected"));
        assert_eq!(env.why_not(&command("date"), None), None);
        let mut ended = reads.clone();
        ended.show = "status:terminated".to_owned();
        let why = env.why_not(&ended, Some(&train)).unwrap();
        assert!(why.contains("train doesn't match"), "{why}");
        let facts = Facts {
            read_only: true,
            ..facts()
        };
        let env = CommandEnv {
            facts: &facts,
            ..env
        };
        let why = env.why_not(&writes, Some(&train)).unwrap();
        assert!(
            why.contains("read-only") && why.contains("changes = false"),
            "{why}"
        );
        assert_eq!(env.why_not(&reads, Some(&train)), None);
        let run = env.run(&reads, Some(&train)).unwrap();
        assert_eq!(
            (run.argv[2].as_str(), run.argv[4].as_str()),
            ("echo \"${1}\"", "train")
        );
        assert_eq!(run.line.as_str(), "echo train");
    }

    #[test]
    fn a_pane_shows_the_exit_code_and_waits_for_enter() {
        let argv = ["sh", "-c", "echo \"$1\"; exit 3", "workbay", "a; b"].map(str::to_owned);
        let argv = in_pane(&argv);
        let mut child = Command::new(&argv[0])
            .args(&argv[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(b"\n").unwrap();
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text, "a; b\n\n[exit code 3] Press Enter to close. ");
        assert_eq!(output.status.code(), Some(3));
    }
}
