//! The launcher as a panel.

use super::{Launcher, Overlay, hints};
use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        panels::{DialogButton, Hint, Panel, PanelEnv},
        step::{Go, Step},
    },
    key::Key,
};

impl Panel for Launcher {
    fn scope(&self) -> Scope {
        match self.overlay {
            Some(Overlay::Question(_)) => Scope::Confirm,
            Some(Overlay::Prompt(_)) => Scope::Input,
            Some(Overlay::Explain(_)) | None => Scope::Launcher,
        }
    }

    fn is_form(&self) -> bool {
        self.scope() == Scope::Launcher
    }

    fn action(&mut self, action: Action, key: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        match action {
            Action::Back => self.back(env),
            Action::LauncherRecents => vec![Step::Go(Go::Open(action))],
            _ => self.act(action, key, env.mirror, env.now),
        }
    }

    fn key(&mut self, key: Key, env: &PanelEnv<'_>) -> Option<Vec<Step>> {
        self.type_key(key, env.mirror, env.now)
    }

    fn paste(&mut self, text: &str, env: &PanelEnv<'_>) -> Vec<Step> {
        self.paste_text(text, env.mirror, env.now)
    }

    fn back(&mut self, _: &PanelEnv<'_>) -> Vec<Step> {
        if self.can_close() {
            return vec![Step::CLOSE];
        }
        Vec::new()
    }

    fn click(&mut self, part: DialogPart, env: &PanelEnv<'_>) -> Vec<Step> {
        match (part, &self.overlay) {
            (DialogPart::Button(button), Some(Overlay::Question(_))) => {
                let action = match button {
                    DialogButton::Yes => Action::ConfirmYes,
                    DialogButton::No => Action::ConfirmNo,
                };
                return self.act(action, None, env.mirror, env.now);
            }
            (_, Some(Overlay::Question(_) | Overlay::Prompt(_))) => {}
            (DialogPart::Step(page), _) => self.click_step(page),
            (DialogPart::Field(row), _) => self.click_row(row),
            _ => {}
        }
        Vec::new()
    }

    fn wheel(&mut self, by: isize, _: &PanelEnv<'_>) {
        if self.scope() == Scope::Launcher {
            self.scroll(if by > 0 {
                Action::ListDown
            } else {
                Action::ListUp
            });
        }
    }

    fn update(&mut self, env: &PanelEnv<'_>) {
        self.take_changes(env.mirror);
    }

    fn hints(&self) -> Vec<Hint> {
        hints::hints(self)
    }

    fn problem(&self) -> Option<String> {
        self.path_prompt()?.problem.clone()
    }
}
