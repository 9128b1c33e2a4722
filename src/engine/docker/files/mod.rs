//! Files of folders and sessions: [`direct`] on this machine, [`helper_files`] by a helper in a running session's container,
//! so that the container's permissions count.

mod direct;

use async_trait::async_trait;

use super::{DockerEngine, container::identity::Identity};
use crate::{
    engine::{
        api::{Attached, HelperTask, Result, Streams as _},
        files::{FileBytes, FileProgresses, FileRoot, Files, LocalWork},
        helper_files,
    },
    files::Root,
    model::{
        failure::{Failure, FailureKind},
        files::{FileAnswer, FileName, FilePath, FileRequest, WriteOptions},
        id::SessionId,
        inside,
    },
};

#[async_trait]
impl Files for DockerEngine {
    async fn file_request(&self, at: &FileRoot, request: &FileRequest) -> Result<FileAnswer> {
        if let FileRoot::Running(session) = at {
            let (idle, starting) = (&self.idle_helpers, self.files_helper(*session));
            return helper_files::request(idle, key(*session), starting, request).await;
        }
        if request.is_change() {
            self.check_writable(at).await?;
        }
        let (root, request) = (self.root(at).await?, request.clone());
        direct::request(root, request).await
    }

    async fn read_file(&self, at: &FileRoot, path: &FilePath, offset: u64) -> Result<FileBytes> {
        if let FileRoot::Running(session) = at {
            let (idle, starting) = (&self.idle_helpers, self.files_helper(*session));
            return helper_files::read(idle, key(*session), starting, path, offset).await;
        }
        direct::read(self.root(at).await?, path.clone(), offset).await
    }

    async fn write_file(
        &self,
        at: &FileRoot,
        path: &FilePath,
        options: WriteOptions,
        content: FileBytes,
    ) -> Result<()> {
        if let FileRoot::Running(session) = at {
            let (idle, starting) = (&self.idle_helpers, self.files_helper(*session));
            return helper_files::write(idle, key(*session), starting, path, options, content)
                .await;
        }
        self.check_writable(at).await?;
        let size = options.size.unwrap_or(0).saturating_sub(options.offset);
        let root = self.target(at, size).await?;
        direct::write(root, path.clone(), options, content).await
    }

    /// A running session has its own permissions, so its helper transfers each file.
    fn carries_many(&self, at: &FileRoot) -> bool {
        !matches!(at, FileRoot::Running(_))
    }

    async fn read_files(
        &self,
        at: &FileRoot,
        directory: &FilePath,
        names: Vec<FileName>,
    ) -> Result<FileBytes> {
        let root = self.root(at).await?;
        Ok(direct::read_many(root, directory.clone(), names))
    }

    async fn write_files(&self, at: &FileRoot, content: FileBytes) -> Result<()> {
        self.check_writable(at).await?;
        // How much comes isn't known, so the folder is measured.
        let root = self.target(at, u64::MAX).await?;
        direct::write_many(root, content).await
    }

    async fn file_work(
        &self,
        at: &FileRoot,
        to: &FileRoot,
        work: LocalWork,
    ) -> Result<FileProgresses> {
        match (at, to) {
            (FileRoot::Running(session), to) if at == to => {
                let (idle, starting) = (&self.idle_helpers, self.files_helper(*session));
                helper_files::work(idle, key(*session), starting, work).await
            }
            (FileRoot::Running(_), _) | (_, FileRoot::Running(_)) => Err(Failure::unsupported(
                tr_sent!("the engine can't copy between a running session and another place"),
            )),
            _ => {
                let to = match &work {
                    // How much comes isn't known yet, so the folder is measured.
                    LocalWork::Copy { .. } => self.target(to, u64::MAX).await?,
                    _ => self.root(to).await?,
                };
                Ok(direct::work(self.root(at).await?, to, work))
            }
        }
    }
}

/// The helpers of a session serve its home directory.
const fn key(session: SessionId) -> helper_files::HelperKey {
    (session, inside::HOME)
}

impl DockerEngine {
    async fn files_helper(&self, session: SessionId) -> Result<Attached> {
        self.helper(session, HelperTask::Files).await
    }

    /// Opens a directory of this machine.
    async fn root(&self, at: &FileRoot) -> Result<Root> {
        match at {
            FileRoot::Folder(name) => self.folder_root(name).await,
            FileRoot::Ended(session) => self.home_root(*session).await,
            FileRoot::Running(_) => Err(Failure::internal(tr_sent!(
                "the files of a running session were opened from outside. Report this error"
            ))),
        }
    }

    /// Opens a directory that gets files, with the room that its quota leaves for `needed` bytes.
    async fn target(&self, at: &FileRoot, needed: u64) -> Result<Root> {
        let root = self.root(at).await?;
        let FileRoot::Folder(name) = at else {
            return Ok(root);
        };
        let path = self.folder_store.place(name).map_err(no_folder)?.path;
        let rooms = self.rooms();
        let room = super::off_loop(move || Ok(rooms.of(&path, needed))).await?;
        Ok(root.with_room(room))
    }

    async fn folder_root(&self, name: &str) -> Result<Root> {
        let connection = self.connection().await?;
        connection.must_be_local()?;
        let owner = Identity::of_caller(connection.quirks.mapping).owner;
        let (folder_store, name) = (self.folder_store.clone(), name.to_owned());
        super::off_loop(move || {
            let place = folder_store.place(&name).map_err(no_folder)?;
            Root::open(&place.path, Some(owner))
        })
        .await
    }

    /// Refuses changes of a host path that the system configuration makes read-only.
    async fn check_writable(&self, at: &FileRoot) -> Result<()> {
        let FileRoot::Folder(name) = at else {
            return Ok(());
        };
        let (folder_store, name) = (self.folder_store.clone(), name.clone());
        super::off_loop(move || {
            let place = folder_store.place(&name).map_err(no_folder)?;
            if place.read_only {
                folder_store.writable(&name)?;
            }
            Ok(())
        })
        .await
    }

    async fn home_root(&self, session: SessionId) -> Result<Root> {
        let scratches = self.scratches.clone();
        super::off_loop(move || {
            let home = scratches.main_home(session);
            let home = home.ok_or_else(|| {
                let text =
                    tr_sent!("the home directory of this session doesn't exist on this machine");
                Failure::not_found(text).hint(tr_sent!(
                    "home directories are kept for [history] keep-days and then deleted"
                ))
            })?;
            Root::open(&home, Some(Identity::owner_of_homes()))
        })
        .await
    }
}

/// For a launch, a missing folder is a field that isn't valid. Here it isn't found.
fn no_folder(failure: Failure) -> Failure {
    Failure::new(FailureKind::NotFound, failure.message())
        .hint(tr_sent!("`workbay folder ls` lists folders"))
}
