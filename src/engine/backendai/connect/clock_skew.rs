//! The difference between this machine's clock and a manager's. Pure.

use std::fmt;

use jiff::{Timestamp, fmt::rfc2822};

/// The manager refuses signatures whose time differs by more than this, in seconds.
const ALLOWED: i64 = 15 * 60;

/// How many seconds our clock is ahead (negative: behind).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine::backendai) struct ClockSkew(i64);

impl ClockSkew {
    pub(in crate::engine::backendai) fn is_too_much(self) -> bool {
        self.0.abs() > ALLOWED
    }
}

/// Compares our time with the `Date` header of an answer; `None` if the header can't be read.
pub(in crate::engine::backendai) fn between(ours: Timestamp, date: &str) -> Option<ClockSkew> {
    let theirs = rfc2822::DateTimeParser::new().parse_timestamp(date).ok()?;
    Some(ClockSkew(ours.as_second() - theirs.as_second()))
}

impl fmt::Display for ClockSkew {
    /// "this machine's clock is 61 min ahead of the manager's".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minutes = (self.0.unsigned_abs() + 30) / 60;
        let hours = (minutes + 30) / 60;
        f.write_str(&match (self.0 < 0, minutes < 120) {
            (true, true) => tr_sent!(
                "this machine's clock is {minutes} min behind the manager's",
                minutes
            ),
            (true, false) => tr_sent!(
                "this machine's clock is {hours} h behind the manager's",
                hours
            ),
            (false, true) => tr_sent!(
                "this machine's clock is {minutes} min ahead of the manager's",
                minutes
            ),
            (false, false) => tr_sent!(
                "this machine's clock is {hours} h ahead of the manager's",
                hours
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(ours: &str, date: &str) -> String {
        between(ours.parse().unwrap(), date).unwrap().to_string()
    }

    #[test]
    fn the_side_and_the_amount_are_reported() {
        let date = "Sat, 21 Nov 2026 12:00:00 GMT";
        assert_eq!(
            said("2026-11-21T13:01:10Z", date),
            "this machine's clock is 61 min ahead of the manager's"
        );
        assert_eq!(
            said("2026-11-21T11:40:00Z", date),
            "this machine's clock is 20 min behind the manager's"
        );
        assert_eq!(
            said("2026-11-21T21:00:00Z", date),
            "this machine's clock is 9 h ahead of the manager's"
        );
        assert!(between(Timestamp::UNIX_EPOCH, "soon").is_none());
    }

    #[test]
    fn a_quarter_of_an_hour_is_allowed() {
        assert!(!ClockSkew(900).is_too_much());
        assert!(ClockSkew(901).is_too_much());
        assert!(ClockSkew(-901).is_too_much());
    }
}
