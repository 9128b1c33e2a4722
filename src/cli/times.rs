//! Formats times for users.

use std::sync::LazyLock;

use jiff::{Timestamp, tz::TimeZone};

use crate::config::user;

/// `42s`, `12m`, `3h 07m`, `2d 04h`.
pub fn elapsed(seconds: i64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86400);
    match seconds {
        ..60 => format!("{seconds}s"),
        60..3600 => format!("{minutes}m"),
        3600..86400 => format!("{hours}h {:02}m", minutes % 60),
        _ => format!("{days}d {:02}h", hours % 24),
    }
}

/// Cached, because a long list has many times.
static ZONE: LazyLock<TimeZone> = LazyLock::new(user::time_zone);

/// A time in the user's time zone.
pub fn moment(at: Timestamp) -> String {
    at.to_zoned(ZONE.clone())
        .strftime("%Y-%m-%d %H:%M:%S")
        .to_string()
}

/// Only the time of day.
pub fn clock(at: Timestamp) -> String {
    at.to_zoned(ZONE.clone()).strftime("%H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elapsed_grows_coarser_with_time() {
        let shown: Vec<String> = [0, 59, 60, 3599, 3600, 86399, 86400, 190_000]
            .into_iter()
            .map(elapsed)
            .collect();
        assert_eq!(
            shown,
            [
                "0s", "59s", "1m", "59m", "1h 00m", "23h 59m", "1d 00h", "2d 04h"
            ]
        );
    }
}
