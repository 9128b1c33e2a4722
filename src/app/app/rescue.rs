//! Files of a session that aren't in a folder: their answers, and the copy before a session is terminated.

use jiff::Timestamp;

use super::App;
use crate::{
    app::{
        panels::{
            bulk::BulkDialog,
            rescue::RescueForm,
            terminate::{self, TerminateDialog},
        },
        step::Step,
    },
    model::{failure::Failure, files::SpaceUse, id::SessionKey, notice::Level, text::Clean},
    protocol::message::Reply,
    rules::loss,
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

/// A session is terminated only after its files are copied.
pub(super) fn rescued(
    (session, name): (SessionKey, &Clean),
    place: &str,
    then_terminate: Option<bool>,
    result: Result<Reply, Failure>,
) -> Vec<Step> {
    match result {
        Ok(Reply::Rescued { rescued }) => {
            let copied = SpaceUse {
                files: rescued.files,
                size: rescued.size,
            };
            let mut text = format!("{name}: copied {} to {place}", loss::amount(copied));
            let level = match rescued.skipped.first() {
                Some(skipped) => {
                    text = format!("{text}\nNot copied: {skipped}. {name} keeps running");
                    Level::Warning
                }
                None => Level::Success,
            };
            let toast = Step::toast(level, text);
            let end = then_terminate.filter(|_| rescued.skipped.is_empty());
            let end = end.map(|force| terminate::ask(session, name, force));
            std::iter::once(toast).chain(end).collect()
        }
        Ok(_) => Vec::new(),
        Err(failure) => {
            let hint = failure.hint.as_ref().map_or("", |hint| hint.as_str());
            let text = format!("{name} keeps running: {}\n{hint}", failure.message());
            vec![Step::toast(Level::Error, text.trim_end())]
        }
    }
}
