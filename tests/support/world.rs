//! What is on the engine in memory: containers, images, and what happened to them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use workbay::{
    engine::api::{ContainerState, CreatePlan, Recorded, Sighting, SubSighting},
    model::{
        id::{KernelId, SessionId},
        session::SessionType,
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
    /// A cluster's other containers.
    #[serde(default)]
    pub subs: Vec<Sub>,
    /// Without labels a lost state database can't be filled again.
    pub labelled: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sub {
    pub kernel: KernelId,
    pub hostname: String,
    pub state: State,
}

/// Stored in a file if it has a path, so that it outlives the daemon's process.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct World {
    pub containers: BTreeMap<SessionId, Container>,
    /// How often each was created and started. More than once is a duplicate session.
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

    /// Written completely or not at all: the daemon may be killed at any moment.
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
                subs: (1..).zip(&plan.subs).map(Sub::new).collect(),
                labelled: true,
            });
        container.sighting()
    }
}

impl Sub {
    fn new((number, kernel): (u32, &KernelId)) -> Self {
        Self {
            kernel: *kernel,
            hostname: format!("sub{number}"),
            state: State::Created,
        }
    }

    fn sighting(&self) -> SubSighting {
        SubSighting {
            kernel: self.kernel,
            hostname: Clean::new(&self.hostname),
            container_id: Clean::new(&format!("c-{}", self.kernel.short())),
            state: self.state.shown(),
        }
    }
}

impl State {
    fn shown(&self) -> ContainerState {
        match self {
            Self::Created => ContainerState::Created,
            Self::Running => ContainerState::Running { started_at: None },
            Self::Paused => ContainerState::Paused,
            Self::Exited { code, oom } => ContainerState::Exited {
                exit_code: *code,
                oom_killed: *oom,
                finished_at: None,
            },
        }
    }
}

impl Container {
    /// All its containers run.
    pub fn start(&mut self) {
        self.state = State::Running;
        for sub in &mut self.subs {
            sub.state = State::Running;
        }
    }

    /// All its running containers end like this.
    pub fn stop(&mut self, code: i64) {
        let subs = self.subs.iter_mut().map(|sub| &mut sub.state);
        for state in subs.chain([&mut self.state]) {
            if *state == State::Running {
                *state = State::Exited { code, oom: false };
            }
        }
    }

    pub fn runs(&self) -> bool {
        let subs = self.subs.iter().map(|sub| &sub.state);
        subs.chain([&self.state])
            .any(|state| *state == State::Running)
    }

    /// The code of a command that ends at once: `exit N`.
    pub fn short_command(&self) -> Option<i64> {
        let command = self.spec.startup_command.as_deref();
        let command = command.filter(|_| self.spec.session_type == SessionType::Batch)?;
        command.strip_prefix("exit ")?.parse().ok()
    }

    pub fn sighting(&self) -> Sighting {
        Sighting {
            session: self.session,
            kernel: self.kernel,
            container_id: Clean::new(&format!("c-{}", self.session.short())),
            name: Some(Clean::new(&self.name)),
            subs: self.subs.iter().map(Sub::sighting).collect(),
            state: self.state.shown(),
            address: None,
            home: None,
            recorded: self.labelled.then(|| {
                Box::new(Recorded {
                    name: Clean::new(&self.name),
                    created_at: self.created_at,
                    owner: Clean::new(&self.owner),
                    spec: self.spec.clone(),
                })
            }),
        }
    }
}
