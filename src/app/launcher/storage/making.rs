//! Creates a folder from its line: you type the name, the daemon creates the folder, and it is mounted.

use super::{Line, Storage, entry};
use crate::{
    app::{
        input::Input,
        launcher::{Heard, Offer, Row},
        step::{Purpose, Step},
    },
    key::{Key, KeyCode},
    model::{capability::Capability, catalogue::Folder, request::ContextRequest, text::Clean},
    protocol::message::Request,
    rules::launch::folders,
};

/// The state of the new folder.
#[derive(Clone, Debug, Default)]
pub enum Making {
    #[default]
    No,
    Typing(Input),
    Asked(Input),
    Failed(Input, Clean),
}

impl Storage {
    /// The line for a new folder has a name.
    pub fn is_naming(&self) -> bool {
        match &self.making {
            Making::Typing(input) | Making::Failed(input, _) => !input.is_empty(),
            Making::No | Making::Asked(_) => false,
        }
    }

    /// Starts typing the name of a new folder. A refused name can be fixed.
    pub(super) fn begin_typing(&mut self, offer: &Offer) {
        match &self.making {
            Making::Failed(input, _) => self.making = Making::Typing(input.clone()),
            Making::No if offer.why_not(Capability::Folders).is_none() => {
                self.making = Making::Typing(Input::default());
            }
            Making::No | Making::Typing(_) | Making::Asked(_) => {}
        }
    }

    pub(super) fn begin_making(&mut self, offer: &Offer) -> Heard {
        self.begin_typing(offer);
        Heard::Goto(Line::New.row())
    }

    /// Handles Enter in the line for a new folder: creates the folder if there is a name. Without a name,
    /// Enter does the same as in other lines.
    pub(super) fn make(&mut self, offer: &Offer) -> Heard {
        let (Making::Typing(input) | Making::Failed(input, _)) = &self.making else {
            return Heard::No;
        };
        if input.is_empty() {
            self.making = Making::No;
            return Heard::No;
        }
        let name = input.text().trim().to_owned();
        if self.why_no_name(&name).is_some() {
            return Heard::Yes;
        }
        self.making = Making::Asked(input.clone());
        Heard::Steps(vec![Step::Ask {
            request: Request::context(
                offer.context,
                ContextRequest::CreateFolder { name: name.clone() },
            ),
            purpose: Purpose::CreateFolder {
                context: offer.context,
                name,
            },
        }])
    }

    fn why_no_name(&self, name: &str) -> Option<String> {
        let taken = self.entries.iter().any(|it| it.name == *name);
        let taken = taken || self.automatic.iter().any(|it| *it == *name);
        if taken {
            return Some(format!("folder {name} already exists"));
        }
        folders::check_name(name).err()
    }

    /// Why the launch isn't possible with an unfinished folder.
    pub(super) fn why_unfinished(&self) -> Option<String> {
        self.making_problem().or_else(|| match &self.making {
            Making::Typing(input) if !input.is_empty() => {
                Some("you are naming a new folder: Enter creates it, Esc cancels".to_owned())
            }
            Making::Asked(input) => Some(format!("creating the folder {}", input.text())),
            _ => None,
        })
    }

    /// The problem with the name of the new folder.
    pub fn making_problem(&self) -> Option<String> {
        match &self.making {
            Making::Typing(input) if !input.is_empty() => self.why_no_name(input.text().trim()),
            Making::Failed(_, why) => Some(why.to_string()),
            _ => None,
        }
    }

    /// Takes the result. A new folder is mounted at once.
    pub fn made(&mut self, result: Result<Folder, Clean>) -> Option<Row> {
        let (Making::Asked(input) | Making::Typing(input)) = &self.making else {
            return None;
        };
        let input = input.clone();
        match result {
            Err(why) => {
                self.making = Making::Failed(input, why);
                None
            }
            Ok(folder) => {
                self.making = Making::No;
                if folder.is_auto_mounted() {
                    self.automatic.push(folder.name);
                    return None;
                }
                self.entries.push(entry(folder, true));
                Some(Line::Folder(self.entries.len() - 1).row())
            }
        }
    }
}

/// Characters that begin a name in an empty line.
pub(super) fn begins_a_name(key: Key) -> bool {
    let plain = !key.ctrl && !key.alt;
    plain && matches!(key.code, KeyCode::Char(c) if c.is_alphanumeric() || "_.".contains(c))
}
