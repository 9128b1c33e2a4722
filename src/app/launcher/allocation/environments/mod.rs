//! The environment: chosen from a list that you search by typing, or a manual image.

mod choice;
#[cfg(test)]
mod tests;

pub use choice::Choice;

use crate::{
    app::{input::Input, launcher::Offer},
    key::Key,
    model::{environment::Environment, spec::LaunchRequest, text::Clean},
    rules::resolve,
};

/// A line of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// The heading of the choices that follow.
    Group(&'a Clean),
    /// A choice by its position.
    Choice(usize),
}

#[derive(Clone, Debug, Default)]
pub struct Environments {
    query: Input,
    /// The choices that match the query.
    choices: Vec<Choice>,
    /// The number of environments without a search.
    known: usize,
    /// The chosen environment by label or name, `None` for the default. A marked search result is chosen only
    /// when you move in the list or leave the field.
    wanted: Option<String>,
    /// The position of the environment that would be launched.
    marked: Option<usize>,
    /// A manual image in place of an environment.
    image: Input,
}

impl Environments {
    pub fn query(&self) -> &Input {
        &self.query
    }

    pub fn image(&self) -> &Input {
        &self.image
    }

    pub fn choices(&self) -> &[Choice] {
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

    pub fn is_by_hand(&self) -> bool {
        !self.image.is_empty()
    }

    /// The list with its headings.
    pub fn lines(&self) -> Vec<Line<'_>> {
        let mut lines = Vec::new();
        let mut before = None;
        for (at, choice) in self.choices.iter().enumerate() {
            if let Some(group) = choice.group.as_ref().filter(|it| before != Some(*it)) {
                lines.push(Line::Group(group));
            }
            before = choice.group.as_ref();
            lines.push(Line::Choice(at));
        }
        lines
    }

    fn marked_choice(&self) -> Option<&Choice> {
        self.choices.get(self.marked?)
    }

    /// The label of the environment that would be launched.
    pub fn label(&self, offer: &Offer) -> String {
        match (self.marked_choice(), &self.wanted) {
            (Some(choice), _) => choice.label.clone(),
            (None, Some(wanted)) => wanted.clone(),
            (None, None) => offer.defaults.environment.clone(),
        }
    }

    /// What is known about the environment that would be launched.
    pub fn chosen<'a>(&self, offer: &'a Offer) -> Option<&'a Environment> {
        if self.is_by_hand() {
            return resolve::find_image(&offer.environments, self.image.text());
        }
        resolve::find(&offer.environments, &self.label(offer))
    }

    /// Takes new environments, or another query.
    pub fn offered(&mut self, offer: &Offer) {
        let before = self.marked_choice().map(|choice| choice.label.clone());
        self.list(offer);
        // A marked search result stays marked while it exists.
        let kept = before.filter(|_| self.is_searched());
        if let Some(at) = kept.and_then(|label| choice::find(&self.choices, &label)) {
            self.marked = Some(at);
        }
    }

    /// Lists the matches of the query and marks the best one. Without a search, marks the chosen environment.
    fn list(&mut self, offer: &Offer) {
        self.known = offer.environments.len();
        self.choices = choice::fitting(self.query.text(), &offer.environments);
        self.marked = if self.is_searched() {
            choice::best(self.query.text(), &self.choices).or(self.first_launchable())
        } else {
            self.chosen_before(offer)
        };
    }

    fn chosen_before(&self, offer: &Offer) -> Option<usize> {
        let found = |label: &str| choice::find(&self.choices, label);
        match &self.wanted {
            // The engine accepts other spellings than the label.
            Some(wanted) => found(wanted).or_else(|| {
                let known = resolve::find(&offer.environments, wanted)?;
                found(&known.label())
            }),
            None => found(&offer.defaults.environment).or(self.first_launchable()),
        }
    }

    fn first_launchable(&self) -> Option<usize> {
        let found = |fits: &dyn Fn(&Choice) -> bool| {
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
    pub fn left(&mut self) {
        if self.is_searched() {
            self.keep_mark();
        }
    }

    pub fn key(&mut self, key: Key, offer: &Offer) -> bool {
        let before = self.query.text().to_owned();
        let taken = self.query.key(key);
        // Moving the cursor in the text doesn't search again.
        if self.query.text() != before {
            self.list(offer);
        }
        taken
    }

    /// Clears the search. Returns `false` if there was none.
    pub fn clear_search(&mut self, offer: &Offer) -> bool {
        let searched = !self.query.is_empty() && !self.is_by_hand();
        if searched {
            self.query = Input::default();
            self.list(offer);
        }
        searched
    }

    pub fn paste(&mut self, text: &str, offer: &Offer) {
        self.query.paste(text);
        self.list(offer);
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
        let fails =
            !self.is_by_hand() && self.is_searched() && self.known > 0 && self.choices.is_empty();
        fails.then(|| {
            let query = self.query.text();
            format!("no environment matches '{query}'")
        })
    }

    pub fn read(&mut self, request: &LaunchRequest, offer: &Offer) {
        self.query = Input::default();
        self.wanted.clone_from(&request.environment);
        self.image = Input::with_text(request.image.as_deref().unwrap_or_default());
        self.offered(offer);
    }

    pub fn write(&self, request: &mut LaunchRequest, offer: &Offer) {
        if self.is_by_hand() {
            request.image = Some(self.image.text().trim().to_owned());
        } else {
            request.environment = Some(self.label(offer)).filter(|it| !it.is_empty());
        }
    }
}
