//! The environment: chosen from a list that you search by typing, or a manual image.

mod choice;
#[cfg(test)]
mod tests;

pub use choice::EnvironmentChoice;

use crate::{
    app::{input::Input, launcher::LaunchInfo},
    key::Key,
    model::{environment::Environment, spec::LaunchRequest, text::Clean},
    rules::resolve,
};

/// A line of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnvironmentRow<'a> {
    /// The heading of the choices that follow.
    Group(&'a Clean),
    /// A choice by its position.
    Choice(usize),
}

/// An image that you created from a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnImage {
    pub name: Clean,
    pub reference: String,
}

#[derive(Clone, Debug, Default)]
pub struct EnvironmentPicker {
    query: Input,
    /// The choices that match the query.
    choices: Vec<EnvironmentChoice>,
    /// The number of environments without a search.
    known: usize,
    /// The chosen environment by label or name, `None` for the default. A marked search result is chosen only
    /// when you move in the list or leave the field.
    wanted: Option<String>,
    /// The position of the environment that would be launched.
    marked: Option<usize>,
    /// A manual image in place of an environment.
    image: Input,
    /// The image that you were asked about.
    removing: Option<OwnImage>,
}

impl EnvironmentPicker {
    pub fn query(&self) -> &Input {
        &self.query
    }

    pub fn image(&self) -> &Input {
        &self.image
    }

    pub fn choices(&self) -> &[EnvironmentChoice] {
        &self.choices
    }

    pub fn known(&self) -> usize {
        self.known
    }

    pub fn marked(&self) -> Option<usize> {
        self.marked
    }

    fn is_searched(&self) -> bool {
        !self.query.text().trim().is_empty()
    }

    pub fn has_manual_image(&self) -> bool {
        !self.image.is_empty()
    }

    /// The list with its headings.
    pub fn lines(&self) -> Vec<EnvironmentRow<'_>> {
        let mut lines = Vec::new();
        let mut before = None;
        for (at, choice) in self.choices.iter().enumerate() {
            if let Some(group) = choice.group.as_ref().filter(|it| before != Some(*it)) {
                lines.push(EnvironmentRow::Group(group));
            }
            before = choice.group.as_ref();
            lines.push(EnvironmentRow::Choice(at));
        }
        lines
    }

    fn marked_choice(&self) -> Option<&EnvironmentChoice> {
        self.choices.get(self.marked?)
    }

    /// The reference of the marked environment's image.
    pub fn reference(&self) -> Option<&str> {
        self.marked_choice()?.reference.as_deref()
    }

    /// The marked environment, if it is an image of yours.
    pub fn own_image(&self) -> Option<OwnImage> {
        let choice = self.marked_choice()?;
        Some(OwnImage {
            name: choice.own_name.clone()?,
            reference: choice.reference.clone()?,
        })
    }

    /// The question before the marked image is removed; `None` = it isn't yours.
    pub fn ask_to_remove(&mut self) -> Option<String> {
        let image = self.own_image()?;
        let text = tr!(
            "Your image {name} is deleted ({reference}). Sessions can't be launched from it any more.",
            name = image.name,
            reference = image.reference
        );
        self.removing = Some(image);
        Some(text)
    }

    /// The image that was asked about.
    pub fn take_removed(&mut self) -> Option<OwnImage> {
        self.removing.take()
    }

    /// The label of the environment that would be launched.
    pub fn label(&self, info: &LaunchInfo) -> String {
        match (self.marked_choice(), &self.wanted) {
            (Some(choice), _) => choice.label.clone(),
            (None, Some(wanted)) => wanted.clone(),
            (None, None) => info.defaults.environment.clone(),
        }
    }

    /// What is known about the environment that would be launched.
    pub fn chosen<'a>(&self, info: &'a LaunchInfo) -> Option<&'a Environment> {
        if self.has_manual_image() {
            return resolve::find_image(&info.environments, self.image.text());
        }
        resolve::find(&info.environments, &self.label(info))
    }

    /// Takes new environments, or another query.
    pub fn update(&mut self, info: &LaunchInfo) {
        let before = self.marked_choice().map(|choice| choice.label.clone());
        self.list(info);
        // A marked search result stays marked while it exists.
        let kept = before.filter(|_| self.is_searched());
        if let Some(at) = kept.and_then(|label| choice::find(&self.choices, &label)) {
            self.marked = Some(at);
        }
    }

    /// Lists the matches of the query and marks the best one. Without a search, marks the chosen environment.
    fn list(&mut self, info: &LaunchInfo) {
        self.known = info.environments.len();
        self.choices = choice::fitting(self.query.text(), &info.environments);
        self.marked = if self.is_searched() {
            choice::best(self.query.text(), &self.choices).or(self.first_launchable())
        } else {
            self.chosen_before(info)
        };
    }

    fn chosen_before(&self, info: &LaunchInfo) -> Option<usize> {
        let found = |label: &str| choice::find(&self.choices, label);
        match &self.wanted {
            // The engine accepts other spellings than the label.
            Some(wanted) => found(wanted).or_else(|| {
                let known = resolve::find(&info.environments, wanted)?;
                found(&known.label())
            }),
            None => found(&info.defaults.environment).or(self.first_launchable()),
        }
    }

    fn first_launchable(&self) -> Option<usize> {
        let found = |fits: &dyn Fn(&EnvironmentChoice) -> bool| {
            let mut choices = self.choices.iter();
            choices.position(|it| it.unavailable.is_none() && fits(it))
        };
        found(&|it| !it.customized)
            .or_else(|| found(&|_| true))
            .or((!self.choices.is_empty()).then_some(0))
    }

    /// Chooses the marked environment, so that it stays when the search is cleared.
    fn keep_mark(&mut self) {
        if let Some(choice) = self.marked_choice() {
            self.wanted = Some(choice.label.clone());
        }
    }

    /// Chooses the search result when the focus leaves the field.
    pub fn focus_left(&mut self) {
        if self.is_searched() {
            self.keep_mark();
        }
    }

    pub fn key(&mut self, key: Key, info: &LaunchInfo) -> bool {
        let before = self.query.text().to_owned();
        let taken = self.query.key(key);
        // Moving the cursor in the text doesn't search again.
        if self.query.text() != before {
            self.list(info);
        }
        taken
    }

    /// Clears the search. Returns `false` if there was none.
    pub fn clear_search(&mut self, info: &LaunchInfo) -> bool {
        let searched = !self.query.is_empty() && !self.has_manual_image();
        if searched {
            self.query = Input::default();
            self.list(info);
        }
        searched
    }

    pub fn paste(&mut self, text: &str, info: &LaunchInfo) {
        self.query.paste(text);
        self.list(info);
    }

    /// Moves up or down in the list. Returns `false` at its end.
    pub fn step(&mut self, by: isize) -> bool {
        let last = self.choices.len().saturating_sub(1);
        let next = match self.marked {
            Some(at) => at.saturating_add_signed(by).min(last),
            None => 0,
        };
        let moved = self.marked != Some(next) && !self.choices.is_empty();
        if moved {
            self.marked = Some(next);
            self.keep_mark();
        }
        moved
    }

    /// Chooses the environment that was clicked.
    pub fn choose(&mut self, at: usize) {
        if at < self.choices.len() {
            self.marked = Some(at);
            self.keep_mark();
        }
    }

    pub fn image_key(&mut self, key: Key) -> bool {
        self.image.key(key)
    }

    pub fn image_paste(&mut self, text: &str) {
        self.image.paste(text.trim());
    }

    /// The problem with the search. The rules of launches check whether the chosen environment can be
    /// launched.
    pub fn problem(&self) -> Option<String> {
        let fails = !self.has_manual_image()
            && self.is_searched()
            && self.known > 0
            && self.choices.is_empty();
        fails.then(|| {
            let query = self.query.text();
            tr!("no environment matches '{query}'", query)
        })
    }

    pub fn read(&mut self, request: &LaunchRequest, info: &LaunchInfo) {
        self.query = Input::default();
        self.wanted.clone_from(&request.environment);
        self.image = Input::with_text(request.image.as_deref().unwrap_or_default());
        self.update(info);
    }

    pub fn write(&self, request: &mut LaunchRequest, info: &LaunchInfo) {
        if self.has_manual_image() {
            request.image = Some(self.image.text().trim().to_owned());
        } else {
            request.environment = Some(self.label(info)).filter(|it| !it.is_empty());
        }
    }
}
