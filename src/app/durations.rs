//! Formats durations, and computes when their text changes next, so that only visible text wakes the TUI.

use jiff::{SignedDuration, Timestamp};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// For the list: `45s`, `12m`, `3h 05m`, `2d 04h`, `123d`, in seven cells or fewer.
#[must_use]
pub fn coarse(seconds: i64) -> String {
    match seconds {
        ..MINUTE => format!("{}s", seconds.max(0)),
        MINUTE..HOUR => format!("{}m", seconds / MINUTE),
        HOUR..DAY => format!("{}h {:02}m", seconds / HOUR, seconds % HOUR / MINUTE),
        _ if seconds < 100 * DAY => {
            format!("{}d {:02}h", seconds / DAY, seconds % DAY / HOUR)
        }
        _ => format!("{}d", seconds / DAY),
    }
}

/// For the focused detail: seconds are always shown, `2d 04h 09m 05s`.
#[must_use]
pub fn fine(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let tail = format!("{:02}s", seconds % MINUTE);
    match seconds {
        ..MINUTE => format!("{seconds}s"),
        MINUTE..HOUR => format!("{}m {tail}", seconds / MINUTE),
        HOUR..DAY => format!("{}h {:02}m {tail}", seconds / HOUR, seconds % HOUR / MINUTE),
        _ => format!(
            "{}d {:02}h {:02}m {tail}",
            seconds / DAY,
            seconds % DAY / HOUR,
            seconds % HOUR / MINUTE
        ),
    }
}

/// For a countdown: `6d 23:12:05`, `00:42:10`.
#[must_use]
pub fn digits(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let (hours, minutes) = (seconds % DAY / HOUR, seconds % HOUR / MINUTE);
    let time = format!("{hours:02}:{minutes:02}:{:02}", seconds % MINUTE);
    match seconds / DAY {
        0 => time,
        days => format!("{days}d {time}"),
    }
}

/// How long ago something happened. The text doesn't change below a minute.
#[must_use]
pub fn ago(seconds: i64) -> String {
    if seconds < MINUTE {
        tr!("a moment ago").to_owned()
    } else {
        tr!("{seconds} ago", seconds = coarse(seconds))
    }
}

/// In how many seconds the text of [`ago`] changes.
#[must_use]
pub fn ago_changes_in(seconds: i64) -> i64 {
    match seconds {
        ..MINUTE => MINUTE - seconds.max(0),
        _ => coarse_changes_in(seconds),
    }
}

/// In how many seconds the text of [`coarse`] changes.
#[must_use]
pub fn coarse_changes_in(seconds: i64) -> i64 {
    let step = match seconds {
        ..MINUTE => 1,
        MINUTE..DAY => MINUTE,
        _ if seconds < 100 * DAY => HOUR,
        _ => DAY,
    };
    step - seconds.max(0) % step
}

/// In how many seconds the text of [`coarse`] changes for a time that decreases.
#[must_use]
pub fn coarse_left_changes_in(seconds: i64) -> i64 {
    let below = seconds.max(1) - 1;
    let step = match below {
        ..MINUTE => 1,
        MINUTE..DAY => MINUTE,
        _ if below < 100 * DAY => HOUR,
        _ => DAY,
    };
    seconds.max(0) % step + 1
}

/// The whole second `seconds` after `now`.
#[must_use]
pub fn after(now: Timestamp, seconds: i64) -> Timestamp {
    Timestamp::from_second(now.as_second())
        .unwrap_or(now)
        .saturating_add(SignedDuration::from_secs(seconds.max(1)))
        .unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_read_well() {
        for (seconds, text) in [
            (-5, "0s"),
            (0, "0s"),
            (59, "59s"),
            (60, "1m"),
            (3_599, "59m"),
            (3_600, "1h 00m"),
            (86_399, "23h 59m"),
            (86_400, "1d 00h"),
            (100 * 86_400, "100d"),
        ] {
            assert_eq!(coarse(seconds), text);
        }
        assert_eq!(digits(-1), "00:00:00");
        assert_eq!(digits(2_530), "00:42:10");
        assert_eq!(digits(6 * DAY + DAY - 1), "6d 23:59:59");
        assert_eq!(fine(9), "9s");
        assert_eq!(fine(3_605), "1h 00m 05s");
        assert_eq!(fine(90_061), "1d 01h 01m 01s");
    }

    #[test]
    fn a_text_changes_exactly_when_it_says() {
        for seconds in [
            0, 58, 59, 60, 61, 3_599, 3_600, 86_399, 86_400, 100_000, 9_000_000,
        ] {
            let later = seconds + coarse_changes_in(seconds);
            assert_ne!(coarse(seconds), coarse(later), "{seconds}");
            assert_eq!(coarse(seconds), coarse(later - 1), "{seconds}");
        }
        for seconds in [0, 30, 59, 60, 3_599, 86_400] {
            let later = seconds + ago_changes_in(seconds);
            assert_ne!(ago(seconds), ago(later), "{seconds}");
            assert_eq!(ago(seconds), ago(later - 1), "{seconds}");
        }
        for seconds in [2, 59, 60, 61, 3_599, 3_600, 3_661, 86_400, 86_401, 100_000] {
            let later = seconds - coarse_left_changes_in(seconds);
            assert_ne!(coarse(seconds), coarse(later), "{seconds}");
            assert_eq!(coarse(seconds), coarse(later + 1), "{seconds}");
        }
    }
}
