//! Apps and forwards: the answers of the daemon, and what opens without a key.

use super::App;
use crate::{
    action::Action,
    app::{
        allowed,
        focus::Focus,
        panels::{
            apps::{AppLauncher, AppsPurpose, in_background},
            ports::PortBoard,
        },
        step::{Step, UrlUse},
    },
    model::{
        capability::Capability,
        failure::Failure,
        forward::OpenedForward,
        id::SessionKey,
        session::{Session, SessionType},
    },
    protocol::message::Reply,
};

impl App {
    pub(super) fn apps_answered(
        &mut self,
        asked: AppsPurpose,
        result: Result<Reply, Failure>,
    ) -> Vec<Step> {
        let open = self.panels.get_mut::<AppLauncher>();
        match open.filter(|open| open.expects(&asked)) {
            Some(open) => {
                let steps = open.answered(asked, result);
                open.know_forwards(self.mirror.forwards());
                steps
            }
            None => in_background(asked, result),
        }
    }

    /// Uses a new URL of a forward.
    pub(super) fn url_created(&mut self, opened: &OpenedForward, then: UrlUse) -> Vec<Step> {
        if let Some(launcher) = self.panels.get_mut::<AppLauncher>() {
            launcher.new_url(opened.forward.id, &opened.url);
        }
        if let Some(board) = self.panels.get_mut::<PortBoard>() {
            board.new_url(opened, then == UrlUse::Show);
        }
        match then {
            UrlUse::Copy => vec![Step::Copy(opened.url.clone())],
            UrlUse::Browse => vec![Step::Browse(opened.url.clone())],
            UrlUse::Show => Vec::new(),
        }
    }

    /// Opens or closes the port board.
    pub(super) fn toggle_ports(&mut self) -> Vec<Step> {
        if self.panels.close::<PortBoard>() {
            return Vec::new();
        }
        // The board doesn't open over a form, so that its texts are kept.
        if matches!(self.focus(), Focus::Panel | Focus::Filter) {
            return Vec::new();
        }
        self.panels.push(PortBoard::default());
        Vec::new()
    }

    /// Remembers the session whose apps are shown when it runs. Several sessions at once have no common app launcher.
    pub(super) fn await_apps(&mut self, sessions: &[Session]) -> Option<Step> {
        self.apps_of = match sessions {
            [one] if self.facts.open_apps_after_launch => {
                let has_apps = one.session_type != SessionType::System;
                Some(one.key()).filter(|_| has_apps)
            }
            _ => None,
        };
        // The session may run before the answer to its launch arrives.
        let key = self.apps_of?;
        let runs = self.mirror.session(key)?.status.is_live();
        runs.then(|| self.open_apps_after_launch(key))?
    }

    /// Opens the app launcher when the launched session runs, unless you do something else.
    pub(super) fn open_apps_after_launch(&mut self, key: SessionKey) -> Option<Step> {
        self.apps_of.take_if(|awaited| *awaited == key)?;
        if !matches!(self.focus(), Focus::Sessions | Focus::Detail) {
            return None;
        }
        let session = self.mirror.session(key)?;
        let shown = self.sessions.shown();
        let action = Action::SessionApps;
        let why = allowed::why_not(action, Some(session), shown, &self.mirror, &self.facts);
        if why.is_some() {
            return None;
        }
        let has_proxy = self.mirror.can(key.context, Capability::AppProxy);
        let mut launcher = AppLauncher::new(session).with_proxy(has_proxy);
        let ask = launcher.ask();
        self.panels.push(launcher);
        Some(ask)
    }
}
