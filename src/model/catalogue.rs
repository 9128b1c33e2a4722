//! The resources of a context that a launch can choose from, besides environments.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    folder::Folder,
    idle::{IdleRules, ReprieveRules},
    resources::{Bytes, ResourceSlots},
    text::Clean,
};

/// The available resources of a context, for the requested project and resource group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Catalogue {
    /// The user that the keys belong to.
    pub user: Option<User>,
    /// The project that the other fields were read for.
    pub project: Option<Clean>,
    pub projects: Vec<Project>,
    pub resource_groups: Vec<ResourceGroup>,
    pub presets: Vec<Preset>,
    pub limits: Limits,
    pub agents: Vec<Agent>,
    pub folders: Vec<Folder>,
    pub policy: Policy,
    /// The kinds of accelerators that are available.
    pub accelerators: Vec<AcceleratorKind>,
    /// The smallest step of a slot in thousandths (`cpu`, `cuda.shares`), where the context sets it.
    pub quanta: BTreeMap<String, u64>,
    /// Whether amounts can only come from presets.
    pub presets_only: bool,
    /// The idle checks of every session. `reprieve` says how a user may extend or exempt sessions.
    #[serde(default)]
    pub idle: IdleRules,
    #[serde(default)]
    pub reprieve: ReprieveRules,
    /// Parts that couldn't be read, with the reason. The other parts are still shown.
    pub gaps: Vec<(Clean, Clean)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct User {
    pub email: Clean,
    pub full_name: Option<Clean>,
    pub domain: Clean,
    /// `user`, `admin`, `superadmin`, `monitor`.
    pub role: Clean,
}

impl User {
    /// Whether this user can see and terminate the sessions of others.
    pub fn is_administrator(&self) -> bool {
        self.role == "admin" || self.role == "superadmin"
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Project {
    pub id: Clean,
    pub name: Clean,
}

/// The choices for a session that an administrator launches for another user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerChoices {
    pub email: Clean,
    /// Active keys; never empty.
    pub access_keys: Vec<Clean>,
    pub projects: Vec<Clean>,
}

/// A group of agents with one queue (the manager calls it "scaling group").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ResourceGroup {
    pub name: Clean,
    /// What the caller's sessions use in it.
    pub using: ResourceSlots,
    /// What the caller may still request in it.
    pub remaining: ResourceSlots,
    /// The number of sessions in its queue, where the engine reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<u32>,
    /// The whole group, used or free. A session that requests more can never start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<ResourceSlots>,
    /// The part of the capacity that no session uses, regardless of the caller's limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<ResourceSlots>,
    /// What is free on each agent that accepts new sessions; `None` = not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free_by_agent: Option<Vec<AgentSlots>>,
}

/// An amount of resources on one agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AgentSlots {
    pub agent: Clean,
    pub slots: ResourceSlots,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Preset {
    pub name: Clean,
    pub slots: ResourceSlots,
    pub shmem: Option<Bytes>,
    /// Whether it fits now; `None` = the engine didn't report it.
    pub allocatable: Option<bool>,
    /// The only resource group that it applies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_group: Option<Clean>,
    /// Idle checks of sessions launched with it, in addition to the system-wide ones.
    #[serde(default, skip_serializing_if = "IdleRules::is_empty")]
    pub idle: IdleRules,
}

impl Preset {
    /// Creates a preset with amounts only.
    #[must_use]
    pub fn new(name: impl Into<Clean>, slots: ResourceSlots) -> Self {
        Self {
            name: name.into(),
            slots,
            shmem: None,
            allocatable: None,
            resource_group: None,
            idle: IdleRules::default(),
        }
    }
}

/// A kind of accelerator that a session can request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AcceleratorKind {
    /// `cuda.device`, `cuda.shares`.
    pub slot: String,
    /// `GPU`, `fGPU`.
    pub unit: Clean,
    /// A note for the user: "5 fGPU = 1 GPU", "bookkeeping only on this engine".
    pub note: Option<Clean>,
    /// How many shares make one device, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares_per_device: Option<u32>,
}

impl AcceleratorKind {
    /// `5 fGPU = 1 GPU`.
    pub fn conversion(&self) -> Option<String> {
        let count = self.shares_per_device?;
        Some(Self::conversion_of(&self.slot, count))
    }

    /// `5 fGPU = 1 GPU`, for a slot of shares.
    pub fn conversion_of(slot: &str, count: u32) -> String {
        let device = Self::usual_unit(&slot.replace(".shares", ".device"));
        format!("{count} {} = 1 {device}", Self::usual_unit(slot))
    }

    /// Whether the slot counts parts of a device.
    pub fn is_fraction(slot: &str) -> bool {
        slot.ends_with(".shares")
    }

    /// The default unit of a slot: `GPU`, `fGPU`, `TPU`.
    pub fn usual_unit(slot: &str) -> String {
        let (kind, form) = slot.split_once('.').unwrap_or((slot, ""));
        let name = match kind {
            "cuda" | "rocm" if form.ends_with("-mig") => "MIG".to_owned(),
            "cuda" | "rocm" => "GPU".to_owned(),
            "atom-plus" => "ATOM+".to_owned(),
            "gaudi2" => "Gaudi 2".to_owned(),
            "warboy" => "Warboy".to_owned(),
            "hyperaccel-lpu" => "LPU".to_owned(),
            "tt-n300" => "N300".to_owned(),
            other => Clean::new(other).as_str().to_ascii_uppercase(),
        };
        let fraction = if form == "shares" { "f" } else { "" };
        format!("{fraction}{name}")
    }
}

impl Catalogue {
    /// The unit of a slot, as users know it.
    pub fn unit(&self, slot: &str) -> String {
        let kind = self.accelerators.iter().find(|kind| kind.slot == slot);
        kind.map_or_else(
            || AcceleratorKind::usual_unit(slot),
            |kind| kind.unit.to_string(),
        )
    }
}

/// The unit of a slot, also while the available resources of the context aren't known.
pub fn unit(slot: &str, offer: Option<&Catalogue>) -> String {
    offer.map_or_else(
        || AcceleratorKind::usual_unit(slot),
        |offer| offer.unit(slot),
    )
}

/// Limits, and how much of them is used and left. A slot that is missing has no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Limits {
    pub limits: SlotLimits,
    pub using: ResourceSlots,
    pub remaining: SlotLimits,
}

/// Amounts by slot, each with or without a limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SlotLimits {
    pub cpu: Option<super::resources::Cpu>,
    pub mem: Option<Bytes>,
    /// In thousandths, as in [`ResourceSlots`].
    pub accelerators: BTreeMap<String, u64>,
}

impl SlotLimits {
    /// Keeps the lower limit of each slot.
    pub fn tighten(&mut self, other: &Self) {
        self.cpu = lower(self.cpu, other.cpu);
        self.mem = lower(self.mem, other.mem);
        for (slot, limit) in &other.accelerators {
            let mine = self.accelerators.entry(slot.clone()).or_insert(*limit);
            *mine = (*mine).min(*limit);
        }
    }

    /// The first slot that exceeds its limit, by its displayed name, and the limit.
    pub fn exceeded_by(
        &self,
        slots: &ResourceSlots,
        offer: Option<&Catalogue>,
    ) -> Option<(String, String)> {
        if let Some(limit) = self.cpu.filter(|limit| slots.cpu > *limit) {
            return Some((tr!("CPU").to_owned(), limit.to_string()));
        }
        if let Some(limit) = self.mem.filter(|limit| slots.mem > *limit) {
            return Some((tr!("memory").to_owned(), limit.to_string()));
        }
        slots.accelerators.iter().find_map(|(slot, amount)| {
            let limit = self
                .accelerators
                .get(slot)
                .filter(|limit| amount > *limit)?;
            let limit = super::resources::Cpu::from_millis(*limit);
            Some((unit(slot, offer), limit.to_string()))
        })
    }
}

/// The lower of two limits; `None` = no limit.
pub fn lower<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Agent {
    pub id: Clean,
    pub status: Clean,
    pub resource_group: Clean,
    pub schedulable: bool,
    pub available: ResourceSlots,
    pub occupied: ResourceSlots,
    pub architecture: Clean,
}

/// What the policy of the caller's keys allows; `None` = no limit, or not reported.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Policy {
    pub name: Option<Clean>,
    pub max_concurrent_sessions: Option<u32>,
    pub concurrent_sessions: Option<u32>,
    pub max_containers_per_session: Option<u32>,
    pub max_pending_sessions: Option<u32>,
    /// Seconds.
    pub max_session_lifetime: Option<u64>,
    /// Seconds.
    pub idle_timeout: Option<u64>,
    /// The most that one container may request.
    #[serde(default)]
    pub per_container: SlotLimits,
    #[serde(default)]
    pub max_shmem: Option<Bytes>,
    /// How many ports can be opened at launch; `None` = ten.
    #[serde(default)]
    pub max_preopen_ports: Option<u32>,
}
