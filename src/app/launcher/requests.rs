//! What the launcher requests from the daemon, and what it does with the answers.

use super::{FormRow, Launcher, Page};
use crate::{
    app::{
        allowed::why_no_launch_in,
        mirror::Mirror,
        step::{Purpose, Step},
    },
    model::{
        capability::Capability, failure::Failure, id::ContextName, launch_field::LaunchField,
        request::ContextRequest, text::Clean,
    },
    protocol::message::{Reply, Request},
    rules::resolve,
};

impl Launcher {
    /// The requests when the launcher opens and when another context is chosen.
    pub fn ask(&mut self, mirror: &Mirror) -> Vec<Step> {
        // New images can have arrived since the last list of environments.
        let mut steps = vec![self.ask_environments()];
        steps.extend(self.ask_catalogue(mirror, false));
        steps
    }

    fn ask_environments(&self) -> Step {
        let context = self.info.context;
        Step::Ask {
            request: Request::context(context, ContextRequest::Environments),
            purpose: Purpose::Environments(context),
        }
    }

    /// A missing image may have been pulled in the meantime, so leaving its row requests the environments
    /// again.
    pub(super) fn look_for_image(&self, row: FormRow) -> Vec<Step> {
        let here = row.field == LaunchField::Image;
        let is_missing = |image: &str| {
            let found = resolve::find_image(&self.info.environments, image);
            found.is_none_or(|it| it.absent)
        };
        let missing = here && self.request.image.as_deref().is_some_and(is_missing);
        missing
            .then(|| self.ask_environments())
            .into_iter()
            .collect()
    }

    /// `refresh` if the catalog is known to have changed.
    pub(super) fn ask_catalogue(&mut self, mirror: &Mirror, refresh: bool) -> Option<Step> {
        let context = self.info.context;
        let project = self.request.project.clone();
        self.asked_project.clone_from(&project);
        self.asked_at = self.info.now;
        mirror
            .can(context, Capability::Catalogue)
            .then(|| Step::Ask {
                request: Request::context(
                    context,
                    ContextRequest::Catalogue {
                        project: project.clone(),
                        refresh,
                    },
                ),
                purpose: Purpose::Catalogue { context, project },
            })
    }

    /// Takes the catalog, or the reason why it couldn't be read.
    pub fn answered(
        &mut self,
        context: ContextName,
        project: Option<&str>,
        result: Result<Reply, Failure>,
    ) {
        if context != self.info.context || project != self.asked_project.as_deref() {
            return;
        }
        match result {
            Ok(Reply::Catalogue { catalogue }) => {
                let gap = catalogue.gaps.first();
                let sentence = |(part, why): &(Clean, Clean)| {
                    Clean::new(&tr!("{part} can't be read: {why}", part, why))
                };
                self.info.gap = gap.map(sentence);
                self.info.catalogue = Some(*catalogue);
            }
            Ok(_) => {}
            Err(failure) => self.info.gap = Some(failure.message()),
        }
        self.info_changed();
        self.keep_within_limits();
    }

    /// Takes the result of creating a folder from the launcher.
    pub fn folder_created(&mut self, context: ContextName, result: Result<Reply, Failure>) {
        if context != self.info.context {
            return;
        }
        let result = match result {
            Ok(Reply::Folder { folder }) => {
                if let Some(catalogue) = &mut self.info.catalogue {
                    catalogue.folders.push((*folder).clone());
                }
                Ok(*folder)
            }
            Ok(_) => return,
            Err(failure) => Err(failure.message()),
        };
        if let Some(row) = self.storage.created(result) {
            self.focus[Page::Storage.position()] = Some(row);
        }
        self.check();
    }

    /// Takes the result of searching for the user who will own the session.
    pub fn found_owner(
        &mut self,
        context: ContextName,
        email: &str,
        result: Result<Reply, Failure>,
    ) {
        let result = match result {
            Ok(Reply::Owner { owner }) => Ok(owner),
            Ok(_) => return,
            Err(failure) => Err(failure.message()),
        };
        if context == self.info.context {
            self.session_type.owner.answered(email, result);
            self.check();
        }
    }

    /// Takes changes of environments, sessions or the engine.
    pub fn take_changes(&mut self, mirror: &Mirror) {
        self.info.update(mirror);
        self.blocked = why_no_launch_in(self.info.context, mirror);
        self.info_changed();
    }

    fn info_changed(&mut self) {
        // Untouched fields count as initial values, also after new facts change them.
        let untouched = !self.is_touched();
        let request = self.request.clone();
        for page in Page::ALL {
            let (form, info) = self.form_mut(page);
            form.info_changed(info, &request);
        }
        self.check();
        if untouched {
            self.begun = self.request.clone();
        }
    }

    /// Goes to another context. Its own values are chosen again, because those of the previous one may not
    /// fit.
    pub(super) fn go_to(&mut self, context: ContextName, mirror: &Mirror) -> Vec<Step> {
        self.info.go_to(context, mirror);
        self.take_changes(mirror);
        self.ask(mirror)
    }
}
