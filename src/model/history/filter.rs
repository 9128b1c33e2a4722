//! Filters the entries of a history with words of the form `property:value`, which must all match. A word
//! without a property matches messages.

use jiff::{
    Timestamp,
    civil::{Date, DateTime, Time},
    tz::TimeZone,
};

use super::{HistoryEntry, Outcome};
use crate::model::{nearest::nearest, span::Span, status::Status};

/// The properties of an entry, as they are typed.
const PROPERTIES: [&str; 9] = [
    "id", "phase", "result", "from", "to", "error", "message", "created", "updated",
];
const RESULTS: [&str; 7] = [
    "SUCCESS",
    "FAILURE",
    "NEED_RETRY",
    "GIVE_UP",
    "EXPIRED",
    "STALE",
    "SKIPPED",
];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryFilter {
    wanted: Vec<FilterTerm>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum FilterTerm {
    /// Matches the whole id.
    Id(String),
    /// Matches a part of it, regardless of case.
    Phase(String),
    Error(String),
    Message(String),
    Result(String),
    /// Matches its beginning, because an engine may have unknown statuses.
    From(String),
    To(String),
    /// Matches that time or later.
    Created(Timestamp),
    Updated(Timestamp),
}

impl HistoryFilter {
    /// Parses what was typed. Times are in `zone`, and spans count back from `now`. The error names the word
    /// that isn't valid and what is allowed.
    pub fn read(text: &str, now: Timestamp, zone: &TimeZone) -> Result<Self, String> {
        let mut wanted = Vec::new();
        for word in words(text) {
            wanted.push(read(&word, now, zone)?);
        }
        Ok(Self { wanted })
    }

    pub fn matches(&self, entry: &HistoryEntry) -> bool {
        self.wanted.iter().all(|it| it.matches(entry))
    }

    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }
}

/// Splits at spaces, except inside quotes.
pub fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => words.push(String::new()),
            c => {
                if let Some(word) = words.last_mut() {
                    word.push(c);
                }
            }
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn read(word: &str, now: Timestamp, zone: &TimeZone) -> Result<FilterTerm, String> {
    // `property=value` means the same as `property:value`. A word with another `=` matches messages.
    let equals = || {
        word.split_once('=')
            .filter(|(it, _)| PROPERTIES.contains(it))
    };
    let Some((property, value)) = word.split_once(':').or_else(equals) else {
        return Ok(FilterTerm::Message(word.to_lowercase()));
    };
    let property = property.to_lowercase();
    let text = value.to_lowercase();
    Ok(match property.as_str() {
        "id" => FilterTerm::Id(value.to_owned()),
        "phase" => FilterTerm::Phase(text),
        "error" | "code" => FilterTerm::Error(text),
        "message" => FilterTerm::Message(text),
        "result" => FilterTerm::Result(one_of(&text, &RESULTS)?),
        "from" => FilterTerm::From(text),
        "to" => FilterTerm::To(text),
        "created" => FilterTerm::Created(moment(value, now, zone)?),
        "updated" => FilterTerm::Updated(moment(value, now, zone)?),
        _ => return Err(unknown(&property)),
    })
}

fn unknown(property: &str) -> String {
    let all = PROPERTIES.join(", ");
    match nearest(property, &PROPERTIES) {
        Some(near) => tr!(
            "unknown property '{property}:'. Did you mean '{near}:'?",
            property,
            near
        ),
        None => tr!(
            "unknown property '{property}:'. Use one of {all}",
            property,
            all
        ),
    }
}

/// Finds a word of a closed list. A beginning is enough where it is unambiguous.
fn one_of(text: &str, known: &[&str]) -> Result<String, String> {
    let wanted = text.to_uppercase().replace('-', "_");
    if known.contains(&wanted.as_str()) {
        return Ok(wanted);
    }
    let begins: Vec<&&str> = known.iter().filter(|it| it.starts_with(&wanted)).collect();
    match begins.as_slice() {
        [one] if !wanted.is_empty() => Ok((**one).to_owned()),
        _ => Err(tr!(
            "unknown value '{text}'. Use one of {known}",
            text,
            known = known.join(", ")
        )),
    }
}

/// Parses `30m` (that long ago), `10:30` (today), `2026-11-22`, `2026-11-22T10:30`.
pub fn moment(text: &str, now: Timestamp, zone: &TimeZone) -> Result<Timestamp, String> {
    if let Ok(span) = text.parse::<Span>() {
        return Ok(now
            .saturating_sub(span.duration())
            .unwrap_or(Timestamp::MIN));
    }
    let today = now.to_zoned(zone.clone()).date();
    let civil = if let Ok(time) = text.parse::<Time>() {
        Some(today.to_datetime(time))
    } else if let Ok(date) = text.parse::<Date>()
        && !text.contains(['T', 't', ' '])
    {
        Some(date.to_datetime(Time::midnight()))
    } else {
        text.parse::<DateTime>().ok()
    };
    let zoned = civil.and_then(|civil| civil.to_zoned(zone.clone()).ok());
    zoned.map(|zoned| zoned.timestamp()).ok_or_else(|| {
        tr!(
            "invalid time '{text}'. Use 30m (ago), 10:30 or 2026-11-22T10:30",
            text
        )
    })
}

fn begins(status: &Status, word: &str) -> bool {
    status.word().to_lowercase().starts_with(word)
}

impl FilterTerm {
    fn matches(&self, entry: &HistoryEntry) -> bool {
        let matches = |text: Option<&str>, part: &str| {
            text.is_some_and(|text| text.to_lowercase().contains(part))
        };
        match self {
            Self::Id(id) => entry.id.as_ref().is_some_and(|it| it.as_str() == id),
            Self::Phase(part) => matches(Some(entry.phase.as_str()), part),
            Self::Error(part) => {
                let codes = entry.steps.iter().map(|step| step.error_code.as_ref());
                let mut codes = codes.chain([entry.error_code.as_ref()]).flatten();
                codes.any(|code| matches(Some(code.as_str()), part))
            }
            Self::Message(part) => {
                let texts = entry.steps.iter().map(|step| step.message.as_ref());
                let mut texts = texts.chain([entry.message.as_ref()]).flatten();
                texts.any(|text| matches(Some(text.as_str()), part))
            }
            Self::Result(word) => entry.result.word() == word,
            Self::From(word) => entry.from.as_ref().is_some_and(|it| begins(it, word)),
            Self::To(word) => begins(&entry.to, word),
            Self::Created(since) => entry.at >= *since,
            Self::Updated(since) => entry.updated_at() >= *since,
        }
    }
}

impl Outcome {
    /// Whether it needs attention: it failed, or will be retried.
    pub fn is_trouble(&self) -> bool {
        matches!(
            self,
            Self::Failure | Self::GiveUp | Self::Expired | Self::NeedRetry
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{history::SubStep, id::SessionId, text::Clean};

    fn noon() -> Timestamp {
        "2026-03-02T12:00:00Z".parse().unwrap()
    }

    fn filter(text: &str) -> HistoryFilter {
        HistoryFilter::read(text, noon(), &TimeZone::UTC).unwrap()
    }

    fn problem(text: &str) -> String {
        HistoryFilter::read(text, noon(), &TimeZone::UTC).unwrap_err()
    }

    fn entry() -> HistoryEntry {
        HistoryEntry {
            id: Some("17".into()),
            result: Outcome::NeedRetry,
            message: Some("No room: 4 CPU".into()),
            error_code: Some("agent_schedule_unavailable".into()),
            until: Some("2026-03-02T11:50:00Z".parse().unwrap()),
            steps: vec![SubStep {
                step: "selector".into(),
                result: Outcome::Failure,
                error_code: Some("no-agent".into()),
                message: Some(Clean::new("group gpu is full")),
                started_at: None,
                ended_at: None,
            }],
            ..HistoryEntry::new(
                SessionId::from_u128(1),
                "2026-03-02T11:00:00Z".parse().unwrap(),
                "schedule-sessions",
                Some(Status::Pending),
                Status::Pending,
            )
        }
    }

    #[test]
    fn every_property_can_hold_and_not() {
        for (matches, fails) in [
            ("id:17", "id:1"),
            ("phase:SCHED", "phase:start"),
            ("phase=SCHED", "phase=start"),
            ("result:need-retry", "result:success"),
            ("result:n", "result:f"),
            ("from:pending", "from:running"),
            ("to:PENDING", "to:TERMINATED"),
            ("error:unavailable", "error:quota"),
            ("error:no-agent", "code:other"),
            ("message:\"no room\"", "message:\"room no\""),
            ("gpu", "cuda"),
            ("created:11:00", "created:11:01"),
            ("created:2026-03-02", "created:2026-03-03"),
            ("updated:10m", "updated:9m"),
            ("updated:2026-03-02T11:50", "updated:2026-03-02T11:51"),
            ("", "phase:sched result:success"),
        ] {
            assert!(filter(matches).matches(&entry()), "{matches}");
            assert!(!filter(fails).matches(&entry()), "{fails}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        assert_eq!(
            problem("phas:x"),
            "unknown property 'phas:'. Did you mean 'phase:'?"
        );
        assert!(problem("colour:x").contains("Use one of id, phase"));
        assert!(problem("result:maybe").contains("NEED_RETRY"));
        assert!(problem("created:soon").contains("10:30"));
    }

    #[test]
    fn nothing_typed_is_everything() {
        assert!(filter("  ").is_empty());
        assert!(filter("").matches(&entry()));
    }

    #[test]
    fn fuzz_history_filter() {
        crate::fuzz::parser("history-filter", &[], |bytes, _| {
            let text = String::from_utf8_lossy(bytes);
            for now in [Timestamp::UNIX_EPOCH, Timestamp::MIN, Timestamp::MAX] {
                let read = HistoryFilter::read(&text, now, &TimeZone::UTC);
                crate::fuzz::bounded(bytes, &read);
            }
        });
    }
}
