//! The list of saved layouts of panes: shows, saves and deletes them.

use super::{Hint, INPUT_HINTS, MOVE, Panel, PanelEnv, scroll::ListCursor};
use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        input::Input,
        layouts::{Layout, LayoutOrder, LayoutRow, check_name},
        step::Step,
    },
    key::Key,
    model::{notice::Level, text::Clean},
};

/// What the panel asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayoutQuestion {
    /// A layout with this name exists.
    Replace(String),
    Delete(String),
}

#[derive(Clone, Debug, Default)]
pub struct LayoutList {
    pub list: ListCursor,
    /// The name under which the panes are saved, while it is typed.
    naming: Option<Input>,
    question: Option<LayoutQuestion>,
    has_rows: bool,
    has_panes: bool,
}

impl LayoutList {
    /// The request when the panel opens.
    #[must_use]
    pub fn ask() -> Step {
        Step::Layouts(LayoutOrder::List)
    }

    pub fn naming(&self) -> Option<&Input> {
        self.naming.as_ref()
    }

    /// Whether a pane is open that a layout can keep.
    pub fn has_panes(&self) -> bool {
        self.has_panes
    }

    pub fn question(&self) -> Option<&LayoutQuestion> {
        self.question.as_ref()
    }

    /// The marked layout.
    pub fn marked<'a>(&self, rows: Option<&'a [LayoutRow]>) -> Option<&'a LayoutRow> {
        rows?.get(self.list.marked())
    }

    fn restore(&self, env: &PanelEnv<'_>) -> Vec<Step> {
        match self.marked(env.layouts) {
            Some(row) => vec![Step::CLOSE, Step::RestoreLayout(row.name.clone())],
            None => vec![Step::toast(
                Level::Info,
                tr!("no layout is saved yet. Open shells, then save them here"),
            )],
        }
    }

    /// Begins to type the name. The marked layout's name is the proposal.
    fn begin_save(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        if Layout::new(env.panes.saved(), env.now).is_none() {
            let text = tr!("no shell is open, so there is nothing to save. Open a shell first");
            return vec![Step::toast(Level::Info, text)];
        }
        let name = self.marked(env.layouts).map(|row| row.name.as_str());
        self.naming = Some(Input::with_marked(name.unwrap_or_default()));
        Vec::new()
    }

    fn save(name: String, env: &PanelEnv<'_>) -> Vec<Step> {
        let layout = Layout::new(env.panes.saved(), env.now);
        let order = layout.map(|layout| LayoutOrder::Save {
            name,
            layout: Box::new(layout),
        });
        order.map(Step::Layouts).into_iter().collect()
    }

    fn answer(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        match self.question.take() {
            Some(LayoutQuestion::Replace(name)) => Self::save(name, env),
            Some(LayoutQuestion::Delete(name)) => {
                vec![Step::Layouts(LayoutOrder::Delete { name })]
            }
            None => Vec::new(),
        }
    }

    fn begin_delete(&mut self, env: &PanelEnv<'_>) {
        let marked = self.marked(env.layouts).map(|row| row.name.to_string());
        self.question = marked.map(LayoutQuestion::Delete);
    }

    /// Marks the layout with this name.
    pub fn mark(&mut self, name: &Clean, rows: &[LayoutRow]) {
        if let Some(at) = rows.iter().position(|row| row.name == *name) {
            self.list.go_to(at, rows.len());
        }
    }

    /// Why the typed text can't be the name.
    fn wrong(&self) -> Option<String> {
        let typed = self.naming.as_ref()?.text();
        check_name(typed).err()
    }
}

fn count(env: &PanelEnv<'_>) -> usize {
    env.layouts.map_or(0, <[LayoutRow]>::len)
}

const HINTS: &[Hint] = &[
    (
        Scope::Layouts,
        &[Action::LayoutRestore],
        tr_later!("show panes"),
    ),
    (
        Scope::Layouts,
        &[Action::LayoutSave],
        tr_later!("save open panes"),
    ),
    (Scope::Layouts, &[Action::LayoutDelete], tr_later!("delete")),
    (Scope::Layouts, MOVE, tr_later!("move")),
    (Scope::Global, &[Action::Back], tr_later!("close")),
];

/// The hints while no layout is saved.
const EMPTY_HINTS: &[Hint] = &[
    (
        Scope::Layouts,
        &[Action::LayoutSave],
        tr_later!("save open panes"),
    ),
    (Scope::Global, &[Action::Back], tr_later!("close")),
];

const QUESTION_HINTS: &[Hint] = &[
    (Scope::Confirm, &[Action::ConfirmYes], tr_later!("yes")),
    (Scope::Confirm, &[Action::ConfirmNo], tr_later!("no")),
];

impl Panel for LayoutList {
    fn scope(&self) -> Scope {
        match (&self.question, &self.naming) {
            (Some(_), _) => Scope::Confirm,
            (None, Some(_)) => Scope::Input,
            (None, None) => Scope::Layouts,
        }
    }

    fn input(&mut self) -> Option<&mut Input> {
        self.naming.as_mut().filter(|_| self.question.is_none())
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        match action {
            Action::Back | Action::InputCancel | Action::ConfirmNo => return self.back(env),
            Action::ConfirmYes | Action::ConfirmPress => return self.answer(env),
            _ if self.question.is_some() => {
                return vec![Step::toast(
                    Level::Info,
                    tr!("answer the question with yes or no"),
                )];
            }
            Action::InputSubmit => return self.submit(env),
            _ if self.naming.is_some() => {}
            Action::LayoutRestore => return self.restore(env),
            Action::LayoutSave => return self.begin_save(env),
            Action::LayoutDelete if self.marked(env.layouts).is_none() => {
                return vec![Step::toast(Level::Info, tr!("no layout is saved yet"))];
            }
            Action::LayoutDelete => self.begin_delete(env),
            _ => {
                self.list.action(action, count(env));
            }
        }
        Vec::new()
    }

    fn submit(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        if self.wrong().is_some() {
            return Vec::new();
        }
        let Some(name) = self.naming.take().map(|input| input.text().to_owned()) else {
            return Vec::new();
        };
        let mut rows = env.layouts.unwrap_or_default().iter();
        if rows.any(|row| row.name.as_str() == name) {
            self.question = Some(LayoutQuestion::Replace(name));
            return Vec::new();
        }
        Self::save(name, env)
    }

    fn back(&mut self, _: &PanelEnv<'_>) -> Vec<Step> {
        if self.question.take().is_some() || self.naming.take().is_some() {
            return Vec::new();
        }
        vec![Step::CLOSE]
    }

    /// A click marks a row. A click on the marked row shows its panes.
    fn click(&mut self, part: DialogPart, env: &PanelEnv<'_>) -> Vec<Step> {
        let is_asking = self.question.is_some() || self.naming.is_some();
        match part {
            DialogPart::Row(row) if !is_asking => {
                let at = self.list.scroll() + row;
                if at == self.list.marked() && at < count(env) {
                    return self.restore(env);
                }
                self.list.go_to(at, count(env));
                Vec::new()
            }
            DialogPart::Outside => self.back(env),
            _ => Vec::new(),
        }
    }

    fn wheel(&mut self, by: isize, env: &PanelEnv<'_>) {
        self.list.move_by(by.signum(), count(env));
    }

    fn laid_out(&mut self, height: usize, env: &PanelEnv<'_>) {
        self.list.laid_out(height, count(env));
        self.has_rows = count(env) > 0;
        self.has_panes = Layout::new(env.panes.saved(), env.now).is_some();
    }

    fn hints(&self) -> Vec<Hint> {
        match (&self.question, &self.naming) {
            (Some(_), _) => QUESTION_HINTS.to_vec(),
            (None, Some(_)) => INPUT_HINTS.to_vec(),
            (None, None) => {
                let hints = if self.has_rows { HINTS } else { EMPTY_HINTS };
                let saves = |(_, actions, _): &Hint| *actions == [Action::LayoutSave];
                let mut hints = hints.to_vec();
                hints.retain(|hint| self.has_panes || !saves(hint));
                hints
            }
        }
    }

    fn problem(&self) -> Option<String> {
        let typed = self.naming.as_ref().is_some_and(|input| !input.is_empty());
        self.wrong().filter(|_| typed)
    }
}
