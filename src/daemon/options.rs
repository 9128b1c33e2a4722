//! How to be a daemon: what it is started with.

use std::{sync::Arc, time::Duration};

use crate::{
    config::paths::Paths,
    engine::{
        api::{Containers, Result},
        scheduler::Scheduler,
    },
    model::{context::Context, id::InstanceId, settings::Settings},
};

/// How to be a daemon.
pub struct DaemonOptions {
    pub paths: Paths,
    pub settings: Settings,
    /// The user's name: owner of what is launched.
    pub owner: String,
    /// The engines, in the order of the configuration; at least one.
    pub contexts: Vec<ContextSeat>,
    pub beginning: Beginning,
    /// What the system calls the present start of this machine, where it says so.
    pub boot: Option<String>,
    /// See [`StoreOptions::ended`](crate::store::StoreOptions::ended).
    pub ended: u32,
    /// See [`StoreOptions::page_limit`](crate::store::StoreOptions::page_limit).
    pub page_limit: Option<u32>,
}

/// How a daemon begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beginning {
    /// Where it was started, in the foreground.
    #[default]
    Here,
    /// It leaves the terminal, says on stderr why it cannot start, closes stderr when ready.
    Detached,
    /// In the place of an older program of this process, which left what it held on standard input.
    TakingOver,
}

/// A context and how to get at its engine.
#[derive(Clone)]
pub struct ContextSeat {
    pub context: Context,
    /// The pause between two full lists where an engine that schedules has no events.
    pub refresh: Duration,
    pub engine: EngineFactory,
}

impl ContextSeat {
    /// The usual pause between two full lists.
    pub const REFRESH: Duration = Duration::from_secs(15);

    /// With the usual pause.
    pub fn new(context: Context, engine: EngineFactory) -> Self {
        Self {
            context,
            refresh: Self::REFRESH,
            engine,
        }
    }
}

/// Makes an engine out of what the daemon knows once its store is open. It may block: it is called
/// on a thread of its own, at the first attempt to connect and again after the engine denied us,
/// so that changed keys take effect. An error is shown as the state of the context's line.
pub type Make<T> = Arc<dyn Fn(&EngineSeat) -> Result<Arc<T>> + Send + Sync>;

/// The two kinds of engines: for one our controller decides, the other one is only observed.
#[derive(Clone)]
pub enum EngineFactory {
    Containers(Make<dyn Containers>),
    Scheduler(Make<dyn Scheduler>),
}

impl EngineFactory {
    pub fn containers(
        make: impl Fn(&EngineSeat) -> Result<Arc<dyn Containers>> + Send + Sync + 'static,
    ) -> Self {
        Self::Containers(Arc::new(make))
    }

    pub fn scheduler(
        make: impl Fn(&EngineSeat) -> Result<Arc<dyn Scheduler>> + Send + Sync + 'static,
    ) -> Self {
        Self::Scheduler(Arc::new(make))
    }
}

/// What an engine is built from.
#[derive(Clone, Debug)]
pub struct EngineSeat {
    pub instance: InstanceId,
    pub paths: Paths,
    pub settings: Settings,
}
