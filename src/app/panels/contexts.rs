//! The list of contexts, where you choose the one to show.

use super::{Hint, MOVE, Panel, PanelEnv, scroll::ListCursor};
use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        input::Input,
        mirror::Mirror,
        shown_contexts::ShownContexts,
        step::{Go, Step},
    },
    key::Key,
    model::{capability::EngineState, context::Context},
    protocol::message::ContextState,
};

#[derive(Clone, Debug, Default)]
pub struct ContextPicker {
    query: Input,
    rows: Vec<ShownContexts>,
    pub list: ListCursor,
}

impl ContextPicker {
    /// Marks the context that is shown now.
    #[must_use]
    pub fn new(env: &PanelEnv<'_>) -> Self {
        let mut picker = Self::default();
        picker.rows = picker.fitting(env.mirror);
        picker.mark(env.shown);
        picker
    }

    pub fn query(&self) -> &Input {
        &self.query
    }

    /// All contexts first, then each context that matches the typed text.
    pub fn rows(&self) -> &[ShownContexts] {
        &self.rows
    }

    pub fn marked(&self) -> Option<ShownContexts> {
        self.rows.get(self.list.marked()).copied()
    }

    fn mark(&mut self, shown: ShownContexts) {
        let found = self.rows.iter().position(|row| *row == shown);
        self.list.go_to(found.unwrap_or(0), self.rows.len());
    }

    fn fitting(&self, mirror: &Mirror) -> Vec<ShownContexts> {
        let typed = self.query.text().to_lowercase();
        let words: Vec<&str> = typed.split_whitespace().collect();
        let fits = |text: &str| words.iter().all(|word| text.contains(word));
        let all = fits(tr!("all contexts")).then_some(ShownContexts::All);
        let each = mirror.contexts().iter().filter(|state| fits(&text(state)));
        all.into_iter()
            .chain(each.map(|state| ShownContexts::One(state.context.name)))
            .collect()
    }

    fn typed(&mut self, mirror: &Mirror) {
        self.rows = self.fitting(mirror);
        // A typed name marks a single context, not "all contexts" above it.
        let first_is_all = self.rows.first() == Some(&ShownContexts::All);
        let marked = first_is_all && self.rows.len() > 1 && !self.query.is_empty();
        self.list.go_to(usize::from(marked), self.rows.len());
    }

    fn choose(&self) -> Vec<Step> {
        let show = self.marked().map(|it| Step::Go(Go::Show(it)));
        show.map_or_else(Vec::new, |show| vec![Step::CLOSE, show])
    }
}

const HINTS: &[Hint] = &[
    (Scope::Contexts, &[Action::ContextChoose], tr_later!("show")),
    (Scope::Contexts, MOVE, tr_later!("move")),
    (Scope::Global, &[Action::Back], tr_later!("cancel")),
];

impl Panel for ContextPicker {
    fn scope(&self) -> Scope {
        Scope::Contexts
    }

    fn is_form(&self) -> bool {
        true
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        match action {
            Action::ContextChoose => return self.choose(),
            Action::Back => return self.back(env),
            _ => self.list.action(action, self.rows.len()),
        };
        Vec::new()
    }

    fn key(&mut self, key: Key, env: &PanelEnv<'_>) -> Option<Vec<Step>> {
        let used = self.query.key(key);
        used.then(|| {
            self.typed(env.mirror);
            Vec::new()
        })
    }

    fn paste(&mut self, text: &str, env: &PanelEnv<'_>) -> Vec<Step> {
        self.query.paste(text);
        self.typed(env.mirror);
        Vec::new()
    }

    fn click(&mut self, part: DialogPart, env: &PanelEnv<'_>) -> Vec<Step> {
        match part {
            DialogPart::Row(row) if self.list.scroll() + row < self.rows.len() => {
                self.list.go_to(self.list.scroll() + row, self.rows.len());
                self.choose()
            }
            DialogPart::Outside => self.back(env),
            _ => Vec::new(),
        }
    }

    fn wheel(&mut self, by: isize, _: &PanelEnv<'_>) {
        self.list.move_by(by.signum(), self.rows.len());
    }

    fn laid_out(&mut self, height: usize, _: &PanelEnv<'_>) {
        self.list.laid_out(height, self.rows.len());
    }

    fn update(&mut self, env: &PanelEnv<'_>) {
        let marked = self.marked();
        self.rows = self.fitting(env.mirror);
        self.mark(marked.unwrap_or_default());
    }

    fn hints(&self) -> Vec<Hint> {
        HINTS.to_vec()
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
    let status = match &state.engine {
        EngineState::Connected { info } => info.kind.as_str(),
        _ => "",
    };
    format!("{name} {} {status} {endpoint}", kind.word()).to_lowercase()
}
