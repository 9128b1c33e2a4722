//! The dashboard: opens it, and gives it what it asks for.

use std::path::PathBuf;

use jiff::Timestamp;

use super::App;
use crate::{
    app::{
        focus::{Focus, Page},
        machine::MachineReading,
        panels::dashboard::Dashboard,
        step::Step,
    },
    model::{id::SessionKey, status::Tab},
};

/// The most sessions that are sampled for the dashboard.
const MOST_SAMPLED: usize = 256;

impl App {
    /// Opens or closes the dashboard.
    pub(super) fn toggle_dashboard(&mut self) -> Vec<Step> {
        if self.panels.close::<Dashboard>() {
            return Vec::new();
        }
        // It doesn't open over a form, so that its texts are kept.
        if matches!(self.focus(), Focus::Panel | Focus::Filter) {
            return Vec::new();
        }
        self.panels.push(Dashboard::default());
        Vec::new()
    }

    /// Requests what the open dashboard shows.
    pub(super) fn ask_for_dashboard(&mut self, now: Timestamp) -> Vec<Step> {
        if !self.panels.is_open::<Dashboard>() {
            return Vec::new();
        }
        let disk = self.data_disk();
        let (mirror, shown) = (&self.mirror, self.sessions.shown());
        let open = self.panels.get_mut::<Dashboard>();
        open.map_or_else(Vec::new, |it| it.ask_if_due(mirror, shown, &disk, now))
    }

    /// A path on the file system that home directories fill, or else on that of workbay's data.
    fn data_disk(&self) -> (&'static str, PathBuf) {
        let mut sessions = self.mirror.sessions();
        let home = sessions.find_map(|session| session.home.as_ref());
        match home {
            Some(home) => (tr!("home directories"), home.into()),
            None => (tr!("workbay's data"), self.facts.copies.clone()),
        }
    }

    pub(super) fn machine_read(&mut self, reading: MachineReading) {
        if let Some(open) = self.panels.get_mut::<Dashboard>() {
            open.machine_read(reading);
        }
    }

    /// When the dashboard needs new figures.
    pub(super) fn next_dashboard_change(&self, now: Timestamp) -> Option<Timestamp> {
        let open = self.panels.get::<Dashboard>()?;
        let due = open.wake_at(&self.mirror, self.sessions.shown());
        due.filter(|at| *at > now)
    }

    /// The running sessions whose use the dashboard adds up.
    pub(super) fn dashboard_sessions(&self) -> Vec<SessionKey> {
        if !self.panels.is_open::<Dashboard>() {
            return Vec::new();
        }
        let shown = self.sessions.shown();
        let mut keys: Vec<SessionKey> = self
            .mirror
            .sessions()
            .filter(|it| shown.has(it.context) && it.status.is_live())
            .map(crate::model::session::Session::key)
            .collect();
        keys.sort_unstable();
        keys.truncate(MOST_SAMPLED);
        keys
    }

    /// Shows the sessions that meet a filter.
    pub(super) fn show_filtered(&mut self, tab: Tab, filter: &str) -> Vec<Step> {
        self.go_to_tab(tab);
        self.sessions.filter.replace(filter);
        self.show(Page::Sessions)
    }
}
