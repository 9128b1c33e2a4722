//! The list of contexts, where you choose the one to show.

use super::{input::Input, mirror::Mirror, shown::Shown};
use crate::{
    action::Action,
    key::Key,
    model::{capability::EngineState, context::Context},
    protocol::message::ContextState,
};

#[derive(Clone, Debug)]
pub struct Picker {
    query: Input,
    rows: Vec<Shown>,
    marked: usize,
    /// The first visible row.
    scroll: usize,
    height: usize,
}

impl Picker {
    /// Marks the context that is shown now.
    #[must_use]
    pub fn new(mirror: &Mirror, shown: Shown) -> Self {
        let mut picker = Self {
            query: Input::default(),
            rows: Vec::new(),
            marked: 0,
            scroll: 0,
            height: 1,
        };
        picker.rows = picker.fitting(mirror);
        picker.mark(shown);
        picker
    }

    pub fn query(&self) -> &Input {
        &self.query
    }

    /// All contexts first, then each context that matches the typed text.
    pub fn rows(&self) -> &[Shown] {
        &self.rows
    }

    pub fn marked(&self) -> Option<Shown> {
        self.rows.get(self.marked).copied()
    }

    pub fn scroll(&self) -> usize {
        self.scroll
    }

    /// Contexts were added, removed or changed.
    pub fn update(&mut self, mirror: &Mirror) {
        let marked = self.marked();
        self.rows = self.fitting(mirror);
        self.mark(marked.unwrap_or_default());
    }

    fn mark(&mut self, shown: Shown) {
        let found = self.rows.iter().position(|row| *row == shown);
        self.marked = found.unwrap_or(0);
        self.keep_visible();
    }

    fn fitting(&self, mirror: &Mirror) -> Vec<Shown> {
        let typed = self.query.text().to_lowercase();
        let words: Vec<&str> = typed.split_whitespace().collect();
        let fits = |text: &str| words.iter().all(|word| text.contains(word));
        let all = fits("all contexts").then_some(Shown::All);
        let each = mirror.contexts().iter().filter(|state| fits(&text(state)));
        all.into_iter()
            .chain(each.map(|state| Shown::One(state.context.name)))
            .collect()
    }

    /// Handles a key that no scope binds. Returns `false` if the key isn't used.
    pub fn key(&mut self, key: Key, mirror: &Mirror) -> bool {
        let taken = self.query.key(key);
        if taken {
            self.typed(mirror);
        }
        taken
    }

    pub fn paste(&mut self, text: &str, mirror: &Mirror) {
        self.query.paste(text);
        self.typed(mirror);
    }

    fn typed(&mut self, mirror: &Mirror) {
        self.rows = self.fitting(mirror);
        // A typed name marks a single context, not "all contexts" above it.
        let first_is_all = self.rows.first() == Some(&Shown::All);
        self.marked = usize::from(first_is_all && self.rows.len() > 1 && !self.query.is_empty());
        self.keep_visible();
    }

    /// Handles an action of the list's scope. Returns the chosen context.
    pub fn action(&mut self, action: Action) -> Option<Shown> {
        let page = self.height.max(2).cast_signed() - 1;
        match action {
            Action::ContextChoose => return self.marked(),
            Action::ListDown => self.move_by(1),
            Action::ListUp => self.move_by(-1),
            Action::ListPageDown => self.move_by(page),
            Action::ListPageUp => self.move_by(-page),
            _ => {}
        }
        None
    }

    pub fn move_by(&mut self, by: isize) {
        self.go_to(self.marked.saturating_add_signed(by));
    }

    /// Marks a row that was clicked.
    pub fn go_to(&mut self, at: usize) {
        self.marked = at.min(self.rows.len().saturating_sub(1));
        self.keep_visible();
    }

    /// Takes the number of visible rows from the layout.
    pub fn laid_out(&mut self, height: usize) {
        self.height = height;
        self.keep_visible();
    }

    fn keep_visible(&mut self) {
        let height = self.height.max(1);
        let last = self.rows.len().saturating_sub(height);
        self.scroll = self
            .scroll
            .max((self.marked + 1).saturating_sub(height))
            .min(self.marked)
            .min(last);
    }
}

/// The text that a search looks at.
fn text(state: &ContextState) -> String {
    let Context {
        name,
        kind,
        endpoint,
        ..
    } = &state.context;
    let endpoint = endpoint.as_ref().map_or("", |endpoint| endpoint.as_str());
    let told = match &state.engine {
        EngineState::Connected { info } => info.kind.as_str(),
        _ => "",
    };
    format!("{name} {} {told} {endpoint}", kind.word()).to_lowercase()
}
