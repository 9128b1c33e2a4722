//! Admits requests about folders.

use jiff::Timestamp;

use crate::{
    model::{capability::Capability, failure::Failure, folder::FolderRequest},
    rules::launch::folders,
    scheduler::{core::Scheduler, turn::Turn},
    state_machine::Ticket,
};

impl Scheduler {
    /// The daemon sends an admitted request about folders to the engine.
    pub(super) fn admit_folder(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        request: &FolderRequest,
    ) {
        let refused = self.unreachable().or_else(|| {
            let why = self.why_not(Capability::FolderSharing)?;
            request.is_sharing().then(|| Failure::unsupported(why))
        });
        if let Some(failure) = refused.or_else(|| folders::check_request(request).err()) {
            return turn.answer(ticket, Err(failure));
        }
        if request.is_change() {
            // On a full disk, folders can still be deleted.
            turn.refusable = !request.frees_space();
            Self::audit(turn, now, request.name(), None, request.about());
        }
        turn.admitted.push(ticket);
    }
}
