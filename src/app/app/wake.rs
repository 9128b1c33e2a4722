//! When the face wants to be called although nothing happened: only for what is seen to change.

use jiff::Timestamp;

use super::{App, interrupt_ends};
use crate::{
    app::{clock, focus::Page},
    model::reclaim::{Reclaim, reclaim},
};

impl App {
    /// The next moment at which something visible changes by time alone; `None` = never.
    pub fn wake_at(&self, now: Timestamp) -> Option<Timestamp> {
        [
            self.toasts.wake_at(),
            self.launcher.as_ref().and_then(|it| it.wake_at(now)),
            self.panes.wake_at(),
            self.next_question(now),
            self.interrupted.map(interrupt_ends),
            self.next_list_change(now),
            self.next_detail_change(now),
            self.next_age_change(now),
            self.next_countdown(now),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// What is asked after a pause: a filter, the detail of the selected session.
    fn next_question(&self, now: Timestamp) -> Option<Timestamp> {
        if self.areas.too_small || !self.mirror.is_up() {
            return None;
        }
        let detail = self.detail.as_ref().filter(|_| self.areas.detail.is_some());
        let detail = detail.and_then(|detail| detail.wake_at(&self.mirror, now));
        [self.reach.wake_at(now), detail]
            .into_iter()
            .flatten()
            .min()
    }

    /// The columns Run time and Reclaim in: seconds only below a minute.
    fn next_list_change(&self, now: Timestamp) -> Option<Timestamp> {
        if self.page != Page::Sessions || self.areas.too_small {
            return None;
        }
        let seconds = self
            .sessions
            .visible()
            .iter()
            .filter_map(|id| self.mirror.session(*id))
            .filter(|session| session.terminated_at.is_none())
            .flat_map(|session| {
                let elapsed = clock::coarse_changes_in(session.elapsed_seconds(now));
                let left = match reclaim(session) {
                    Reclaim::At(until) => left_changes_in(until, now),
                    Reclaim::Due | Reclaim::Exempt | Reclaim::Never => None,
                };
                left.into_iter().chain([elapsed])
            })
            .min()?;
        Some(clock::after(now, seconds))
    }

    /// The focused detail ticks seconds, an open one beside the list like the list.
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
            let used = used.map(|it| clock::ago_changes_in(now.as_second() - it.at.as_second()));
            let elapsed = clock::coarse_changes_in(session.elapsed_seconds(now));
            ends.chain(used).fold(elapsed, i64::min)
        };
        Some(clock::after(now, seconds))
    }

    /// The end that is told on every page.
    fn next_countdown(&self, now: Timestamp) -> Option<Timestamp> {
        let (_, left) = self.next_end(now).filter(|_| !self.areas.too_small)?;
        Some(clock::after(now, clock::coarse_left_changes_in(left)))
    }

    /// How old a list is that cannot be brought up to date.
    fn next_age_change(&self, now: Timestamp) -> Option<Timestamp> {
        let since = self.mirror.stale_since(self.sessions.shown())?;
        let age = now.as_second() - since.as_second();
        Some(clock::after(now, clock::ago_changes_in(age)))
    }
}

/// How many seconds later the time left reads differently; what has passed does not.
fn left_changes_in(until: Timestamp, now: Timestamp) -> Option<i64> {
    let left = until.as_second() - now.as_second();
    (left > 0).then(|| clock::coarse_left_changes_in(left))
}
