//! The environment: chosen from a list that is searched by typing, or an image by hand.

mod choice;
#[cfg(test)]
mod tests;

pub use choice::Choice;

use crate::{
    app::{input::Input, launcher::Offer},
    key::Key,
    model::{environment::Environment, resolve, spec::LaunchRequest, text::Clean},
};

/// A line of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// The heading of those that follow.
    Group(&'a Clean),
    /// A choice by its position.
    Choice(usize),
}

#[derive(Clone, Debug, Default)]
pub struct Environments {
    query: Input,
    /// Those that fit the query.
    choices: Vec<Choice>,
    /// How many there are before anything is typed.
    known: usize,
    /// What was chosen, by label or name; `None` = the default. What a search marks is chosen only
    /// once a person moves in the list or leaves the field.
    wanted: Option<String>,
    /// What would be launched, by its place among the choices.
    marked: Option<usize>,
    /// An image instead.
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

    /// The label of what would be launched.
    pub fn label(&self, offer: &Offer) -> String {
        match (self.marked_choice(), &self.wanted) {
            (Some(choice), _) => choice.label.clone(),
            (None, Some(wanted)) => wanted.clone(),
            (None, None) => offer.defaults.environment.clone(),
        }
    }

    /// What is known of what would be launched.
    pub fn chosen<'a>(&self, offer: &'a Offer) -> Option<&'a Environment> {
        if self.is_by_hand() {
            return resolve::find_image(&offer.environments, self.image.text());
        }
        resolve::find(&offer.environments, &self.label(offer))
    }

    /// Environments were told, or the query changed.
    pub fn offered(&mut self, offer: &Offer) {
        let before = self.marked_choice().map(|choice| choice.label.clone());
        self.list(offer);
        // What a search marks stays marked while it is there.
        let kept = before.filter(|_| self.is_searched());
        if let Some(at) = kept.and_then(|label| choice::find(&self.choices, &label)) {
            self.marked = Some(at);
        }
    }

    /// Lists what fits the query and marks the best of it, or what was chosen where nothing is
    /// searched.
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
            // The engine knows more spellings of it than its label.
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

    /// What is marked is chosen: it stays when the search is cleared.
    fn keep_mark(&mut self) {
        if let Some(choice) = self.marked_choice() {
            self.wanted = Some(choice.label.clone());
        }
    }

    /// The field is left: what a search has found is taken.
    pub fn left(&mut self) {
        if self.is_searched() {
            self.keep_mark();
        }
    }

    pub fn key(&mut self, key: Key, offer: &Offer) -> bool {
        let before = self.query.text().to_owned();
        let taken = self.query.key(key);
        // Who moves through what was typed does not search anew.
        if self.query.text() != before {
            self.list(offer);
        }
        taken
    }

    /// The search is given up; `false` = there was none.
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

    /// Up and down in the list; `false` = it ends there.
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

    /// The choice that was clicked.
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

    /// What is wrong with the search; whether what is chosen can be launched is a rule of launches.
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
