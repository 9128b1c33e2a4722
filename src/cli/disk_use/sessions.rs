//! What a running daemon knows about home directories and images.

use std::collections::BTreeMap;

use super::{Item, item};
use crate::{
    cli::{
        commands::daemon,
        connection::{self, Connection},
        fail::Fail,
    },
    config::paths::Paths,
    model::{
        id::ContextName,
        own_image::{ImageRequest, StoredImage},
        request::ContextRequest,
    },
    protocol::message::{Reply, Request},
};

/// A session with a home directory on this machine.
pub(super) struct SessionHome {
    pub name: String,
    /// Whether the session hasn't ended.
    pub runs: bool,
}

#[derive(Default)]
pub(super) struct Asked {
    /// By the id of the session.
    pub homes: BTreeMap<String, SessionHome>,
    pub images: Vec<Item>,
}

/// Asks the daemon, if one runs. Without an answer, nothing is known.
pub(super) fn ask(paths: &Paths) -> Asked {
    if daemon::is_absent(paths) {
        return Asked::default();
    }
    connection::block_on(answers(paths)).unwrap_or_default()
}

async fn answers(paths: &Paths) -> Result<Asked, Fail> {
    let connection = Connection::existing(paths).await?;
    let snapshot = connection.snapshot().await?;
    let sessions = snapshot.sessions.iter().filter(|it| it.home.is_some());
    let homes = sessions.map(|session| {
        let home = SessionHome {
            name: session.name.to_string(),
            runs: !session.has_ended(),
        };
        (session.id.to_string(), home)
    });
    let homes = homes.collect();
    let mut images = Vec::new();
    for context in &snapshot.contexts {
        // A context without images of this machine has none to delete here.
        let stored = stored(&connection, context.context.name).await;
        images.extend(stored.unwrap_or_default().iter().filter_map(own));
    }
    Ok(Asked { homes, images })
}

fn own(image: &StoredImage) -> Option<Item> {
    let size = image.size.filter(|_| image.mine)?;
    let what = tr!("image {reference}", reference = image.reference);
    let command = format!("workbay image rm {}", image.reference);
    Some(item(what.as_str(), size.0, command))
}

async fn stored(connection: &Connection, context: ContextName) -> Result<Vec<StoredImage>, Fail> {
    let request = ContextRequest::Image {
        request: ImageRequest::List,
    };
    match connection
        .request(Request::context(context, request))
        .await?
    {
        Reply::Images { images } => Ok(images),
        other => Err(connection::unexpected(&other)),
    }
}
