//! Files of a session that aren't in a folder: how many there are, and the prompt for the copy before its end.

use jiff::Timestamp;

use super::App;
use crate::{
    app::{
        panels::{bulk::BulkDialog, rescue::RescueForm, terminate::TerminateDialog},
        step::Step,
    },
    model::{failure::Failure, id::SessionKey},
    protocol::message::Reply,
};

impl App {
    /// Replaces the dialog that terminates a session by the prompt for a folder.
    pub(super) fn open_rescue(&mut self, now: Timestamp) {
        let Some(dialog) = self.panels.get::<TerminateDialog>() else {
            return;
        };
        let session = self.mirror.session(dialog.session);
        let form = RescueForm::before(dialog, session, now);
        self.panels.close::<TerminateDialog>();
        self.panels.push(form);
    }

    pub(super) fn unsaved_answered(
        &mut self,
        session: SessionKey,
        result: Result<Reply, Failure>,
    ) -> Vec<Step> {
        let result = match result {
            Ok(Reply::Unsaved { unsaved }) => Ok(*unsaved),
            Ok(_) => return Vec::new(),
            Err(failure) => Err(failure.message()),
        };
        if let Some(detail) = &mut self.detail {
            detail.unsaved_answered(session, result.as_ref().ok().cloned());
        }
        if let Some(dialog) = self.panels.get_mut::<TerminateDialog>() {
            dialog.files_answered(session, result);
            return Vec::new();
        }
        let dialog = self.panels.get_mut::<BulkDialog>();
        dialog.map_or_else(Vec::new, |it| it.files_answered(session, &result))
    }
}
