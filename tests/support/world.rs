//! What is on the engine in memory: containers, images, and what happened to them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use workbay::{
    engine::api::{ContainerState, CreatePlan, Recorded, Sighting},
    model::{
        id::{KernelId, SessionId},
        spec::LaunchSpec,
        text::Clean,
    },
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum State {
    Created,
    Running,
    Paused,
    Exited { code: i64, oom: bool },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Container {
    pub session: SessionId,
    pub kernel: KernelId,
    pub name: String,
    pub owner: String,
    pub created_at: Timestamp,
    pub spec: LaunchSpec,
    pub state: State,
    /// Without labels a lost store cannot be filled again.
    pub labelled: bool,
}

/// Kept in a file when it has a path, so that it outlives the daemon's process.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct World {
    pub containers: BTreeMap<SessionId, Container>,
    /// How often each was made and started: more than once each is a doubled session.
    pub made: BTreeMap<SessionId, u32>,
    pub started: BTreeMap<SessionId, u32>,
    pub forgotten: Vec<SessionId>,
    pub logs: BTreeMap<SessionId, String>,
    #[serde(default)]
    pub folders: Vec<String>,
    #[serde(skip)]
    path: Option<PathBuf>,
}

impl World {
    pub fn read(path: &Path) -> Self {
        let mut world: Self = fs::read(path)
            .ok()
            .map(|bytes| serde_json::from_slice(&bytes).expect("the world's file is whole"))
            .unwrap_or_default();
        world.path = Some(path.to_path_buf());
        world
    }

    /// Whole or not at all: the daemon may be killed at any moment.
    pub fn save(&self) {
        if let Some(path) = &self.path {
            let new = path.with_extension("new");
            fs::write(&new, serde_json::to_vec(self).unwrap()).unwrap();
            fs::rename(new, path).unwrap();
        }
    }

    pub fn create(&mut self, plan: &CreatePlan) -> Sighting {
        if !self.containers.contains_key(&plan.session) {
            *self.made.entry(plan.session).or_default() += 1;
        }
        let container = self
            .containers
            .entry(plan.session)
            .or_insert_with(|| Container {
                session: plan.session,
                kernel: plan.kernel,
                name: plan.name.clone(),
                owner: plan.owner.clone(),
                created_at: plan.created_at,
                spec: plan.spec.clone(),
                state: State::Created,
                labelled: true,
            });
        container.sighting()
    }
}

impl Container {
    pub fn sighting(&self) -> Sighting {
        Sighting {
            session: self.session,
            kernel: self.kernel,
            container_id: Clean::new(&format!("c-{}", self.session.short())),
            name: Some(Clean::new(&self.name)),
            subs: Vec::new(),
            state: match self.state {
                State::Created => ContainerState::Created,
                State::Running => ContainerState::Running { started_at: None },
                State::Paused => ContainerState::Paused,
                State::Exited { code, oom } => ContainerState::Exited {
                    exit_code: code,
                    oom_killed: oom,
                    finished_at: None,
                },
            },
            recorded: self.labelled.then(|| Recorded {
                name: Clean::new(&self.name),
                created_at: self.created_at,
                owner: Clean::new(&self.owner),
                spec: self.spec.clone(),
            }),
        }
    }
}
