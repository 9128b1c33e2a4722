//! Requests about folders, and what catalogs know of folders.

use jiff::Timestamp;

use super::{core::Observer, turn::Turn};
use crate::{
    model::{
        capability::Capability,
        folder::{FolderChange, FolderRequest},
    },
    rules::launch::folders,
    state_machine::Ticket,
};

impl Observer {
    /// The daemon sends an admitted request about folders to the engine.
    pub(super) fn admit_folder(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        request: &FolderRequest,
    ) {
        let lacks = self.lacks(Capability::Folders);
        let lacks = lacks.or_else(|| {
            let sharing = request.is_sharing().then_some(Capability::FolderSharing)?;
            self.lacks(sharing)
        });
        if let Some(failure) = lacks.or_else(|| folders::check_request(request).err()) {
            return turn.answer(ticket, Err(failure));
        }
        if request.is_change() {
            self.audit(turn, now, request.name(), None, request.about());
        }
        turn.admitted.push(ticket);
    }

    /// Changes the catalogs that were read earlier.
    pub(super) fn folders_changed(&mut self, change: &FolderChange) {
        for (_, catalogue) in self.catalogues.values_mut() {
            change.apply(&mut catalogue.folders);
        }
    }
}
