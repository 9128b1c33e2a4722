//! What a launcher may choose from in a context, besides environments.

use serde::{Deserialize, Serialize};

use super::{
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

/// A group of agents with one queue ("scaling group" in the manager's own words).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceGroup {
    pub name: Clean,
    /// What the caller's sessions hold in it.
    pub using: ResourceSlots,
    /// What the caller may still ask for in it.
    pub remaining: ResourceSlots,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preset {
    pub name: Clean,
    pub slots: ResourceSlots,
    pub shmem: Option<Bytes>,
    /// Whether it fits now; `None` = the engine did not say.
    pub allocatable: Option<bool>,
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
    pub accelerators: std::collections::BTreeMap<String, u64>,
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
}
