//! The options that a daemon is started with.

use std::{sync::Arc, time::Duration};

use crate::{
    config::paths::Paths,
    engine::{
        api::{Containers, Result},
        manager::Manager,
    },
    model::{context::Context, id::InstanceId, settings::Settings},
};

/// The options of a daemon.
pub struct DaemonOptions {
    pub paths: Paths,
    pub settings: Settings,
    /// The user's name, which becomes the owner of launched sessions.
    pub owner: String,
    /// The engines, in the order of the configuration; never empty.
    pub contexts: Vec<ContextSetup>,
    pub beginning: Beginning,
    /// The system's id of the current boot, if it has one.
    pub boot: Option<String>,
    /// See [`StoreOptions::ended`](crate::store::StoreOptions::ended).
    pub ended: u32,
    /// How many ended sessions of a context are loaded into memory after the start.
    pub in_memory: u32,
    /// See [`StoreOptions::page_limit`](crate::store::StoreOptions::page_limit).
    pub page_limit: Option<u32>,
}

/// How a daemon begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beginning {
    /// In the foreground, where it was started.
    #[default]
    Here,
    /// Leaves the terminal, writes to stderr why it can't start, and closes stderr when it is ready.
    Detached,
    /// Replaces an older program of this process, which left its state on standard input.
    TakingOver,
}

/// A context and how to create its engine.
#[derive(Clone)]
pub struct ContextSetup {
    pub context: Context,
    /// The pause between two full lists for an engine that schedules and has no events.
    pub refresh: Duration,
    pub engine: EngineFactory,
}

impl ContextSetup {
    /// The usual pause between two full lists.
    pub const REFRESH: Duration = Duration::from_secs(15);

    /// A context with the usual pause.
    pub fn new(context: Context, engine: EngineFactory) -> Self {
        Self {
            context,
            refresh: Self::REFRESH,
            engine,
        }
    }
}

/// Creates an engine once the state database is open. The function may block: it is called on a thread of its
/// own, at the first attempt to connect and again after the engine denied access, so that changed keys take
/// effect. An error is shown as the state of the context's connection.
pub type Make<T> = Arc<dyn Fn(&EngineSetup) -> Result<Arc<T>> + Send + Sync>;

/// The two kinds of engines: the scheduler decides for one, and the observer only reads the other.
#[derive(Clone)]
pub enum EngineFactory {
    Containers(Make<dyn Containers>),
    Manager(Make<dyn Manager>),
}

impl EngineFactory {
    pub fn containers(
        make: impl Fn(&EngineSetup) -> Result<Arc<dyn Containers>> + Send + Sync + 'static,
    ) -> Self {
        Self::Containers(Arc::new(make))
    }

    pub fn scheduler(
        make: impl Fn(&EngineSetup) -> Result<Arc<dyn Manager>> + Send + Sync + 'static,
    ) -> Self {
        Self::Manager(Arc::new(make))
    }
}

/// The data that an engine is created from.
#[derive(Clone, Debug)]
pub struct EngineSetup {
    pub instance: InstanceId,
    pub paths: Paths,
    pub settings: Settings,
}
