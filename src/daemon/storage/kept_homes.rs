//! Limits the space of the home directories that ended sessions left: the oldest are deleted first.

use std::sync::Arc;

use tokio::time::Instant;

use crate::{
    daemon::{
        clock,
        connection::inbound::Inbound,
        context::runner::ContextMachine,
        main_loop::{core::Core, snapshots},
    },
    engine::api::Engine,
    model::{
        change::Change,
        id::SessionKey,
        notice::{Level, Notice},
        resources::Bytes,
    },
    scheduler::fact::Fact,
};

/// How many deleted home directories a notification names.
const NAMED: usize = 3;

#[derive(Debug)]
pub(in crate::daemon) struct KeptHomes {
    /// The most space that they may use together; 0 = any.
    most: Bytes,
    /// When they are measured next.
    due: Option<Instant>,
    /// Whether they are being measured.
    busy: bool,
}

impl KeptHomes {
    pub fn new(most: Bytes) -> Self {
        Self {
            most,
            due: None,
            busy: false,
        }
    }

    /// A change may have left another home directory, or an engine that can measure them.
    pub fn follow(&mut self, change: &Change) {
        let matters = match change {
            Change::Session { session } => session.has_ended() && session.home.is_some(),
            Change::Engine { .. } => true,
            _ => false,
        };
        if matters && self.most != Bytes(0) {
            self.due.get_or_insert_with(clock::instant);
        }
    }

    pub fn due(&self) -> Option<Instant> {
        self.due.filter(|_| !self.busy)
    }
}

/// The home directory of an ended session, measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::daemon) struct KeptHome {
    session: SessionKey,
    name: String,
    size: Bytes,
}

/// The first ones that must go so that the rest needs no more than `most`. `homes` begins with the oldest.
fn too_many(homes: &[KeptHome], most: Bytes) -> &[KeptHome] {
    let mut total: u64 = homes.iter().map(|home| home.size.0).sum();
    let mut count = 0;
    while total > most.0 && count < homes.len() {
        total -= homes[count].size.0;
        count += 1;
    }
    &homes[..count]
}

impl Core {
    /// Measures the home directories of ended sessions in a task.
    pub(in crate::daemon) fn measure_kept_homes(&mut self) {
        self.kept_homes.due = None;
        let mut waiting: Vec<(jiff::Timestamp, KeptHome, Arc<dyn Engine>)> = Vec::new();
        for runner in self.contexts.iter().filter(|it| !it.known().is_observing()) {
            let Some(engine) = runner.lazy_engine.there() else {
                continue;
            };
            let sessions = runner.known().sessions();
            let ended = sessions.filter(|it| it.has_ended() && it.home.is_some());
            waiting.extend(ended.map(|session| {
                let home = KeptHome {
                    session: session.key(),
                    name: session.name.to_string(),
                    size: Bytes(0),
                };
                let at = session.terminated_at.unwrap_or(session.created_at);
                (at, home, engine.clone())
            }));
        }
        if waiting.is_empty() {
            return;
        }
        self.kept_homes.busy = true;
        waiting.sort_by_key(|(at, home, _)| (*at, home.session));
        let inbound = self.apps.inbound.clone();
        tokio::spawn(async move {
            let mut homes = Vec::new();
            for (_, mut home, engine) in waiting {
                if let Some(size) = engine.home_size(home.session.id).await {
                    home.size = size;
                    homes.push(home);
                }
            }
            // If the loop has ended, the daemon is ending.
            let _ = inbound.send(Inbound::HomesMeasured { homes }).await;
        });
    }

    /// Deletes the oldest home directories if all of them need too much space.
    pub(in crate::daemon) async fn limit_kept_homes(&mut self, homes: Vec<KeptHome>) {
        self.kept_homes.busy = false;
        let most = self.kept_homes.most;
        let excess = too_many(&homes, most);
        for home in excess {
            let Ok(number) = snapshots::context_number(&self.contexts, home.session.context) else {
                continue;
            };
            if let ContextMachine::Scheduler(driver) = &mut self.contexts[number].machine {
                driver.push(Fact::HomeUnwanted {
                    session: home.session.id,
                });
                self.settle(number).await;
            }
        }
        if let Some(text) = deleted(excess, most) {
            self.notify(Notice::message(clock::now(), Level::Warning, text));
        }
    }
}

fn deleted(homes: &[KeptHome], most: Bytes) -> Option<String> {
    let mut named: Vec<String> = homes
        .iter()
        .take(NAMED)
        .map(|home| format!("{} ({})", home.name, home.size))
        .collect();
    match homes.len() {
        0 => return None,
        count if count > NAMED => named.push(tr_sent!("{more} more", more = count - NAMED)),
        _ => {}
    }
    Some(tr_sent!(
        "The home directories and logs of ended sessions are deleted, the oldest first: {named}. \
         Together they use more than {most} (`[history] keep-space`)",
        named = named.join(", "),
        most
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::id::SessionId;

    fn home(number: u128, mib: u64) -> KeptHome {
        KeptHome {
            session: SessionKey::local(SessionId::from_u128(number)),
            name: format!("s{number}"),
            size: Bytes::mib(mib),
        }
    }

    #[test]
    fn the_oldest_go_until_the_rest_fits() {
        let homes = [home(1, 10), home(2, 0), home(3, 20), home(4, 5)];
        let gone = |mib| too_many(&homes, Bytes::mib(mib)).len();
        assert_eq!((gone(35), gone(34), gone(25), gone(24)), (0, 1, 1, 3));
        assert_eq!(gone(0), 4);
        assert_eq!(too_many(&[], Bytes(0)), []);
    }

    #[test]
    fn the_notification_names_some_of_them() {
        let homes: Vec<KeptHome> = (1..=5).map(|number| home(number, 1)).collect();
        assert_eq!(deleted(&[], Bytes(1)), None);
        let text = deleted(&homes, Bytes::mib(2)).unwrap();
        assert!(
            text.contains("s1 (1 MiB), s2 (1 MiB), s3 (1 MiB), 2 more. Together"),
            "{text}"
        );
    }
}
