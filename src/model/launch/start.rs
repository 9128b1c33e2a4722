//! When a batch session may start, as a person writes it.

use std::{fmt, str::FromStr};

use jiff::{Timestamp, civil, tz::TimeZone};
use serde::{Deserialize, Serialize};

use super::super::{span::Span, text::Clean};

/// When a batch session may start, as it was asked for: what is kept to be launched again means the
/// same then. Printed and kept as `+90m` or as a full timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum StartAt {
    /// So long after the launch is asked for.
    After(Span),
    At(Timestamp),
}

impl StartAt {
    /// The moment it is for a launch that is asked for at `asked`.
    pub fn moment(self, asked: Timestamp) -> Timestamp {
        match self {
            Self::At(at) => at,
            Self::After(span) => asked
                .saturating_add(span.duration())
                .unwrap_or(Timestamp::MAX),
        }
    }

    /// Whether a launch that is asked for at `now` can still wait for it.
    pub fn lies_ahead(self, now: Timestamp) -> bool {
        self.moment(now) > now
    }
}

impl fmt::Display for StartAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::After(span) => write!(f, "+{span}"),
            Self::At(at) => write!(f, "{at}"),
        }
    }
}

impl From<StartAt> for String {
    fn from(start: StartAt) -> Self {
        start.to_string()
    }
}

impl From<Timestamp> for StartAt {
    fn from(at: Timestamp) -> Self {
        Self::At(at)
    }
}

impl FromStr for StartAt {
    type Err = String;

    /// What means the same at any time and in any place.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let read = match text.strip_prefix('+') {
            Some(span) => span.parse().map(Self::After).ok(),
            None => text.parse().map(Self::At).ok(),
        };
        read.ok_or_else(|| bad(text))
    }
}

impl TryFrom<String> for StartAt {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

fn bad(text: &str) -> String {
    format!(
        "invalid start time '{}'. Use +2h, 09:30 or 2026-11-22 09:30",
        Clean::new(text)
    )
}

/// Reads `+2h`, `2026-11-22 09:30` (in the person's time zone), `09:30` (the next one) or a full
/// timestamp with its zone. That it lies ahead is checked later, with all other rules.
pub fn read(text: &str, now: Timestamp, zone: &TimeZone) -> Result<StartAt, String> {
    let text = text.trim();
    if let Ok(start) = text.parse() {
        return Ok(start);
    }
    local(text, now, zone)
        .map(StartAt::At)
        .ok_or_else(|| bad(text))
}

/// A moment in a person's time zone, as [`read`] takes it.
pub fn local_text(at: Timestamp, zone: &TimeZone) -> String {
    let local = at.to_zoned(zone.clone());
    let seconds = if local.second() == 0 { "" } else { ":%S" };
    local
        .strftime(&format!("%Y-%m-%d %H:%M{seconds}"))
        .to_string()
}

/// A time without a zone.
fn local(text: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    // A time is read out of a whole date and time as well: the date goes first, or it would be lost.
    if let Ok(local) = text.parse::<civil::DateTime>() {
        return Some(local.to_zoned(zone.clone()).ok()?.timestamp());
    }
    next(text.parse().ok()?, now, zone)
}

fn next(time: civil::Time, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let today = now.to_zoned(zone.clone()).date();
    let at = |day: civil::Date| {
        Some(
            day.to_datetime(time)
                .to_zoned(zone.clone())
                .ok()?
                .timestamp(),
        )
    };
    match at(today)? {
        later if later > now => Some(later),
        _ => at(today.tomorrow().ok()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn times_read() {
        let now = moment("2026-11-22T10:00:00Z");
        let seoul = TimeZone::fixed(jiff::tz::offset(9));
        let at = |text: &str| read(text, now, &seoul).map(|at| at.to_string());
        assert_eq!(at("2026-11-23 09:30").unwrap(), "2026-11-23T00:30:00Z");
        assert_eq!(at("2026-11-23T00:30:00Z").unwrap(), "2026-11-23T00:30:00Z");
        // Neither the month nor the year is lost.
        assert_eq!(at("2026-12-24 10:00").unwrap(), "2026-12-24T01:00:00Z");
        assert_eq!(at("2020-01-01 10:00").unwrap(), "2020-01-01T01:00:00Z");
        // It is 19:00 in Seoul.
        assert_eq!(at("19:30").unwrap(), "2026-11-22T10:30:00Z");
        assert_eq!(at("09:30").unwrap(), "2026-11-23T00:30:00Z");
        for bad in ["", "tomorrow", "+", "+-1h", "25:00"] {
            assert!(at(bad).is_err(), "{bad} was taken");
        }
    }

    #[test]
    fn a_moment_is_read_back() {
        let seoul = TimeZone::fixed(jiff::tz::offset(9));
        for text in ["2026-11-23 09:30", "2026-11-23 09:30:05"] {
            let Ok(StartAt::At(at)) = read(text, Timestamp::UNIX_EPOCH, &seoul) else {
                panic!("{text} is no moment");
            };
            assert_eq!(local_text(at, &seoul), text);
        }
    }

    #[test]
    fn a_while_is_counted_from_the_launch() {
        let now = moment("2026-11-22T10:00:00Z");
        let start = read(" +120m ", now, &TimeZone::UTC).unwrap();
        assert_eq!(start, StartAt::After(Span(7200)));
        assert_eq!(start.to_string(), "+2h");
        let asked = moment("2026-12-24T08:00:00Z");
        assert_eq!(start.moment(asked), moment("2026-12-24T10:00:00Z"));
        assert!(start.lies_ahead(asked));
        assert!(!StartAt::After(Span(0)).lies_ahead(asked));
        assert!(!StartAt::At(asked).lies_ahead(asked));
    }

    #[test]
    fn it_is_kept_as_it_is_written() {
        // What was kept before there were any others is a timestamp.
        for kept in ["\"+90m\"", "\"2026-11-22T10:00:00Z\""] {
            let start: StartAt = serde_json::from_str(kept).unwrap();
            assert_eq!(serde_json::to_string(&start).unwrap(), kept);
        }
        assert!(serde_json::from_str::<StartAt>("\"09:30\"").is_err());
    }
}
