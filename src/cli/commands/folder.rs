//! `workbay folder`: manages folders that outlive sessions.

use crate::{
    cli::{
        Start,
        args::Folder as Words,
        choice::Choice,
        commands::resources,
        connection::{self, Connection},
        fail::{Fail, Outcome},
        output,
    },
    protocol::message::{Reply, Request},
    rules::launch::folders,
};

pub fn folder(start: &Start, words: &Words) -> Outcome {
    match words {
        Words::Ls(format) => ls(start, format.json),
        Words::Create { name, format } => create(start, name, format.json),
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
            .request(Request::CreateFolder { context, name })
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
