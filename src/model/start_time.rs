//! When a batch session may start, as users type it.

use std::{fmt, str::FromStr};

use jiff::{Timestamp, civil, tz::TimeZone};
use serde::{Deserialize, Serialize};

use super::{span::Span, text::Clean};

/// When a batch session may start, as it was requested, so that a relaunch means the same. Printed and stored
/// as `+90m` or as a full timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum StartAt {
    /// This long after the launch is requested.
    After(Span),
    At(Timestamp),
}

impl StartAt {
    /// The start time of a launch that is requested at `asked`.
    pub fn moment(self, asked: Timestamp) -> Timestamp {
        match self {
            Self::At(at) => at,
            Self::After(span) => asked
                .saturating_add(span.duration())
                .unwrap_or(Timestamp::MAX),
        }
    }

    /// Whether the time is still in the future for a launch that is requested at `now`.
    pub fn is_after(self, now: Timestamp) -> bool {
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

    /// Accepts only forms that mean the same at any time and in any time zone.
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
    tr!(
        "invalid start time '{typed}'. Use +2h, 09:30 or 2026-11-22 09:30",
        typed = Clean::new(text)
    )
}

/// Parses `+2h`, `2026-11-22 09:30` (in the user's time zone), `09:30` (the next one) or a full timestamp
/// with its zone. Another check ensures later that the time is in the future.
pub fn read(text: &str, now: Timestamp, zone: &TimeZone) -> Result<StartAt, String> {
    let text = text.trim();
    if let Ok(start) = text.parse() {
        return Ok(start);
    }
    local(text, now, zone)
        .map(StartAt::At)
        .ok_or_else(|| bad(text))
}

/// A time in the user's time zone, in a form that [`read`] accepts.
pub fn local_text(at: Timestamp, zone: &TimeZone) -> String {
    let local = at.to_zoned(zone.clone());
    let seconds = if local.second() == 0 { "" } else { ":%S" };
    local
        .strftime(&format!("%Y-%m-%d %H:%M{seconds}"))
        .to_string()
}

/// Parses a time without a zone.
fn local(text: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    // The full date and time is tried first, because the parser of a time alone would drop the date.
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
        // The month and the year are kept.
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
                panic!("{text} isn't a time");
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
        assert!(start.is_after(asked));
        assert!(!StartAt::After(Span(0)).is_after(asked));
        assert!(!StartAt::At(asked).is_after(asked));
    }

    #[test]
    fn it_is_kept_as_it_is_written() {
        // Stored timestamps from before the other forms existed are still accepted.
        for kept in ["\"+90m\"", "\"2026-11-22T10:00:00Z\""] {
            let start: StartAt = serde_json::from_str(kept).unwrap();
            assert_eq!(serde_json::to_string(&start).unwrap(), kept);
        }
        assert!(serde_json::from_str::<StartAt>("\"09:30\"").is_err());
    }
}
