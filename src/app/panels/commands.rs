//! The list of the commands that do what was done in this TUI.

use super::{Hint, MOVE, Panel, PanelEnv, scroll::ListCursor};
use crate::{
    action::{Action, Scope},
    app::{area::DialogPart, step::Step},
    key::Key,
    model::notice::Level,
};

#[derive(Clone, Debug, Default)]
pub struct CommandList {
    pub list: ListCursor,
    has_rows: bool,
}

impl CommandList {
    /// Marks the newest of `count` commands.
    #[must_use]
    pub fn new(count: usize) -> Self {
        let mut list = ListCursor::default();
        list.go_to(count, count);
        let has_rows = count > 0;
        Self { list, has_rows }
    }

    fn copy(&self, env: &PanelEnv<'_>) -> Vec<Step> {
        match env.commands.entries().get(self.list.marked()) {
            Some(entry) => vec![Step::Copy(entry.line.clone())],
            None => vec![Step::toast(Level::Info, tr!("nothing was changed yet"))],
        }
    }

    fn copy_all(env: &PanelEnv<'_>) -> Vec<Step> {
        let lines = env.commands.entries().iter().map(|it| it.line.as_str());
        let lines: Vec<&str> = lines.collect();
        if lines.is_empty() {
            return vec![Step::toast(Level::Info, tr!("nothing was changed yet"))];
        }
        vec![Step::Copy(lines.join("\n"))]
    }
}

const HINTS: &[Hint] = &[
    (Scope::Commands, &[Action::CommandCopy], tr_later!("copy")),
    (
        Scope::Commands,
        &[Action::CommandCopyAll],
        tr_later!("copy all"),
    ),
    (Scope::Commands, MOVE, tr_later!("move")),
    (Scope::Global, &[Action::Back], tr_later!("close")),
];

const EMPTY_HINTS: &[Hint] = &[(Scope::Global, &[Action::Back], tr_later!("close"))];

impl Panel for CommandList {
    fn scope(&self) -> Scope {
        Scope::Commands
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        match action {
            Action::CommandCopy => return self.copy(env),
            Action::CommandCopyAll => return Self::copy_all(env),
            Action::Back => return self.back(env),
            _ => self.list.action(action, env.commands.entries().len()),
        };
        Vec::new()
    }

    /// A click marks a row. A click on the marked row copies it.
    fn click(&mut self, part: DialogPart, env: &PanelEnv<'_>) -> Vec<Step> {
        match part {
            DialogPart::Row(row) => {
                let at = self.list.scroll() + row;
                if at == self.list.marked() {
                    return self.copy(env);
                }
                self.list.go_to(at, env.commands.entries().len());
                Vec::new()
            }
            DialogPart::Outside => self.back(env),
            _ => Vec::new(),
        }
    }

    fn wheel(&mut self, by: isize, env: &PanelEnv<'_>) {
        self.list.move_by(by.signum(), env.commands.entries().len());
    }

    fn laid_out(&mut self, height: usize, env: &PanelEnv<'_>) {
        let count = env.commands.entries().len();
        self.list.laid_out(height, count);
        self.has_rows = count > 0;
    }

    fn hints(&self) -> Vec<Hint> {
        if self.has_rows {
            HINTS.to_vec()
        } else {
            EMPTY_HINTS.to_vec()
        }
    }
}
