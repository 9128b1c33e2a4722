//! What keys, pasted text and actions do to the wizard.

use jiff::Timestamp;

use super::{About, Heard, Launcher, Page, Progress, Question, Row};
use crate::{
    action::Action,
    app::{
        mirror::Mirror,
        step::{Purpose, Step},
    },
    key::Key,
    model::launch::LaunchField,
    protocol::message::{Failure, Request},
};

impl Launcher {
    /// A key that is text where one stands; `false` = it was not taken.
    pub fn key(&mut self, key: Key, mirror: &Mirror, now: Timestamp) -> Option<Vec<Step>> {
        if self.question.is_some() {
            return None;
        }
        let row = self.row();
        let (form, offer) = self.form_mut(self.page);
        let taken = form.key(row, key, offer);
        taken.then(|| self.changed(mirror, now))
    }

    pub fn paste(&mut self, text: &str, mirror: &Mirror, now: Timestamp) -> Vec<Step> {
        if self.question.is_some() {
            return Vec::new();
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
    fn changed(&mut self, mirror: &Mirror, now: Timestamp) -> Vec<Step> {
        if self.progress != Progress::Asked {
            self.progress = Progress::Editing;
        }
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
            return self.ask_catalogue(mirror).into_iter().collect();
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
        if self.question.is_some() {
            return self.answer_question(action, mirror, now);
        }
        let row = self.row();
        let (form, offer) = self.form_mut(self.page);
        match form.action(row, action, key, offer) {
            Heard::No => self.walk(action, mirror, now),
            Heard::Yes => self.changed(mirror, now),
            Heard::Goto(row) => {
                self.focus[self.page.position()] = Some(row);
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
                let about = About::Form(row);
                self.question = Some(Question { text, about });
                Vec::new()
            }
        }
    }

    /// What an action means when no form wanted it.
    fn walk(&mut self, action: Action, mirror: &Mirror, now: Timestamp) -> Vec<Step> {
        match action {
            Action::LauncherNext | Action::ListDown => self.step_row(1),
            Action::LauncherPrevious | Action::ListUp => self.step_row(-1),
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
                self.question = Some(Question {
                    text: "Put everything back to how it began? What was typed is lost.".to_owned(),
                    about: About::Reset,
                });
            }
            _ => {}
        }
        Vec::new()
    }

    /// Esc: `true` = it can be closed. What was typed is not lost without a question.
    pub fn may_close(&mut self) -> bool {
        if self.question.take().is_some() {
            return false;
        }
        if !self.is_touched() {
            return true;
        }
        self.question = Some(Question {
            text: "Close the launcher? What was typed is lost.".to_owned(),
            about: About::Close,
        });
        false
    }

    fn answer_question(&mut self, action: Action, mirror: &Mirror, now: Timestamp) -> Vec<Step> {
        let yes = matches!(action, Action::LauncherGoOn | Action::LauncherLaunch);
        let Some(question) = self.question.take().filter(|_| yes) else {
            return Vec::new();
        };
        match question.about {
            About::Close => vec![Step::Go(crate::app::step::Go::CloseTop)],
            About::Reset => {
                let begun = self.begun.clone();
                self.fill(&begun);
                self.begun = self.request.clone();
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
        self.open(Page::of(field));
        let row = self.rows().into_iter().find(|row| row.field == field);
        self.focus[self.page.position()] = row;
    }

    /// Gives a row of the page the focus.
    pub fn stand_on(&mut self, row: Row) {
        self.focus[self.page.position()] = Some(row);
    }

    /// A line was clicked: it gets the focus; one that has it already is pressed.
    pub fn press(&mut self, row: Row) {
        if self.row() != row {
            return self.stand_on(row);
        }
        let (form, offer) = self.form_mut(self.page);
        form.pressed(row, offer);
        self.check();
    }

    fn step_row(&mut self, by: isize) {
        let rows = self.rows();
        let row = self.row();
        let at = rows.iter().position(|it| *it == row).unwrap_or(0);
        let count = rows.len().cast_signed();
        if count > 0 {
            let at = (at.cast_signed() + by).rem_euclid(count);
            self.stand_on(rows[at.unsigned_abs()]);
        }
    }

    /// Asks the daemon, or goes to the first field that is wrong.
    fn launch(&mut self, mirror: &Mirror, now: Timestamp) -> Vec<Step> {
        if self.progress == Progress::Asked {
            return Vec::new();
        }
        self.update(mirror);
        self.offer.now = now;
        if let Some(wrong) = self.problems().first() {
            let field = wrong.field;
            self.go_to_field(field);
            return Vec::new();
        }
        if self.warning(LaunchField::Folders).is_some() && !self.warned {
            // The warning stands there; a second Enter launches.
            self.warned = true;
            self.open(Page::Review);
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

    /// "No folder is mounted" was said, and the next Enter launches all the same.
    pub fn is_warned(&self) -> bool {
        self.warned
    }
}
