//! Runs your own commands, on the current session or on all marked ones.

use jiff::Timestamp;

use super::App;
use crate::{
    app::{
        bulk::{counted, with_name},
        custom_commands::{CommandEnv, CommandPlan, CommandRun, CustomCommands, in_pane},
        effect::Effect,
        focus::{Focus, Page},
        panels::custom_command::CommandDialog,
        panes::ShellPlace,
        step::Step,
    },
    keymap::commands::CommandKeys,
    model::{
        custom_command::{CommandTarget, Confirm, CustomCommand},
        id::SessionKey,
        notice::Level,
        problem::Problem,
        session::Session,
        shell_start::ShellStart,
        text::Clean,
    },
};

/// How many panes one command opens.
const PANES: usize = 8;

impl App {
    /// Takes the commands of the configuration file.
    #[must_use]
    pub fn with_commands(mut self, commands: Vec<CustomCommand>) -> Self {
        self.bind_commands(commands);
        self
    }

    /// Takes commands, and binds their keys in the keymap. Returns the keys that conflict.
    pub(super) fn bind_commands(&mut self, list: Vec<CustomCommand>) -> Vec<Problem> {
        let (keys, problems) = CommandKeys::bind(&list, &self.keymap);
        self.facts.commands = CustomCommands { list, keys };
        problems
    }

    pub(super) fn command_env(&self, now: Timestamp) -> CommandEnv<'_> {
        CommandEnv {
            mirror: &self.mirror,
            facts: &self.facts,
            now,
        }
    }

    /// The session that a command is about: the selected one, or that of the focused pane.
    pub(super) fn command_session(&self) -> Option<SessionKey> {
        if self.focus() == Focus::Panes || self.page == Page::Panes {
            return self.panes.active().and_then(|pane| pane.place.session());
        }
        self.current().map(Session::key)
    }

    /// Runs a command, or asks first.
    pub(super) fn custom_command(&mut self, at: usize, now: Timestamp) -> Vec<Step> {
        self.pending.clear();
        self.panes.cancel_leader();
        let Some(plan) = self.plan_command(at, now) else {
            return Vec::new();
        };
        if plan.runs.is_empty() {
            let why = plan.refused.into_iter().next().unwrap_or_default();
            return vec![Step::toast(Level::Warning, why)];
        }
        if plan.target != CommandTarget::Background && plan.runs.len() > PANES {
            let count = counted(plan.runs.len());
            let text = tr!(
                "{command}: {count} would need as many panes (max: {most})",
                command = plan.command,
                count,
                most = PANES
            );
            return vec![Step::toast(Level::Warning, text)];
        }
        if plan.confirm != Confirm::No || plan.runs.len() > 1 || !plan.refused.is_empty() {
            self.panels.push(CommandDialog::new(plan));
            return Vec::new();
        }
        self.run_command(plan)
    }

    fn plan_command(&self, at: usize, now: Timestamp) -> Option<CommandPlan> {
        let command = self.facts.commands.list.get(at)?;
        let env = self.command_env(now);
        let sessions: Vec<Option<&Session>> = if self.acts_on_marked() {
            self.marked().into_iter().map(Some).collect()
        } else {
            let session = self.command_session();
            vec![session.and_then(|key| self.mirror.session(key))]
        };
        let mut plan = CommandPlan {
            command: Clean::new(&command.name),
            target: command.target,
            confirm: command.confirm.clone(),
            runs: Vec::new(),
            refused: Vec::new(),
        };
        for session in sessions {
            match (env.run(command, session), session) {
                // A command without a session runs once.
                (Ok(run), _) if run.session.is_none() && !plan.runs.is_empty() => {}
                (Ok(run), _) => plan.runs.push(run),
                (Err(why), Some(session)) => plan.refused.push(with_name(&session.name, &why)),
                (Err(why), None) => plan.refused.push(format!("{}: {why}", command.name)),
            }
        }
        Some(plan)
    }

    /// Runs what was confirmed.
    pub(super) fn run_command(&mut self, plan: CommandPlan) -> Vec<Step> {
        let mut steps = Vec::new();
        let background = plan.target == CommandTarget::Background;
        if background {
            let what = match plan.runs.as_slice() {
                [run] if run.session.is_some() => tr!("on {name}", name = run.name),
                [_] => String::new(),
                runs => tr!("on {runs}", runs = counted(runs.len())),
            };
            let text = tr!("{command} started {what}", command = plan.command, what);
            steps.push(Step::toast(Level::Info, text.trim_end()));
        }
        for run in plan.runs {
            steps.extend(self.run_once(plan.target, &plan.command, run));
        }
        if !background {
            steps.extend(self.show(Page::Panes));
        }
        steps
    }

    fn run_once(&mut self, target: CommandTarget, command: &Clean, run: CommandRun) -> Vec<Step> {
        let place = match (target, run.session) {
            (CommandTarget::Background, session) => {
                let effect = Effect::RunCommand {
                    command: command.clone(),
                    session: session.map(|_| run.name),
                    argv: run.argv,
                };
                return vec![Step::Do(effect)];
            }
            (CommandTarget::Session, Some(session)) => ShellPlace::Session(session),
            _ => ShellPlace::Host,
        };
        let name = match run.session {
            Some(_) => Clean::new(&format!("{command}: {}", run.name)),
            None => command.clone(),
        };
        let start = ShellStart {
            command: in_pane(&run.argv),
            fresh: true,
            ..ShellStart::default()
        };
        self.new_shell(place, &name, start)
    }

    /// The commands may have changed, or the keymap. A conflict is reported.
    pub(super) fn commands_read(&mut self, list: Vec<CustomCommand>) -> Vec<Step> {
        let before = self.facts.commands.clone();
        let problems = self.bind_commands(list);
        if self.facts.commands == before {
            return Vec::new();
        }
        let first = problems.first();
        let report = |problem: &Problem| Step::toast(Level::Error, problem.to_string());
        first.map(report).into_iter().collect()
    }
}
