//! What a launcher may choose from in a context, besides environments.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    idle::{IdleRules, ReprieveRules},
    resources::{Bytes, ResourceSlots},
    text::Clean,
};

/// Everything a context offers, for the project and the resource group that were asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Catalogue {
    /// Whom the keys belong to.
    pub user: Option<User>,
    /// The project the rest was read for.
    pub project: Option<Clean>,
    pub projects: Vec<Project>,
    pub resource_groups: Vec<ResourceGroup>,
    pub presets: Vec<Preset>,
    pub limits: Limits,
    pub agents: Vec<Agent>,
    pub folders: Vec<Folder>,
    pub policy: Policy,
    /// Kinds of accelerators there are to choose from.
    pub accelerators: Vec<AcceleratorKind>,
    /// The smallest step of a slot in thousandths (`cpu`, `cuda.shares`), where the context has one.
    pub quanta: BTreeMap<String, u64>,
    /// What a preset is for is known, but amounts by hand are not allowed here.
    pub presets_only: bool,
    /// The checkers every session is judged by, and what a person may do against them.
    #[serde(default)]
    pub idle: IdleRules,
    #[serde(default)]
    pub reprieve: ReprieveRules,
    /// Parts that could not be read, with the reason: a missing part never hides the others.
    pub gaps: Vec<(Clean, Clean)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    pub email: Clean,
    pub full_name: Option<Clean>,
    pub domain: Clean,
    /// `user`, `admin`, `superadmin`, `monitor`.
    pub role: Clean,
}

impl User {
    /// Whether sessions of others can be seen and ended.
    pub fn is_administrator(&self) -> bool {
        self.role == "admin" || self.role == "superadmin"
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    pub id: Clean,
    pub name: Clean,
}

/// What there is to choose from of somebody a session is made for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerChoices {
    pub email: Clean,
    /// Keys that are in force; never empty.
    pub access_keys: Vec<Clean>,
    pub projects: Vec<Clean>,
}

/// A group of agents with one queue ("scaling group" in the manager's own words).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceGroup {
    pub name: Clean,
    /// What the caller's sessions hold in it.
    pub using: ResourceSlots,
    /// What the caller may still ask for in it.
    pub remaining: ResourceSlots,
    /// Sessions waiting in its queue, where the engine tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<u32>,
    /// All of it, whoever holds it; what is more can never be had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<ResourceSlots>,
    /// What of that nobody holds, whatever the caller may ask for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<ResourceSlots>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preset {
    pub name: Clean,
    pub slots: ResourceSlots,
    pub shmem: Option<Bytes>,
    /// Whether it fits now; `None` = the engine did not say.
    pub allocatable: Option<bool>,
    /// The only resource group it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_group: Option<Clean>,
    /// Idle checks of sessions made with it, besides the site's.
    #[serde(default, skip_serializing_if = "IdleRules::is_empty")]
    pub idle: IdleRules,
}

impl Preset {
    /// With nothing but amounts.
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

/// A kind of accelerator that can be asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceleratorKind {
    /// `cuda.device`, `cuda.shares`.
    pub slot: String,
    /// `GPU`, `fGPU`.
    pub unit: Clean,
    /// What a person must know of it: "5 fGPU = 1 GPU", "bookkeeping only on this engine".
    pub note: Option<Clean>,
    /// How many of a fraction are one device, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares_per_device: Option<u32>,
}

impl AcceleratorKind {
    /// `5 fGPU = 1 GPU`.
    pub fn conversion(&self) -> Option<String> {
        let count = self.shares_per_device?;
        Some(Self::conversion_of(&self.slot, count))
    }

    /// `5 fGPU = 1 GPU` of a slot of shares.
    pub fn conversion_of(slot: &str, count: u32) -> String {
        let device = Self::usual_unit(&slot.replace(".shares", ".device"));
        format!("{count} {} = 1 {device}", Self::usual_unit(slot))
    }

    /// The slot counts parts of a device.
    pub fn is_fraction(slot: &str) -> bool {
        slot.ends_with(".shares")
    }

    /// What one of a slot is called where nobody says: `GPU`, `fGPU`, `TPU`.
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
    /// What people call one of a slot.
    pub fn unit(&self, slot: &str) -> String {
        let kind = self.accelerators.iter().find(|kind| kind.slot == slot);
        kind.map_or_else(
            || AcceleratorKind::usual_unit(slot),
            |kind| kind.unit.to_string(),
        )
    }
}

/// What people call one of a slot, whether or not the context has told.
pub fn unit(slot: &str, offer: Option<&Catalogue>) -> String {
    offer.map_or_else(
        || AcceleratorKind::usual_unit(slot),
        |offer| offer.unit(slot),
    )
}

/// Limits and what is left of them; a slot that is not there is not limited.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    pub limits: SlotLimits,
    pub using: ResourceSlots,
    pub remaining: SlotLimits,
}

/// Slots of which each may be without a limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotLimits {
    pub cpu: Option<super::resources::Cpu>,
    pub mem: Option<Bytes>,
    /// In thousandths, as in [`ResourceSlots`].
    pub accelerators: BTreeMap<String, u64>,
}

impl SlotLimits {
    /// Of each slot the lower limit.
    pub fn tighten(&mut self, other: &Self) {
        self.cpu = lower(self.cpu, other.cpu);
        self.mem = lower(self.mem, other.mem);
        for (slot, limit) in &other.accelerators {
            let mine = self.accelerators.entry(slot.clone()).or_insert(*limit);
            *mine = (*mine).min(*limit);
        }
    }

    /// The first slot that is beyond its limit, in people's words, and the limit.
    pub fn exceeded_by(
        &self,
        slots: &ResourceSlots,
        offer: Option<&Catalogue>,
    ) -> Option<(String, String)> {
        if let Some(limit) = self.cpu.filter(|limit| slots.cpu > *limit) {
            return Some(("CPU".to_owned(), limit.to_string()));
        }
        if let Some(limit) = self.mem.filter(|limit| slots.mem > *limit) {
            return Some(("memory".to_owned(), limit.to_string()));
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

fn lower<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    pub id: Clean,
    pub status: Clean,
    pub resource_group: Clean,
    pub schedulable: bool,
    pub available: ResourceSlots,
    pub occupied: ResourceSlots,
    pub architecture: Clean,
}

/// A folder that survives sessions ("vfolder").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folder {
    /// As the engine writes it.
    pub id: Clean,
    pub name: Clean,
    pub host: Clean,
    pub status: Clean,
    /// `ro`, `rw`, `wd`.
    pub permission: Clean,
    /// `general`, `model`, `data`.
    pub usage_mode: Clean,
    /// `user` or `group`.
    pub ownership: Clean,
    pub is_owner: bool,
}

impl Folder {
    /// The caller's own, ready to be mounted and written to.
    #[must_use]
    pub fn own(name: &str, host: &str) -> Self {
        Self {
            id: name.into(),
            name: name.into(),
            host: host.into(),
            status: "ready".into(),
            permission: "rw".into(),
            usage_mode: "general".into(),
            ownership: "user".into(),
            is_owner: true,
        }
    }

    /// Names that begin with a dot are mounted by themselves in every session.
    pub fn is_auto_mounted(&self) -> bool {
        self.name.as_str().starts_with('.')
    }
}

/// What the policy of the caller's keys allows; `None` = no limit, or not told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The most one container may ask for.
    #[serde(default)]
    pub per_container: SlotLimits,
    #[serde(default)]
    pub max_shmem: Option<Bytes>,
    /// Ports that may be opened beforehand; `None` = the usual ten.
    #[serde(default)]
    pub max_preopen_ports: Option<u32>,
}
