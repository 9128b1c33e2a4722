//! The order of the list.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::app::{mirror::Mirror, shown_contexts::ShownContexts};
use crate::{
    model::{
        natural,
        session::{Session, by_run_time, newest_first},
        status::Tab,
    },
    rules::{
        ending::{Ending, ending},
        reclaim::reclaim,
    },
};

/// A column of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Column {
    Name,
    /// Only if the list has sessions of several contexts.
    Context,
    Status,
    /// The result of ended sessions.
    Result,
    Environment,
    Cpu,
    Memory,
    /// How long a session has run or waited.
    Elapsed,
    Created,
    /// When it ended.
    Ended,
    /// When an idle check will reclaim the session.
    Reclaim,
    /// Owner, project and agents, only if the list has several owners.
    Owner,
    Project,
    Agent,
    /// Only if a session has accelerators.
    Accelerator,
    /// CPU and memory of the last minutes, only if they were chosen.
    CpuHistory,
    MemoryHistory,
}

/// The columns that you can sort by, in the order of `sessions.sort`.
const CYCLE: [Column; 11] = [
    Column::Ended,
    Column::Created,
    Column::Name,
    Column::Status,
    Column::Result,
    Column::Environment,
    Column::Cpu,
    Column::Memory,
    Column::Elapsed,
    Column::Reclaim,
    Column::Context,
];

impl Column {
    pub const ALL: [Self; 17] = [
        Self::Name,
        Self::Context,
        Self::Owner,
        Self::Project,
        Self::Agent,
        Self::Accelerator,
        Self::Status,
        Self::Result,
        Self::Environment,
        Self::Cpu,
        Self::CpuHistory,
        Self::Memory,
        Self::MemoryHistory,
        Self::Elapsed,
        Self::Reclaim,
        Self::Ended,
        Self::Created,
    ];

    /// The column of a name in the settings: `cpu-history`.
    pub fn of_name(name: &str) -> Option<Self> {
        use serde::de::{IntoDeserializer as _, value::StrDeserializer};
        let name: StrDeserializer<'_, serde::de::value::Error> = name.into_deserializer();
        Self::deserialize(name).ok()
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::Name => tr!("Name"),
            Self::Context => tr!("Context"),
            Self::Status => tr!("Status"),
            Self::Environment => tr!("Environment"),
            Self::Cpu => tr!("CPU"),
            Self::Memory => tr!("Memory"),
            Self::Result => tr!("Result"),
            Self::Elapsed => tr!("Run time"),
            Self::Created => tr!("Created"),
            Self::Ended => tr!("Ended"),
            Self::Reclaim => tr!("Reclaim in"),
            Self::Owner => tr!("Owner"),
            Self::Project => tr!("Project"),
            Self::Agent => tr!("Agent"),
            Self::Accelerator => tr!("Accelerator"),
            Self::CpuHistory => tr!("CPU history"),
            Self::MemoryHistory => tr!("Mem history"),
        }
    }

    /// The first direction of a column: the newest or the busiest first, but names from A to Z.
    fn descends(self) -> bool {
        matches!(
            self,
            Self::Created
                | Self::Ended
                | Self::Cpu
                | Self::CpuHistory
                | Self::Memory
                | Self::MemoryHistory
                | Self::Elapsed
        )
    }

    /// Whether the column is useful in a tab. Results and end times are only for ended sessions.
    pub fn is_of(self, tab: Tab) -> bool {
        match self {
            Self::Result | Self::Ended => tab == Tab::Finished,
            Self::Status | Self::Reclaim | Self::CpuHistory | Self::MemoryHistory => {
                tab != Tab::Finished
            }
            _ => true,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SortOrder {
    pub column: Column,
    pub descending: bool,
}

impl Default for SortOrder {
    fn default() -> Self {
        Self::by(Column::Created)
    }
}

impl SortOrder {
    #[must_use]
    pub fn by(column: Column) -> Self {
        Self {
            column,
            descending: column.descends(),
        }
    }

    /// The default order of a tab: the newest sessions first, for ended sessions those that ended last.
    #[must_use]
    pub fn of(tab: Tab) -> Self {
        match tab {
            Tab::Finished => Self::by(Column::Ended),
            Tab::Running | Tab::Others => Self::by(Column::Created),
        }
    }

    /// The next column of a tab. Includes the context only if several are `shown`, and the reclaim time only
    /// if there is one.
    #[must_use]
    pub fn next(self, tab: Tab, shown: ShownContexts, reclaim: bool) -> Self {
        let at = CYCLE.iter().position(|c| *c == self.column).unwrap_or(0);
        let mut following = CYCLE.iter().cycle().skip(at + 1).take(CYCLE.len());
        let next = following.find(|column| match column {
            Column::Context => shown == ShownContexts::All,
            Column::Reclaim => reclaim && column.is_of(tab),
            _ => column.is_of(tab),
        });
        Self::by(*next.unwrap_or(&Column::Created))
    }

    #[must_use]
    pub fn reversed(self) -> Self {
        Self {
            descending: !self.descending,
            ..self
        }
    }

    /// Whether new samples of use can change the order.
    pub fn follows_usage(self) -> bool {
        matches!(
            self.column,
            Column::Cpu | Column::CpuHistory | Column::Memory | Column::MemoryHistory
        )
    }

    /// The order of two sessions. They are never equal, so that rows don't jump.
    pub fn compare(self, a: &Session, b: &Session, mirror: &Mirror) -> Ordering {
        let primary = self.primary(a, b, mirror);
        let primary = if self.descending {
            primary.reverse()
        } else {
            primary
        };
        primary
            .then_with(|| newest_first(a, b))
            .then_with(|| a.key().cmp(&b.key()))
    }

    fn primary(self, a: &Session, b: &Session, mirror: &Mirror) -> Ordering {
        match self.column {
            Column::Created => a.created_at.cmp(&b.created_at),
            Column::Elapsed => by_run_time(a, b),
            Column::Ended => a.terminated_at.cmp(&b.terminated_at),
            Column::Result => ending(a)
                .map(Ending::rank)
                .cmp(&ending(b).map(Ending::rank)),
            Column::Name => natural::compare(a.name.as_str(), b.name.as_str()),
            Column::Reclaim => reclaim(a).cmp(&reclaim(b)),
            Column::Context => a.context.cmp(&b.context),
            Column::Owner => a.owner.cmp(&b.owner),
            Column::Project => a.placement.project.cmp(&b.placement.project),
            Column::Agent => a.placement.agents.cmp(&b.placement.agents),
            Column::Accelerator => {
                let all = |s: &Session| s.requested_slots.accelerators.values().sum::<u64>();
                all(a).cmp(&all(b))
            }
            Column::Status => a.status.word().cmp(b.status.word()),
            Column::Environment => (&a.environment.name, &a.environment.version)
                .cmp(&(&b.environment.name, &b.environment.version)),
            Column::Cpu | Column::CpuHistory => {
                let used = |s: &Session| mirror.usage(s.key()).and_then(|u| u.cpu);
                (used(a), a.requested_slots.cpu).cmp(&(used(b), b.requested_slots.cpu))
            }
            Column::Memory | Column::MemoryHistory => {
                let used = |s: &Session| mirror.usage(s.key()).map(|u| u.mem);
                (used(a), a.requested_slots.mem).cmp(&(used(b), b.requested_slots.mem))
            }
        }
    }
}
