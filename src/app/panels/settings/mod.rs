//! The settings page: every setting with its meaning, value and origin, and a field to change it.

pub mod editor;

use self::editor::SettingEditor;
use super::{
    Hint, MOVE, Panel, PanelEnv,
    scroll::{ListCursor, motion},
};
use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        effect::Effect,
        facts::Facts,
        input::Input,
        settings::{SettingsOrder, ShownSetting},
        step::Step,
    },
    key::Key,
    model::{setting_kind::SettingKind, text::Clean},
};

/// A line of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingLine {
    /// The table of the settings that follow, at this position in the facts.
    Section(usize),
    /// A setting, at this position in the facts.
    Setting(usize),
    Gap,
}

#[derive(Clone, Debug, Default)]
pub struct SettingsPage {
    search: Input,
    lines: Vec<SettingLine>,
    pub list: ListCursor,
    editor: Option<SettingEditor>,
    /// Why the last action wasn't possible.
    problem: Option<String>,
}

impl SettingsPage {
    /// Marks a setting, or the first one.
    #[must_use]
    pub fn new(at: Option<usize>, env: &PanelEnv<'_>) -> Self {
        let mut page = Self::default();
        page.filter(env.facts);
        if let Some(at) = at {
            page.mark(at);
        }
        page
    }

    /// The files may have changed since they were read.
    #[must_use]
    pub fn ask() -> Step {
        Step::Do(Effect::Settings(SettingsOrder::Read))
    }

    pub fn search(&self) -> &Input {
        &self.search
    }

    pub fn lines(&self) -> &[SettingLine] {
        &self.lines
    }

    pub fn editor(&self) -> Option<&SettingEditor> {
        self.editor.as_ref()
    }

    /// The number of listed settings.
    pub fn count(&self) -> usize {
        let settings = self.lines.iter();
        settings
            .filter(|line| matches!(line, SettingLine::Setting(_)))
            .count()
    }

    /// The marked setting.
    pub fn marked<'a>(&self, facts: &'a Facts) -> Option<&'a ShownSetting> {
        match self.lines.get(self.list.marked())? {
            SettingLine::Setting(at) => facts.settings.get(*at),
            _ => None,
        }
    }

    fn mark(&mut self, at: usize) {
        let line = self
            .lines
            .iter()
            .position(|line| *line == SettingLine::Setting(at));
        if let Some(line) = line {
            self.list.go_to(line, self.lines.len());
            self.list.reveal(line.saturating_sub(1));
        }
    }

    /// Lists the settings that contain all typed words, under their tables.
    fn filter(&mut self, facts: &Facts) {
        let typed = self.search.text().to_lowercase();
        self.lines.clear();
        let mut table = "";
        for (at, setting) in facts.settings.iter().enumerate() {
            let text =
                format!("{} {} {}", setting.key, setting.meaning, setting.value).to_lowercase();
            if !typed.split_whitespace().all(|word| text.contains(word)) {
                continue;
            }
            if setting.parts().0 != table {
                if !table.is_empty() {
                    self.lines.push(SettingLine::Gap);
                }
                table = setting.parts().0;
                self.lines.push(SettingLine::Section(at));
            }
            self.lines.push(SettingLine::Setting(at));
        }
        self.move_by(0);
    }

    fn typed(&mut self, env: &PanelEnv<'_>) {
        self.problem = None;
        self.filter(env.facts);
        self.list.go_to(0, self.lines.len());
        self.move_by(0);
    }

    /// Marks the setting `by` lines away, or the next one in that direction.
    fn move_by(&mut self, by: isize) {
        self.problem = None;
        let last = self.lines.len().saturating_sub(1);
        let wanted = self.list.marked().saturating_add_signed(by).min(last);
        let is_setting = |at: &usize| matches!(self.lines.get(*at), Some(SettingLine::Setting(_)));
        let after = || (wanted..self.lines.len()).find(is_setting);
        let before = || (0..=wanted).rev().find(is_setting);
        let found = if by < 0 {
            before().or_else(after)
        } else {
            after().or_else(before)
        };
        let at = found.unwrap_or(0);
        self.list.go_to(at, self.lines.len());
        // The title above the first setting of a table stays visible.
        if at > 0 && matches!(self.lines.get(at - 1), Some(SettingLine::Section(_))) {
            self.list.reveal(at - 1);
        }
    }

    /// Begins to edit the marked setting, or says why it can't be changed. A toggle changes at once.
    fn edit(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        let Some(setting) = self.marked(env.facts) else {
            return Vec::new();
        };
        if let Some(problem) = refused(setting, env.facts) {
            self.problem = Some(problem);
            return Vec::new();
        }
        let mut editor = SettingEditor::new(setting);
        if setting.kind != SettingKind::Toggle {
            self.editor = Some(editor);
            return Vec::new();
        }
        editor.key(Key::char(' '));
        let (key, value) = (editor.key.clone(), Some(editor.value()));
        vec![Step::SaveSetting { key, value }]
    }

    fn reset(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        let Some(setting) = self.marked(env.facts) else {
            return Vec::new();
        };
        if let Some(problem) = refused(setting, env.facts) {
            self.problem = Some(problem);
            return Vec::new();
        }
        if !setting.is_own() {
            self.problem = Some(tr!("Your file doesn't set {key}", key = setting.key));
            return Vec::new();
        }
        let key = setting.key.clone();
        vec![Step::SaveSetting { key, value: None }]
    }

    fn save(&mut self) -> Vec<Step> {
        let Some(editor) = self.editor.as_mut().filter(|it| !it.saving) else {
            return Vec::new();
        };
        editor.saving = true;
        let (key, value) = (editor.key.clone(), Some(editor.value()));
        vec![Step::SaveSetting { key, value }]
    }

    /// The value was saved, or why it wasn't.
    pub fn saved(&mut self, result: &Result<Clean, Clean>) {
        match (result, &mut self.editor) {
            (Ok(_), _) => self.editor = None,
            (Err(why), Some(editor)) => {
                editor.saving = false;
                editor.error = Some(why.to_string());
            }
            (Err(why), None) => self.problem = Some(why.to_string()),
        }
    }

    /// Opens your file at the problem, or at the marked setting.
    fn open_file(&self, env: &PanelEnv<'_>) -> Vec<Step> {
        let problem = env
            .facts
            .settings_problem
            .as_ref()
            .map(|it| it.problem.line);
        let line = problem.or_else(|| self.marked(env.facts)?.line);
        vec![Step::EditSettings { line }]
    }
}

const HINTS: &[Hint] = &[
    (Scope::Settings, &[Action::SettingEdit], tr_later!("change")),
    (Scope::Settings, &[Action::SettingReset], tr_later!("reset")),
    (
        Scope::Settings,
        &[Action::SettingsEditor],
        tr_later!("open file"),
    ),
    (Scope::Settings, MOVE, tr_later!("move")),
    (Scope::Global, &[Action::Back], tr_later!("close")),
];

const EDITOR_HINTS: &[Hint] = &[
    (Scope::Settings, &[Action::SettingEdit], tr_later!("save")),
    (Scope::Settings, MOVE, tr_later!("choose")),
    (Scope::Global, &[Action::Back], tr_later!("cancel")),
];

const SUBSET_HINTS: &[Hint] = &[
    (Scope::Settings, &[Action::SettingEdit], tr_later!("save")),
    (Scope::Settings, MOVE, tr_later!("move")),
    (Scope::Global, &[Action::Back], tr_later!("cancel")),
];

const LINE_HINTS: &[Hint] = &[
    (Scope::Settings, &[Action::SettingEdit], tr_later!("save")),
    (Scope::Global, &[Action::Back], tr_later!("cancel")),
];

impl Panel for SettingsPage {
    fn scope(&self) -> Scope {
        Scope::Settings
    }

    fn is_form(&self) -> bool {
        true
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        match (action, &mut self.editor) {
            (Action::Back, _) => return self.back(env),
            (Action::SettingEdit, Some(_)) => return self.save(),
            (Action::SettingEdit, None) => return self.edit(env),
            (Action::SettingReset, None) => return self.reset(env),
            (Action::SettingsEditor, None) => return self.open_file(env),
            (_, Some(editor)) => editor.action(action),
            (_, None) => {
                if let Some(by) = motion(action, self.list.page()) {
                    self.move_by(by);
                }
            }
        }
        Vec::new()
    }

    fn key(&mut self, key: Key, env: &PanelEnv<'_>) -> Option<Vec<Step>> {
        if let Some(editor) = &mut self.editor {
            return editor.key(key).then(Vec::new);
        }
        let used = self.search.key(key);
        if used {
            self.typed(env);
        }
        used.then(Vec::new)
    }

    fn paste(&mut self, text: &str, env: &PanelEnv<'_>) -> Vec<Step> {
        if let Some(editor) = &mut self.editor {
            editor.paste(text);
        } else {
            self.search.paste(text);
            self.typed(env);
        }
        Vec::new()
    }

    fn back(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        self.problem = None;
        if self.editor.take().is_some() {
            return Vec::new();
        }
        if self.search.is_empty() {
            return vec![Step::CLOSE];
        }
        let marked = self.lines.get(self.list.marked()).copied();
        self.search.set("");
        self.filter(env.facts);
        if let Some(SettingLine::Setting(at)) = marked {
            self.mark(at);
        }
        Vec::new()
    }

    /// A click marks a setting. A click on the marked one changes it.
    fn click(&mut self, part: DialogPart, env: &PanelEnv<'_>) -> Vec<Step> {
        match (part, &mut self.editor) {
            (DialogPart::Outside, _) => self.back(env),
            (DialogPart::Row(row), Some(editor)) => {
                let was_marked = editor.click(editor.scroll() + row);
                if was_marked { self.save() } else { Vec::new() }
            }
            (DialogPart::Row(row), None) => {
                let at = self.list.scroll() + row;
                if at == self.list.marked() {
                    return self.edit(env);
                }
                if matches!(self.lines.get(at), Some(SettingLine::Setting(_))) {
                    self.list.go_to(at, self.lines.len());
                }
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn wheel(&mut self, by: isize, _: &PanelEnv<'_>) {
        if self.editor.is_none() {
            self.move_by(by.signum());
        }
    }

    /// While a value is edited, the rows are those of the editor.
    fn laid_out(&mut self, height: usize, _: &PanelEnv<'_>) {
        match &mut self.editor {
            Some(editor) => editor.laid_out(height),
            None => self.list.laid_out(height, self.lines.len()),
        }
    }

    fn update(&mut self, env: &PanelEnv<'_>) {
        let marked = self.lines.get(self.list.marked()).copied();
        self.filter(env.facts);
        if let Some(SettingLine::Setting(at)) = marked {
            self.mark(at);
        }
    }

    fn hints(&self) -> Vec<Hint> {
        match &self.editor {
            None => HINTS,
            Some(editor) if editor.is_subset() => SUBSET_HINTS,
            Some(editor) if editor.height() > 1 => EDITOR_HINTS,
            Some(_) => LINE_HINTS,
        }
        .to_vec()
    }

    fn problem(&self) -> Option<String> {
        self.problem.clone()
    }
}

/// Why a setting can't be changed.
fn refused(setting: &ShownSetting, facts: &Facts) -> Option<String> {
    if facts.settings_problem.as_ref().is_some_and(|it| it.whole) {
        return Some(tr!("Your configuration file has a mistake. Correct it first").to_owned());
    }
    setting.fixed.clone()
}
