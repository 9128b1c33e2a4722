//! `workbay image`: lists, removes and transfers images.

mod export;
mod import;
mod ls;
mod push;
mod report;
mod rm;

use clap::Subcommand;

use crate::{
    cli::{
        Start,
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::{Fail, Outcome, code},
        invocation::Invocation,
    },
    model::{
        id::ContextName,
        own_image::{ImageRequest, StoredImage},
        request::ContextRequest,
        text::Clean,
    },
    protocol::message::{Reply, Request},
};

/// Commands about images.
#[derive(Debug, Subcommand)]
pub enum ImageCommand {
    /// List the images on the engine, those that you created from sessions first
    Ls(ls::ImageLs),
    /// Remove images that no session uses
    Rm(rm::ImageRm),
    /// Send an image to a registry (Ctrl-C cancels)
    Push(push::ImagePush),
    /// Write an image with all its layers into a file
    Export(export::ImageExport),
    /// Store the images of a file that `image export` or `docker save` wrote
    Import(import::ImageImport),
}

impl ImageCommand {
    pub fn is_change(&self) -> bool {
        match self {
            Self::Ls(_) | Self::Export(_) => false,
            Self::Rm(_) | Self::Push(_) | Self::Import(_) => true,
        }
    }
}

impl RunCommand for ImageCommand {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        match self {
            Self::Ls(arguments) => ls::ls(start, &arguments),
            Self::Rm(arguments) => rm::rm(start, &arguments),
            Self::Push(arguments) => push::push(start, &arguments),
            Self::Export(arguments) => export::export(start, &arguments),
            Self::Import(arguments) => import::import(start, &arguments),
        }
    }
}

/// Connects, and returns the context that the command is for.
async fn connect(start: &Start) -> Result<(Connection, ContextName), Fail> {
    let connection = Connection::connect(&start.paths).await?;
    let context = Choice::of(start).context(&connection.snapshot().await?)?;
    Ok((connection, context))
}

async fn list(connection: &Connection, context: ContextName) -> Result<Vec<StoredImage>, Fail> {
    let request = ImageRequest::List;
    let request = Request::context(context, ContextRequest::Image { request });
    match connection.request(request).await? {
        Reply::Images { images } => Ok(images),
        other => Err(connection::unexpected(&other)),
    }
}

/// The image that a word means: a reference, the name of an own image, or the beginning of an id.
async fn find(
    connection: &Connection,
    context: ContextName,
    word: &str,
) -> Result<StoredImage, Fail> {
    let images = list(connection, context).await?;
    one_of(&images, word)
}

fn one_of(images: &[StoredImage], word: &str) -> Result<StoredImage, Fail> {
    let exact = images.iter().find(|it| it.reference == word);
    let mut found: Vec<&StoredImage> = match exact {
        Some(image) => vec![image],
        None => images.iter().filter(|it| it.answers_to(word)).collect(),
    };
    // Your own image comes before one of another user with the same name.
    if found.iter().any(|it| it.mine) {
        found.retain(|it| it.mine);
    }
    match found.as_slice() {
        [image] => Ok((*image).clone()),
        [] => {
            let text = tr!("no image '{word}' on this engine", word = Clean::new(word));
            let fail = Fail::new(code::NOT_FOUND, text);
            Err(fail.hint(tr!("`workbay image ls` lists the images")))
        }
        several => {
            let names: Vec<&str> = several.iter().map(|it| it.reference.as_str()).collect();
            let text = tr!(
                "'{word}' means several images: {names}",
                word = Clean::new(word),
                names = names.join(", ")
            );
            Err(Fail::usage(text).hint(tr!("use the reference")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(reference: &str, name: Option<&str>, mine: bool) -> StoredImage {
        StoredImage {
            reference: reference.to_owned(),
            id: Some("sha256:0123456789ab".to_owned()),
            name: name.map(Clean::new),
            mine,
            owner: None,
            size: None,
            created_at: None,
            base: None,
            used_by: Vec::new(),
        }
    }

    #[test]
    fn a_word_means_one_image() {
        let all = [
            image(
                "localhost/workbay/kim/busybox:1-customized_a",
                Some("tools"),
                true,
            ),
            image(
                "localhost/workbay/lee/busybox:1-customized_b",
                Some("tools"),
                false,
            ),
            image("busybox:latest", None, false),
        ];
        let found = |word: &str| one_of(&all, word).map(|it| it.reference);
        assert_eq!(found("tools").unwrap(), all[0].reference);
        assert_eq!(found("busybox").unwrap(), "busybox:latest");
        assert_eq!(found(&all[1].reference).unwrap(), all[1].reference);
        assert_eq!(found("absent").unwrap_err().code, code::NOT_FOUND);
        let several = [image("a:1", None, false), image("a:2", None, false)];
        assert!(one_of(&several, "0123456").is_err());
    }
}
