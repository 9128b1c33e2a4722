//! The field that edits one setting: a choice, a line of text, or several lines.

use crate::{
    action::Action,
    app::{input::Input, panels::scroll::ListCursor, settings::ShownSetting},
    key::{Key, KeyCode},
    model::setting_kind::{EditedValue, SettingKind},
};

/// A value that is being edited.
#[derive(Clone, Debug)]
pub struct SettingEditor {
    pub key: String,
    pub form: EditorForm,
    /// Why the last value wasn't saved.
    pub error: Option<String>,
    /// The value was sent and isn't saved yet.
    pub saving: bool,
}

/// The widget.
#[derive(Clone, Debug)]
pub enum EditorForm {
    /// One of some words.
    Choice {
        words: Vec<String>,
        list: ListCursor,
    },
    /// A line of text.
    Line(Input),
    /// A number, which the up and down keys change.
    Number(Input),
    /// Several lines. The last one is empty, for another.
    Lines { lines: Vec<Input>, list: ListCursor },
    /// Some of some words.
    Subset {
        words: Vec<(String, bool)>,
        list: ListCursor,
    },
}

impl SettingEditor {
    #[must_use]
    pub fn new(setting: &ShownSetting) -> Self {
        Self {
            key: setting.key.clone(),
            form: form(setting),
            error: None,
            saving: false,
        }
    }

    /// Whether Space switches each word on or off.
    pub fn is_subset(&self) -> bool {
        matches!(self.form, EditorForm::Subset { .. })
    }

    /// The number of lines that the widget has.
    pub fn height(&self) -> usize {
        match &self.form {
            EditorForm::Choice { words, .. } => words.len(),
            EditorForm::Line(_) | EditorForm::Number(_) => 1,
            EditorForm::Lines { lines, .. } => lines.len(),
            EditorForm::Subset { words, .. } => words.len(),
        }
    }

    /// The value as it is now. Empty lines of a list don't count.
    pub fn value(&self) -> EditedValue {
        match &self.form {
            EditorForm::Choice { words, list } => {
                EditedValue::Text(words.get(list.marked()).cloned().unwrap_or_default())
            }
            EditorForm::Line(input) | EditorForm::Number(input) => {
                EditedValue::Text(input.text().to_owned())
            }
            EditorForm::Lines { lines, .. } => {
                let lines = lines.iter().map(|line| line.text().trim().to_owned());
                EditedValue::List(lines.filter(|line| !line.is_empty()).collect())
            }
            EditorForm::Subset { words, .. } => {
                let chosen = words.iter().filter(|(_, on)| *on);
                EditedValue::List(chosen.map(|(word, _)| word.clone()).collect())
            }
        }
    }

    /// Handles an action that moves in the widget.
    pub fn action(&mut self, action: Action) {
        self.error = None;
        match &mut self.form {
            EditorForm::Choice { words, list } => {
                list.action(action, words.len());
            }
            EditorForm::Subset { words, list } => {
                list.action(action, words.len());
            }
            EditorForm::Lines { lines, list } => {
                list.action(action, lines.len());
            }
            EditorForm::Number(input) => match action {
                Action::ListUp => step(input, 1),
                Action::ListDown => step(input, -1),
                _ => {}
            },
            EditorForm::Line(_) => {}
        }
    }

    /// Handles a key that isn't bound. Returns `false` if it isn't used.
    pub fn key(&mut self, key: Key) -> bool {
        let used = match &mut self.form {
            EditorForm::Choice { words, list } => turn(key, words, list),
            EditorForm::Line(input) | EditorForm::Number(input) => input.key(key),
            EditorForm::Lines { lines, list } => {
                let used = lines
                    .get_mut(list.marked())
                    .is_some_and(|line| line.key(key));
                keep_an_empty_line(lines);
                used
            }
            EditorForm::Subset { words, list } => {
                let space = key.code == KeyCode::Char(' ');
                if space && let Some((_, on)) = words.get_mut(list.marked()) {
                    *on = !*on;
                }
                space
            }
        };
        if used {
            self.error = None;
        }
        used
    }

    pub fn paste(&mut self, text: &str) {
        match &mut self.form {
            EditorForm::Line(input) | EditorForm::Number(input) => input.paste(text),
            EditorForm::Lines { lines, list } => {
                if let Some(line) = lines.get_mut(list.marked()) {
                    line.paste(text);
                }
                keep_an_empty_line(lines);
            }
            EditorForm::Choice { .. } | EditorForm::Subset { .. } => {}
        }
    }

    /// Marks a line. On a marked line, a word of a subset changes. Returns whether it was marked already.
    pub fn click(&mut self, at: usize) -> bool {
        match &mut self.form {
            EditorForm::Choice { words, list } => {
                let was = list.marked() == at;
                list.go_to(at, words.len());
                was
            }
            EditorForm::Lines { lines, list } => {
                list.go_to(at, lines.len());
                false
            }
            EditorForm::Subset { words, list } => {
                list.go_to(at, words.len());
                if let Some((_, on)) = words.get_mut(at) {
                    *on = !*on;
                }
                false
            }
            EditorForm::Line(_) | EditorForm::Number(_) => false,
        }
    }

    /// The position of the first visible line.
    pub fn scroll(&self) -> usize {
        match &self.form {
            EditorForm::Choice { list, .. }
            | EditorForm::Lines { list, .. }
            | EditorForm::Subset { list, .. } => list.scroll(),
            EditorForm::Line(_) | EditorForm::Number(_) => 0,
        }
    }

    pub fn laid_out(&mut self, height: usize) {
        let count = self.height();
        match &mut self.form {
            EditorForm::Choice { list, .. }
            | EditorForm::Lines { list, .. }
            | EditorForm::Subset { list, .. } => list.laid_out(height, count),
            EditorForm::Line(_) | EditorForm::Number(_) => {}
        }
    }
}

fn form(setting: &ShownSetting) -> EditorForm {
    let (text, items) = match &setting.current {
        EditedValue::Text(text) => (text.as_str(), &[][..]),
        EditedValue::List(items) => ("", items.as_slice()),
    };
    match &setting.kind {
        SettingKind::Toggle => choice(&["true".to_owned(), "false".to_owned()], text),
        SettingKind::Choice(words) => choice(words, text),
        SettingKind::Number => EditorForm::Number(Input::with_marked(text)),
        SettingKind::Size
        | SettingKind::Duration
        | SettingKind::Text
        | SettingKind::TextOrNumber => EditorForm::Line(Input::with_text(text)),
        SettingKind::List | SettingKind::Pairs => {
            let mut lines: Vec<Input> = items.iter().map(|it| Input::with_text(it)).collect();
            keep_an_empty_line(&mut lines);
            EditorForm::Lines {
                lines,
                list: ListCursor::default(),
            }
        }
        SettingKind::Subset(words) => EditorForm::Subset {
            words: words
                .iter()
                .map(|word| (word.clone(), items.contains(word)))
                .collect(),
            list: ListCursor::default(),
        },
    }
}

/// The value is marked, also one that isn't a word of the list, for example a pair of themes.
fn choice(words: &[String], value: &str) -> EditorForm {
    let mut words = words.to_vec();
    if !words.iter().any(|word| word == value) {
        words.insert(0, value.to_owned());
    }
    let mut list = ListCursor::default();
    let at = words.iter().position(|word| word == value);
    list.go_to(at.unwrap_or(0), words.len());
    EditorForm::Choice { words, list }
}

/// Space and the left and right keys go to the next word, a letter to the next word that begins with it.
fn turn(key: Key, words: &[String], list: &mut ListCursor) -> bool {
    let count = words.len();
    let (at, last) = (list.marked(), count.saturating_sub(1));
    let to = match key.code {
        KeyCode::Left => at.checked_sub(1).unwrap_or(last),
        KeyCode::Right | KeyCode::Char(' ') => {
            if at == last {
                0
            } else {
                at + 1
            }
        }
        KeyCode::Char(letter) => {
            let begins = |at: &usize| words.get(*at).is_some_and(|it| it.starts_with(letter));
            let after = (at + 1..count).find(begins);
            after.or_else(|| (0..=at).find(begins)).unwrap_or(at)
        }
        _ => return false,
    };
    list.go_to(to, count);
    true
}

fn step(input: &mut Input, by: i64) {
    if let Ok(number) = input.text().trim().parse::<i64>() {
        input.set(&number.saturating_add(by).max(0).to_string());
    }
}

fn keep_an_empty_line(lines: &mut Vec<Input>) {
    if lines.last().is_none_or(|line| !line.is_empty()) {
        lines.push(Input::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn editor(kind: SettingKind, current: EditedValue) -> SettingEditor {
        SettingEditor::new(&ShownSetting {
            key: "a.b".to_owned(),
            kind,
            current,
            ..ShownSetting::default()
        })
    }

    fn text(text: &str) -> EditedValue {
        EditedValue::Text(text.to_owned())
    }

    fn list(words: &[&str]) -> EditedValue {
        EditedValue::List(words.iter().map(|it| (*it).to_owned()).collect())
    }

    fn press(editor: &mut SettingEditor, keys: &str) {
        for key in keys.split_whitespace() {
            assert!(editor.key(key.parse().unwrap()), "{key}");
        }
    }

    #[test]
    fn words_are_chosen_by_arrows_space_and_letters() {
        let words = || ["auto", "vi", "emacs"].map(str::to_owned).to_vec();
        let mut choice = editor(SettingKind::Choice(words()), text("auto"));
        press(&mut choice, "right");
        assert_eq!(choice.value(), text("vi"));
        press(&mut choice, "space space");
        assert_eq!(choice.value(), text("auto"));
        press(&mut choice, "left");
        assert_eq!(choice.value(), text("emacs"));
        press(&mut choice, "v");
        assert_eq!(choice.value(), text("vi"));
        let other = editor(SettingKind::Choice(words()), text("a/b"));
        assert_eq!(other.value(), text("a/b"), "a value that no word is stays");
        let mut toggle = editor(SettingKind::Toggle, text("false"));
        press(&mut toggle, "space");
        assert_eq!(toggle.value(), text("true"));
    }

    #[test]
    fn lines_grow_and_empty_ones_do_not_count() {
        let mut lines = editor(SettingKind::List, list(&["a", "b"]));
        assert_eq!(lines.height(), 3);
        lines.action(Action::ListDown);
        press(&mut lines, "ctrl-u");
        lines.action(Action::ListDown);
        press(&mut lines, "c");
        assert_eq!((lines.value(), lines.height()), (list(&["a", "c"]), 4));
        let mut subset = editor(
            SettingKind::Subset(["a", "b"].map(str::to_owned).to_vec()),
            list(&["b"]),
        );
        press(&mut subset, "space");
        assert_eq!(subset.value(), list(&["a", "b"]));
        subset.click(1);
        assert_eq!(subset.value(), list(&["a"]));
    }

    #[test]
    fn numbers_are_typed_or_stepped() {
        let mut number = editor(SettingKind::Number, text("7"));
        number.action(Action::ListUp);
        assert_eq!(number.value(), text("8"));
        press(&mut number, "0");
        assert_eq!(number.value(), text("80"));
        let mut zero = editor(SettingKind::Number, text("0"));
        zero.action(Action::ListDown);
        assert_eq!(zero.value(), text("0"));
    }
}
