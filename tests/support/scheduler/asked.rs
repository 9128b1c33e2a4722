//! What only a manager is asked: sessions in pages, changes, history, choices, events.

use async_trait::async_trait;
use futures_util::{StreamExt, stream::BoxStream};
use jiff::Timestamp;
use tokio::sync::mpsc;
use workbay::{
    engine::{
        api::Result,
        manager::{
            self, Manager, ManagerEvent, PageQuery, ProgressStream, SessionPage, TaskProgress,
            Totals,
        },
    },
    model::{
        catalogue::{Catalogue, OwnerChoices},
        failure::Failure,
        history::{HistoryEntry, Outcome},
        id::SessionId,
        request::SessionChange,
        session::Session,
        spec::LaunchRequest,
        statistics::Statistics,
        status::{Status, Tab},
    },
};

use super::{MemoryScheduler, Question};

#[async_trait]
impl Manager for MemoryScheduler {
    async fn page(&self, query: &PageQuery) -> Result<SessionPage> {
        self.enter(Question::Page).await?;
        let inner = self.lock();
        let text = query.text.clone().unwrap_or_default();
        let found = inner.of(query.tab);
        let mut found: Vec<&Session> = found
            .filter(|session| session.name.as_str().contains(&text))
            .collect();
        found.sort_by_key(|session| std::cmp::Reverse(session.created_at));
        let total = found.len() as u64;
        let page = found.into_iter().skip(query.offset as usize);
        let sessions = page.take(query.limit as usize).cloned().collect();
        Ok(SessionPage { sessions, total })
    }

    async fn totals(&self) -> Result<Totals> {
        self.enter(Question::Totals).await?;
        let inner = self.lock();
        Ok(Tab::ALL.map(|tab| inner.of(tab).count() as u64))
    }

    async fn rows(&self, sessions: &[SessionId]) -> Result<Vec<Session>> {
        self.enter(Question::Rows).await?;
        let inner = self.lock();
        let found = sessions.iter().filter_map(|id| inner.sessions.get(id));
        Ok(found.cloned().collect())
    }

    async fn session(&self, session: SessionId) -> Result<Option<Session>> {
        self.enter(Question::Session).await?;
        Ok(self.session_of(session))
    }

    async fn launch(&self, request: &LaunchRequest) -> Result<SessionId> {
        self.enter(Question::Launch).await?;
        self.lock().launches.push(request.clone());
        let id = self.lock().make(request.name.as_deref(), "PENDING");
        self.send_event(id);
        Ok(id)
    }

    async fn change(&self, session: SessionId, change: &SessionChange) -> Result<ProgressStream> {
        match change {
            SessionChange::Terminate { force } => {
                self.enter(Question::Terminate).await?;
                if self.session_of(session).is_none() {
                    return Err(Failure::session_not_found(session.short()));
                }
                let status = if *force { "TERMINATED" } else { "TERMINATING" };
                self.bring(session, status);
            }
            SessionChange::Rename { name } => {
                self.enter(Question::Rename).await?;
                self.edit(session, |session| session.name = name.as_str().into());
            }
            SessionChange::Priority { priority } => {
                self.enter(Question::Prioritize).await?;
                self.edit(session, |session| {
                    session.placement.priority = Some(*priority);
                });
            }
            SessionChange::Commit { .. } => {
                self.enter(Question::Commit).await?;
                let steps = (1..=3).map(|step| {
                    Ok(TaskProgress {
                        message: format!("Step {step}").into(),
                        done: f64::from(step),
                        total: 3.0,
                    })
                });
                return Ok(futures_util::stream::iter(steps).boxed());
            }
        }
        Ok(manager::done())
    }

    async fn history(&self, session: SessionId) -> Result<Vec<HistoryEntry>> {
        self.enter(Question::History).await?;
        Ok(vec![HistoryEntry {
            result: Outcome::NeedRetry,
            message: Some("no room".into()),
            attempts: 3,
            ..HistoryEntry::new(
                session,
                Timestamp::UNIX_EPOCH,
                "schedule",
                None,
                Status::Pending,
            )
        }])
    }

    async fn statistics(&self) -> Result<Statistics> {
        self.enter(Question::Statistics).await?;
        Ok(Statistics::default())
    }

    async fn catalogue(&self, project: Option<&str>) -> Result<Catalogue> {
        self.enter(Question::Catalogue).await?;
        Ok(Catalogue {
            project: project.map(Into::into),
            ..self.lock().offer.clone()
        })
    }

    async fn find_owner(&self, email: &str) -> Result<OwnerChoices> {
        self.enter(Question::FindOwner).await?;
        Ok(OwnerChoices {
            email: email.into(),
            access_keys: vec!["AKIAOTHER".into()],
            projects: vec!["default".into()],
        })
    }

    async fn events(&self) -> Result<BoxStream<'static, Result<ManagerEvent>>> {
        self.enter(Question::Events).await?;
        let mut inner = self.lock();
        if inner.deaf {
            return Err(Failure::unsupported("no events"));
        }
        let (sender, receiver) = mpsc::channel(1024);
        inner.listeners.push(sender);
        let next = |mut receiver: mpsc::Receiver<_>| async move {
            let event = receiver.recv().await?;
            Some((event, receiver))
        };
        Ok(futures_util::stream::unfold(receiver, next).boxed())
    }
}
