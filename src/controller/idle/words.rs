//! The sentence that says why a session was reclaimed.

use jiff::{SignedDuration, Timestamp};

use super::judge::Case;
use crate::{
    controller::ended::ending,
    model::{
        idle::{ActivityKind, IdleCheck, IdleChecker, IdleResource, Join},
        record::Ending,
        resources::Cpu,
        span::Span,
    },
};

/// A duration as text: `45 s`, `62 min`, `3 h 5 min`, `2 d 3 h`.
pub(super) fn roughly(span: SignedDuration) -> String {
    let seconds = ((span.as_millis() + 500) / 1000).max(0);
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    let two = |whole: i128, unit: &str, part: i128, small: &str| match part {
        0 => format!("{whole} {unit}"),
        part => format!("{whole} {unit} {part} {small}"),
    };
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{minutes} min"),
        7_200..172_800 => two(hours, "h", minutes % 60, "min"),
        _ => two(hours / 24, "d", hours % 24, "h"),
    }
}

/// The ending of a session that this checker reclaims.
pub(super) fn reclaimed(case: &Case<'_>, check: &IdleCheck, now: Timestamp) -> Ending {
    let limit = check.limit.unwrap_or_default();
    match &check.checker {
        IdleChecker::SessionLifetime => ending(
            "idle-session-lifetime",
            format!("it reached the maximum lifetime ({limit})"),
        ),
        IdleChecker::Utilization => ending("idle-utilization", too_little(check, limit)),
        IdleChecker::NetworkTimeout | IdleChecker::Other(_) => {
            ending("idle-timeout", unused(case, limit, now))
        }
    }
}

fn unused(case: &Case<'_>, limit: Span, now: Timestamp) -> String {
    let Some(activity) = case.activity else {
        return format!("not used for {limit}");
    };
    let idle = roughly(now.duration_since(activity.at));
    let last = match activity.kind {
        ActivityKind::Started => "its start",
        ActivityKind::Typed => "typing in a terminal",
        ActivityKind::Exec => "a command",
        ActivityKind::App => "a connection to a port",
        ActivityKind::Extended => "an extension",
    };
    let limit = roughly(limit.duration());
    format!("not used for {idle} (limit: {limit}, last used: {last})")
}

fn too_little(check: &IdleCheck, window: Span) -> String {
    let told = check.resources.iter().filter(|it| it.average >= 0);
    let low = told.filter(|it| check.join != Some(Join::Or) || it.average < it.threshold);
    let figures: Vec<String> = low.map(figure).collect();
    let window = roughly(window.duration());
    format!(
        "it used too little of its resources over {window} ({})",
        figures.join(", ")
    )
}

fn figure(resource: &IdleResource) -> String {
    let percent = |hundredths: i64| Cpu::from_millis(hundredths.unsigned_abs() * 10);
    format!(
        "{} {}%, threshold {}%",
        resource.resource,
        percent(resource.average),
        percent(resource.threshold)
    )
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
