//! `workbay folder`: manages folders that outlive sessions.

mod change;
pub(in crate::cli) mod files;
mod list;
mod sharing;

use std::ffi::OsString;

use clap::{Args, Subcommand, builder::PossibleValuesParser};

use self::{
    change::{NewFolderArgs, QuotaWord},
    files::{FilesCommand, Place},
    sharing::SharingCommand,
};
use crate::{
    cli::{
        Start,
        args::Json,
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::{Fail, Outcome},
        invocation::Invocation,
    },
    model::{
        folder::{Folder, FolderPermission, FolderRequest},
        id::ContextName,
        request::ContextRequest,
    },
    protocol::message::{Reply, Request},
};

#[derive(Debug, Subcommand)]
pub enum FolderCommand {
    /// List folders with their sizes, sessions and paths, or files in a folder
    Ls {
        /// NAME or NAME/PATH, to list files
        #[arg(value_name = "NAME/PATH")]
        place: Option<OsString>,
        /// Print permissions, sizes and times of files
        #[arg(short, long, requires = "place")]
        long: bool,
        /// List the trash instead
        #[arg(long, conflicts_with = "place")]
        trash: bool,
        #[command(flatten)]
        format: Json,
    },
    /// Create a folder
    Create(NewFolderArgs),
    /// Rename a folder that no session mounts
    Rename {
        #[command(flatten)]
        which: Which,
        /// New name (letters, digits, _ . and -)
        #[arg(value_name = "NEW-NAME")]
        name: String,
        #[command(flatten)]
        format: Json,
    },
    /// Copy a folder under another name
    Clone {
        #[command(flatten)]
        which: Which,
        /// Name of the copy
        #[arg(value_name = "NEW-NAME")]
        name: String,
        #[command(flatten)]
        format: Json,
    },
    /// Set or remove the quota of a folder (on this machine)
    Quota {
        #[command(flatten)]
        which: Which,
        /// Most that may be in it (5g), or none
        #[arg(value_name = "SIZE|none")]
        quota: QuotaWord,
        #[command(flatten)]
        format: Json,
    },
    /// Move folders that no session mounts to the trash
    Rm {
        /// Names or ids of folders
        #[arg(value_name = "FOLDER", required = true)]
        folders: Vec<String>,
        #[command(flatten)]
        format: Json,
    },
    /// Move a folder out of the trash
    Restore {
        #[command(flatten)]
        which: Trashed,
        #[command(flatten)]
        format: Json,
    },
    /// Delete folders in the trash for good
    Purge {
        /// Names or ids of folders in the trash
        #[arg(
            value_name = "FOLDER",
            required_unless_present = "all",
            conflicts_with = "all"
        )]
        trashed: Vec<String>,
        /// Delete everything in the trash
        #[arg(long)]
        all: bool,
        /// Don't ask for confirmation
        #[arg(short, long)]
        yes: bool,
        #[command(flatten)]
        format: Json,
    },
    /// List the storage hosts for new folders
    Hosts(Json),
    #[command(flatten)]
    Sharing(SharingCommand),
    #[command(flatten)]
    Files(FilesCommand),
}

/// A folder.
#[derive(Args, Debug)]
pub struct Which {
    /// Name or id of a folder
    #[arg(value_name = "FOLDER")]
    pub folder: String,
}

/// A folder in the trash.
#[derive(Args, Debug)]
pub struct Trashed {
    /// Name or id of a folder in the trash
    #[arg(value_name = "FOLDER")]
    pub trashed: String,
}

impl FolderCommand {
    pub fn is_change(&self) -> bool {
        match self {
            Self::Ls { .. } | Self::Hosts(_) => false,
            Self::Sharing(command) => command.is_change(),
            Self::Files(command) => command.is_change(),
            _ => true,
        }
    }
}

impl RunCommand for FolderCommand {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        match self {
            Self::Ls {
                place: Some(place),
                long,
                format,
                ..
            } => files::ls(start, &Place::parse(&place)?, long, format.json),
            Self::Ls { trash, format, .. } => list::ls(start, trash, format.json),
            Self::Create(new) => change::create(start, new),
            Self::Rename {
                which,
                name,
                format,
            } => change::rename(start, which.folder, name, format.json),
            Self::Clone {
                which,
                name,
                format,
            } => change::clone(start, which.folder, name, format.json),
            Self::Quota {
                which,
                quota,
                format,
            } => change::quota(start, which.folder, quota, format.json),
            Self::Rm { folders, format } => change::rm(start, folders, format.json),
            Self::Restore { which, format } => change::restore(start, which.trashed, format.json),
            Self::Purge {
                trashed,
                all,
                yes,
                format,
            } => change::purge(start, (trashed, all), yes, format.json),
            Self::Hosts(format) => list::hosts(start, format.json),
            Self::Sharing(command) => command.run(start),
            Self::Files(command) => command.run(start),
        }
    }
}

/// A connection, and the context that the command is about.
struct FolderClient {
    connection: Connection,
    context: ContextName,
}

impl FolderClient {
    async fn connect(start: &Start) -> Result<Self, Fail> {
        let connection = Connection::connect(&start.paths).await?;
        let context = Choice::of(start).context(&connection.snapshot().await?)?;
        Ok(Self {
            connection,
            context,
        })
    }

    async fn ask(&self, request: FolderRequest) -> Result<Reply, Fail> {
        let request = ContextRequest::Folder { request };
        let request = Request::context(self.context, request);
        self.connection.request(request).await
    }

    async fn done(&self, request: FolderRequest) -> Result<(), Fail> {
        match self.ask(request).await? {
            Reply::Done => Ok(()),
            other => Err(connection::unexpected(&other)),
        }
    }

    async fn folder(&self, request: FolderRequest) -> Result<Folder, Fail> {
        match self.ask(request).await? {
            Reply::Folder { folder } => Ok(*folder),
            other => Err(connection::unexpected(&other)),
        }
    }

    async fn list(&self, trash: bool) -> Result<Vec<Folder>, Fail> {
        let request = FolderRequest::List {
            trash,
            measure: true,
        };
        match self.ask(request).await? {
            Reply::Folders { folders } => Ok(folders),
            other => Err(connection::unexpected(&other)),
        }
    }
}

/// Reads `ro`, `rw` or `wd`.
fn permission(text: &str) -> Result<FolderPermission, String> {
    let mut all = FolderPermission::ALL.into_iter();
    let found = all.find(|it| it.word() == text);
    found.ok_or_else(|| {
        tr!("use ro (read-only), rw (read and write) or wd (also delete)").to_owned()
    })
}

fn words(words: &[&'static str]) -> PossibleValuesParser {
    PossibleValuesParser::new(words.iter().copied())
}
