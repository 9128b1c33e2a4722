//! Why a session doesn't begin now: the sentence, and the validator that reports it.

use jiff::Timestamp;

use crate::model::{
    history::{Outcome, SubStep},
    policy::QueueOrder,
    resources::{Bytes, Cpu, ResourceSlots},
    text::Clean,
};

/// What blocks a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::scheduler) enum WaitReason {
    /// A batch session has a later start time.
    NotBefore(Timestamp),
    /// The user has reached the limit of sessions.
    Sessions { running: u32, most: u32 },
    /// The user has reached a resource limit.
    Limit(Shortage),
    /// The group doesn't have enough free.
    Room(Shortage),
    /// The request exceeds the machine or the user's limit, because one of them was reduced after
    /// the launch.
    Never(Shortage),
    /// Its resource group doesn't exist any more.
    NoGroup,
}

/// The first slot with too little available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::scheduler) struct Shortage {
    slot: ShortSlot,
    need: u64,
    free: u64,
    all: u64,
    /// What the user and others use, where others leave too little.
    shared: Option<(u64, u64)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ShortSlot {
    Cpu,
    Memory,
    Accelerator(String),
}

/// The first slot of `requested` that doesn't fit, with `free` of `all`.
pub(super) fn shortage(
    requested: &ResourceSlots,
    free: &ResourceSlots,
    all: &ResourceSlots,
) -> Option<Shortage> {
    let accelerators = requested.accelerators.keys().cloned();
    let slots = [ShortSlot::Cpu, ShortSlot::Memory].into_iter();
    let mut slots = slots.chain(accelerators.map(ShortSlot::Accelerator));
    slots.find_map(|slot| {
        let (need, free) = (slot.of(requested), slot.of(free));
        (need > free).then(|| Shortage {
            need,
            free,
            all: slot.of(all),
            shared: None,
            slot,
        })
    })
}

impl ShortSlot {
    /// The amount of the slot, in the unit of a [`Shortage`].
    fn of(&self, slots: &ResourceSlots) -> u64 {
        match self {
            Self::Cpu => slots.cpu.millis(),
            Self::Memory => slots.mem.0,
            Self::Accelerator(slot) => slots.accelerators.get(slot).copied().unwrap_or(0),
        }
    }
}

impl Shortage {
    /// Adds what the user and others use of the machine, if others use the slot.
    pub(super) fn shared_by(self, own: &ResourceSlots, others: &ResourceSlots) -> Self {
        let (own, others) = (self.slot.of(own), self.slot.of(others));
        Self {
            shared: (others > 0).then_some((own, others)),
            ..self
        }
    }

    /// Whether this slot has less free than in `other`.
    pub(super) fn has_less_free_than(&self, other: &ResourceSlots) -> bool {
        self.free < self.slot.of(other)
    }

    fn amount(&self, amount: u64) -> String {
        match self.slot {
            ShortSlot::Memory => Bytes(amount).to_string(),
            _ => Cpu::from_millis(amount).to_string(),
        }
    }

    /// `2 CPU`, `1 GiB of memory`.
    fn needed(&self) -> String {
        let amount = self.amount(self.need);
        match &self.slot {
            ShortSlot::Cpu => format!("{amount} CPU"),
            ShortSlot::Memory => tr_sent!("{amount} of memory", amount),
            ShortSlot::Accelerator(slot) => format!("{amount} {slot}"),
        }
    }

    /// `needs 2 CPU, 0.6 of 2`. The free amount is the one that the decision used.
    fn compared(&self) -> String {
        let (free, all) = (self.amount(self.free), self.amount(self.all));
        tr_sent!(
            "needs {needed}, {free} of {all}",
            needed = self.needed(),
            free,
            all
        )
    }
}

impl WaitReason {
    /// The reason as a sentence for the user.
    pub fn sentence(&self, group: &str) -> String {
        match self {
            Self::NotBefore(at) => {
                let at = at.strftime("%Y-%m-%d %H:%M:%S UTC");
                tr_sent!("waits for its start time {at}", at)
            }
            Self::Sessions { running, most } => {
                let end = match running.saturating_sub(*most).saturating_add(1) {
                    1 => tr_sent!("one of your sessions ends").to_owned(),
                    many => tr_sent!("{many} of your sessions end", many),
                };
                tr_sent!(
                    "waits until {end} (running: {running}, limit: {most})",
                    end,
                    running,
                    most
                )
            }
            Self::Limit(shortage) => tr_sent!(
                "{compared} left of your limit",
                compared = shortage.compared()
            ),
            Self::Room(shortage) => {
                let compared = shortage.compared();
                match shortage.shared {
                    Some((own, others)) => tr_sent!(
                        "{compared} free in group {group} ({own} yours, {others} others')",
                        compared,
                        group,
                        own = shortage.amount(own),
                        others = shortage.amount(others)
                    ),
                    None => tr_sent!("{compared} free in group {group}", compared, group),
                }
            }
            Self::Never(shortage) => tr_sent!(
                "needs {needed}, which is now more than group {group} or your limits allow. Terminate \
                 the session and relaunch it with less",
                needed = shortage.needed(),
                group
            ),
            Self::NoGroup => tr_sent!(
                "group {group} doesn't exist any more. Terminate the session and relaunch it in another one",
                group
            ),
        }
    }

    /// The code in the history, in the manager's spelling.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotBefore(_) => "session_schedule_not-ready",
            Self::Sessions { .. } => "session_schedule_concurrency-limit",
            Self::Limit(_) => "user_schedule_quota-exceeded",
            Self::Room(_) => "agent_schedule_unavailable",
            Self::Never(_) => "agent_schedule_never-available",
            Self::NoGroup => "resource-group_schedule_not-found",
        }
    }

    /// Whether it is the same reason, regardless of the figures.
    pub fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Limit(one), Self::Limit(other))
            | (Self::Never(one), Self::Never(other))
            | (Self::Room(one), Self::Room(other)) => one.slot == other.slot,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    /// The index in [`STEPS`].
    fn step(&self) -> usize {
        match self {
            Self::NotBefore(_) => 0,
            Self::Sessions { .. } => 1,
            Self::Limit(_) => 2,
            Self::NoGroup | Self::Never(_) => 3,
            Self::Room(_) => 4,
        }
    }
}

/// The manager's names for its checks, in its order. Key pair, project and domain are missing: on
/// this machine only the user has limits.
const STEPS: [&str; 5] = [
    "ReservedBatchSessionValidator",
    "ConcurrencyLimitValidator",
    "UserResourceLimitValidator",
    "GroupResourceLimitValidator",
    "ConcentratedAgentSelector",
];

/// The checks that were made, up to the one that failed.
pub(super) fn steps(
    order: QueueOrder,
    wait_reason: Option<(&WaitReason, &str)>,
    now: Timestamp,
) -> Vec<SubStep> {
    let step = |name: &str, result: Outcome, message: Option<String>| SubStep {
        step: Clean::new(name),
        result,
        error_code: None,
        message: message.map(|text| Clean::new(&text)),
        started_at: Some(now),
        ended_at: Some(now),
    };
    let sequencer = match order {
        QueueOrder::Fifo => "FIFOSequencer",
        QueueOrder::Lifo => "LIFOSequencer",
    };
    let mut steps = vec![step(sequencer, Outcome::Success, None)];
    let passed = wait_reason.map_or(STEPS.len(), |(wait_reason, _)| wait_reason.step());
    steps.extend(
        STEPS[..passed]
            .iter()
            .map(|name| step(name, Outcome::Success, None)),
    );
    if let Some((wait_reason, group)) = wait_reason {
        let why = Some(wait_reason.sentence(group));
        steps.push(SubStep {
            error_code: Some(wait_reason.code().into()),
            ..step(STEPS[wait_reason.step()], Outcome::Failure, why)
        });
    }
    steps
}
