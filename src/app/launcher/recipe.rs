//! Saves a filled launcher as a recipe, and reads it back.

use std::path::PathBuf;

use jiff::Timestamp;

use super::{Launcher, Overlay, PathPrompt, PathPurpose};
use crate::{
    action::Action,
    app::{mirror::Mirror, step::Step},
    model::{spec::LaunchRequest, text::Clean},
};

impl Launcher {
    /// Handles an action while a path is typed.
    pub(super) fn in_prompt(&mut self, action: Action) -> Vec<Step> {
        let Some(Overlay::Prompt(prompt)) = &mut self.overlay else {
            return Vec::new();
        };
        if action != Action::InputSubmit {
            if action == Action::InputCancel {
                self.overlay = None;
            }
            return Vec::new();
        }
        let text = prompt.input.text().trim().to_owned();
        if text.is_empty() {
            prompt.problem = Some(tr!("type the path of a file").to_owned());
            return Vec::new();
        }
        let mut path = PathBuf::from(&text);
        match prompt.what {
            PathPurpose::OpenRecipe => vec![Step::ReadRecipe { path }],
            PathPurpose::SaveRecipe => {
                self.overlay = None;
                if path.extension().is_none() && !text.ends_with('/') {
                    path.set_extension("toml");
                }
                vec![Step::SaveRecipe {
                    path,
                    launch: Box::new(self.request.clone()),
                }]
            }
        }
    }

    /// Fills the launcher from a recipe. If it can't be read, the prompt keeps the path so that you can fix
    /// it.
    pub fn recipe_read(
        &mut self,
        result: Result<LaunchRequest, Clean>,
        mirror: &Mirror,
        now: Timestamp,
    ) -> Vec<Step> {
        let Some(Overlay::Prompt(prompt)) = &mut self.overlay else {
            return Vec::new();
        };
        if prompt.what != PathPurpose::OpenRecipe {
            return Vec::new();
        }
        match result {
            Err(why) => {
                prompt.problem = Some(why.to_string());
                Vec::new()
            }
            Ok(launch) => {
                self.overlay = None;
                self.info.now = now;
                self.refill(&launch, None);
                self.changed(mirror, now)
            }
        }
    }

    /// The prompt for a path.
    pub fn path_prompt(&self) -> Option<&PathPrompt> {
        match &self.overlay {
            Some(Overlay::Prompt(prompt)) => Some(prompt),
            _ => None,
        }
    }
}
