//! What the engine in memory answers besides containers: itself, usage, folders, streams, images.

use async_trait::async_trait;
use futures_util::{
    StreamExt,
    stream::{self, BoxStream},
};
use jiff::Timestamp;
use workbay::{
    engine::api::{
        Apps, AttachRequest, Attached, Engine, ExecCommand, Files, Folders, Images, LogChunk,
        Losses, Result, Streams, UsageAsk,
    },
    model::{
        capability::EngineInfo,
        environment::Environment,
        failure::Failure,
        folder::{Folder, FolderAnswer, FolderRequest},
        id::SessionId,
        log::{LogOptions, LogSource},
        loss::Unsaved,
        pull::PullFigures,
        resources::{Bytes, Cpu},
        usage::Usage,
    },
};

use super::{Call, MemoryEngine};
use crate::support::{programs, usage::sampled};

#[async_trait]
impl Engine for MemoryEngine {
    async fn probe(&self) -> Result<EngineInfo> {
        self.enter(Call::Probe).await?;
        Ok(EngineInfo {
            version: "1".into(),
            api_version: "1".into(),
            cpus: Cpu::from_millis(4000),
            memory: Bytes(8 * Bytes::GIB),
            ..EngineInfo::new("Memory".into(), "memory:".into())
        })
    }

    async fn usage(&self, asked: &[UsageAsk], now: Timestamp) -> Vec<(SessionId, Usage)> {
        if self.enter(Call::Usage).await.is_err() {
            return Vec::new();
        }
        sampled(&self.lock().usage, asked, now)
    }

    fn reads_cheaply(&self) -> bool {
        self.lock().cheap
    }

    fn last_usage(&self, session: SessionId) -> Option<Usage> {
        self.lock().last_usage.remove(&session)
    }
}

impl Apps for MemoryEngine {}

impl Files for MemoryEngine {}

#[async_trait]
impl Losses for MemoryEngine {
    async fn unsaved(&self, session: SessionId) -> Result<Unsaved> {
        let unsaved = self.lock().unsaved.get(&session).cloned();
        unsaved.ok_or_else(|| Failure::unsupported("the files aren't known"))
    }
}

#[async_trait]
impl Folders for MemoryEngine {
    async fn folders(&self) -> Result<Vec<Folder>> {
        self.enter(Call::Folders).await?;
        let names = self.lock().world.folders.clone();
        Ok(names
            .iter()
            .map(|name| Folder::own(name, "memory"))
            .collect())
    }

    async fn create_folder(&self, name: &str) -> Result<Folder> {
        self.enter(Call::CreateFolder).await?;
        let mut inner = self.lock();
        if inner.world.folders.iter().any(|known| known == name) {
            let why = format!("folder '{name}' already exists");
            return Err(Failure::engine_refused(why));
        }
        inner.world.folders.push(name.to_owned());
        inner.world.save();
        Ok(Folder::own(name, "memory"))
    }

    async fn folder(&self, request: &FolderRequest) -> Result<FolderAnswer> {
        match request {
            FolderRequest::List { trash: false, .. } => {
                Ok(FolderAnswer::Folders(self.folders().await?))
            }
            FolderRequest::Create { new } => {
                let folder = self.create_folder(&new.name).await?;
                Ok(FolderAnswer::Folder(Box::new(folder)))
            }
            FolderRequest::Trash { folder } => {
                let mut inner = self.lock();
                inner.world.folders.retain(|known| known != folder);
                inner.world.save();
                Ok(FolderAnswer::Done)
            }
            _ => Err(Failure::unsupported("the engine in memory has no trash")),
        }
    }
}

#[async_trait]
impl Streams for MemoryEngine {
    async fn logs(
        &self,
        session: SessionId,
        options: LogOptions,
    ) -> Result<BoxStream<'static, Result<LogChunk>>> {
        self.enter(Call::Logs).await?;
        let engine = self.clone();
        let next = move |read: usize| {
            let engine = engine.clone();
            async move {
                let (bytes, read) = engine.next_of_log(session, read, options.follow).await?;
                let source = LogSource::Stderr;
                Some((Ok(LogChunk { source, bytes }), read))
            }
        };
        Ok(futures_util::stream::unfold(0, next).boxed())
    }

    async fn exec(&self, session: SessionId, command: ExecCommand) -> Result<Attached> {
        self.enter(Call::Exec).await?;
        self.container(session)?;
        Ok(programs::run(self, session, &command.argv))
    }

    async fn attach(&self, session: SessionId, _request: AttachRequest) -> Result<Attached> {
        self.enter(Call::Attach).await?;
        self.container(session)?;
        Ok(programs::run(self, session, &["shell".to_owned()]))
    }

    async fn detach_all(&self, _session: SessionId) -> Result<()> {
        self.enter(Call::DetachAll).await
    }
}

#[async_trait]
impl Images for MemoryEngine {
    async fn environments(&self) -> Result<Vec<Environment>> {
        self.enter(Call::Environments).await?;
        Ok(self.lock().environments.clone())
    }

    /// Half of the image, then all. Of an image whose name begins with `never/`, only half.
    async fn pull(&self, reference: &str) -> Result<BoxStream<'static, Result<PullFigures>>> {
        self.enter(Call::Pull).await?;
        let figures = |bytes_done| PullFigures {
            layers: 2,
            layers_done: 1,
            bytes: Bytes::mib(100),
            bytes_done: Bytes::mib(bytes_done),
            unsized_layers: 0,
            more_layers: false,
        };
        let half = stream::iter([Ok(figures(50))]);
        if reference.starts_with("never/") {
            return Ok(half.chain(stream::pending()).boxed());
        }
        let (engine, reference) = (self.clone(), reference.to_owned());
        let whole = stream::once(async move {
            let environment = Environment {
                absent: false,
                ..Environment::of_image(&reference)
            };
            engine.lock().environments.push(environment);
            Ok(figures(100))
        });
        Ok(half.chain(whole).boxed())
    }
}
