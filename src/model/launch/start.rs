//! When a batch session may start, as a person writes it.

use jiff::{Timestamp, civil, tz::TimeZone};

use super::super::{span::Span, text::Clean};

/// Reads `+2h`, `2026-11-22 09:30` (in the person's time zone), `09:30` (the next one) or a full
/// timestamp with its zone. That it lies ahead is checked later, with all other rules.
pub fn read(text: &str, now: Timestamp, zone: &TimeZone) -> Result<Timestamp, String> {
    let text = text.trim();
    let bad = || {
        format!(
            "'{}' is no time to start at: write +2h, 09:30 or 2026-11-22 09:30",
            Clean::new(text)
        )
    };
    if let Some(span) = text.strip_prefix('+') {
        let span: Span = span.parse().map_err(|_| bad())?;
        return now.checked_add(span.duration()).map_err(|_| bad());
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at);
    }
    // A time is read out of a whole date and time as well: the date goes first, or it would be lost.
    if let Ok(local) = text.parse::<civil::DateTime>() {
        let zoned = local.to_zoned(zone.clone()).map_err(|_| bad())?;
        return Ok(zoned.timestamp());
    }
    let time = text.parse::<civil::Time>().map_err(|_| bad())?;
    next(time, now, zone).ok_or_else(bad)
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

    #[test]
    fn times_read() {
        let now: Timestamp = "2026-11-22T10:00:00Z".parse().unwrap();
        let seoul = TimeZone::fixed(jiff::tz::offset(9));
        let at = |text: &str| read(text, now, &seoul).map(|at| at.to_string());
        assert_eq!(at("+2h").unwrap(), "2026-11-22T12:00:00Z");
        assert_eq!(at("2026-11-23 09:30").unwrap(), "2026-11-23T00:30:00Z");
        assert_eq!(at("2026-11-23T00:30:00Z").unwrap(), "2026-11-23T00:30:00Z");
        // Neither the month nor the year is lost.
        assert_eq!(at("2026-12-24 10:00").unwrap(), "2026-12-24T01:00:00Z");
        assert_eq!(at("2020-01-01 10:00").unwrap(), "2020-01-01T01:00:00Z");
        // It is 19:00 in Seoul.
        assert_eq!(at("19:30").unwrap(), "2026-11-22T10:30:00Z");
        assert_eq!(at("09:30").unwrap(), "2026-11-23T00:30:00Z");
        for bad in ["", "tomorrow", "+", "25:00"] {
            assert!(at(bad).is_err(), "{bad} was taken");
        }
    }
}
