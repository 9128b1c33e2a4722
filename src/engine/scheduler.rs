//! The trait of engines that decide themselves when and where a session starts. We ask, watch and
//! tell; nothing of theirs is kept in our store.

use async_trait::async_trait;
use futures_util::stream::BoxStream;

use super::{
    api::{Engine, Result},
    error::EngineError,
};
use crate::model::{
    catalogue::{Catalogue, OwnerChoices},
    history::HistoryEntry,
    id::SessionId,
    launch::again::{self, Recalled},
    session::Session,
    spec::LaunchRequest,
    statistics::Statistics,
    status::Tab,
    text::Clean,
};

#[async_trait]
pub trait Scheduler: Engine {
    /// A page of sessions, newest first. Rows may lack what only [`Scheduler::session`] reads.
    async fn page(&self, query: &PageQuery) -> Result<Page>;

    /// How many sessions each tab has, in the order of [`Tab::ALL`]; one request.
    async fn totals(&self) -> Result<Totals>;

    /// These sessions as list rows, in one request; those that are gone are left out.
    async fn rows(&self, sessions: &[SessionId]) -> Result<Vec<Session>>;

    /// Everything about one session, with all its kernels; `None` when it is not there.
    async fn session(&self, session: SessionId) -> Result<Option<Session>>;

    /// Puts a session into the engine's queue; answers as soon as it stands there.
    async fn launch(&self, request: &LaunchRequest) -> Result<SessionId>;

    /// Asks for its end, or kills it. A session that has ended is a success.
    async fn terminate(&self, session: SessionId, force: bool) -> Result<()>;

    async fn rename(&self, session: SessionId, name: &str) -> Result<()>;

    /// Gives a waiting session another priority, of 0 to 100.
    async fn prioritize(&self, _session: SessionId, _priority: i32) -> Result<()> {
        Err(EngineError::Unsupported(
            "this engine can't change the priority of a session".to_owned(),
        ))
    }

    /// How it was launched, as far as the engine tells; `None` when it is not there.
    async fn recall(&self, session: SessionId) -> Result<Option<Recalled>> {
        let session = self.session(session).await?;
        Ok(session.map(|it| again::recalled(&it, again::Told::default())))
    }

    /// Its scheduling history, newest first.
    async fn history(&self, session: SessionId) -> Result<Vec<HistoryEntry>>;

    /// Makes an image of a running session. Ends after the last item, or with an error.
    async fn commit(
        &self,
        session: SessionId,
        image_name: &str,
    ) -> Result<BoxStream<'static, Result<Progress>>>;

    /// What can be chosen from at a launch, for this project (`None` = the configured one).
    async fn catalogue(&self, project: Option<&str>) -> Result<Catalogue>;

    /// What the caller's sessions hold of what they may hold.
    async fn statistics(&self) -> Result<Statistics>;

    /// Whom an administrator may make sessions for, by address.
    async fn find_owner(&self, _email: &str) -> Result<OwnerChoices> {
        Err(EngineError::Unsupported(
            "this engine doesn't list other users".to_owned(),
        ))
    }

    /// What happens to sessions from now on; a hint which ones to read again. Ends with an error
    /// when the line is lost, `Unsupported` where there are no events.
    async fn events(&self) -> Result<BoxStream<'static, Result<SchedulerEvent>>>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageQuery {
    pub tab: Tab,
    /// Only sessions whose name holds this, whatever the case.
    pub text: Option<String>,
    pub offset: u32,
    /// Rows at most; an engine may give fewer.
    pub limit: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    pub sessions: Vec<Session>,
    /// How many there are in all.
    pub total: u64,
}

/// Sessions per tab, in the order of [`Tab::ALL`].
pub type Totals = [u64; 3];

/// Something happened to a session, or to a kernel of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchedulerEvent {
    pub session: SessionId,
    /// `session_started`, `kernel_pulling`, …
    pub event: Clean,
    pub reason: Option<Clean>,
}

/// How far a long task is.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    pub message: Clean,
    pub done: f64,
    /// 0 = not known.
    pub total: f64,
}
