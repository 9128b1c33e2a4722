//! What keys, pasted text and actions do to the wizard.

use jiff::Timestamp;

use super::{About, Heard, LAUNCH, Launcher, Overlay, Page, Progress, Prompt, Question, Row};
use crate::{
    action::Action,
    app::{
        mirror::Mirror,
        step::{Go, Purpose, Step},
    },
    key::Key,
    model::{
        capability::Capability,
        id::ContextName,
        launch::{LaunchField, command},
    },
    protocol::message::{Failure, Request},
};

impl Launcher {
    /// A key that is text where one stands; `None` = it was not taken.
    pub fn key(&mut self, key: Key, mirror: &Mirror, now: Timestamp) -> Option<Vec<Step>> {
        match &mut self.overlay {
            Some(Overlay::Question(_)) => return None,
            Some(Overlay::Prompt(prompt)) => {
                prompt.problem = None;
                return prompt.input.key(key).then(Vec::new);
            }
            // Whoever types on has read it.
            Some(Overlay::Explain(_)) | None => {}
        }
        let row = self.row();
        let (form, offer) = self.form_mut(self.page);
        let taken = form.key(row, key, offer);
        if taken {
            self.overlay = None;
        }
        taken.then(|| self.changed(mirror, now))
    }

    pub fn paste(&mut self, text: &str, mirror: &Mirror, now: Timestamp) -> Vec<Step> {
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
        let (form, offer) = self.form_mut(self.page);
        if form.paste(row, text, offer) {
            self.changed(mirror, now)
        } else {
            Vec::new()
        }
    }

    /// Something in a form changed: everything is checked again.
    pub(super) fn changed(&mut self, mirror: &Mirror, now: Timestamp) -> Vec<Step> {
        if self.progress != Progress::Asked {
            self.progress = Progress::Editing;
        }
        self.edited = true;
        self.warned = false;
        self.offer.now = now;
        let (form, _) = self.form_mut(self.page);
        if let Some(row) = form.moved() {
            self.focus[self.page.position()] = Some(row);
        }
        self.check();
        let chosen = self.kind.context(&self.offer);
        if chosen != self.offer.context {
            return self.go_to(chosen, mirror);
        }
        if self.request.project != self.asked_project {
            return self.ask_catalogue(mirror, false).into_iter().collect();
        }
        Vec::new()
    }

    /// An action of the launcher's scope. `key` is what was pressed.
    pub fn action(
        &mut self,
        action: Action,
        key: Option<Key>,
        mirror: &Mirror,
        now: Timestamp,
    ) -> Vec<Step> {
        self.offer.now = now;
        match &mut self.overlay {
            Some(Overlay::Question(question)) => {
                let Some(yes) = question.action(action) else {
                    return Vec::new();
                };
                let about = question.about;
                self.overlay = None;
                return if yes {
                    self.confirmed(about, mirror, now)
                } else {
                    Vec::new()
                };
            }
            Some(Overlay::Prompt(_)) => return self.in_prompt(action),
            Some(Overlay::Explain(_)) => {
                self.overlay = None;
                if matches!(action, Action::LauncherExplain | Action::LauncherGoOn) {
                    return Vec::new();
                }
            }
            None => {}
        }
        let row = self.row();
        let (form, offer) = self.form_mut(self.page);
        match form.action(row, action, key, offer) {
            Heard::No => self.walk(action, mirror, now),
            Heard::Yes => self.changed(mirror, now),
            Heard::Goto(row) => {
                self.stand_on(row);
                self.changed(mirror, now)
            }
            Heard::Open(page) => {
                self.open(page);
                Vec::new()
            }
            Heard::Steps(more) => {
                let mut steps = self.changed(mirror, now);
                steps.extend(more);
                steps
            }
            Heard::Question(text) => {
                self.question(About::Form(row), text);
                Vec::new()
            }
        }
    }

    fn question(&mut self, about: About, text: impl Into<String>) {
        self.overlay = Some(Overlay::Question(Question::new(about, text)));
    }

    /// What an action means when no form wanted it.
    fn walk(&mut self, action: Action, mirror: &Mirror, now: Timestamp) -> Vec<Step> {
        match action {
            Action::LauncherNext => self.step_field(1),
            Action::LauncherPrevious => self.step_field(-1),
            Action::ListDown => {
                self.step_row(1);
            }
            Action::ListUp => {
                self.step_row(-1);
            }
            Action::LauncherGoOn if self.page == Page::Review => return self.launch(mirror, now),
            Action::LauncherGoOn | Action::LauncherNextPage => self.open(self.page.next()),
            Action::LauncherPreviousPage => self.open(self.page.previous()),
            Action::LauncherPageOne => self.open(Page::Kind),
            Action::LauncherPageTwo => self.open(Page::Allocation),
            Action::LauncherPageThree => self.open(Page::Storage),
            Action::LauncherPageFour => self.open(Page::Network),
            Action::LauncherReview => self.open(Page::Review),
            Action::LauncherLaunch => return self.launch(mirror, now),
            Action::LauncherReset if self.is_touched() => {
                let text = "Everything goes back to how it began. What was typed is lost.";
                self.question(About::Reset, text);
            }
            // The launch itself is no field: its keys are what there is to tell.
            Action::LauncherExplain if self.row() == LAUNCH => return vec![Step::Go(Go::Help)],
            Action::LauncherExplain => {
                self.overlay = Some(Overlay::Explain(self.row().field));
            }
            Action::LauncherEditor => return self.edit().into_iter().collect(),
            Action::LauncherCopyLine => return vec![Step::Copy(self.command_line())],
            Action::LauncherOpenRecipe => {
                self.overlay = Some(Overlay::Prompt(Box::new(Prompt::open())));
            }
            Action::LauncherSaveRecipe => {
                let prompt = Prompt::save(self.request.name.as_deref());
                self.overlay = Some(Overlay::Prompt(Box::new(prompt)));
            }
            _ => {}
        }
        Vec::new()
    }

    /// The text of several lines goes to the person's editor.
    fn edit(&self) -> Option<Step> {
        let field = self.row().field;
        let script = self.kind.script(field)?;
        Some(Step::Edit {
            field,
            text: script.text(),
        })
    }

    /// The editor was left.
    pub fn edit_done(&mut self, field: LaunchField, text: &str, mirror: &Mirror, now: Timestamp) {
        if let Some(script) = self.kind.script_mut(field) {
            script.set(text.trim_end_matches('\n'));
            self.changed(mirror, now);
        }
    }

    /// The command line that does the same.
    pub fn command_line(&self) -> String {
        let context = self.offer.several.then_some(self.offer.context);
        command::line(&self.request, context.as_ref().map(ContextName::as_str))
    }

    /// Esc: `true` = it can be closed. What was typed is not lost without a question.
    pub fn back(&mut self) -> bool {
        if self.overlay.take().is_some() {
            return false;
        }
        if !self.is_touched() {
            return true;
        }
        self.question(About::Close, "What was typed here is lost.");
        false
    }

    fn confirmed(&mut self, about: About, mirror: &Mirror, now: Timestamp) -> Vec<Step> {
        match about {
            About::Close => vec![Step::Go(Go::CloseTop)],
            About::Reset => {
                let begun = self.begun.clone();
                self.fill(&begun);
                self.edited = false;
                self.progress = Progress::Editing;
                self.focus = [None; Page::ALL.len()];
                self.open(Page::Kind);
                self.seen = [true, false, false, false, false];
                Vec::new()
            }
            About::Form(row) => {
                let (form, offer) = self.form_mut(self.page);
                form.confirmed(row, offer);
                self.changed(mirror, now)
            }
        }
    }

    /// Shows a page.
    pub fn open(&mut self, page: Page) {
        self.page = page;
        self.seen[page.position()] = true;
    }

    /// Goes to where a field is filled in.
    pub fn go_to_field(&mut self, field: LaunchField) {
        let page = Page::of(field);
        let rows = self.form(page).rows(&self.offer);
        match rows.into_iter().find(|row| row.field == field) {
            Some(row) => {
                self.open(page);
                self.stand_on(row);
            }
            // Nowhere to be mended: its card says it.
            None => self.open(Page::Review),
        }
    }

    /// Gives a row of the page the focus.
    pub fn stand_on(&mut self, row: Row) {
        self.focus[self.page.position()] = Some(row);
    }

    /// A line was clicked: it gets the focus; one that has it already is pressed.
    pub fn press(&mut self, row: Row) {
        if let Some(at) = row.clicked_choice().filter(|_| !self.rows().contains(&row)) {
            let (form, offer) = self.form_mut(self.page);
            form.clicked(row.field, at, offer);
            self.stand_on(Row::of(row.field));
            return self.check();
        }
        if self.row() != row {
            return self.stand_on(row);
        }
        let (form, offer) = self.form_mut(self.page);
        form.pressed(row, offer);
        self.check();
    }

    /// A turn of the wheel moves as up and down do.
    pub fn wheel(&mut self, action: Action) {
        let row = self.row();
        let (form, offer) = self.form_mut(self.page);
        if form.action(row, action, None, offer) == Heard::No {
            self.step_row(if action == Action::ListDown { 1 } else { -1 });
        } else {
            self.check();
        }
    }

    /// To the next row of the page; `false` = there is none.
    fn step_row(&mut self, by: isize) -> bool {
        let rows = self.rows();
        let row = self.row();
        let at = rows.iter().position(|it| *it == row).unwrap_or(0);
        let next = at.checked_add_signed(by).and_then(|at| rows.get(at));
        if let Some(next) = next {
            self.stand_on(*next);
        }
        next.is_some()
    }

    /// To the next field, on the next page where this one ends.
    fn step_field(&mut self, by: isize) {
        if self.step_row(by) {
            return;
        }
        let page = if by > 0 {
            self.page.next()
        } else {
            self.page.previous()
        };
        if page != self.page {
            self.open(page);
            let rows = self.rows();
            let row = if by > 0 { rows.first() } else { rows.last() };
            self.focus[page.position()] = row.copied();
        }
    }

    /// Asks the daemon, or goes to the first field that is wrong.
    fn launch(&mut self, mirror: &Mirror, now: Timestamp) -> Vec<Step> {
        if self.progress == Progress::Asked {
            return Vec::new();
        }
        self.offer.now = now;
        self.update(mirror);
        if let Some(wrong) = self.problems().first() {
            let field = wrong.field;
            self.go_to_field(field);
            return Vec::new();
        }
        if self.lacks_folder() && !self.warned {
            // The warning stands there; a second Enter launches.
            self.open(Page::Review);
            self.focus[Page::Review.position()] = None;
            self.warned = true;
            return Vec::new();
        }
        self.progress = Progress::Asked;
        vec![Step::Ask {
            request: Request::Launch {
                context: self.offer.context,
                launch: Box::new(self.request.clone()),
            },
            purpose: Purpose::Launch,
        }]
    }

    /// The launch was refused: the wizard goes to the field that it is about.
    pub fn refused(&mut self, failure: Failure) {
        if let Some(field) = failure.field {
            self.go_to_field(field);
        }
        self.progress = Progress::Failed(failure);
    }

    /// What is left to say of a refusal: beside its field the reason stands already, so only what
    /// to do.
    pub fn refusal(&self) -> Option<String> {
        let Progress::Failed(failure) = &self.progress else {
            return None;
        };
        match (&failure.help, failure.field) {
            (Some(help), Some(_)) => Some(help.to_string()),
            (None, Some(_)) => None,
            (Some(help), None) => Some(format!("{}; {help}", failure.message)),
            (None, None) => Some(failure.message.to_string()),
        }
    }

    /// No folder is mounted, though there could be one.
    pub fn lacks_folder(&self) -> bool {
        self.request.mounts.is_empty() && self.offer.has(Capability::Folders)
    }

    /// "No folder is mounted" was said, and the next Enter launches all the same.
    pub fn is_warned(&self) -> bool {
        self.warned
    }
}
