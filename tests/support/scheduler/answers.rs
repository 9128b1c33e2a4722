//! What the manager in memory answers like any engine: itself, usage, folders, streams, images.

use async_trait::async_trait;
use futures_util::{StreamExt, stream::BoxStream};
use jiff::Timestamp;
use workbay::{
    engine::api::{
        Apps, AttachRequest, Attached, DialTarget, Engine, ExecCommand, Files, Folders, Images,
        LogChunk, Losses, Result, Streams, UsageAsk,
    },
    model::{
        capability::{Capabilities, Capability, EngineInfo},
        environment::Environment,
        failure::Failure,
        folder::Folder,
        id::SessionId,
        launch_field::LaunchField,
        log::{LogOptions, LogSource},
        usage::Usage,
    },
};

use super::{MemoryScheduler, Question};
use crate::support::{engine, programs, usage::sampled};

impl Apps for MemoryScheduler {}

impl Files for MemoryScheduler {}
impl Losses for MemoryScheduler {}

#[async_trait]
impl Folders for MemoryScheduler {
    async fn folders(&self) -> Result<Vec<Folder>> {
        Ok(self.lock().offer.folders.clone())
    }

    async fn create_folder(&self, name: &str) -> Result<Folder> {
        self.enter(Question::CreateFolder).await?;
        let mut inner = self.lock();
        if inner.offer.folders.iter().any(|it| it.name == name) {
            return Err(Failure::refused(format!("a folder {name} already exists"))
                .about(LaunchField::Folders));
        }
        let folder = Folder {
            id: format!("folder-{name}").into(),
            ..Folder::own(name, "memory")
        };
        inner.offer.folders.push(folder.clone());
        Ok(folder)
    }
}

#[async_trait]
impl Engine for MemoryScheduler {
    async fn probe(&self) -> Result<EngineInfo> {
        self.enter(Question::Probe).await?;
        Ok(EngineInfo {
            version: "1".into(),
            api_version: "1".into(),
            capabilities: Capabilities {
                missing: vec![(Capability::Exec, "a manager runs no command".into())],
                open_streams_keep_alive: true,
            },
            ..EngineInfo::new("Memory".into(), "memory:".into())
        })
    }

    async fn usage(&self, asked: &[UsageAsk], now: Timestamp) -> Vec<(SessionId, Usage)> {
        if self.enter(Question::Usage).await.is_err() {
            return Vec::new();
        }
        sampled(&self.lock().usage, asked, now)
    }
}

#[async_trait]
impl Streams for MemoryScheduler {
    async fn logs(
        &self,
        session: SessionId,
        options: LogOptions,
    ) -> Result<BoxStream<'static, Result<LogChunk>>> {
        self.enter(Question::Logs).await?;
        let text = format!("log of {} kernel {:?}\n", session.short(), options.kernel);
        let chunk = LogChunk {
            source: LogSource::Stdout,
            bytes: text.into(),
        };
        Ok(futures_util::stream::iter([Ok(chunk)]).boxed())
    }

    async fn exec(&self, _session: SessionId, _command: ExecCommand) -> Result<Attached> {
        Err(Failure::unsupported("a manager runs no command"))
    }

    async fn attach(&self, session: SessionId, _request: AttachRequest) -> Result<Attached> {
        self.enter(Question::Attach).await?;
        let shell = ["shell".to_owned()];
        Ok(programs::run(&self.shared.programs, session, &shell))
    }

    async fn detach_all(&self, _session: SessionId) -> Result<()> {
        Ok(())
    }

    async fn dial(&self, session: SessionId, _to: &DialTarget) -> Result<Attached> {
        self.enter(Question::Dial).await?;
        let cat = ["cat".to_owned()];
        Ok(programs::run(&self.shared.programs, session, &cat))
    }
}

#[async_trait]
impl Images for MemoryScheduler {
    async fn environments(&self) -> Result<Vec<Environment>> {
        self.enter(Question::Environments).await?;
        Ok(vec![engine::image("python", "3.11")])
    }
}
