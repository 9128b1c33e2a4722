//! Idle checks as plain lines: who would end the session, when, by what.

use jiff::Timestamp;

use super::{LABEL, Line};
use crate::{
    app::clock,
    model::{
        idle::{IdleBasis, IdleCheck, IdleChecker, IdleResource, IdleState, Join},
        session::Session,
    },
    theme::face::Face,
};

const HOUR: i64 = 60 * 60;

/// Nothing for a session that does not run. `fine` = seconds are shown. The number of lines does not
/// depend on `now`.
pub fn lines(session: &Session, fine: bool, now: Timestamp) -> Vec<Line> {
    if !session.status.is_live() || session.idle_checks.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![Vec::new(), vec![("Idle checks".to_owned(), Face::Title)]];
    for check in &session.idle_checks {
        lines.push(head(check, fine, now));
        if let Some(join) = check.join.filter(|_| check.resources.len() > 1) {
            let text = match join {
                Join::And => "idle when all are below their threshold",
                Join::Or => "idle when any is below its threshold",
            };
            lines.push(vec![(format!("  {text}"), Face::Dim)]);
        }
        lines.extend(check.resources.iter().map(resource));
    }
    lines
}

fn name(checker: &IdleChecker) -> String {
    match checker {
        IdleChecker::NetworkTimeout => "Network".to_owned(),
        IdleChecker::SessionLifetime => "Lifetime".to_owned(),
        IdleChecker::Utilization => "Utilization".to_owned(),
        IdleChecker::Other(word) => word.to_string(),
    }
}

fn head(check: &IdleCheck, fine: bool, now: Timestamp) -> Line {
    let label = (format!("{:LABEL$}", name(&check.checker)), Face::Label);
    let (text, face) = match check.state {
        IdleState::NotCounting => ("not counting".to_owned(), Face::Dim),
        IdleState::Over => (
            "over its limit: the session is ended soon".to_owned(),
            Face::Bad,
        ),
        IdleState::Counting { until } => {
            let left = until.as_second() - now.as_second();
            let time = if fine {
                clock::fine(left)
            } else {
                clock::coarse(left)
            };
            match check.basis {
                IdleBasis::ExpireAfter => (format!("ends the session in {time}"), urgency(left)),
                IdleBasis::GracePeriod => (format!("begins to count in {time}"), Face::Value),
            }
        }
    };
    vec![label, (text, face)]
}

/// The colours of the web page: below an hour, below four, more.
fn urgency(left: i64) -> Face {
    match left {
        ..HOUR => Face::Bad,
        _ if left < 4 * HOUR => Face::Warning,
        _ => Face::Value,
    }
}

fn resource(resource: &IdleResource) -> Line {
    let (average, face) = if resource.average < 0 {
        ("no data".to_owned(), Face::Dim)
    } else {
        let face = if resource.average < resource.threshold.saturating_mul(2) {
            Face::Bad
        } else if resource.average < resource.threshold.saturating_mul(10) {
            Face::Warning
        } else {
            Face::Value
        };
        (format!("{} %", percent(resource.average)), face)
    };
    let label = format!("  {:width$}", resource.resource.as_str(), width = LABEL - 2);
    let threshold = format!("  threshold {} %", percent(resource.threshold));
    vec![
        (label, Face::Label),
        (average, face),
        (threshold, Face::Dim),
    ]
}

/// Hundredths of a percent as `3.25`, without needless zeros.
fn percent(hundredths: i64) -> String {
    let text = format!("{}.{:02}", hundredths / 100, hundredths.abs() % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn percents_have_no_needless_zeros() {
        for (hundredths, text) in [(0, "0"), (325, "3.25"), (350, "3.5"), (10_000, "100")] {
            assert_eq!(percent(hundredths), text);
        }
    }
}
