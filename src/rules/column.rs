//! The columns of lists of sessions: their text, sort value and filter values.

use std::cmp::Ordering;

use jiff::Timestamp;

use crate::{
    model::{
        natural,
        session::{Session, SessionType, has_several_owners},
        text::Clean,
    },
    rules::{
        ending::{Ending, ending},
        launch::amounts::thousandths,
        reclaim::{Reclaim, reclaim},
    },
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    Name,
    Id,
    Context,
    Type,
    Status,
    Reason,
    Result,
    ExitCode,
    Environment,
    Cpu,
    Mem,
    Accelerators,
    RunTime,
    Created,
    Started,
    Ended,
    ReclaimIn,
    Group,
    Priority,
    Project,
    Agent,
    Owner,
    Command,
}

/// The unit in which the values of a column are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Text,
    /// Thousandths of a CPU.
    Cpu,
    Bytes,
    Seconds,
    Number,
    Time,
}

/// A value to sort sessions by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Text(String),
    Number(i64),
    Time(Timestamp),
    Result((u8, &'static str, i64)),
}

impl Value {
    /// Two values of the same column.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => natural::compare(a, b),
            (Self::Number(a), Self::Number(b)) => a.cmp(b),
            (Self::Time(a), Self::Time(b)) => a.cmp(b),
            (Self::Result(a), Self::Result(b)) => a.cmp(b),
            _ => Ordering::Equal,
        }
    }
}

impl Column {
    pub const ALL: [Self; 23] = [
        Self::Name,
        Self::Id,
        Self::Context,
        Self::Type,
        Self::Status,
        Self::Reason,
        Self::Result,
        Self::ExitCode,
        Self::Environment,
        Self::Cpu,
        Self::Mem,
        Self::Accelerators,
        Self::RunTime,
        Self::Created,
        Self::Started,
        Self::Ended,
        Self::ReclaimIn,
        Self::Group,
        Self::Priority,
        Self::Project,
        Self::Agent,
        Self::Owner,
        Self::Command,
    ];

    /// The name in options and filters.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Id => "id",
            Self::Context => "context",
            Self::Type => "type",
            Self::Status => "status",
            Self::Reason => "reason",
            Self::Result => "result",
            Self::ExitCode => "exit-code",
            Self::Environment => "environment",
            Self::Cpu => "cpu",
            Self::Mem => "mem",
            Self::Accelerators => "accelerators",
            Self::RunTime => "run-time",
            Self::Created => "created",
            Self::Started => "started",
            Self::Ended => "ended",
            Self::ReclaimIn => "reclaim-in",
            Self::Group => "group",
            Self::Priority => "priority",
            Self::Project => "project",
            Self::Agent => "agent",
            Self::Owner => "owner",
            Self::Command => "command",
        }
    }

    /// All names, for an error.
    pub fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }

    pub fn unit(self) -> Unit {
        match self {
            Self::Cpu => Unit::Cpu,
            Self::Mem => Unit::Bytes,
            Self::RunTime | Self::ReclaimIn => Unit::Seconds,
            Self::ExitCode | Self::Priority => Unit::Number,
            Self::Created | Self::Started | Self::Ended => Unit::Time,
            _ => Unit::Text,
        }
    }

    /// `None` = the session has no such value.
    pub fn value(self, session: &Session, now: Timestamp) -> Option<Value> {
        let amount = |amount: u64| Some(Value::Number(i64::try_from(amount).unwrap_or(i64::MAX)));
        let slots = &session.requested_slots;
        match self {
            Self::Cpu => amount(slots.cpu.millis()),
            Self::Mem => amount(slots.mem.0),
            Self::RunTime => session.run_seconds(now).map(Value::Number),
            Self::ReclaimIn => reclaim_in(session, now).map(Value::Number),
            Self::ExitCode => {
                let code = ending(session).and_then(Ending::exit_code);
                code.map(Value::Number)
            }
            Self::Priority => {
                let priority = session.placement.priority;
                priority.map(|priority| Value::Number(priority.into()))
            }
            Self::Created => Some(Value::Time(session.created_at)),
            Self::Started => session.started_at.map(Value::Time),
            Self::Ended => session.terminated_at.map(Value::Time),
            Self::Result => ending(session).map(|ending| Value::Result(ending.rank())),
            text => text.text(session).map(Value::Text),
        }
    }

    /// The text of a column of words. `None` = nothing.
    pub fn text(self, session: &Session) -> Option<String> {
        let placement = &session.placement;
        let owned = |text: &Option<Clean>| text.as_ref().map(ToString::to_string);
        let text = match self {
            Self::Name => session.name.to_string(),
            Self::Id => session.id.to_string(),
            Self::Context => session.context.to_string(),
            Self::Type => kind(session.session_type).to_owned(),
            Self::Status => session.status.to_string(),
            Self::Reason => {
                owned(&session.status_message).or_else(|| owned(&session.status_info))?
            }
            Self::Result => ending(session)?.to_string(),
            Self::Environment => session.environment.label(),
            Self::Accelerators => accelerators(session).join(", "),
            Self::Group => owned(&placement.resource_group)?,
            Self::Project => owned(&placement.project)?,
            Self::Agent => {
                let agents: Vec<&str> = placement.agents.iter().map(Clean::as_str).collect();
                agents.join(", ")
            }
            Self::Owner => session.owner.to_string(),
            Self::Command => owned(&session.startup_command)?,
            _ => return None,
        };
        Some(text).filter(|text| !text.is_empty())
    }

    /// All values that `=` of a filter accepts for a column of words.
    pub fn words(self, session: &Session) -> Vec<String> {
        let mut words: Vec<String> = self.text(session).into_iter().collect();
        match self {
            Self::Environment => words.push(session.environment.name.to_string()),
            Self::Reason => words.extend(session.status_info.iter().map(ToString::to_string)),
            Self::Agent => words.extend(session.placement.agents.iter().map(ToString::to_string)),
            Self::Accelerators => {
                let some = session.requested_slots.accelerators.iter();
                words.extend(some.filter(|(_, n)| **n > 0).map(|(slot, _)| slot.clone()));
            }
            Self::Result => {
                if let Some(ending) = ending(session) {
                    words.push(ending.reason());
                    words.extend(ending.words().split(' ').map(str::to_owned));
                }
            }
            _ => {}
        }
        words
    }

    /// Whether the largest value comes first.
    pub fn descends(self) -> bool {
        matches!(
            self,
            Self::Created
                | Self::Started
                | Self::Ended
                | Self::Cpu
                | Self::Mem
                | Self::RunTime
                | Self::Priority
        )
    }
}

/// `cuda.device 1`, one for each kind.
fn accelerators(session: &Session) -> Vec<String> {
    let amounts = session.requested_slots.accelerators.iter();
    let some = amounts.filter(|(_, amount)| **amount > 0);
    some.map(|(slot, amount)| format!("{slot} {}", thousandths(*amount)))
        .collect()
}

fn kind(kind: SessionType) -> &'static str {
    match kind {
        SessionType::Interactive => "interactive",
        SessionType::Batch => "batch",
        SessionType::Inference => "inference",
        SessionType::System => "system",
    }
}

/// Seconds until idle checks reclaim the session.
fn reclaim_in(session: &Session, now: Timestamp) -> Option<i64> {
    match reclaim(session) {
        Reclaim::Never | Reclaim::Exempt => None,
        Reclaim::Due => Some(0),
        Reclaim::At(until) => Some((until.as_second() - now.as_second()).max(0)),
    }
}

/// The default columns: those that differ between these sessions.
pub fn usual(sessions: &[Session], several_contexts: bool) -> Vec<Column> {
    use Column as C;
    let ended = sessions.iter().any(|session| ending(session).is_some());
    let owners = has_several_owners(sessions);
    let accelerators = sessions.iter().any(Session::has_accelerators);
    let reclaimed = sessions.iter().any(|it| reclaim(it) != Reclaim::Never);
    let columns = [
        (several_contexts, C::Context),
        (true, C::Name),
        (true, C::Id),
        (true, C::Status),
        (ended, C::Result),
        (true, C::Environment),
        (true, C::Cpu),
        (true, C::Mem),
        (true, C::RunTime),
        (true, C::Created),
        (ended, C::Ended),
        (accelerators, C::Accelerators),
        (owners, C::Owner),
        (owners, C::Project),
        (owners, C::Agent),
        (reclaimed, C::ReclaimIn),
    ];
    let shown = columns.into_iter().filter(|(shown, _)| *shown);
    shown.map(|(_, column)| column).collect()
}
