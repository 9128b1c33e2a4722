//! The pure part of a context: a controller or an observer.

use std::time::Duration;

use jiff::Timestamp;

use super::upgrade::Kept;
use crate::{
    controller::{
        Controller,
        fact::{Ask, Fact, Ticket},
        observe::{self, Observer},
        order::Order,
        turn::{Answer, Turn},
    },
    model::{
        capability::EngineState,
        change::Change,
        environment::Environment,
        failure::Failure,
        id::{SessionId, SessionKey},
        record::{SessionRecord, Write},
        secret::Secret,
        session::Session,
        spec::FolderMount,
        statistics::Statistics,
        text::Clean,
    },
};

/// An event that a controller or an observer handles.
pub(super) enum News {
    /// A deadline passed.
    Tick,
    Local(Fact),
    Observed(observe::fact::Fact),
}

impl From<Fact> for News {
    fn from(fact: Fact) -> Self {
        Self::Local(fact)
    }
}

impl From<observe::fact::Fact> for News {
    fn from(fact: observe::fact::Fact) -> Self {
        Self::Observed(fact)
    }
}

impl News {
    /// The session that a user asks to terminate.
    pub fn asks_to_end(&self) -> Option<SessionId> {
        match self {
            Self::Local(Fact::Asked {
                ask: Ask::Terminate { session, .. },
                ..
            })
            | Self::Observed(observe::fact::Fact::Asked {
                ask: observe::fact::Ask::Terminate { session, .. },
                ..
            }) => Some(*session),
            _ => None,
        }
    }

    /// The ticket of the request that caused the event.
    pub fn asked(&self) -> Option<Ticket> {
        match self {
            Self::Local(Fact::Asked { ticket, .. } | Fact::LaunchSurveyed { ticket, .. })
            | Self::Observed(observe::fact::Fact::Asked { ticket, .. }) => Some(*ticket),
            _ => None,
        }
    }
}

/// A command for an engine.
pub(super) enum Command {
    Local(Order),
    Observed(observe::order::Order),
}

impl Command {
    /// Whether the command must be recorded before it is carried out. Commands that only end or read
    /// something run at once: users must be able to terminate sessions on a full disk, and the next list
    /// of the engine shows what has ended.
    pub fn waits_for_record(&self) -> bool {
        matches!(
            self,
            Self::Local(
                Order::Create { .. }
                    | Order::Start { .. }
                    | Order::Pull { .. }
                    | Order::Rename { .. }
                    | Order::CreateFolder { .. }
            )
        )
    }
}

/// What follows from one event, for a controller or an observer.
#[derive(Default)]
pub(super) struct Step {
    pub writes: Vec<Write>,
    pub changes: Vec<Change>,
    pub answers: Vec<(Ticket, Result<Answer, Failure>)>,
    pub commands: Vec<Command>,
    pub follow: Vec<News>,
    /// The whole step follows from one request, so it can be taken back.
    pub refusable: bool,
    /// The commands depend on the state database, so they wait for all pending writes.
    pub recorded: bool,
    turn: Option<Turn>,
}

impl Step {
    /// Whether the step is a request that writes nothing. Such a request fails at once on a full disk
    /// instead of waiting.
    pub fn only_asks(&self, asked: Option<Ticket>) -> bool {
        asked.is_some() && self.writes.is_empty()
    }
}

pub(super) enum Heart {
    Local(Box<Controller>),
    Observed(Box<Observer>),
}

impl Heart {
    pub fn handle(&mut self, now: Timestamp, news: News) -> Step {
        match (self, news) {
            (Self::Local(heart), News::Local(fact)) => local(heart.handle(now, fact)),
            (Self::Local(heart), News::Tick) => local(heart.handle(now, Fact::Tick)),
            (Self::Observed(heart), News::Observed(fact)) => observed(heart.handle(now, fact)),
            (Self::Observed(heart), News::Tick) => {
                observed(heart.handle(now, observe::fact::Fact::Tick))
            }
            // An executor never sends events of an observer, and a runner none of a controller.
            (Self::Local(_), News::Observed(_)) | (Self::Observed(_), News::Local(_)) => {
                Step::default()
            }
        }
    }

    /// Takes back a refusable step that could not be written; `asked` is the ticket of its request.
    pub fn take_back(&mut self, step: &mut Step, asked: Option<Ticket>) {
        match (self, asked) {
            (Self::Local(heart), _) => {
                if let Some(turn) = &mut step.turn {
                    heart.take_back(turn);
                }
            }
            (Self::Observed(heart), Some(ticket)) => heart.take_back(ticket),
            (Self::Observed(_), None) => {}
        }
    }

    pub fn next_deadline(&self) -> Option<Timestamp> {
        match self {
            Self::Local(heart) => heart.next_deadline(),
            Self::Observed(heart) => heart.next_deadline(),
        }
    }

    pub fn session(&self, id: SessionId) -> Option<&Session> {
        match self {
            Self::Local(heart) => heart.session(id),
            Self::Observed(heart) => heart.session(id),
        }
    }

    pub fn sessions(&self) -> Box<dyn Iterator<Item = &Session> + '_> {
        match self {
            Self::Local(heart) => Box::new(heart.sessions()),
            Self::Observed(heart) => Box::new(heart.sessions()),
        }
    }

    pub fn environments(&self) -> &[Environment] {
        match self {
            Self::Local(heart) => heart.environments(),
            Self::Observed(heart) => heart.environments(),
        }
    }

    pub fn engine(&self) -> &EngineState {
        match self {
            Self::Local(heart) => heart.engine(),
            Self::Observed(heart) => heart.engine(),
        }
    }

    /// The user's email address on the engine, where the engine may list sessions of other users.
    pub fn me(&self) -> Option<&Clean> {
        match (self, self.engine()) {
            (Self::Observed(_), EngineState::Connected { info }) => {
                info.user.as_ref().map(|user| &user.email)
            }
            _ => None,
        }
    }

    /// The number of sessions in each tab, where the engine may have more sessions than are loaded.
    pub fn totals(&self) -> Option<[u64; 3]> {
        match self {
            Self::Local(_) => None,
            Self::Observed(heart) => heart.totals(),
        }
    }

    /// What the user's sessions use of their limits, as far as it is known.
    pub fn statistics(&self) -> Option<&Statistics> {
        match self {
            Self::Local(heart) => heart.statistics(),
            Self::Observed(heart) => heart.statistics(),
        }
    }

    /// Sessions whose usage the idle checks need, and how often.
    pub fn sampled(&self) -> Vec<(SessionId, Duration)> {
        match self {
            Self::Local(heart) => heart.sampled(),
            Self::Observed(_) => Vec::new(),
        }
    }

    /// Secrets of queued sessions: they are only in memory.
    pub fn secrets(&self) -> Vec<Kept> {
        let Self::Local(heart) = self else {
            return Vec::new();
        };
        let context = heart.context();
        let kept = heart.secrets().map(|(id, values)| Kept {
            session: SessionKey::new(context, id),
            values: values
                .iter()
                .map(|(name, value)| (name.clone(), value.expose().to_owned()))
                .collect(),
        });
        kept.collect()
    }

    /// Loads ended sessions from the state database; returns the sessions that were not in memory.
    pub fn recall(&mut self, records: Vec<SessionRecord>) -> Vec<Session> {
        match self {
            Self::Local(heart) => heart.recall(records),
            Self::Observed(_) => Vec::new(),
        }
    }

    /// Drops recalled sessions from memory; returns how many were dropped.
    pub fn let_go(&mut self, sessions: &[SessionId]) -> usize {
        match self {
            Self::Local(heart) => heart.let_go(sessions),
            Self::Observed(_) => 0,
        }
    }

    /// Sets the boot id of this machine.
    pub fn know_boot(&mut self, boot: Option<&Clean>) {
        if let Self::Local(heart) = self {
            heart.know_boot(boot.cloned());
        }
    }

    /// Sets where folders are mounted in sessions that this instance launched.
    pub fn know_mounts(&mut self, mounts: Vec<(SessionId, Vec<FolderMount>)>) {
        if let Self::Observed(heart) = self {
            heart.know_mounts(mounts);
        }
    }

    /// Restores secrets that the process kept across an upgrade.
    pub fn give_secrets(&mut self, kept: Kept) {
        if let Self::Local(heart) = self {
            let values = kept.values.into_iter();
            let values = values.map(|(name, value)| (name, Secret::new(value)));
            heart.give_secrets(kept.session.id, values.collect());
        }
    }

    /// Whether the engine schedules sessions and workbay only observes them.
    pub fn is_observing(&self) -> bool {
        matches!(self, Self::Observed(_))
    }

    /// Whether terminals of a session must wait.
    pub fn is_settling(&self, id: SessionId) -> bool {
        match self {
            Self::Local(heart) => heart.is_settling(id),
            Self::Observed(heart) => matches!(heart.engine(), EngineState::Connecting),
        }
    }

    /// Whether workbay deleted the log of a session.
    pub fn is_forgotten(&self, id: SessionId) -> bool {
        match self {
            Self::Local(heart) => heart.is_forgotten(id),
            Self::Observed(_) => false,
        }
    }
}

fn local(mut turn: Turn) -> Step {
    Step {
        writes: std::mem::take(&mut turn.writes),
        changes: std::mem::take(&mut turn.changes),
        answers: std::mem::take(&mut turn.answers),
        commands: turn.orders.drain(..).map(Command::Local).collect(),
        follow: turn.follow.drain(..).map(News::Local).collect(),
        refusable: turn.refusable,
        recorded: true,
        turn: Some(turn),
    }
}

fn observed(turn: observe::turn::Turn) -> Step {
    Step {
        refusable: !turn.audits.is_empty(),
        writes: turn.audits.into_iter().map(Write::Audit).collect(),
        changes: turn.changes,
        answers: turn.answers,
        commands: turn.orders.into_iter().map(Command::Observed).collect(),
        follow: turn.follow.into_iter().map(News::Observed).collect(),
        ..Step::default()
    }
}
