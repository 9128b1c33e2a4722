//! `workbay folder`: manages folders that outlive sessions.

pub(in crate::cli) mod files;

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use clap::Subcommand;
use serde::Serialize;

use self::files::{FilesCommand, Place};

use crate::{
    cli::{
        Start,
        args::Json,
        choice::Choice,
        commands::{RunCommand, resources},
        connection::{self, Connection},
        fail::{Fail, Outcome},
        find,
        invocation::Invocation,
        output::{self, Cell},
    },
    model::{catalogue::Folder, id::ContextName, request::ContextRequest},
    protocol::message::{Reply, Request, Snapshot},
    rules::launch::folders,
};

#[derive(Debug, Subcommand)]
pub enum FolderCommand {
    /// List folders that can be mounted, or files in a folder
    Ls {
        /// NAME or NAME/PATH, to list files
        #[arg(value_name = "NAME/PATH")]
        place: Option<OsString>,
        /// Print permissions, sizes and times of files
        #[arg(short, long, requires = "place")]
        long: bool,
        #[command(flatten)]
        format: Json,
    },
    /// Create a folder
    Create {
        /// Name (letters, digits, _ . and -)
        name: String,
        #[command(flatten)]
        format: Json,
    },
    #[command(flatten)]
    Files(FilesCommand),
}

impl FolderCommand {
    pub fn is_change(&self) -> bool {
        match self {
            Self::Ls { .. } => false,
            Self::Create { .. } => true,
            Self::Files(command) => command.is_change(),
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
            } => files::ls(start, &Place::parse(&place)?, long, format.json),
            Self::Ls { format, .. } => ls(start, format.json),
            Self::Files(command) => command.run(start),
            Self::Create { name, format } => create(start, &name, format.json),
        }
    }
}

/// A folder in the output of `--json`.
#[derive(Serialize)]
struct Listed<'a> {
    #[serde(flatten)]
    folder: &'a Folder,
    /// Its directory on this machine. `null` = the engine keeps it elsewhere.
    path: Option<String>,
}

impl<'a> Listed<'a> {
    fn new(folder: &'a Folder, directory: Option<&Path>) -> Self {
        let path = directory.map(|it| it.join(folder.name.as_str()).display().to_string());
        Self { folder, path }
    }

    /// The columns of a folder on this machine. The others are always the same.
    fn row(&self) -> Vec<Cell> {
        let path = self.path.clone().unwrap_or_default();
        vec![
            self.folder.name.as_str().into(),
            self.folder.permission.as_str().into(),
            path.into(),
        ]
    }
}

/// The directory of all folders on this machine. `None` = a cluster keeps the folders.
fn directory(start: &Start, snapshot: &Snapshot, context: ContextName) -> Option<PathBuf> {
    (!find::schedules(snapshot, context)).then(|| start.paths.folders_dir())
}

fn ls(start: &Start, json: bool) -> Outcome {
    let catalogue = resources::read(start, None)?;
    let directory = connection::block_on(async {
        let connection = Connection::connect(&start.paths).await?;
        let snapshot = connection.snapshot().await?;
        let context = Choice::of(start).context(&snapshot)?;
        Ok(directory(start, &snapshot, context))
    })?;
    if let Some((_, why)) = catalogue.gaps.iter().find(|(part, _)| *part == "folders") {
        output::remark(&format!("workbay: folders can't be read: {why}"));
    }
    let folders = catalogue.folders.iter();
    let listed: Vec<Listed<'_>> = folders
        .map(|it| Listed::new(it, directory.as_deref()))
        .collect();
    if json {
        output::json(&listed)?;
    } else if directory.is_some() {
        let rows: Vec<Vec<Cell>> = listed.iter().map(Listed::row).collect();
        let head = ["NAME", "PERMISSION", "PATH"];
        output::print(&output::table(&head, &rows, false))?;
    } else {
        output::print(&resources::folder_table(&catalogue.folders))?;
    }
    Ok(0)
}

fn create(start: &Start, name: &str, json: bool) -> Outcome {
    folders::check_name(name).map_err(Fail::usage)?;
    let (folder, directory) = connection::block_on(async {
        let connection = Connection::connect(&start.paths).await?;
        let snapshot = connection.snapshot().await?;
        let context = Choice::of(start).context(&snapshot)?;
        let name = name.to_owned();
        match connection
            .request(Request::context(
                context,
                ContextRequest::CreateFolder { name },
            ))
            .await?
        {
            Reply::Folder { folder } => Ok((folder, directory(start, &snapshot, context))),
            other => Err(connection::unexpected(&other)),
        }
    })?;
    let listed = Listed::new(&folder, directory.as_deref());
    match &listed.path {
        _ if json => output::json(&listed)?,
        Some(path) => output::line(&format!("{} {path}", folder.name))?,
        None => output::line(folder.name.as_str())?,
    }
    Ok(0)
}
