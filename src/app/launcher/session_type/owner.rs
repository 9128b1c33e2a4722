//! The owner of the session, if an administrator launches it for another user.

use super::{FormResponse, FormRow, LaunchInfo, turned};
use crate::{
    app::{
        input::Input,
        step::{Purpose, Step},
    },
    model::{
        catalogue::OwnerChoices,
        launch_field::LaunchField as Field,
        request::ContextRequest,
        spec::{LaunchRequest, Owner},
        text::Clean,
    },
    protocol::message::Request,
};

/// The lines of the field.
pub const EMAIL: usize = 0;
pub const ACCESS_KEY: usize = 1;
pub const PROJECT: usize = 2;

/// The state of the search for a user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OwnerSearch {
    #[default]
    None,
    Asked,
    Found(OwnerChoices),
    Failed(Clean),
}

#[derive(Clone, Debug, Default)]
pub struct OwnerForm {
    email: Input,
    search: OwnerSearch,
    access_key: usize,
    project: usize,
    /// The owner of a relaunched session, until the search has found the user.
    known: Option<Owner>,
}

impl OwnerForm {
    pub fn email(&self) -> &Input {
        &self.email
    }

    pub(super) fn email_mut(&mut self) -> &mut Input {
        &mut self.email
    }

    /// The state of the search.
    pub fn found(&self) -> &OwnerSearch {
        &self.search
    }

    /// The value of a line with options.
    pub fn value(&self, item: usize) -> Option<&Clean> {
        let OwnerSearch::Found(choices) = &self.search else {
            return None;
        };
        match item {
            ACCESS_KEY => choices.access_keys.get(self.access_key),
            PROJECT => choices.projects.get(self.project),
            _ => None,
        }
    }

    pub(super) fn rows(&self) -> Vec<FormRow> {
        let row = |item| FormRow::item(Field::Owner, item);
        match &self.search {
            OwnerSearch::Found(choices) if choices.projects.is_empty() => {
                vec![row(EMAIL), row(ACCESS_KEY)]
            }
            OwnerSearch::Found(_) => vec![row(EMAIL), row(ACCESS_KEY), row(PROJECT)],
            _ => vec![row(EMAIL)],
        }
    }

    /// Another address means another user.
    pub(super) fn edited(&mut self) {
        self.search = OwnerSearch::None;
        self.known = None;
        self.access_key = 0;
        self.project = 0;
    }

    pub(super) fn turn(&mut self, item: usize, by: isize) {
        let OwnerSearch::Found(choices) = &self.search else {
            return;
        };
        let (at, count) = match item {
            ACCESS_KEY => (&mut self.access_key, choices.access_keys.len()),
            _ => (&mut self.project, choices.projects.len()),
        };
        *at = turned(count, Some(*at), by).unwrap_or(0);
    }

    /// Handles Enter in the address: searches for the user. After that, Enter goes to the next row.
    pub(super) fn search(&mut self, info: &LaunchInfo) -> FormResponse {
        let email = self.email.text().trim().to_owned();
        let looked_up = matches!(self.search, OwnerSearch::Asked | OwnerSearch::Found(_));
        if email.is_empty() || looked_up || self.check_address().is_err() {
            return FormResponse::Ignored;
        }
        self.search = OwnerSearch::Asked;
        FormResponse::Steps(vec![Step::Ask {
            request: Request::context(
                info.context,
                ContextRequest::FindOwner {
                    email: email.clone(),
                },
            ),
            purpose: Purpose::Owner {
                context: info.context,
                email,
            },
        }])
    }

    pub fn answered(&mut self, email: &str, result: Result<OwnerChoices, Clean>) {
        if self.search != OwnerSearch::Asked || self.email.text().trim() != email {
            return;
        }
        self.search = match result {
            Ok(choices) => OwnerSearch::Found(choices),
            Err(why) => OwnerSearch::Failed(why),
        };
    }

    fn check_address(&self) -> Result<(), String> {
        let email = self.email.text().trim();
        let (name, host) = email.split_once('@').unwrap_or_default();
        if name.is_empty() || host.is_empty() || email.contains(char::is_whitespace) {
            return Err(tr!("'{email}' isn't a valid e-mail address", email));
        }
        Ok(())
    }

    pub(super) fn problem(&self) -> Option<String> {
        if self.email.text().trim().is_empty() || self.known.is_some() {
            return None;
        }
        match &self.search {
            OwnerSearch::Found(_) => None,
            OwnerSearch::Failed(why) => Some(why.to_string()),
            OwnerSearch::None | OwnerSearch::Asked => self.check_address().err().or_else(|| {
                Some(tr!("look the user up first: press Enter in this field").to_owned())
            }),
        }
    }

    pub(super) fn read(&mut self, request: &LaunchRequest) {
        self.edited();
        let email = request.owner.as_ref().map(|it| it.email.as_str());
        self.email.set(email.unwrap_or_default());
        self.known.clone_from(&request.owner);
    }

    pub(super) fn write(&self, request: &mut LaunchRequest) {
        let text = |item| self.value(item).map(ToString::to_string);
        request.owner = match text(ACCESS_KEY) {
            Some(access_key) => Some(Owner {
                email: self.email.text().trim().to_owned(),
                access_key,
            }),
            None => self.known.clone(),
        };
        if let Some(project) = text(PROJECT) {
            request.project = Some(project);
        }
    }
}
