//! Handles keys, pasted text and actions in the launcher.

use jiff::Timestamp;

use super::{
    Confirmation, Destination, EarlierLaunch, FormResponse, LaunchProgress, Launcher, Overlay,
    Page, PathPrompt, QuestionSubject,
};
use crate::{
    action::Action,
    app::{
        mirror::Mirror,
        step::{LaunchedFrom, Purpose, Step},
    },
    key::Key,
    model::{
        capability::Capability,
        failure::Failure,
        id::ContextName,
        launch_field::{FieldProblem, LaunchField},
        notice::Level,
    },
    protocol::message::Request,
    rules::launch::command,
};

impl Launcher {
    /// Handles a key that is text in the focused row. Returns `None` if it isn't used.
    pub(super) fn type_key(
        &mut self,
        key: Key,
        mirror: &Mirror,
        now: Timestamp,
    ) -> Option<Vec<Step>> {
        match &mut self.overlay {
            Some(Overlay::Question(_)) => return None,
            Some(Overlay::Prompt(prompt)) => {
                prompt.problem = None;
                return prompt.input.key(key).then(Vec::new);
            }
            // Typing closes the explanation.
            Some(Overlay::Explain(_)) | None => {}
        }
        let row = self.row();
        let (form, info) = self.form_mut(self.page);
        let taken = form.key(row, key, info);
        if taken {
            self.overlay = None;
        }
        taken.then(|| self.changed(mirror, now))
    }

    pub(super) fn paste_text(&mut self, text: &str, mirror: &Mirror, now: Timestamp) -> Vec<Step> {
        match &mut self.overlay {
            Some(Overlay::Question(_)) => return Vec::new(),
            Some(Overlay::Prompt(prompt)) => {
                prompt.problem = None;
                prompt.input.paste(text);
                return Vec::new();
            }
            Some(Overlay::Explain(_)) | None => self.overlay = None,
        }
        let row = self.row();
        let (form, info) = self.form_mut(self.page);
        if form.paste(row, text, info) {
            self.changed(mirror, now)
        } else {
            Vec::new()
        }
    }

    /// Checks everything again after a change in a form.
    pub(super) fn changed(&mut self, mirror: &Mirror, now: Timestamp) -> Vec<Step> {
        if self.progress != LaunchProgress::Asked {
            self.progress = LaunchProgress::Editing;
        }
        self.edited = true;
        self.edited_since = true;
        self.warned = false;
        self.info.now = now;
        let (form, _) = self.form_mut(self.page);
        if let Some(row) = form.moved() {
            self.focus[self.page.position()] = Some(row);
        }
        self.check();
        let chosen = self.session_type.context(&self.info);
        if chosen != self.info.context {
            return self.go_to(chosen, mirror);
        }
        if self.request.project != self.asked_project {
            return self.ask_catalogue(mirror, false).into_iter().collect();
        }
        Vec::new()
    }

    /// Handles an action of the launcher's scope. `key` is the pressed key.
    pub(super) fn act(
        &mut self,
        action: Action,
        key: Option<Key>,
        mirror: &Mirror,
        now: Timestamp,
    ) -> Vec<Step> {
        self.info.now = now;
        match &mut self.overlay {
            Some(Overlay::Question(question)) => {
                let Some(yes) = question.action(action) else {
                    return Vec::new();
                };
                let subject = question.subject.clone();
                self.overlay = None;
                if yes {
                    return self.confirmed(subject, mirror, now);
                }
                self.declined(subject);
                return Vec::new();
            }
            Some(Overlay::Prompt(_)) => return self.in_prompt(action),
            Some(Overlay::Explain(_)) => {
                self.overlay = None;
                if matches!(action, Action::LauncherExplain | Action::LauncherContinue) {
                    return Vec::new();
                }
            }
            None => {}
        }
        let row = self.row();
        let (form, info) = self.form_mut(self.page);
        match form.action(row, action, key, info) {
            FormResponse::Ignored => {
                let mut steps = self.look_for_image(row);
                steps.extend(self.walk(action, mirror, now));
                steps
            }
            FormResponse::Handled => self.changed(mirror, now),
            FormResponse::Focus(row) => {
                let mut steps = self.changed(mirror, now);
                steps.extend(self.leave(Destination::Page(self.page, Some(row)), mirror, now));
                steps
            }
            FormResponse::OpenPage(page) => {
                self.open_to_fix(page);
                Vec::new()
            }
            FormResponse::Steps(more) => {
                let mut steps = self.changed(mirror, now);
                steps.extend(more);
                steps
            }
            FormResponse::Confirm(text, yes) => {
                self.question(Confirmation::of_form(row, text, yes));
                Vec::new()
            }
        }
    }

    fn question(&mut self, question: Confirmation) {
        self.overlay = Some(Overlay::Question(question));
    }

    /// Handles an action that no form used.
    fn walk(&mut self, action: Action, mirror: &Mirror, now: Timestamp) -> Vec<Step> {
        if let Some(destination) = self.destination(action) {
            return self.leave(destination, mirror, now);
        }
        match action {
            Action::LauncherReset if self.is_touched() => self.question(Confirmation::reset()),
            Action::LauncherReset => {
                return vec![Step::toast(Level::Info, tr!("no field was changed yet"))];
            }
            Action::LauncherExplain => self.overlay = Some(Overlay::Explain(self.topic())),
            Action::LauncherEditor => {
                let edit = self.edit();
                return vec![edit.unwrap_or_else(|| not_here(action))];
            }
            Action::LauncherCopyLine => return vec![Step::Copy(self.command_line())],
            Action::LauncherOpenRecipe => {
                self.overlay = Some(Overlay::Prompt(Box::new(PathPrompt::open())));
            }
            Action::LauncherSaveRecipe => {
                let prompt = PathPrompt::save(self.request.name.as_deref());
                self.overlay = Some(Overlay::Prompt(Box::new(prompt)));
            }
            _ if action.is_movement() => {}
            _ => return vec![not_here(action)],
        }
        Vec::new()
    }

    /// The destination of an action, if it has one.
    fn destination(&self, action: Action) -> Option<Destination> {
        let page = |page| Some(Destination::Page(page, None));
        let beside = |by| Some(Destination::Page(self.page, Some(self.neighbor_row(by)?)));
        match action {
            Action::LauncherNext => Some(self.neighbor_field(1)),
            Action::LauncherPrevious => Some(self.neighbor_field(-1)),
            Action::ListDown => beside(1),
            Action::ListUp => beside(-1),
            Action::LauncherContinue => Some(self.next_destination()),
            Action::LauncherNextPage => page(self.page.next()),
            Action::LauncherPreviousPage => page(self.page.previous()),
            Action::LauncherPageOne => page(Page::Kind),
            Action::LauncherPageTwo => page(Page::Allocation),
            Action::LauncherPageThree => page(Page::Storage),
            Action::LauncherPageFour => page(Page::Network),
            Action::LauncherReview => page(Page::Review),
            Action::LauncherLaunch => Some(Destination::Launch),
            _ => None,
        }
    }

    /// Opens a text of several lines in your editor.
    fn edit(&self) -> Option<Step> {
        let field = self.row().field;
        let script = self.session_type.script(field)?;
        Some(Step::Edit {
            field,
            text: script.text(),
        })
    }

    /// Takes the text when the editor exits.
    pub fn edit_done(&mut self, field: LaunchField, text: &str, mirror: &Mirror, now: Timestamp) {
        if let Some(script) = self.session_type.script_mut(field) {
            script.set(text.trim_end_matches('\n'));
            self.changed(mirror, now);
        }
    }

    /// The equivalent command line.
    pub fn command_line(&self) -> String {
        let context = self.info.several.then_some(self.info.context);
        command::line(&self.request, context.as_ref().map(ContextName::as_str))
    }

    /// Handles Esc. Returns `true` if the launcher can close. Asks for confirmation before typed values are
    /// lost.
    pub(super) fn can_close(&mut self) -> bool {
        match self.overlay.take() {
            Some(Overlay::Question(question)) => {
                self.declined(question.subject);
                return false;
            }
            Some(_) => return false,
            None => {}
        }
        let row = self.row();
        let (form, info) = self.form_mut(self.page);
        if form.back(row, info) {
            self.check();
            return false;
        }
        if !self.is_touched() {
            return true;
        }
        self.question(Confirmation::close());
        false
    }

    /// Asks for confirmation before an earlier launch replaces typed values.
    pub fn ask_to_replace(&mut self, by: Box<EarlierLaunch>) {
        self.question(Confirmation::replace(by));
    }

    fn confirmed(
        &mut self,
        subject: QuestionSubject,
        mirror: &Mirror,
        now: Timestamp,
    ) -> Vec<Step> {
        match subject {
            QuestionSubject::Close => vec![Step::CLOSE],
            QuestionSubject::Replace(by) => {
                self.edited = false;
                vec![Step::Relaunch(by)]
            }
            QuestionSubject::Reset => {
                let begun = self.begun.clone();
                self.fill(&begun);
                self.edited = false;
                self.progress = LaunchProgress::Editing;
                self.focus = [None; Page::ALL.len()];
                self.open(Page::Kind);
                self.seen = [true, false, false, false, false];
                Vec::new()
            }
            QuestionSubject::Form(row) => {
                let (form, info) = self.form_mut(self.page);
                let confirmed = form.confirmed(row, info);
                let mut steps = self.changed(mirror, now);
                steps.extend(confirmed);
                steps
            }
            QuestionSubject::Leave { row, destination } => {
                self.leave_without(row, destination, mirror, now)
            }
        }
    }

    /// Handles the answer no.
    fn declined(&mut self, subject: QuestionSubject) {
        if let QuestionSubject::Leave { row, .. } = subject {
            self.focus_row(row);
        }
    }

    /// Sends the launch to the daemon, or goes to the first field with a problem.
    pub(super) fn launch(&mut self, mirror: &Mirror, now: Timestamp) -> Vec<Step> {
        if self.progress == LaunchProgress::Asked {
            return Vec::new();
        }
        self.info.now = now;
        self.take_changes(mirror);
        if let Some(wrong) = self.problems().first().cloned() {
            self.go_to_problem(&wrong);
            return Vec::new();
        }
        if self.lacks_folder() && !self.warned {
            // The review shows the warning, then Enter launches.
            self.open(Page::Review);
            self.focus[Page::Review.position()] = None;
            self.warned = true;
            return Vec::new();
        }
        self.progress = LaunchProgress::Asked;
        self.edited_since = false;
        vec![Step::Ask {
            request: Request::Launch {
                context: self.info.context,
                launch: Box::new(self.request.clone()),
            },
            purpose: Purpose::Launch(LaunchedFrom {
                launcher: Some(self.id),
                replaces: self.replaces,
            }),
        }]
    }

    /// Handles a launch that worked. Returns `true` if the launcher can close: what was typed since stays.
    pub fn launched(&mut self) -> bool {
        self.progress = LaunchProgress::Editing;
        !self.edited_since
    }

    /// Handles a refused launch: focuses the affected field.
    pub fn refused(&mut self, failure: Failure) {
        if let Some(field) = failure.field {
            self.go_to_problem(&FieldProblem::new(field, failure.message().as_str()));
        }
        self.progress = LaunchProgress::Failed(failure);
    }

    /// The rest of a refusal. A field with the problem already shows the reason, so only the fix is left.
    pub fn refusal(&self) -> Option<String> {
        let LaunchProgress::Failed(failure) = &self.progress else {
            return None;
        };
        match (&failure.hint, failure.field) {
            (Some(help), Some(_)) => Some(help.to_string()),
            (None, Some(_)) => None,
            (Some(help), None) => Some(format!("{}; {help}", failure.message())),
            (None, None) => Some(failure.message().to_string()),
        }
    }

    /// No folder is mounted, although folders are available.
    pub fn lacks_folder(&self) -> bool {
        self.request.mounts.is_empty() && self.info.has(Capability::Folders)
    }

    /// The warning about a launch without folders was shown. The next Enter launches.
    pub fn is_warned(&self) -> bool {
        self.warned
    }
}

/// Reports that an action is for other fields.
fn not_here(action: Action) -> Step {
    Step::toast(
        Level::Info,
        tr!("not for this field: {doc}", doc = action.doc()),
    )
}
