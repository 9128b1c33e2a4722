//! A length of time as users type it: a whole number and a unit.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A length of time in seconds, parsed from and printed as `90s`, `30m`, `2h`, `1d`, `1w`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Span(pub u64);

const UNITS: [(&str, u64); 5] = [
    ("w", 604_800),
    ("d", 86_400),
    ("h", 3_600),
    ("m", 60),
    ("s", 1),
];

impl Span {
    pub const fn seconds(self) -> u64 {
        self.0
    }

    /// In full words: `1 hour 30 minutes`.
    pub fn in_words(self) -> String {
        let mut rest = self.0;
        let mut parts = Vec::new();
        for seconds in [604_800, 86_400, 3_600, 60, 1] {
            let n = rest / seconds;
            rest %= seconds;
            if n == 0 {
                continue;
            }
            parts.push(match seconds {
                604_800 => tr_plural!(n, "{n} week", "{n} weeks", n),
                86_400 => tr_plural!(n, "{n} day", "{n} days", n),
                3_600 => tr_plural!(n, "{n} hour", "{n} hours", n),
                60 => tr_plural!(n, "{n} minute", "{n} minutes", n),
                _ => tr_plural!(n, "{n} second", "{n} seconds", n),
            });
        }
        if parts.is_empty() {
            return tr!("0 seconds").to_owned();
        }
        parts.join(" ")
    }

    pub fn duration(self) -> jiff::SignedDuration {
        jiff::SignedDuration::from_secs(i64::try_from(self.0).unwrap_or(i64::MAX))
    }
}

impl fmt::Display for Span {
    /// Prints it in the largest unit that is exact.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact =
            |(_, seconds): &&(&str, u64)| self.0 >= *seconds && self.0.is_multiple_of(*seconds);
        let (unit, seconds) = UNITS.iter().find(exact).unwrap_or(&("s", 1));
        f.pad(&format!("{}{unit}", self.0 / seconds))
    }
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || {
            tr!(
                "invalid duration '{typed}'. Use a whole number and s, m, h, d or w, for example 90m",
                typed = super::text::Clean::new(text)
            )
        };
        let text = text.trim();
        let split = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        let number: u64 = text[..split].parse().map_err(|_| bad())?;
        let unit = match text[split..].trim() {
            "" => "s",
            unit => unit,
        };
        let (_, seconds) = UNITS.iter().find(|(u, _)| *u == unit).ok_or_else(bad)?;
        let all = number.checked_mul(*seconds).ok_or_else(bad)?;
        // The limit is a hundred years.
        if all > 100 * 365 * 86_400 {
            return Err(bad());
        }
        Ok(Self(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_aloud() {
        for (text, words) in [
            ("30", "30 seconds"),
            ("90m", "1 hour 30 minutes"),
            ("36h", "1 day 12 hours"),
            ("1w", "1 week"),
            ("0", "0 seconds"),
        ] {
            assert_eq!(text.parse::<Span>().unwrap().in_words(), words);
        }
    }

    #[test]
    fn spans_read_and_print() {
        for (text, seconds, shown) in [
            ("90s", 90, "90s"),
            ("90m", 5_400, "90m"),
            ("2h", 7_200, "2h"),
            ("36h", 129_600, "36h"),
            ("1d", 86_400, "1d"),
            ("7d", 604_800, "1w"),
            ("15", 15, "15s"),
            ("0s", 0, "0s"),
        ] {
            let span: Span = text.parse().unwrap();
            assert_eq!(
                (span.0, span.to_string().as_str()),
                (seconds, shown),
                "{text}"
            );
        }
        for bad in ["", "h", "1.5h", "-1h", "2y", "99999999999w", "1 h m"] {
            assert!(bad.parse::<Span>().is_err(), "{bad} was taken");
        }
    }
}
