//! Decides when the TUI must wake up without an event: only when something visible changes.

use jiff::Timestamp;

use super::{App, update::interrupt_ends};
use crate::{
    app::{
        durations,
        focus::Page,
        launcher::Launcher,
        panels::{apps::AppLauncher, explorer::Explorer, folders::FoldersPanel, ports::PortBoard},
        sessions::TIME_STEP,
    },
    rules::reclaim::{Reclaim, reclaim},
};

impl App {
    /// The next time at which something visible changes only because time passes, `None` if nothing does.
    pub fn wake_at(&self, now: Timestamp) -> Option<Timestamp> {
        [
            self.toasts.wake_at(),
            self.explains_at(),
            self.panels.get::<Launcher>().and_then(|it| it.wake_at(now)),
            self.panes.wake_at(),
            self.panels
                .get::<AppLauncher>()
                .and_then(|it| it.wake_at(now)),
            self.panels
                .get::<PortBoard>()
                .and_then(|it| it.wake_at(&self.mirror, now)),
            self.panels
                .get::<FoldersPanel>()
                .filter(|_| self.mirror.is_up())
                .and_then(FoldersPanel::wake_at),
            self.panels.get::<Explorer>().and_then(Explorer::wake_at),
            self.next_question(now),
            self.next_dashboard_change(now),
            self.interrupted.map(interrupt_ends),
            self.unbound.as_ref().map(|(_, until)| *until),
            self.next_list_change(now),
            self.next_filter_change(now),
            self.next_detail_change(now),
            self.next_age_change(now),
            self.next_countdown(now),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// When a request after a pause is due: a filter, or the detail of the selected session.
    fn next_question(&self, now: Timestamp) -> Option<Timestamp> {
        if self.areas.too_small || !self.mirror.is_up() {
            return None;
        }
        let detail = self.detail.as_ref().filter(|_| self.areas.detail.is_some());
        let detail = detail.and_then(|detail| detail.wake_at(&self.mirror, now));
        let tree = self.sessions.tree().wake_at(now);
        [self.reach.wake_at(now), detail, tree]
            .into_iter()
            .flatten()
            .min()
    }

    /// When the columns Run time and Reclaim in change. They show seconds only below a minute.
    fn next_list_change(&self, now: Timestamp) -> Option<Timestamp> {
        if self.page != Page::Sessions || self.areas.too_small {
            return None;
        }
        let seconds = self
            .sessions
            .visible_sessions()
            .filter_map(|id| self.mirror.session(id))
            .filter(|session| session.terminated_at.is_none())
            .flat_map(|session| {
                let ran = session.run_seconds(now);
                let elapsed = ran.map(durations::coarse_changes_in);
                let left = match reclaim(session) {
                    Reclaim::At(until) => left_changes_in(until, now),
                    Reclaim::Due | Reclaim::Exempt | Reclaim::Never => None,
                };
                left.into_iter().chain(elapsed)
            })
            .min()?;
        Some(durations::after(now, seconds))
    }

    /// When a filter with conditions on time is applied again. It can also make the list longer.
    fn next_filter_change(&self, now: Timestamp) -> Option<Timestamp> {
        let follows = self.page == Page::Sessions && self.sessions.filter.follows_time();
        let every = TIME_STEP.as_secs();
        follows.then(|| durations::after(now, every))
    }

    /// The focused detail updates every second. An open detail next to the list updates like the list.
    fn next_detail_change(&self, now: Timestamp) -> Option<Timestamp> {
        let detail = self
            .detail
            .as_ref()
            .filter(|_| self.page == Page::Sessions)?;
        let session = self.mirror.session(detail.session())?;
        if session.terminated_at.is_some() {
            return None;
        }
        let seconds = if detail.focused {
            1
        } else {
            let ends = detail.idle_ends(session);
            let ends = ends.filter_map(|until| left_changes_in(until, now));
            let used = session.activity.filter(|used| used.open == 0);
            let used =
                used.map(|it| durations::ago_changes_in(now.as_second() - it.at.as_second()));
            let elapsed = durations::coarse_changes_in(session.elapsed_seconds(now));
            ends.chain(used).fold(elapsed, i64::min)
        };
        Some(durations::after(now, seconds))
    }

    /// When the text of the next reclaim changes, which every view shows.
    fn next_countdown(&self, now: Timestamp) -> Option<Timestamp> {
        let (_, left) = self.next_end(now).filter(|_| !self.areas.too_small)?;
        Some(durations::after(
            now,
            durations::coarse_left_changes_in(left),
        ))
    }

    /// When the age of an outdated list changes.
    fn next_age_change(&self, now: Timestamp) -> Option<Timestamp> {
        let since = self.mirror.stale_since(self.sessions.shown())?;
        let age = now.as_second() - since.as_second();
        Some(durations::after(now, durations::ago_changes_in(age)))
    }
}

/// In how many seconds the text of the remaining time changes, `None` if the time has passed.
fn left_changes_in(until: Timestamp, now: Timestamp) -> Option<i64> {
    let left = until.as_second() - now.as_second();
    (left > 0).then(|| durations::coarse_left_changes_in(left))
}
