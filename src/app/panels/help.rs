//! The keys of a view or panel, built from the list of actions and the active keymap.

use super::{Hint, INPUT_HINTS, MOVE, Panel, PanelEnv, scroll::motion};
use crate::{
    action::{Action, Scope},
    app::{allowed::lacking, input::Input, step::Step},
    key::Key,
    keymap::Keymap,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HelpRow {
    /// A scope's title.
    Title(&'static str),
    Entry {
        /// All keys of the action, the most convenient first.
        keys: String,
        doc: &'static str,
        name: &'static str,
    },
    /// A useful note for the scope.
    Note(&'static str),
    Gap,
}

/// Explains how the numbers of the detail compare to those of other tools.
const CPU: &str = "CPU is in cores: 1.00 is 100% in `docker stats` (one busy core)";

#[derive(Clone, Debug)]
pub struct Help {
    all: Vec<HelpRow>,
    shown: Vec<HelpRow>,
    search: Input,
    pub searching: bool,
    scroll: usize,
    height: usize,
}

impl Help {
    /// Help for a scope: its own keys first, then all others. Actions that are never possible in the shown
    /// contexts are left out, because their keys would only be refused.
    #[must_use]
    pub fn new(scope: Scope, env: &PanelEnv<'_>) -> Self {
        let mut scopes = vec![scope];
        if matches!(scope, Scope::Terminal | Scope::Panes | Scope::Leader) {
            scopes = vec![Scope::Terminal, Scope::Leader, Scope::Panes];
        }
        if scope == Scope::Detail {
            scopes.push(Scope::Sessions);
        }
        scopes.push(Scope::Global);
        scopes.extend(Scope::ALL);
        let mut all = Vec::new();
        let mut seen: Vec<Scope> = Vec::new();
        for scope in scopes {
            if !seen.contains(&scope) {
                seen.push(scope);
                add_scope(&mut all, scope, env.keymap);
            }
        }
        all.retain(|row| match row {
            HelpRow::Entry { name, .. } => {
                !Action::from_name(name).is_some_and(|it| lacking(it, env.shown, env.mirror))
            }
            _ => true,
        });
        Self {
            shown: all.clone(),
            all,
            search: Input::default(),
            searching: false,
            scroll: 0,
            height: 0,
        }
    }

    pub fn rows(&self) -> &[HelpRow] {
        &self.shown
    }

    pub fn search(&self) -> &Input {
        &self.search
    }

    pub fn scroll(&self) -> usize {
        self.scroll
    }

    /// The number of visible entries, and of all entries.
    pub fn counts(&self) -> (usize, usize) {
        let entries = |rows: &[HelpRow]| {
            rows.iter()
                .filter(|row| matches!(row, HelpRow::Entry { .. }))
                .count()
        };
        (entries(&self.shown), entries(&self.all))
    }

    /// Changes the search text and filters the entries.
    fn type_into<T>(&mut self, change: impl FnOnce(&mut Input) -> T) -> T {
        let result = change(&mut self.search);
        self.filter();
        result
    }

    /// Clears the search. Returns `false` if there was none.
    fn clear_search(&mut self) -> bool {
        let was = self.searching || !self.search.is_empty();
        self.searching = false;
        self.search.set("");
        self.filter();
        was
    }

    fn move_by(&mut self, by: isize) {
        self.scroll = self.scroll.saturating_add_signed(by);
        self.clamp();
    }

    fn clamp(&mut self) {
        self.scroll = self
            .scroll
            .min(self.shown.len().saturating_sub(self.height));
    }

    /// Keeps the entries that contain every word, and the titles above them.
    fn filter(&mut self) {
        let query = self.search.text().to_lowercase();
        let words: Vec<&str> = query.split_whitespace().collect();
        self.scroll = 0;
        if words.is_empty() {
            self.shown = self.all.clone();
            return;
        }
        let mut shown: Vec<HelpRow> = Vec::new();
        let mut title = None;
        for row in &self.all {
            match row {
                HelpRow::Title(text) => title = Some(*text),
                HelpRow::Gap | HelpRow::Note(_) => {}
                HelpRow::Entry { keys, doc, name } => {
                    let text = format!("{keys} {doc} {name}").to_lowercase();
                    if !words.iter().all(|word| text.contains(word)) {
                        continue;
                    }
                    if let Some(text) = title.take() {
                        if !shown.is_empty() {
                            shown.push(HelpRow::Gap);
                        }
                        shown.push(HelpRow::Title(text));
                    }
                    shown.push(row.clone());
                }
            }
        }
        self.shown = shown;
    }
}

const HINTS: &[Hint] = &[
    (Scope::Help, &[Action::HelpSearch], "search"),
    (Scope::Help, MOVE, "move"),
    (Scope::Help, &[Action::ListPageDown], "page"),
    (Scope::Global, &[Action::Back], "close"),
];

impl Panel for Help {
    fn scope(&self) -> Scope {
        if self.searching {
            Scope::Input
        } else {
            Scope::Help
        }
    }

    fn outer_scopes(&self) -> &'static [Scope] {
        if self.searching {
            &[Scope::Help, Scope::Global]
        } else {
            &[Scope::Global]
        }
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        let page = self.height.max(2).cast_signed() - 1;
        match action {
            Action::Back => return self.back(env),
            Action::HelpSearch | Action::SessionsFilter => self.searching = true,
            Action::InputSubmit => self.searching = false,
            Action::InputCancel => {
                self.clear_search();
            }
            _ => self.move_by(motion(action, page).unwrap_or(0)),
        }
        Vec::new()
    }

    fn key(&mut self, key: Key, _: &PanelEnv<'_>) -> Option<Vec<Step>> {
        let used = self.searching && self.type_into(|input| input.key(key));
        used.then(Vec::new)
    }

    fn paste(&mut self, text: &str, _: &PanelEnv<'_>) -> Vec<Step> {
        if self.searching {
            self.type_into(|input| input.paste(text));
        }
        Vec::new()
    }

    fn back(&mut self, _: &PanelEnv<'_>) -> Vec<Step> {
        if self.clear_search() {
            return Vec::new();
        }
        vec![Step::CLOSE]
    }

    fn wheel(&mut self, by: isize, _: &PanelEnv<'_>) {
        self.move_by(by);
    }

    fn laid_out(&mut self, height: usize, _: &PanelEnv<'_>) {
        self.height = height;
        self.clamp();
    }

    fn hints(&self) -> Vec<Hint> {
        if self.searching { INPUT_HINTS } else { HINTS }.to_vec()
    }
}

fn add_scope(rows: &mut Vec<HelpRow>, scope: Scope, keymap: &Keymap) {
    let bound: Vec<Action> = Action::ALL
        .iter()
        .copied()
        .filter(|action| !keymap.keys_for(scope, *action).is_empty())
        .collect();
    if bound.is_empty() {
        return;
    }
    if !rows.is_empty() {
        rows.push(HelpRow::Gap);
    }
    rows.push(HelpRow::Title(scope.title()));
    rows.extend(bound.into_iter().map(|action| HelpRow::Entry {
        keys: keymap.keys_for(scope, action).join("  "),
        doc: action.doc(),
        name: action.name(),
    }));
    if scope == Scope::Detail {
        rows.push(HelpRow::Note(CPU));
    }
}
