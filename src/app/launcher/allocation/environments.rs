//! The environment: chosen from a list that is searched by typing, or an image by hand.

mod choice;

pub use choice::Choice;

use crate::{
    app::{input::Input, launcher::Offer},
    key::Key,
    model::{
        environment::{Environment, EnvironmentSource},
        spec::LaunchRequest,
        text::Clean,
    },
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
    /// What was chosen, by label or name; `None` = the default.
    wanted: Option<String>,
    /// Where it stands among the choices.
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

    /// The label of what would be launched.
    pub fn label(&self, offer: &Offer) -> String {
        match (
            self.marked.and_then(|at| self.choices.get(at)),
            &self.wanted,
        ) {
            (Some(choice), _) => choice.label.clone(),
            (None, Some(wanted)) => wanted.clone(),
            (None, None) => offer.defaults.environment.clone(),
        }
    }

    /// What is known of what would be launched.
    pub fn chosen<'a>(&self, offer: &'a Offer) -> Option<&'a Environment> {
        if self.is_by_hand() {
            let image = self.image.text();
            return offer.environments.iter().find(|it| {
                matches!(&it.source, EnvironmentSource::Image { reference } if reference == image)
            });
        }
        offer.find(&self.label(offer))
    }

    /// Environments were told, or the query changed.
    pub fn offered(&mut self, offer: &Offer) {
        self.known = offer.environments.len();
        self.choices = choice::fitting(self.query.text(), &offer.environments);
        let found = |label: &str| choice::find(&self.choices, label);
        self.marked = match &self.wanted {
            Some(label) => found(label),
            None => found(&offer.defaults.environment).or(self.first_launchable()),
        };
        // What was searched for is chosen by that.
        if self.marked.is_none() && !self.query.is_empty() {
            self.mark_best();
        }
    }

    fn first_launchable(&self) -> Option<usize> {
        let launchable = self.choices.iter().position(|it| it.unavailable.is_none());
        launchable.or(if self.choices.is_empty() {
            None
        } else {
            Some(0)
        })
    }

    /// Marks the best of those that fit the query.
    fn mark_best(&mut self) {
        let query = self.query.text();
        self.marked = choice::best(query, &self.choices).or(self.first_launchable());
        self.keep_mark();
    }

    fn keep_mark(&mut self) {
        if let Some(choice) = self.marked.and_then(|at| self.choices.get(at)) {
            self.wanted = Some(choice.label.clone());
        }
    }

    pub fn key(&mut self, key: Key, offer: &Offer) -> bool {
        let taken = self.query.key(key);
        if taken {
            self.searched(offer);
        }
        taken
    }

    pub fn paste(&mut self, text: &str, offer: &Offer) {
        self.query.paste(text);
        self.searched(offer);
    }

    fn searched(&mut self, offer: &Offer) {
        self.choices = choice::fitting(self.query.text(), &offer.environments);
        if self.query.is_empty() {
            self.offered(offer);
        } else {
            self.mark_best();
        }
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

    /// What is wrong with the choice.
    pub fn problem(&self, offer: &Offer) -> Option<String> {
        if self.is_by_hand() {
            return None;
        }
        if let Some(choice) = self.marked.and_then(|at| self.choices.get(at)) {
            let why = choice.unavailable.as_ref()?;
            return Some(format!("cannot be launched here: {why}"));
        }
        if !self.query.is_empty() {
            let query = self.query.text();
            return Some(format!("no environment has '{query}' in its name"));
        }
        let wanted = self
            .wanted
            .as_ref()
            .filter(|_| !offer.environments.is_empty())?;
        let wanted = Clean::new(wanted);
        Some(format!(
            "there is no environment {wanted} here: choose another one"
        ))
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
