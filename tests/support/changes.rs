//! Single changes of sessions, as tests ask a manager for them.

use async_trait::async_trait;
use workbay::{
    engine::{
        api::Result,
        manager::{Manager, ProgressStream},
    },
    model::{id::SessionId, request::SessionChange},
};

#[async_trait]
pub trait Changes: Manager {
    async fn terminate(&self, session: SessionId, force: bool) -> Result<()> {
        let change = SessionChange::Terminate { force };
        self.change(session, &change).await.map(drop)
    }

    async fn rename(&self, session: SessionId, name: &str) -> Result<()> {
        let name = name.to_owned();
        let change = SessionChange::Rename { name };
        self.change(session, &change).await.map(drop)
    }

    async fn prioritize(&self, session: SessionId, priority: i32) -> Result<()> {
        let change = SessionChange::Priority { priority };
        self.change(session, &change).await.map(drop)
    }

    async fn commit(&self, session: SessionId, image_name: &str) -> Result<ProgressStream> {
        let image_name = image_name.to_owned();
        let change = SessionChange::Commit { image_name };
        self.change(session, &change).await
    }
}

impl<M: Manager + ?Sized> Changes for M {}
