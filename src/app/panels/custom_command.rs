//! The dialog before one of your own commands runs: the command line of each session, and which are left out.

use super::{DialogButton, Hint, Panel, PanelEnv};
use crate::{
    action::{Action, Scope},
    app::{area::DialogPart, bulk::counted, custom_commands::CommandPlan, step::Step},
    key::Key,
    model::custom_command::Confirm,
};

/// How many lines of each kind are listed.
const LINES: usize = 6;

#[derive(Clone, Debug)]
pub struct CommandDialog {
    plan: CommandPlan,
    pub button: DialogButton,
}

impl CommandDialog {
    #[must_use]
    pub fn new(plan: CommandPlan) -> Self {
        Self {
            plan,
            button: DialogButton::No,
        }
    }

    pub fn title(&self) -> String {
        let name = &self.plan.command;
        match self.plan.runs.as_slice() {
            [run] if run.session.is_some() => tr!("Run {name} on {name2}?", name, name2 = run.name),
            [_] => tr!("Run {name}?", name),
            runs => tr!("Run {name} on {runs}?", name, runs = counted(runs.len())),
        }
    }

    /// What the dialog says: a label, and its lines.
    pub fn sections(&self) -> Vec<(&'static str, Vec<String>)> {
        let question = match &self.plan.confirm {
            Confirm::Text(text) => vec![text.clone()],
            _ => Vec::new(),
        };
        let lines = self.plan.runs.iter().map(|run| run.line.to_string());
        let place = vec![format!(
            "{}.",
            crate::app::custom_commands::sentence(self.plan.target)
        )];
        let all = [
            ("", question),
            (tr!("Runs"), first(lines)),
            (tr!("Where"), place),
            (tr!("Left out"), first(self.plan.refused.iter().cloned())),
        ];
        all.into_iter().filter(|(_, it)| !it.is_empty()).collect()
    }

    fn confirm(&self) -> Vec<Step> {
        vec![Step::CLOSE, Step::RunCommand(Box::new(self.plan.clone()))]
    }
}

/// The first lines, and how many follow.
fn first(lines: impl ExactSizeIterator<Item = String>) -> Vec<String> {
    let more = lines.len().saturating_sub(LINES);
    let mut shown: Vec<String> = lines.take(LINES).collect();
    if more > 0 {
        shown.push(tr!("and {more} more", more));
    }
    shown
}

const HINTS: &[Hint] = &[
    (Scope::Confirm, &[Action::ConfirmYes], tr_later!("run")),
    (Scope::Confirm, &[Action::ConfirmNo], tr_later!("cancel")),
    (
        Scope::Confirm,
        &[Action::ConfirmToggle],
        tr_later!("other button"),
    ),
    (Scope::Confirm, &[Action::ConfirmPress], tr_later!("press")),
];

impl Panel for CommandDialog {
    fn scope(&self) -> Scope {
        Scope::Confirm
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        match self.button.pressed_by(action) {
            Some(DialogButton::Yes) => self.confirm(),
            Some(DialogButton::No) => self.back(env),
            None => Vec::new(),
        }
    }

    fn click(&mut self, part: DialogPart, env: &PanelEnv<'_>) -> Vec<Step> {
        match part {
            DialogPart::Button(DialogButton::Yes) => self.confirm(),
            DialogPart::Button(DialogButton::No) => self.back(env),
            _ => Vec::new(),
        }
    }

    fn hints(&self) -> Vec<Hint> {
        HINTS.to_vec()
    }
}
