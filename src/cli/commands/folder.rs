//! `workbay folder`: manages folders that outlive sessions.

use clap::Subcommand;

use crate::model::request::ContextRequest;
use crate::{
    cli::{
        Start,
        args::Json,
        choice::Choice,
        commands::{RunCommand, resources},
        connection::{self, Connection},
        fail::{Fail, Outcome},
        invocation::Invocation,
        output,
    },
    protocol::message::{Reply, Request},
    rules::launch::folders,
};

#[derive(Debug, Subcommand)]
pub enum FolderCommand {
    /// List folders that can be mounted
    Ls(Json),
    /// Create a folder
    Create {
        /// Name (letters, digits, _ . and -)
        name: String,
        #[command(flatten)]
        format: Json,
    },
}

impl FolderCommand {
    pub fn is_change(&self) -> bool {
        match self {
            Self::Ls(_) => false,
            Self::Create { .. } => true,
        }
    }
}

impl RunCommand for FolderCommand {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        match self {
            Self::Ls(format) => ls(start, format.json),
            Self::Create { name, format } => create(start, &name, format.json),
        }
    }
}

fn ls(start: &Start, json: bool) -> Outcome {
    let catalogue = resources::read(start, None)?;
    if let Some((_, why)) = catalogue.gaps.iter().find(|(part, _)| *part == "folders") {
        output::remark(&format!("workbay: folders can't be read: {why}"));
    }
    if json {
        output::json(&catalogue.folders)?;
    } else {
        output::print(&resources::folder_table(&catalogue.folders))?;
    }
    Ok(0)
}

fn create(start: &Start, name: &str, json: bool) -> Outcome {
    folders::check_name(name).map_err(Fail::usage)?;
    let folder = connection::block_on(async {
        let connection = Connection::connect(&start.paths).await?;
        let context = Choice::of(start).context(&connection.snapshot().await?)?;
        let name = name.to_owned();
        match connection
            .request(Request::context(
                context,
                ContextRequest::CreateFolder { name },
            ))
            .await?
        {
            Reply::Folder { folder } => Ok(folder),
            other => Err(connection::unexpected(&other)),
        }
    })?;
    if json {
        output::json(&folder)?;
    } else {
        output::line(folder.name.as_str())?;
    }
    Ok(0)
}
