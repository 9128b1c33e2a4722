//! Watches the measured size of home directories with a limit (`--disk`), and warns before and when it is reached.

use std::collections::BTreeMap;

use crate::{
    daemon::{clock, context::runner::Number, main_loop::core::Core},
    model::{
        capability::{Capability, EngineState},
        id::{SessionId, SessionKey},
        notice::{Level, Notice},
        resources::Bytes,
        session::Session,
        usage::Usage,
    },
};

/// The percentage of the limit at which there is a warning.
const WARN: u64 = 90;
/// A warning is repeated only after less than this percentage was used.
const RECOVERED: u64 = 80;

/// What was reported about a session last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Almost,
    Reached,
}

/// The sessions whose limit is almost or completely used.
#[derive(Debug, Default)]
pub(in crate::daemon) struct DiskLimits {
    reported: BTreeMap<SessionKey, Stage>,
}

impl DiskLimits {
    /// What to report about a session that uses `held` of its limit.
    fn is_due(&mut self, session: SessionKey, held: Bytes, most: Bytes) -> Option<Stage> {
        let percent = percent(held, most);
        if percent < RECOVERED {
            self.reported.remove(&session);
        }
        let stage = match percent {
            100.. => Stage::Reached,
            WARN.. => Stage::Almost,
            _ => return None,
        };
        if self.reported.get(&session).is_some_and(|it| *it >= stage) {
            return None;
        }
        self.reported.insert(session, stage);
        Some(stage)
    }
}

fn percent(held: Bytes, most: Bytes) -> u64 {
    held.0.saturating_mul(100).checked_div(most.0).unwrap_or(0)
}

/// The limit of all home directories of a session together.
fn limit(session: &Session) -> Option<Bytes> {
    let homes = session.kernels.len().max(1) as u64;
    Some(Bytes(session.disk_limit?.0.saturating_mul(homes)))
}

fn report(session: &Session, stage: Stage, held: Bytes, most: Bytes, enforced: bool) -> Notice {
    let name = &session.name;
    let (level, text) = match (stage, enforced) {
        (Stage::Almost, _) => {
            let percent = percent(held, most);
            let text = tr_sent!(
                "{name} uses {percent}% of its disk limit: {held} of {most}",
                name,
                percent,
                held,
                most
            );
            (Level::Warning, text)
        }
        (Stage::Reached, true) => {
            let text = tr_sent!(
                "{name} reached its disk limit: {held} of {most}. Writes fail",
                name,
                held,
                most
            );
            (Level::Error, text)
        }
        (Stage::Reached, false) => {
            let text = tr_sent!(
                "{name} exceeds its disk limit: {held} of {most}. The limit isn't enforced on this \
                 machine",
                name,
                held,
                most
            );
            (Level::Error, text)
        }
    };
    Notice {
        session: Some(session.key()),
        ..Notice::message(
            clock::now(),
            level,
            tr_sent!("{text}. Delete files in {name}", text, name).as_str(),
        )
    }
}

impl Core {
    /// Reports sessions that use almost all of their disk limit, or more.
    pub(in crate::daemon) fn check_disk_limits(
        &mut self,
        number: Number,
        usages: &[(SessionId, Usage)],
    ) {
        let Some(runner) = self.contexts.get(number) else {
            return;
        };
        let known = runner.known();
        let enforced = match known.engine() {
            EngineState::Connected { info } => info.capabilities.has(Capability::DiskEnforcement),
            _ => false,
        };
        let mut notices = Vec::new();
        for (id, usage) in usages {
            if let Some(session) = known.session(*id)
                && let (Some(held), Some(most)) = (usage.home, limit(session))
                && let Some(stage) = self.disk_limits.is_due(session.key(), held, most)
            {
                notices.push(report(session, stage, held, most, enforced));
            }
        }
        for notice in notices {
            self.notify(notice);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing;

    #[test]
    fn each_stage_is_reported_once_until_files_are_deleted() {
        let key = testing::session(1, "train").key();
        let mut limits = DiskLimits::default();
        let mut is_due = |mib| limits.is_due(key, Bytes::mib(mib), Bytes::mib(100));
        assert_eq!(is_due(89), None);
        assert_eq!(is_due(90), Some(Stage::Almost));
        assert_eq!(is_due(95), None);
        assert_eq!(is_due(100), Some(Stage::Reached));
        assert_eq!((is_due(120), is_due(92), is_due(101)), (None, None, None));
        assert_eq!(is_due(79), None);
        assert_eq!(is_due(150), Some(Stage::Reached), "both at once");
        assert_eq!(is_due(95), None);
    }

    #[test]
    fn a_report_says_whether_writes_fail() {
        let mut session = testing::session(1, "train");
        session.disk_limit = Some(Bytes::mib(100));
        let most = limit(&session).unwrap();
        let said = |enforced| report(&session, Stage::Reached, most, most, enforced).text;
        assert!(said(true).as_str().contains("Writes fail"));
        assert!(said(false).as_str().contains("isn't enforced"));
        let almost = report(&session, Stage::Almost, Bytes::mib(91), most, false);
        assert!(
            almost.text.as_str().contains("91% of its disk limit"),
            "{almost:?}"
        );
        assert_eq!(almost.session, Some(session.key()));
    }
}
