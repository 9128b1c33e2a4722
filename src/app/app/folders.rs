//! The data page: opens it, and hands it what the daemon answers.

use jiff::Timestamp;

use super::App;
use crate::{
    app::{
        focus::Focus,
        panels::folders::{FoldersPanel, FoldersPurpose},
        step::Step,
    },
    model::{capability::Capability, failure::Failure, notice::Level},
    protocol::message::Reply,
};

impl App {
    /// Opens or closes the data page.
    pub(super) fn toggle_folders(&mut self) -> Vec<Step> {
        if self.panels.close::<FoldersPanel>() {
            return Vec::new();
        }
        // The page doesn't open over a form, so that its texts are kept.
        if matches!(self.focus(), Focus::Panel | Focus::Filter) {
            return Vec::new();
        }
        let shown = self.sessions.shown().one();
        let first = || self.mirror.contexts().first().map(|it| it.context.name);
        let Some(context) = shown.or_else(first) else {
            return vec![Step::toast(
                Level::Info,
                tr!("still connecting to the daemon"),
            )];
        };
        let page = FoldersPanel::new(context);
        let steps = page.ask(self.mirror.can(context, Capability::FolderSharing));
        self.panels.push(page);
        steps
    }

    /// Repeats the requests of a broken connection.
    pub(super) fn ask_folders_again(&self) -> Vec<Step> {
        let Some(page) = self.panels.get::<FoldersPanel>() else {
            return Vec::new();
        };
        page.ask(self.mirror.can(page.context, Capability::FolderSharing))
    }

    pub(super) fn folders_answered(
        &mut self,
        purpose: FoldersPurpose,
        result: Result<Reply, Failure>,
        now: Timestamp,
    ) -> Vec<Step> {
        match self.panels.get_mut::<FoldersPanel>() {
            Some(page) => page.answered(purpose, result, now),
            None => FoldersPanel::new(purpose.context).answered_in_background(&purpose, result),
        }
    }
}
