//! The list of themes. The marked theme is shown at once, on the whole screen.

use super::{Hint, MOVE, Panel, PanelEnv, scroll::ListCursor};
use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        effect::Effect,
        input::Input,
        step::Step,
        themes::{ThemeOrder, Themes},
    },
    key::Key,
    model::text::Clean,
};

/// The list of themes with its search.
#[derive(Clone, Debug, Default)]
pub struct ThemePicker {
    query: Input,
    /// The names that fit the typed text: `auto` first.
    rows: Vec<Clean>,
    pub list: ListCursor,
}

impl ThemePicker {
    /// Marks the theme of the setting.
    #[must_use]
    pub fn new(env: &PanelEnv<'_>) -> Self {
        let mut picker = Self::default();
        picker.rows = picker.fitting(env.themes);
        picker.mark(env.themes.setting.as_str());
        picker
    }

    /// The list of themes, which may have changed since it was read.
    #[must_use]
    pub fn ask() -> Step {
        Step::Do(Effect::Theme(ThemeOrder::List))
    }

    pub fn query(&self) -> &Input {
        &self.query
    }

    pub fn rows(&self) -> &[Clean] {
        &self.rows
    }

    pub fn marked(&self) -> Option<&Clean> {
        self.rows.get(self.list.marked())
    }

    fn mark(&mut self, name: &str) {
        let found = self.rows.iter().position(|row| row.as_str() == name);
        self.list.go_to(found.unwrap_or(0), self.rows.len());
    }

    fn fitting(&self, themes: &Themes) -> Vec<Clean> {
        let typed = self.query.text().to_lowercase();
        let mut words = typed.split_whitespace();
        let mut all = themes.names();
        all.retain(|name| {
            words
                .clone()
                .all(|word| name.as_str().to_lowercase().contains(word))
        });
        // A pair of themes isn't a row, but it stays in the list while it is the setting.
        let setting = &themes.setting;
        if setting.as_str().contains('/') && words.next().is_none() {
            all.insert(0, setting.clone());
        }
        all
    }

    /// Shows the marked theme if it is another one.
    fn preview(&self, before: Option<&Clean>) -> Vec<Step> {
        match self.marked() {
            Some(marked) if before != Some(marked) => {
                let name = marked.as_str().to_owned();
                vec![Step::Do(Effect::Theme(ThemeOrder::Preview(name)))]
            }
            _ => Vec::new(),
        }
    }

    fn moved(&mut self, change: impl FnOnce(&mut Self)) -> Vec<Step> {
        let before = self.marked().cloned();
        change(self);
        self.preview(before.as_ref())
    }

    fn typed(&mut self, themes: &Themes) -> Vec<Step> {
        self.moved(|picker| {
            picker.rows = picker.fitting(themes);
            picker.list.go_to(0, picker.rows.len());
        })
    }

    fn choose(&self) -> Vec<Step> {
        self.marked().map_or_else(Vec::new, |name| {
            vec![Step::CLOSE, Step::KeepTheme(name.as_str().to_owned())]
        })
    }
}

const HINTS: &[Hint] = &[
    (
        Scope::Themes,
        &[Action::ThemeChoose],
        tr_later!("use theme"),
    ),
    (Scope::Themes, MOVE, tr_later!("preview")),
    (Scope::Global, &[Action::Back], tr_later!("cancel")),
];

impl Panel for ThemePicker {
    fn scope(&self) -> Scope {
        Scope::Themes
    }

    fn is_form(&self) -> bool {
        true
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        match action {
            Action::ThemeChoose => self.choose(),
            Action::Back => self.back(env),
            _ => self.moved(|picker| {
                picker.list.action(action, picker.rows.len());
            }),
        }
    }

    fn key(&mut self, key: Key, env: &PanelEnv<'_>) -> Option<Vec<Step>> {
        let used = self.query.key(key);
        used.then(|| self.typed(env.themes))
    }

    fn paste(&mut self, text: &str, env: &PanelEnv<'_>) -> Vec<Step> {
        self.query.paste(text);
        self.typed(env.themes)
    }

    fn back(&mut self, _: &PanelEnv<'_>) -> Vec<Step> {
        vec![Step::CLOSE, Step::Do(Effect::Theme(ThemeOrder::Restore))]
    }

    fn click(&mut self, part: DialogPart, env: &PanelEnv<'_>) -> Vec<Step> {
        match part {
            DialogPart::Row(row) if self.list.scroll() + row < self.rows.len() => {
                let at = self.list.scroll() + row;
                if at == self.list.marked() {
                    return self.choose();
                }
                self.moved(|picker| picker.list.go_to(at, picker.rows.len()))
            }
            DialogPart::Outside => self.back(env),
            _ => Vec::new(),
        }
    }

    fn laid_out(&mut self, height: usize, _: &PanelEnv<'_>) {
        self.list.laid_out(height, self.rows.len());
    }

    fn update(&mut self, env: &PanelEnv<'_>) {
        // Until the list is read, nothing else can be marked than the setting.
        let unread = self.rows.len() <= 1 && self.query.is_empty();
        let marked = match self.marked() {
            Some(marked) if !unread => marked.clone(),
            _ => env.themes.setting.clone(),
        };
        self.rows = self.fitting(env.themes);
        self.mark(marked.as_str());
    }

    fn hints(&self) -> Vec<Hint> {
        HINTS.to_vec()
    }
}
