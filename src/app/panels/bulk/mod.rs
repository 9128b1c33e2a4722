//! The dialog that asks for confirmation before an action on several sessions: what will happen to which of
//! them, what is lost, and which are left out.

mod files;
pub mod report;

use self::files::FileCount;
use super::{DialogButton, Hint, Panel, PanelEnv};
use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        bulk::{BulkPlan, BulkVerb, counted},
        step::Step,
    },
    key::Key,
    model::{capability::Capability, id::SessionKey, loss::Unsaved, session::Session, text::Clean},
};

/// How many sessions that are left out are listed. The result lists all of them.
const REFUSED: usize = 5;
/// How many names are listed.
const NAMES: usize = 12;

#[derive(Clone, Debug)]
pub struct BulkDialog {
    plan: BulkPlan,
    files: FileCount,
    /// What is lost besides files. Each item is one sentence.
    lost: Vec<String>,
    kept: Vec<String>,
    /// Whether force could terminate one of the sessions sooner.
    pub can_force: bool,
    pub button: DialogButton,
}

impl BulkDialog {
    #[must_use]
    pub fn new(plan: BulkPlan, sessions: &[Session], env: &PanelEnv<'_>) -> Self {
        let ends = matches!(plan.verb, BulkVerb::Terminate { .. });
        let (mut lost, mut kept) = (Vec::new(), Vec::new());
        let mut files = FileCount::default();
        if ends {
            lost = losses(sessions, env);
            kept = keeps(sessions, env);
            files = FileCount::of(sessions);
        }
        let runs = |it: &Session| it.started_at.is_some() || it.status.is_live();
        Self {
            files,
            lost,
            kept,
            can_force: ends && sessions.iter().any(runs),
            button: DialogButton::No,
            plan,
        }
    }

    /// Counts the files that are lost. The dialog can be used meanwhile.
    pub fn ask_files(&mut self) -> Vec<Step> {
        self.files.ask()
    }

    pub fn files_answered(
        &mut self,
        session: SessionKey,
        result: &Result<Unsaved, Clean>,
    ) -> Vec<Step> {
        self.files.answered(session, result)
    }

    pub fn title(&self) -> String {
        self.plan.verb.question(self.plan.targets.len())
    }

    pub fn verb(&self) -> BulkVerb {
        self.plan.verb
    }

    /// Whether sessions are killed at once.
    pub fn is_forced(&self) -> bool {
        self.plan.verb == BulkVerb::Terminate { force: true }
    }

    /// What the dialog says: a label, and its sentences.
    pub fn sections(&self) -> Vec<(&'static str, Vec<String>)> {
        let mut lost = self.lost.clone();
        lost.extend(self.files.lines());
        let states = format!("{}. {}", self.plan.states(), self.names());
        let all = [
            (tr!("Sessions"), vec![states]),
            (tr!("Lost"), lost),
            (tr!("Kept"), self.kept.clone()),
            (tr!("Left out"), self.left_out()),
        ];
        all.into_iter().filter(|(_, it)| !it.is_empty()).collect()
    }

    fn names(&self) -> String {
        let targets = &self.plan.targets;
        let shown = targets.iter().take(NAMES);
        let names: Vec<&str> = shown.map(|it| it.name.as_str()).collect();
        let more = targets.len().saturating_sub(NAMES);
        match more {
            0 => names.join(", "),
            more => tr!("{names} and {more} more", names = names.join(", "), more),
        }
    }

    /// The sessions to which it can't happen.
    fn left_out(&self) -> Vec<String> {
        let refused = &self.plan.refused;
        let mut lines: Vec<String> = refused.iter().take(REFUSED).cloned().collect();
        let more = refused.len().saturating_sub(REFUSED);
        if more > 0 {
            lines.push(tr!("{more} more. The result lists all of them", more));
        }
        lines
    }

    fn confirm(&self) -> Vec<Step> {
        vec![Step::CLOSE, Step::Bulk(Box::new(self.plan.clone()))]
    }

    fn toggle_force(&mut self) {
        if let (true, BulkVerb::Terminate { force }) = (self.can_force, &mut self.plan.verb) {
            *force = !*force;
        }
    }
}

const HINTS: &[Hint] = &[
    (Scope::Confirm, &[Action::ConfirmYes], tr_later!("confirm")),
    (Scope::Confirm, &[Action::ConfirmNo], tr_later!("cancel")),
    (Scope::Confirm, &[Action::ConfirmForce], tr_later!("force")),
    (
        Scope::Confirm,
        &[Action::ConfirmToggle],
        tr_later!("other button"),
    ),
    (Scope::Confirm, &[Action::ConfirmPress], tr_later!("press")),
];

impl Panel for BulkDialog {
    fn scope(&self) -> Scope {
        Scope::Confirm
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        if action == Action::ConfirmForce {
            self.toggle_force();
        }
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
        let mut hints = HINTS.to_vec();
        hints.retain(|(_, actions, _)| self.can_force || *actions != [Action::ConfirmForce]);
        hints
    }
}

/// What is lost besides the files of a home directory.
fn losses(sessions: &[Session], env: &PanelEnv<'_>) -> Vec<String> {
    let ran: Vec<&Session> = sessions
        .iter()
        .filter(|it| it.started_at.is_some() || it.status.is_live())
        .collect();
    if ran.is_empty() {
        return vec![tr!("Nothing: none of them has run.").to_owned()];
    }
    let mut lost = vec![tr!(
        "All running programs of {ran}.",
        ran = counted(ran.len())
    )];
    let shells: usize = ran.iter().map(|it| env.panes.open_in(it.key())).sum();
    match shells {
        0 => {}
        1 => lost.push(tr!("One shell, which is open in workbay.").to_owned()),
        n => lost.push(tr!("{n} shells, which are open in workbay.", n)),
    }
    match ran.iter().filter(|it| it.is_committed()).count() {
        0 => {}
        1 => lost.push(tr!("The image that is being created from one of them.").to_owned()),
        n => lost.push(tr!(
            "The images that are being created from {n} of them.",
            n
        )),
    }
    // Without a home directory on this machine, files can't be counted.
    let uncounted = ran.iter().filter(|it| it.home.is_none()).count();
    if uncounted > 0 {
        lost.push(tr!(
            "Files outside the folders of {uncounted}.",
            uncounted = counted(uncounted)
        ));
    }
    lost
}

fn keeps(sessions: &[Session], env: &PanelEnv<'_>) -> Vec<String> {
    let days = env.facts.keep_days;
    let own = |it: &&Session| !env.mirror.can(it.context, Capability::Schedules);
    let mut kept = Vec::new();
    if sessions.iter().filter(own).any(|it| it.home.is_some()) {
        kept.push(tr_plural!(
            days,
            "/home/work and the logs, for {days} day.",
            "/home/work and the logs, for {days} days.",
            days
        ));
    }
    if sessions.iter().any(|it| !it.folders.is_empty()) {
        kept.push(tr!("Their folders.").to_owned());
    }
    kept
}
