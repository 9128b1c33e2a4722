//! Keys, clicks and hints of the explorer.

use super::{Explorer, places::PlacePicker};
use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        input::Input,
        panels::{DialogButton, FILTER_HINTS, Hint, INPUT_HINTS, MOVE, Panel, PanelEnv},
        step::Step,
    },
    key::{Key, KeyCode},
    model::notice::Level,
};

const HINTS: &[Hint] = &[
    (Scope::Explorer, &[Action::ExplorerOpen], tr_later!("open")),
    (Scope::Explorer, &[Action::ExplorerParent], tr_later!("up")),
    (Scope::Explorer, &[Action::ExplorerMark], tr_later!("mark")),
    (
        Scope::Explorer,
        &[Action::ExplorerUpload],
        tr_later!("upload"),
    ),
    (
        Scope::Explorer,
        &[Action::ExplorerDownload],
        tr_later!("download"),
    ),
    (
        Scope::Explorer,
        &[Action::SessionSameHome],
        tr_later!("relaunch here"),
    ),
    (Scope::Global, &[Action::Help], tr_later!("help")),
    (Scope::Global, &[Action::Back], tr_later!("close")),
    (
        Scope::Explorer,
        &[Action::ExplorerDelete],
        tr_later!("delete"),
    ),
    (
        Scope::Explorer,
        &[Action::ExplorerRename],
        tr_later!("rename"),
    ),
    (
        Scope::Explorer,
        &[Action::ExplorerFilter],
        tr_later!("filter"),
    ),
    (Scope::Explorer, &[Action::ExplorerCopy], tr_later!("copy")),
    (
        Scope::Explorer,
        &[Action::ExplorerPaste],
        tr_later!("paste"),
    ),
    (
        Scope::Explorer,
        &[Action::ExplorerNewDirectory],
        tr_later!("new directory"),
    ),
    (Scope::Explorer, &[Action::ExplorerSort], tr_later!("sort")),
    (
        Scope::Explorer,
        &[Action::ExplorerPlaces],
        tr_later!("places"),
    ),
];

/// The hints of a directory without entries, or of one that can't be read.
const EMPTY_HINTS: &[Hint] = &[
    (
        Scope::Explorer,
        &[Action::ExplorerUpload],
        tr_later!("upload"),
    ),
    (
        Scope::Explorer,
        &[Action::ExplorerNewDirectory],
        tr_later!("new directory"),
    ),
    (
        Scope::Explorer,
        &[Action::ExplorerPaste],
        tr_later!("paste"),
    ),
    (
        Scope::Explorer,
        &[Action::SessionSameHome],
        tr_later!("relaunch here"),
    ),
    (Scope::Explorer, &[Action::ExplorerParent], tr_later!("up")),
    (
        Scope::Explorer,
        &[Action::ExplorerRefresh],
        tr_later!("refresh"),
    ),
    (
        Scope::Explorer,
        &[Action::ExplorerPlaces],
        tr_later!("places"),
    ),
    (Scope::Global, &[Action::Help], tr_later!("help")),
    (Scope::Global, &[Action::Back], tr_later!("close")),
];

const FAILED_HINTS: &[Hint] = &[
    (
        Scope::Explorer,
        &[Action::ExplorerRefresh],
        tr_later!("retry"),
    ),
    (Scope::Explorer, &[Action::ExplorerParent], tr_later!("up")),
    (
        Scope::Explorer,
        &[Action::ExplorerPlaces],
        tr_later!("places"),
    ),
    (Scope::Global, &[Action::Back], tr_later!("close")),
];

const DELETE_HINTS: &[Hint] = &[
    (Scope::Confirm, &[Action::ConfirmYes], tr_later!("delete")),
    (Scope::Confirm, &[Action::ConfirmNo], tr_later!("cancel")),
    (
        Scope::Confirm,
        &[Action::ConfirmToggle],
        tr_later!("other button"),
    ),
];

const PLACES_HINTS: &[Hint] = &[
    (Scope::Explorer, &[Action::ExplorerOpen], tr_later!("open")),
    (Scope::Explorer, MOVE, tr_later!("move")),
    (Scope::Global, &[Action::Back], tr_later!("back")),
];

impl Panel for Explorer {
    fn scope(&self) -> Scope {
        if self.question.is_some() {
            Scope::Confirm
        } else if self.prompt.is_some() || self.editing_filter {
            Scope::Input
        } else {
            Scope::Explorer
        }
    }

    fn outer_scopes(&self) -> &'static [Scope] {
        if self.editing_filter {
            &[Scope::Explorer, Scope::Global]
        } else {
            &[Scope::Global]
        }
    }

    fn input(&mut self) -> Option<&mut Input> {
        if let Some(prompt) = &mut self.prompt {
            return Some(&mut prompt.input);
        }
        self.editing_filter.then_some(&mut self.filter)
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        if self.question.is_some() {
            return self.on_question(action);
        }
        if self.places.is_some() {
            return self.on_places(action, env);
        }
        let count = self.directory.count();
        if self.prompt.is_none() && self.list.action(action, count) {
            self.go_to(self.list.marked());
            return Vec::new();
        }
        match action {
            Action::InputSubmit => return self.submit(env),
            Action::InputCancel | Action::Back => return self.back(env),
            Action::ListHalfDown => self.move_by(self.half()),
            Action::ListHalfUp => self.move_by(-self.half()),
            Action::ExplorerMark => self.choose(),
            Action::ExplorerMarkAll => self.choose_all(),
            Action::ExplorerFilter => self.editing_filter = true,
            Action::ExplorerHidden => {
                self.directory
                    .set(|options| options.without_hidden = !options.without_hidden);
            }
            Action::ExplorerSort => self.sort(),
            Action::ExplorerReverse => {
                self.directory
                    .set(|options| options.reversed = !options.reversed);
            }
            Action::ExplorerRefresh => {
                let mut steps = self.reload();
                steps.push(Step::toast(Level::Info, tr!("reading the directory again")));
                return steps;
            }
            Action::ExplorerPlaces => {
                let mut picker = PlacePicker::default();
                let rows = self.place_rows(env.mirror);
                let here = rows.iter().position(|it| it.place == self.place);
                picker.list.go_to(here.unwrap_or(0), rows.len());
                self.places = Some(picker);
            }
            action => return self.operate(action, env),
        }
        Vec::new()
    }

    fn submit(&mut self, _: &PanelEnv<'_>) -> Vec<Step> {
        if self.prompt.is_some() {
            return self.submit_prompt();
        }
        self.editing_filter = false;
        Vec::new()
    }

    fn key(&mut self, key: Key, _: &PanelEnv<'_>) -> Option<Vec<Step>> {
        if let Some(prompt) = &mut self.prompt {
            if key.code == KeyCode::Tab && prompt.is_local() {
                let typed = prompt.input.text().to_owned();
                return Some(vec![Step::CompletePath(typed)]);
            }
            let taken = prompt.input.key(key);
            if taken {
                prompt.typed();
            }
            return taken.then(Vec::new);
        }
        if self.editing_filter {
            let taken = self.filter.key(key);
            if taken {
                self.filter_changed();
            }
            return taken.then(Vec::new);
        }
        None
    }

    fn paste(&mut self, text: &str, _: &PanelEnv<'_>) -> Vec<Step> {
        if let Some(prompt) = &mut self.prompt {
            prompt.input.paste(text);
            prompt.typed();
        } else if self.editing_filter {
            self.filter.paste(text);
            self.filter_changed();
        }
        Vec::new()
    }

    /// Closes the innermost thing: the prompt, the list of places, the filter, the choice, the explorer.
    fn back(&mut self, _: &PanelEnv<'_>) -> Vec<Step> {
        if self.question.is_some() {
            return self.keep();
        }
        if self.prompt.take().is_some() || self.places.take().is_some() {
            return Vec::new();
        }
        if self.editing_filter || !self.filter.is_empty() {
            self.editing_filter = false;
            self.filter.set("");
            self.filter_changed();
            return Vec::new();
        }
        if !self.chosen.is_empty() {
            self.chosen.clear();
            return Vec::new();
        }
        let mut steps = self.close_streams();
        steps.push(Step::CLOSE);
        steps
    }

    /// A click marks a row. A click on the marked row opens it.
    fn click(&mut self, part: DialogPart, env: &PanelEnv<'_>) -> Vec<Step> {
        if self.question.is_some() {
            return match part {
                DialogPart::Button(DialogButton::Yes) => self.delete(),
                DialogPart::Button(DialogButton::No) => self.keep(),
                _ => Vec::new(),
            };
        }
        let DialogPart::Row(row) = part else {
            return Vec::new();
        };
        if let Some(picker) = &mut self.places {
            let count = places_count(env, &self.visited);
            let at = picker.list.scroll() + row;
            if at == picker.list.marked() {
                return self.action(Action::ExplorerOpen, None, env);
            }
            picker.list.go_to(at, count);
            return Vec::new();
        }
        let at = self.list.scroll() + row;
        if at >= self.directory.count() || self.prompt.is_some() {
            return Vec::new();
        }
        if at == self.list.marked() {
            return self.action(Action::ExplorerOpen, None, env);
        }
        self.go_to(at);
        Vec::new()
    }

    fn wheel(&mut self, by: isize, env: &PanelEnv<'_>) {
        if let Some(picker) = &mut self.places {
            let count = places_count(env, &self.visited);
            picker.list.move_by(by.signum(), count);
        } else if self.question.is_none() {
            self.move_by(by);
        }
    }

    fn laid_out(&mut self, height: usize, env: &PanelEnv<'_>) {
        if let Some(picker) = &mut self.places {
            let count = places_count(env, &self.visited);
            picker.list.laid_out(height, count);
            return;
        }
        if self.question.is_some() {
            return;
        }
        self.height = height;
        self.list.laid_out(height, self.directory.count());
    }

    fn hints(&self) -> Vec<Hint> {
        if self.question.is_some() {
            return DELETE_HINTS.to_vec();
        }
        if self.places.is_some() {
            return PLACES_HINTS.to_vec();
        }
        if self.prompt.is_some() {
            return INPUT_HINTS.to_vec();
        }
        if self.editing_filter {
            return FILTER_HINTS.to_vec();
        }
        if self.directory.failure().is_some() {
            return FAILED_HINTS.to_vec();
        }
        if self.directory.count() == 0 {
            return EMPTY_HINTS.to_vec();
        }
        HINTS.to_vec()
    }

    fn problem(&self) -> Option<String> {
        self.prompt.as_ref()?.problem.clone()
    }
}

fn places_count(env: &PanelEnv<'_>, visited: &[crate::model::files::FilePlace]) -> usize {
    super::places::rows(env.mirror, visited).len()
}

impl Explorer {
    fn half(&self) -> isize {
        (self.height / 2).max(1).cast_signed()
    }

    fn move_by(&mut self, by: isize) {
        self.go_to(self.list.marked().saturating_add_signed(by));
    }

    /// Chooses the marked entry, or not any more, and goes to the next one.
    fn choose(&mut self) {
        let Some(entry) = self.entry().cloned() else {
            return;
        };
        if self.chosen.remove(&entry.name).is_none() {
            self.chosen.insert(entry.name.clone(), entry);
        }
        self.move_by(1);
    }

    fn choose_all(&mut self) {
        let all: Vec<_> = self.directory.loaded().cloned().collect();
        if all.iter().all(|it| self.chosen.contains_key(&it.name)) {
            self.chosen.clear();
        } else {
            let all = all.into_iter().map(|it| (it.name.clone(), it));
            self.chosen.extend(all);
        }
    }

    fn keep(&mut self) -> Vec<Step> {
        let question = self.question.take();
        question.and_then(|mut it| it.close()).into_iter().collect()
    }

    fn on_question(&mut self, action: Action) -> Vec<Step> {
        let Some(question) = &mut self.question else {
            return Vec::new();
        };
        match question.button.pressed_by(action) {
            Some(DialogButton::Yes) => self.delete(),
            Some(DialogButton::No) => self.keep(),
            None => Vec::new(),
        }
    }

    fn on_places(&mut self, action: Action, env: &PanelEnv<'_>) -> Vec<Step> {
        let rows = self.place_rows(env.mirror);
        let Some(picker) = &mut self.places else {
            return Vec::new();
        };
        if picker.list.action(action, rows.len()) {
            return Vec::new();
        }
        match action {
            Action::ExplorerOpen => {
                let chosen = rows.into_iter().nth(picker.list.marked());
                self.places = None;
                match chosen {
                    Some(row) if row.place != self.place => self.open_place(row.place),
                    _ => Vec::new(),
                }
            }
            Action::Back | Action::ExplorerPlaces | Action::ExplorerParent => {
                self.places = None;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }
}
