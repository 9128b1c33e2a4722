//! Describes the results of a session's idle checks.

use jiff::Timestamp;

use crate::{
    cli::{output, times::elapsed},
    model::{
        idle::{IdleBasis, IdleCheck, IdleChecker, IdleResource, IdleState, Join},
        resources::Cpu,
        session::Session,
    },
};
use output::Cell;

pub fn table(session: &Session, now: Timestamp) -> String {
    if session.idle_checks.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<Cell>> = session
        .idle_checks
        .iter()
        .map(|check| vec![checker(&check.checker).into(), state_of(check, now).into()])
        .collect();
    let head = [tr_later!("IDLE CHECK"), tr_later!("STATE")];
    format!("\n{}", output::table(&head, &rows, false))
}

fn checker(checker: &IdleChecker) -> String {
    match checker {
        IdleChecker::NetworkTimeout => tr!("network timeout").to_owned(),
        IdleChecker::SessionLifetime => tr!("lifetime").to_owned(),
        IdleChecker::Utilization => tr!("utilization").to_owned(),
        IdleChecker::Other(word) => word.to_string(),
    }
}

fn state_of(check: &IdleCheck, now: Timestamp) -> String {
    let mut line = match check.state {
        IdleState::NotCounting => tr!("not counting").to_owned(),
        IdleState::Over => tr!("over its limit: the session will be reclaimed now").to_owned(),
        IdleState::Counting { until } => {
            let left = elapsed((until.as_second() - now.as_second()).max(0));
            match check.basis {
                IdleBasis::ExpireAfter => tr!("will reclaim the session in {left}", left),
                IdleBasis::GracePeriod => tr!("starts to count in {left}", left),
            }
        }
    };
    let join = match check.join {
        Some(Join::And) => tr_in!("idle", " and "),
        Some(Join::Or) | None => tr_in!("idle", " or "),
    };
    let resources: Vec<String> = check.resources.iter().map(resource).collect();
    if !resources.is_empty() {
        let resources = resources.join(join);
        line = tr!("{line}; idle below {resources}", line, resources);
    }
    line
}

/// `cpu_util 5% (now 0.42%)`.
fn resource(resource: &IdleResource) -> String {
    let percent = |hundredths: i64| Cpu::from_millis(hundredths.unsigned_abs() * 10).to_string();
    let (name, least) = (&resource.resource, percent(resource.threshold));
    if resource.average < 0 {
        return tr!("{name} {least}% (no data)", name, least);
    }
    tr!(
        "{name} {least}% (now {now}%)",
        name,
        least,
        now = percent(resource.average)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(state: IdleState, basis: IdleBasis) -> IdleCheck {
        IdleCheck {
            basis,
            ..IdleCheck::new(IdleChecker::Utilization, state)
        }
    }

    #[test]
    fn an_idle_check_is_one_plain_sentence() {
        let now = Timestamp::from_second(1_000).unwrap();
        let until = Timestamp::from_second(1_000 + 3_900).unwrap();
        let counting = IdleState::Counting { until };
        let said = |state, basis| state_of(&check(state, basis), now);
        assert_eq!(
            said(counting, IdleBasis::ExpireAfter),
            "will reclaim the session in 1h 05m"
        );
        assert_eq!(
            said(counting, IdleBasis::GracePeriod),
            "starts to count in 1h 05m"
        );
        assert_eq!(
            said(IdleState::NotCounting, IdleBasis::ExpireAfter),
            "not counting"
        );
        let mut both = check(IdleState::Over, IdleBasis::ExpireAfter);
        both.join = Some(Join::And);
        both.resources = [
            ("cpu_util", 42, 500),
            ("mem", 1_250, 2_000),
            ("cuda_util", -1, 500),
        ]
        .map(|(name, average, threshold)| IdleResource {
            resource: name.into(),
            average,
            threshold,
        })
        .into();
        assert_eq!(
            state_of(&both, now),
            "over its limit: the session will be reclaimed now; \
             idle below cpu_util 5% (now 0.42%) and mem 20% (now 12.5%) \
             and cuda_util 5% (no data)"
        );
    }
}
