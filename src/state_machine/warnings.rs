//! Warnings before a session is reclaimed: 30, 10, 5 and 1 minutes before, each once. Pure, and the
//! same for our own idle checks and those of a manager.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use crate::{
    model::{
        id::SessionId,
        idle::{IdleCheck, IdleChecker},
        span::Span,
    },
    rules::reclaim::nearest,
};

const MARKS: [SignedDuration; 4] = [
    SignedDuration::from_mins(30),
    SignedDuration::from_mins(10),
    SignedDuration::from_mins(5),
    SignedDuration::from_mins(1),
];
/// A limit shorter than this has one warning, at half its time.
const SHORT: SignedDuration = SignedDuration::from_mins(2);

/// A warning that is due now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Warning {
    pub checker: IdleChecker,
    pub until: Timestamp,
    left: SignedDuration,
}

impl Warning {
    pub fn sentence(&self, name: &str) -> String {
        let why = match &self.checker {
            IdleChecker::NetworkTimeout => tr_sent!("it isn't used"),
            IdleChecker::SessionLifetime => tr_sent!("it reaches its maximum lifetime"),
            IdleChecker::Utilization => tr_sent!("it uses too little of its resources"),
            IdleChecker::Other(_) => tr_sent!("by an idle check"),
        };
        tr_sent!(
            "{name} will be reclaimed in {time}: {why}",
            name,
            time = roughly(self.left),
            why
        )
    }
}

/// The warnings so far about a session's nearest end.
#[derive(Clone, Copy, Debug)]
struct Said {
    until: Timestamp,
    /// The last mark that has passed, with or without a warning.
    mark: Option<SignedDuration>,
    next: Option<Timestamp>,
}

/// The warnings of all sessions.
#[derive(Debug, Default)]
pub(crate) struct Warner {
    said: BTreeMap<SessionId, Said>,
    due: BTreeSet<(Timestamp, SessionId)>,
}

impl Warner {
    /// Updates the warnings of a session with its current checks.
    pub fn look(&mut self, now: Timestamp, id: SessionId, checks: &[IdleCheck]) -> Option<Warning> {
        // An expired end was announced before, or was read late.
        let Some((check, until)) = nearest(checks).filter(|(_, until)| *until > now) else {
            self.forget(id);
            return None;
        };
        let left = until.duration_since(now);
        let marks = marks(check.limit);
        let passed = marks.iter().copied().filter(|mark| left <= *mark).min();
        let known = self.said.get(&id).copied();
        let later = |said: &Said| until.duration_since(said.until) >= tolerance(check.limit);
        // If the end has moved later, its marks count again, but not the ones that have passed
        // already.
        let mark = match known {
            Some(said) if later(&said) => passed,
            Some(said) => said.mark,
            None => None,
        };
        let warned = passed.is_some_and(|passed| mark.is_none_or(|mark| passed < mark));
        let next = marks.iter().copied().filter(|mark| *mark < left).max();
        let stays = known.filter(|said| !later(said) && !warned);
        let said = Said {
            until: stays.map_or(until, |said| said.until.min(until)),
            mark: if warned { passed } else { mark },
            next: next.and_then(|mark| until.checked_sub(mark).ok()),
        };
        self.plan(id, Some(said));
        warned.then(|| Warning {
            checker: check.checker.clone(),
            until,
            left,
        })
    }

    pub fn forget(&mut self, id: SessionId) {
        self.plan(id, None);
    }

    fn plan(&mut self, id: SessionId, said: Option<Said>) {
        let old = match said {
            Some(said) => self.said.insert(id, said),
            None => self.said.remove(&id),
        };
        if let Some(at) = old.and_then(|old| old.next) {
            self.due.remove(&(at, id));
        }
        let next = said.and_then(|said| said.next);
        self.due.extend(next.map(|at| (at, id)));
    }

    pub fn due(&self, now: Timestamp) -> impl Iterator<Item = SessionId> {
        let due = self.due.iter().take_while(move |(at, _)| *at <= now);
        due.map(|(_, id)| *id)
    }

    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.due.first().map(|(at, _)| *at)
    }
}

/// The times of the warnings, the longest first. An unknown limit has all of them.
fn marks(limit: Option<Span>) -> Vec<SignedDuration> {
    match limit.map(Span::duration) {
        Some(limit) if limit < SHORT => vec![limit / 2],
        Some(limit) => MARKS.into_iter().filter(|mark| *mark < limit).collect(),
        None => MARKS.into(),
    }
}

/// Ends that differ by less count as the same end.
pub(crate) fn tolerance(limit: Option<Span>) -> SignedDuration {
    const MOST: SignedDuration = SignedDuration::from_secs(15);
    const LEAST: SignedDuration = SignedDuration::from_secs(1);
    limit.map_or(MOST, |limit| (limit.duration() / 20).clamp(LEAST, MOST))
}

/// A duration as text: `45 s`, `62 min`, `3 h 5 min`, `2 d 3 h`.
pub(crate) fn roughly(span: SignedDuration) -> String {
    let seconds = ((span.as_millis() + 500) / 1000).max(0);
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    let two = |whole: i128, unit: &str, part: i128, small: &str| match part {
        0 => format!("{whole} {unit}"),
        part => format!("{whole} {unit} {part} {small}"),
    };
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => tr_sent!("{minutes} min", minutes),
        7_200..172_800 => two(hours, "h", minutes % 60, "min"),
        _ => two(hours / 24, "d", hours % 24, "h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_are_said_in_at_most_two_units() {
        for (millis, said) in [
            (0, "0 s"),
            (19_990, "20 s"),
            (119_000, "119 s"),
            (120_000, "2 min"),
            (3_720_000, "62 min"),
            (7_200_000, "2 h"),
            (11_100_000, "3 h 5 min"),
            (183_600_000, "2 d 3 h"),
        ] {
            assert_eq!(roughly(SignedDuration::from_millis(millis)), said);
        }
    }
}
