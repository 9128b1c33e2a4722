//! What a condition of a filter can be about: the columns of lists, and values derived from a session.

use jiff::Timestamp;

use crate::{
    model::session::Session,
    rules::{
        column::{Column, Unit, Value},
        ending::ending,
        verdict::Tone,
    },
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterKey {
    Column(Column),
    /// The time since the launch.
    Age,
    /// The time since the last use, where the engine reports it.
    Idle,
    /// The number of requested accelerators of all kinds.
    Gpu,
    Tag,
}

/// Other names of keys.
const ALIASES: &[(&str, FilterKey)] = &[
    ("env", FilterKey::Column(Column::Environment)),
    ("state", FilterKey::Column(Column::Status)),
    ("memory", FilterKey::Column(Column::Mem)),
    ("node", FilterKey::Column(Column::Agent)),
    ("user", FilterKey::Column(Column::Owner)),
    ("ctx", FilterKey::Column(Column::Context)),
    ("exit", FilterKey::Column(Column::ExitCode)),
    ("runtime", FilterKey::Column(Column::RunTime)),
    ("reclaim", FilterKey::Column(Column::ReclaimIn)),
];

/// Keys that aren't columns.
const DERIVED: [(&str, FilterKey); 4] = [
    ("age", FilterKey::Age),
    ("idle", FilterKey::Idle),
    ("gpu", FilterKey::Gpu),
    ("tag", FilterKey::Tag),
];

impl FilterKey {
    pub const NAME: Self = Self::Column(Column::Name);
    pub const ID: Self = Self::Column(Column::Id);
    pub const OWNER: Self = Self::Column(Column::Owner);

    /// All names, the full ones first.
    pub fn names() -> impl Iterator<Item = (&'static str, Self)> {
        let columns = Column::ALL.into_iter();
        let columns = columns.map(|it| (it.name(), Self::Column(it)));
        columns.chain(DERIVED).chain(ALIASES.iter().copied())
    }

    pub fn of(name: &str) -> Option<Self> {
        let mut names = Self::names();
        let found = names.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, key)| key)
    }

    pub fn unit(self) -> Unit {
        match self {
            Self::Column(column) => column.unit(),
            Self::Age | Self::Idle => Unit::Seconds,
            // In thousandths, as CPU is.
            Self::Gpu => Unit::Cpu,
            Self::Tag => Unit::Text,
        }
    }

    /// `None` = the session has no such value.
    pub fn value(self, session: &Session, now: Timestamp) -> Option<Value> {
        let since = |at: Timestamp| (now.as_second() - at.as_second()).max(0);
        match self {
            Self::Column(column) => column.value(session, now),
            Self::Age => Some(Value::Number(since(session.created_at))),
            Self::Idle => {
                let used = session.activity.filter(|_| session.status.is_live())?;
                let idle = if used.open > 0 { 0 } else { since(used.at) };
                Some(Value::Number(idle))
            }
            Self::Gpu => {
                let amounts = session.requested_slots.accelerators.values();
                let all: u64 = amounts.sum();
                Some(Value::Number(i64::try_from(all).unwrap_or(i64::MAX)))
            }
            Self::Tag => {
                let tag = session.placement.tag.as_ref();
                tag.map(|tag| Value::Text(tag.to_string()))
            }
        }
    }

    /// All texts that a condition on words compares.
    pub fn words(self, session: &Session) -> Vec<String> {
        match self {
            Self::Column(Column::Status) => status_words(session),
            Self::Column(column) => column.words(session),
            Self::Tag => session
                .placement
                .tag
                .iter()
                .map(ToString::to_string)
                .collect(),
            Self::Age | Self::Idle | Self::Gpu => Vec::new(),
        }
    }

    /// Whether the value changes while time passes.
    pub fn follows_time(self) -> bool {
        matches!(
            self,
            Self::Age | Self::Idle | Self::Column(Column::RunTime | Column::ReclaimIn)
        ) || self.unit() == Unit::Time
    }
}

/// The status, and for ended sessions how they ended: `failed` for each failure.
fn status_words(session: &Session) -> Vec<String> {
    let mut words = Column::Status.words(session);
    if let Some(ending) = ending(session) {
        words.push(ending.reason());
        words.extend((ending.tone() == Tone::Bad).then(|| "failed".to_owned()));
    }
    words
}
