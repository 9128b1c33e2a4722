//! Containers of the engine in memory: listed, made, started, ended.

use std::path::PathBuf;

use async_trait::async_trait;
use futures_util::{StreamExt, stream, stream::BoxStream};
use tokio::sync::mpsc;
use workbay::{
    engine::api::{Containers, CreatePlan, EngineEvent, EventKind, Listing, Result, Sighting},
    model::{
        id::SessionId,
        own_image::{CommitPlan, CommitStep},
    },
};

use super::{Call, MemoryEngine};
use crate::support::world::{Container, State};

#[async_trait]
impl Containers for MemoryEngine {
    async fn list(&self) -> Result<Listing> {
        self.enter(Call::List).await?;
        let inner = self.lock();
        Ok(Listing {
            ours: inner
                .world
                .containers
                .values()
                .map(Container::sighting)
                .collect(),
            others: inner.others.clone(),
            lacks: Vec::new(),
        })
    }

    async fn inspect(&self, session: SessionId) -> Result<Option<Sighting>> {
        self.enter(Call::Inspect).await?;
        Ok(self.container(session).ok().map(|found| found.sighting()))
    }

    async fn create(&self, plan: &CreatePlan) -> Result<Sighting> {
        self.enter(Call::Create).await?;
        let mut inner = self.lock();
        let sighting = inner.world.create(plan);
        inner.world.save();
        Ok(sighting)
    }

    fn home(&self, session: SessionId) -> Option<PathBuf> {
        Some(PathBuf::from(format!("/scratch/{session}")))
    }

    async fn start(&self, session: SessionId) -> Result<()> {
        self.enter(Call::Start).await?;
        if self.container(session)?.state == State::Running {
            return Ok(());
        }
        *self.lock().world.started.entry(session).or_default() += 1;
        self.change(session, |container| {
            container.start();
            EventKind::Started
        });
        if let Some(code) = self.container(session)?.short_command() {
            self.die(session, code, false);
        }
        Ok(())
    }

    async fn stop(&self, session: SessionId, grace_seconds: u32) -> Result<()> {
        self.enter(Call::Stop).await?;
        if self.container(session).is_ok_and(|found| found.runs()) {
            let code = if grace_seconds == 0 { 137 } else { 143 };
            self.change(session, |container| {
                container.stop(code);
                EventKind::Died { exit_code: code }
            });
        }
        Ok(())
    }

    async fn remove(&self, session: SessionId) -> Result<()> {
        self.enter(Call::Remove).await?;
        if self.container(session).is_ok() {
            self.vanish(session);
        }
        Ok(())
    }

    /// An image named `never-ends` is never complete.
    async fn commit(&self, plan: &CommitPlan) -> Result<BoxStream<'static, Result<CommitStep>>> {
        self.container(plan.session)?;
        let (number, of) = (1, 3);
        let what = "checking the space";
        let begun = stream::iter([Ok(CommitStep::Begun { number, of, what })]);
        if plan.name == "never-ends" {
            return Ok(begun.chain(stream::pending()).boxed());
        }
        let reference = format!("localhost/workbay/me/pulled:1-customized_{}", plan.name);
        Ok(begun
            .chain(stream::iter([Ok(CommitStep::Done { reference })]))
            .boxed())
    }

    async fn rename(&self, session: SessionId, name: &str) -> Result<()> {
        self.enter(Call::Rename).await?;
        self.container(session)?;
        self.change(session, |container| {
            name.clone_into(&mut container.name);
            EventKind::Renamed { name: name.into() }
        });
        Ok(())
    }

    async fn forget(&self, session: SessionId) -> Result<()> {
        self.enter(Call::Forget).await?;
        let mut inner = self.lock();
        inner.world.forgotten.push(session);
        inner.world.save();
        Ok(())
    }

    async fn ping(&self) -> Result<()> {
        self.enter(Call::Ping).await
    }

    async fn events(&self) -> Result<BoxStream<'static, Result<EngineEvent>>> {
        self.enter(Call::Events).await?;
        let (sender, receiver) = mpsc::channel(1024);
        self.lock().listeners.push(sender);
        let next = |mut receiver: mpsc::Receiver<_>| async move {
            let event = receiver.recv().await?;
            Some((event, receiver))
        };
        Ok(futures_util::stream::unfold(receiver, next).boxed())
    }
}
