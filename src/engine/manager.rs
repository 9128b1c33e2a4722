//! The trait of engines that decide themselves when and where a session starts. Workbay sends requests
//! and watches; it stores none of their sessions in the state database.

use async_trait::async_trait;
use futures_util::{
    StreamExt,
    stream::{self, BoxStream},
};

use super::api::{Engine, Result};
use crate::{
    model::{
        catalogue::{Catalogue, OwnerChoices},
        failure::Failure,
        history::HistoryEntry,
        id::SessionId,
        one_time_code::OneTimeCode,
        request::SessionChange,
        session::Session,
        spec::LaunchRequest,
        statistics::Statistics,
        status::Tab,
        text::Clean,
    },
    rules::launch::relaunch::{self, Recalled},
};

#[async_trait]
pub trait Manager: Engine {
    /// A page of sessions, newest first. Rows may lack what only [`Manager::session`] returns.
    async fn page(&self, query: &PageQuery) -> Result<SessionPage>;

    /// The number of sessions of each tab, in the order of [`Tab::ALL`]; one request.
    async fn totals(&self) -> Result<Totals>;

    /// These sessions as list rows, in one request; sessions that are gone are left out.
    async fn rows(&self, sessions: &[SessionId]) -> Result<Vec<Session>>;

    /// Everything about one session, with all its containers; `None` when it doesn't exist.
    async fn session(&self, session: SessionId) -> Result<Option<Session>>;

    /// Puts a session into the engine's queue; returns as soon as it is in the queue.
    async fn launch(&self, request: &LaunchRequest) -> Result<SessionId>;

    /// Changes a session. The stream reports the progress of a change that takes long, and ends when the change
    /// is done, or with an error. It is empty if the change is done already.
    async fn change(&self, session: SessionId, change: &SessionChange) -> Result<ProgressStream>;

    /// How the session was launched, as far as the engine reports it; `None` when it doesn't exist.
    async fn recall(&self, session: SessionId) -> Result<Option<Recalled>> {
        let session = self.session(session).await?;
        Ok(session.map(|it| relaunch::recalled(&it, relaunch::ReportedLaunch::default())))
    }

    /// The scheduling history of the session, newest first.
    async fn history(&self, session: SessionId) -> Result<Vec<HistoryEntry>>;

    /// The available resources for a launch in this project (`None` = the configured one).
    async fn catalogue(&self, project: Option<&str>) -> Result<Catalogue>;

    /// What the caller's sessions use of their limits.
    async fn statistics(&self) -> Result<Statistics>;

    /// Uses the one-time password for the next login, and only for that one. [`Engine::probe`] logs in.
    async fn use_code(&self, _code: OneTimeCode) -> Result<()> {
        Err(Failure::unsupported(tr_sent!(
            "this context has no login with a one-time password"
        ))
        .hint(tr_sent!("run `workbay context show` for how it logs in")))
    }

    /// The users with this email address for whom an administrator may launch sessions.
    async fn find_owner(&self, _email: &str) -> Result<OwnerChoices> {
        Err(Failure::unsupported(tr_sent!(
            "this engine doesn't list other users"
        )))
    }

    /// Events of sessions from now on, as hints which sessions to read again. Ends with an error when the
    /// connection is lost; `Unsupported` where there are no events.
    async fn events(&self) -> Result<BoxStream<'static, Result<ManagerEvent>>>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageQuery {
    pub tab: Tab,
    /// Only sessions whose name contains this text, ignoring case.
    pub text: Option<String>,
    pub offset: u32,
    /// Maximum number of rows; an engine may return fewer.
    pub limit: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionPage {
    pub sessions: Vec<Session>,
    /// Number of all matching sessions, on every page.
    pub total: u64,
}

/// Sessions per tab, in the order of [`Tab::ALL`].
pub type Totals = [u64; 3];

/// An event of a session or of one of its containers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagerEvent {
    pub session: SessionId,
    /// `session_started`, `kernel_pulling`, …
    pub event: Clean,
    pub reason: Option<Clean>,
}

/// The progress of a change, until it is done.
pub type ProgressStream = BoxStream<'static, Result<TaskProgress>>;

/// The progress of a change that is done already.
pub fn done() -> ProgressStream {
    stream::empty().boxed()
}

/// The progress of a long task.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskProgress {
    pub message: Clean,
    pub done: f64,
    /// 0 = unknown.
    pub total: f64,
}
