//! Creates a folder from its line: you type the name, the daemon creates the folder, and it is mounted.

use super::{FolderRow, StorageForm, entry};
use crate::{
    app::{
        input::Input,
        launcher::{FormResponse, FormRow, LaunchInfo},
        step::{Purpose, Step},
    },
    key::{Key, KeyCode},
    model::{capability::Capability, folder::Folder, request::ContextRequest, text::Clean},
    protocol::message::Request,
    rules::launch::folders,
};

/// The state of the new folder.
#[derive(Clone, Debug, Default)]
pub enum FolderCreation {
    #[default]
    Idle,
    Typing(Input),
    Asked(Input),
    Failed(Input, Clean),
}

impl StorageForm {
    /// The line for a new folder has a name.
    pub fn is_naming(&self) -> bool {
        match &self.creation {
            FolderCreation::Typing(input) | FolderCreation::Failed(input, _) => !input.is_empty(),
            FolderCreation::Idle | FolderCreation::Asked(_) => false,
        }
    }

    /// Starts typing the name of a new folder. A refused name can be fixed.
    pub(super) fn begin_typing(&mut self, info: &LaunchInfo) {
        match &self.creation {
            FolderCreation::Failed(input, _) => {
                self.creation = FolderCreation::Typing(input.clone());
            }
            FolderCreation::Idle if info.why_not(Capability::Folders).is_none() => {
                self.creation = FolderCreation::Typing(Input::default());
            }
            FolderCreation::Idle | FolderCreation::Typing(_) | FolderCreation::Asked(_) => {}
        }
    }

    pub(super) fn begin_creation(&mut self, info: &LaunchInfo) -> FormResponse {
        self.begin_typing(info);
        FormResponse::Focus(FolderRow::New.row())
    }

    /// Handles Enter in the line for a new folder: creates the folder if there is a name. Without a name,
    /// Enter does the same as in other lines.
    pub(super) fn create(&mut self, info: &LaunchInfo) -> FormResponse {
        let (FolderCreation::Typing(input) | FolderCreation::Failed(input, _)) = &self.creation
        else {
            return FormResponse::Ignored;
        };
        if input.is_empty() {
            self.creation = FolderCreation::Idle;
            return FormResponse::Ignored;
        }
        let name = input.text().trim().to_owned();
        if self.why_no_name(&name).is_some() {
            return FormResponse::Handled;
        }
        self.creation = FolderCreation::Asked(input.clone());
        FormResponse::Steps(vec![Step::Ask {
            request: Request::context(info.context, ContextRequest::create_folder(&name)),
            purpose: Purpose::CreateFolder {
                context: info.context,
                name,
            },
        }])
    }

    fn why_no_name(&self, name: &str) -> Option<String> {
        let taken = self.entries.iter().any(|it| it.name == *name);
        let taken = taken || self.automatic.iter().any(|it| *it == *name);
        if taken {
            return Some(tr!("folder {name} already exists", name));
        }
        folders::check_name(name).err()
    }

    /// Why the launch isn't possible with an unfinished folder.
    pub(super) fn why_unfinished(&self) -> Option<String> {
        self.creation_problem().or_else(|| match &self.creation {
            FolderCreation::Typing(input) if !input.is_empty() => {
                Some(tr!("you are naming a new folder: Enter creates it, Esc cancels").to_owned())
            }
            FolderCreation::Asked(input) => {
                Some(tr!("creating the folder {input}", input = input.text()))
            }
            _ => None,
        })
    }

    /// The problem with the name of the new folder.
    pub fn creation_problem(&self) -> Option<String> {
        match &self.creation {
            FolderCreation::Typing(input) if !input.is_empty() => {
                self.why_no_name(input.text().trim())
            }
            FolderCreation::Failed(_, why) => Some(why.to_string()),
            _ => None,
        }
    }

    /// Takes the result. A new folder is mounted at once.
    pub fn created(&mut self, result: Result<Folder, Clean>) -> Option<FormRow> {
        let (FolderCreation::Asked(input) | FolderCreation::Typing(input)) = &self.creation else {
            return None;
        };
        let input = input.clone();
        match result {
            Err(why) => {
                self.creation = FolderCreation::Failed(input, why);
                None
            }
            Ok(folder) => {
                self.creation = FolderCreation::Idle;
                if folder.is_auto_mounted() {
                    self.automatic.push(folder.name);
                    return None;
                }
                self.entries.push(entry(folder, true));
                Some(FolderRow::Folder(self.entries.len() - 1).row())
            }
        }
    }
}

/// Characters that begin a name in an empty line.
pub(super) fn begins_a_name(key: Key) -> bool {
    let plain = !key.ctrl && !key.alt;
    plain && matches!(key.code, KeyCode::Char(c) if c.is_alphanumeric() || "_.".contains(c))
}
