//! The dialog that asks for confirmation before a session is terminated: what is lost, what is kept.

mod files;

pub use self::files::{KnownFiles, LossFiles, SHOWN};
use super::{DialogButton, Hint, MOVE, Panel, PanelEnv};
use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        step::{Go, Purpose, Step},
    },
    key::Key,
    model::{
        id::SessionKey,
        loss::{LossRequest, Unsaved},
        notice::Level,
        request::SessionRequest,
        session::Session,
        status::Status,
        text::Clean,
    },
    protocol::message::Request,
};

#[derive(Clone, Debug)]
pub struct TerminateDialog {
    pub session: SessionKey,
    pub name: Clean,
    /// Each item is one sentence.
    pub lost: Vec<String>,
    pub kept: Vec<String>,
    /// How many days the home directory and the log are kept.
    home_days: Option<u32>,
    /// The files that aren't in a folder.
    pub files: LossFiles,
    pub force: bool,
    /// Whether force could terminate the session sooner.
    pub can_force: bool,
    /// Whether the session is on a cluster, which deletes its home directory with it.
    is_on_cluster: bool,
    pub button: DialogButton,
}

impl TerminateDialog {
    /// `shells` is the number of panes in this TUI that show the session. `keep_days` is how long workbay
    /// keeps what is left of the session, `None` if its engine keeps it by its own rules.
    #[must_use]
    pub fn new(session: &Session, shells: usize, keep_days: Option<u32>) -> Self {
        Self {
            session: session.key(),
            name: session.name.clone(),
            lost: lost(session, shells),
            kept: kept(session, keep_days),
            home_days: keep_days.filter(|_| has_container(session) && session.home.is_some()),
            files: LossFiles::Unknown,
            // The session is already being terminated, so only force makes a difference.
            force: session.status == Status::Terminating,
            can_force: !waits(session) && !failed_early(session),
            is_on_cluster: keep_days.is_none(),
            button: DialogButton::No,
        }
    }

    /// Asks for the files that aren't in a folder. The dialog can be used meanwhile.
    pub fn ask_files(&mut self, session: &Session) -> Option<Step> {
        // A home directory on another machine isn't listed. A cluster counts inside the session, which is use of it, but
        // the session is about to end.
        let can_count = session.home.is_some() || self.is_on_cluster;
        if !session.status.is_live() || !can_count {
            return None;
        }
        self.files = LossFiles::Asked;
        Some(Step::Ask {
            request: Request::Loss {
                session: self.session,
                request: LossRequest::List,
            },
            purpose: Purpose::Unsaved(self.session),
        })
    }

    /// The files are counted, or why they can't be.
    pub fn files_answered(&mut self, session: SessionKey, result: Result<Unsaved, Clean>) {
        if session == self.session && self.files == LossFiles::Asked {
            self.files = match result {
                Ok(unsaved) => LossFiles::known(unsaved),
                Err(why) => LossFiles::Failed(why),
            };
        }
    }

    /// The lines under "Lost".
    pub fn lost_lines(&self) -> Vec<String> {
        let mut lines = self.lost.clone();
        let place = if self.is_on_cluster {
            tr!("folders")
        } else {
            "/home/work"
        };
        if let (Some(files), Some(line)) = (self.files.lost(place), lines.last_mut()) {
            *line = files;
        }
        lines.extend(self.files.incomplete());
        lines
    }

    /// The lines under "Kept".
    pub fn kept_lines(&self) -> Vec<String> {
        let home = self.home_days.map(|days| {
            let files = self.files.home();
            let files = files.map_or_else(String::new, |files| format!(" ({files})"));
            tr!(
                "/home/work{files} and the log, for {days}.",
                files,
                days = in_days(days)
            )
        });
        home.into_iter().chain(self.kept.clone()).collect()
    }

    fn terminate(&self) -> Vec<Step> {
        vec![Step::CLOSE, ask(self.session, &self.name, self.force)]
    }
}

/// Requests the end of a session.
pub fn ask(session: SessionKey, name: &Clean, force: bool) -> Step {
    Step::Ask {
        request: Request::session(session, SessionRequest::Terminate { force }),
        purpose: Purpose::toast(Level::Info, tr!("ending {name}", name)),
    }
}

const HINTS: &[Hint] = &[
    (
        Scope::Confirm,
        &[Action::ConfirmYes],
        tr_later!("terminate"),
    ),
    (Scope::Confirm, &[Action::ConfirmNo], tr_later!("cancel")),
    (Scope::Confirm, &[Action::ConfirmForce], tr_later!("force")),
    (
        Scope::Confirm,
        &[Action::ConfirmRescue],
        tr_later!("copy files first"),
    ),
    (
        Scope::Confirm,
        &[Action::ConfirmChoose],
        tr_later!("choose file"),
    ),
    (Scope::Confirm, MOVE, tr_later!("move")),
    (
        Scope::Confirm,
        &[Action::ConfirmToggle],
        tr_later!("other button"),
    ),
    (Scope::Confirm, &[Action::ConfirmPress], tr_later!("press")),
];

impl Panel for TerminateDialog {
    fn scope(&self) -> Scope {
        Scope::Confirm
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        match action {
            Action::ListDown if self.files.is_any() => self.files.move_by(1),
            Action::ListUp if self.files.is_any() => self.files.move_by(-1),
            Action::ConfirmChoose | Action::ConfirmRescue if !self.files.is_any() => {
                return vec![Step::toast(Level::Info, tr!("there are no files to copy"))];
            }
            Action::ConfirmChoose => self.files.choose(),
            Action::ConfirmRescue => return vec![Step::Go(Go::Rescue)],
            Action::ConfirmForce => self.force = self.can_force && !self.force,
            _ => match self.button.pressed_by(action) {
                Some(DialogButton::Yes) => return self.terminate(),
                Some(DialogButton::No) => return self.back(env),
                None => {}
            },
        }
        Vec::new()
    }

    fn click(&mut self, part: DialogPart, env: &PanelEnv<'_>) -> Vec<Step> {
        match part {
            DialogPart::Button(DialogButton::Yes) => self.terminate(),
            DialogPart::Button(DialogButton::No) => self.back(env),
            _ => Vec::new(),
        }
    }

    fn hints(&self) -> Vec<Hint> {
        let mut hints = HINTS.to_vec();
        hints.retain(|(_, actions, _)| self.can_force || *actions != [Action::ConfirmForce]);
        let of_files = [&[Action::ConfirmRescue][..], &[Action::ConfirmChoose], MOVE];
        hints.retain(|(_, actions, _)| self.files.is_any() || !of_files.contains(actions));
        hints
    }
}

/// A session in the queue has no program that needs time to end.
fn waits(session: &Session) -> bool {
    let queued = matches!(session.status, Status::Pending | Status::Scheduled);
    queued && session.started_at.is_none()
}

/// The session failed before anything of it ran, so it can only be removed.
fn failed_early(session: &Session) -> bool {
    session.status == Status::Error && session.started_at.is_none()
}

fn has_container(session: &Session) -> bool {
    session.started_at.is_some() || session.status.is_live()
}

fn lost(session: &Session, shells: usize) -> Vec<String> {
    if failed_early(session) {
        return vec![
            tr!("Nothing: the session failed before it ran. It moves to Finished.").to_owned(),
        ];
    }
    if !has_container(session) {
        return vec![tr!("Nothing: the session hasn't run yet.").to_owned()];
    }
    let mut lost = vec![tr!("All running programs.").to_owned()];
    match shells {
        0 => {}
        1 => lost.push(tr!("Its shell, which is open in workbay.").to_owned()),
        n => lost.push(tr!("Its {n} shells, which are open in workbay.", n)),
    }
    if session.is_committed() {
        lost.push(tr!("The image that is being created from it.").to_owned());
    }
    if session.home.is_some() {
        lost.push(tr!("Files outside /home/work.").to_owned());
    } else if !session.folders.is_empty() {
        lost.push(tr!("Files outside its folders.").to_owned());
    } else {
        lost.push(tr!("All its files, including /home/work.").to_owned());
    }
    lost
}

/// What is kept besides the home directory.
fn kept(session: &Session, keep_days: Option<u32>) -> Vec<String> {
    if !has_container(session) {
        return Vec::new();
    }
    let Some(days) = keep_days else {
        let folders = match session.folders.as_slice() {
            [] => None,
            [one] => Some(tr!("The folder {one}.", one)),
            several => Some(tr!("Its {several} folders.", several = several.len())),
        };
        let log = tr!("Its log, while the cluster keeps it.").to_owned();
        return folders.into_iter().chain([log]).collect();
    };
    if session.home.is_some() {
        return Vec::new();
    }
    vec![tr!("The log, for {days}.", days = in_days(days))]
}

fn in_days(days: u32) -> String {
    match days {
        1 => tr!("1 day").to_owned(),
        n => tr!("{n} days", n),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::testing::{TestEnv, session};

    /// What an action asks for: `Some(force)` if it terminates the session.
    fn press(dialog: &mut TerminateDialog, action: Action) -> Option<bool> {
        let steps = dialog.action(action, None, &TestEnv::default().env());
        steps.iter().find_map(|it| match it {
            Step::Ask {
                request:
                    Request::Session {
                        request: SessionRequest::Terminate { force },
                        ..
                    },
                ..
            } => Some(*force),
            _ => None,
        })
    }

    #[test]
    fn enter_alone_changes_nothing() {
        let mut confirm = TerminateDialog::new(&session(1, "train"), 0, Some(7));
        let env = TestEnv::default();
        let pressed = confirm.action(Action::ConfirmPress, None, &env.env());
        assert_eq!(pressed, [Step::CLOSE]);
        assert_eq!(press(&mut confirm, Action::ConfirmForce), None);
        assert_eq!(press(&mut confirm, Action::ConfirmToggle), None);
        assert_eq!(press(&mut confirm, Action::ConfirmPress), Some(true));
    }

    #[test]
    fn an_image_in_the_making_is_lost() {
        let mut it = session(1, "train");
        let image = "The image that is being created from it.".to_owned();
        assert!(!lost(&it, 0).contains(&image));
        it.pending_request = Some("creating image base-1".into());
        assert!(lost(&it, 0).contains(&image));
        it.pending_request = None;
        it.commit = crate::model::session::CommitStatus::Ongoing;
        assert!(lost(&it, 0).contains(&image));
    }

    #[test]
    fn it_says_what_is_kept_only_when_it_is() {
        let mut it = session(1, "train");
        it.home = Some("/scratch/x".to_owned());
        let mut confirm = TerminateDialog::new(&it, 1, Some(7));
        assert_eq!(
            confirm.kept_lines(),
            ["/home/work and the log, for 7 days."]
        );
        let mut unsaved = Unsaved {
            home_is_kept: true,
            keep_days: Some(7),
            ..Unsaved::default()
        };
        unsaved.home.total.files = 3;
        confirm.files = LossFiles::known(unsaved);
        assert_eq!(
            confirm.kept_lines(),
            ["/home/work (3 files, 0 B) and the log, for 7 days."]
        );
        it.home = None;
        let confirm = TerminateDialog::new(&it, 1, Some(7));
        assert!(confirm.lost.iter().any(|line| line.contains("/home/work")));
        assert!(!confirm.kept_lines()[0].contains("/home/work"));
        it.status = Status::Pending;
        it.started_at = None;
        let mut confirm = TerminateDialog::new(&it, 0, Some(7));
        assert!(confirm.kept.is_empty());
        assert_eq!(press(&mut confirm, Action::ConfirmForce), None);
        assert_eq!(press(&mut confirm, Action::ConfirmYes), Some(false));
    }

    #[test]
    fn one_that_failed_before_it_ran_is_only_let_go() {
        let mut it = session(1, "train");
        it.status = Status::Error;
        it.started_at = None;
        let confirm = TerminateDialog::new(&it, 0, Some(7));
        assert!(confirm.lost[0].contains("failed before it ran"));
        assert!(!confirm.can_force && confirm.kept.is_empty());
    }

    #[test]
    fn the_files_of_a_session_of_a_cluster_are_counted() {
        let mut it = session(1, "train");
        it.home = None;
        let mut confirm = TerminateDialog::new(&it, 0, None);
        assert!(confirm.ask_files(&it).is_some());
        let last = |confirm: &TerminateDialog| confirm.lost_lines().pop().unwrap();
        assert_eq!(last(&confirm), "Files outside folders (being counted).");
        let why = Err("the session has no Python".into());
        confirm.files_answered(it.key(), why);
        assert_eq!(
            last(&confirm),
            "Files outside folders: the session has no Python"
        );
        confirm.ask_files(&it);
        confirm.files_answered(it.key(), Ok(Unsaved::default()));
        assert_eq!(last(&confirm), "No files: none is outside folders.");
        // On another machine's Docker nobody knows them.
        assert!(
            TerminateDialog::new(&it, 0, Some(7))
                .ask_files(&it)
                .is_none()
        );
    }

    #[test]
    fn of_a_session_of_a_cluster_no_days_are_promised() {
        let mut it = session(1, "train");
        let confirm = TerminateDialog::new(&it, 0, None);
        assert!(!confirm.kept.iter().any(|line| line.contains("days")));
        it.folders = vec![Clean::new("데이터셋")];
        let confirm = TerminateDialog::new(&it, 0, None);
        assert_eq!(confirm.kept[0], "The folder 데이터셋.");
        assert!(
            confirm
                .lost
                .iter()
                .any(|line| line.contains("outside its folders"))
        );
    }
}
