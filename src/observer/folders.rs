//! Creates folders.

use jiff::Timestamp;

use super::{core::Observer, fact::Got, order::ManagerRequest, task::Purpose, turn::Turn};
use crate::{
    model::{capability::Capability, failure::Failure, launch_field::LaunchField},
    rules::launch::folders::check_name,
    state_machine::{Answer, Ticket},
};

impl Observer {
    pub(super) fn create_folder(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        name: String,
    ) {
        if let Some(failure) = self.lacks(Capability::Folders) {
            return turn.answer(ticket, Err(failure));
        }
        if let Err(why) = check_name(&name) {
            let failure = Failure::usage(why).about(LaunchField::Folders);
            return turn.answer(ticket, Err(failure));
        }
        self.audit(turn, now, "create-folder", None, &name);
        let purpose = Purpose::Folder { ticket };
        self.run(turn, ManagerRequest::CreateFolder { name }, purpose);
    }

    /// Catalogs that were read earlier don't have the new folder.
    pub(super) fn folder_made(
        &mut self,
        turn: &mut Turn,
        ticket: Ticket,
        result: Result<Got, Failure>,
    ) {
        let answer = match result {
            Ok(Got::Folder(folder)) => {
                for (_, catalogue) in self.catalogues.values_mut() {
                    catalogue.folders.retain(|it| it.id != folder.id);
                    catalogue.folders.push(folder.clone());
                }
                Ok(Answer::Folder(folder))
            }
            Ok(got) => Err(got.mismatch()),
            Err(failure) => Err(failure.about(LaunchField::Folders)),
        };
        turn.answer(ticket, answer);
    }
}
