//! The sentence that says why a session was reclaimed.

use jiff::Timestamp;

use super::evaluate::Case;
use crate::{
    model::{
        idle::{ActivityKind, IdleCheck, IdleChecker, IdleResource, Join},
        record::Ending,
        resources::Cpu,
        span::Span,
    },
    scheduler::ended::ending,
    state_machine::warnings::roughly,
};

/// The ending of a session that this checker reclaims.
pub(super) fn reclaimed(case: &Case<'_>, check: &IdleCheck, now: Timestamp) -> Ending {
    let limit = check.limit.unwrap_or_default();
    match &check.checker {
        IdleChecker::SessionLifetime => ending(
            "idle-session-lifetime",
            tr_sent!("it reached the maximum lifetime ({limit})", limit),
        ),
        IdleChecker::Utilization => ending("idle-utilization", too_little(check, limit)),
        IdleChecker::NetworkTimeout | IdleChecker::Other(_) => {
            ending("idle-timeout", unused(case, limit, now))
        }
    }
}

fn unused(case: &Case<'_>, limit: Span, now: Timestamp) -> String {
    let Some(activity) = case.activity else {
        return tr_sent!("not used for {limit}", limit);
    };
    let idle = roughly(now.duration_since(activity.at));
    let last = match activity.kind {
        ActivityKind::Started => tr_sent!("its start"),
        ActivityKind::Typed => tr_sent!("typing in a terminal"),
        ActivityKind::Exec => tr_sent!("a command"),
        ActivityKind::App => tr_sent!("a connection to a port"),
        ActivityKind::Extended => tr_sent!("an extension"),
    };
    let limit = roughly(limit.duration());
    tr_sent!(
        "not used for {idle} (limit: {limit}, last used: {last})",
        idle,
        limit,
        last
    )
}

fn too_little(check: &IdleCheck, window: Span) -> String {
    let reported = check.resources.iter().filter(|it| it.average >= 0);
    let low = reported.filter(|it| check.join != Some(Join::Or) || it.average < it.threshold);
    let figures: Vec<String> = low.map(figure).collect();
    let window = roughly(window.duration());
    tr_sent!(
        "it used too little of its resources over {window} ({figures})",
        window,
        figures = figures.join(", ")
    )
}

fn figure(resource: &IdleResource) -> String {
    let percent = |hundredths: i64| Cpu::from_millis(hundredths.unsigned_abs() * 10);
    tr_sent!(
        "{resource} {percent}%, threshold {threshold}%",
        resource = resource.resource,
        percent = percent(resource.average),
        threshold = percent(resource.threshold)
    )
}
