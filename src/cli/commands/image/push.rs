//! `workbay image push`: sends an image to a registry.

use clap::Args;

use super::report::Reporter;
use crate::{
    cli::{
        Start,
        args::Json,
        connection,
        fail::{Fail, Outcome},
        output,
        reports::unless_interrupted,
    },
    model::{own_image, reference},
    protocol::message::StreamOpen,
};

#[derive(Args, Debug)]
pub struct ImagePush {
    /// Reference, name of your own image, or beginning of an id
    pub image: String,
    /// The name in the registry: REGISTRY/NAME:TAG (default: the reference of the image)
    pub target: Option<String>,
    /// Print each step as one line of JSON
    #[command(flatten)]
    pub format: Json,
}

pub fn push(start: &Start, arguments: &ImagePush) -> Outcome {
    let json = arguments.format.json;
    let pushed = connection::block_on(async {
        let (connection, context) = super::connect(start).await?;
        let image = super::find(&connection, context, &arguments.image).await?;
        let target = match &arguments.target {
            Some(target) => reference::with_tag(target),
            None => own_target(&image.reference)?,
        };
        reference::check(&target).map_err(Fail::usage)?;
        let mut stream = connection.stream(StreamOpen::PushImage {
            context,
            reference: image.reference,
            target,
        });
        let mut reporter = Reporter::new(json);
        let left = tr!("layers that the registry has already stay there");
        unless_interrupted(reporter.follow(&mut stream), left).await
    })?;
    if !json {
        for image in pushed {
            output::line(&tr!("pushed {image}", image))?;
        }
    }
    Ok(0)
}

/// An image that was created here has no registry in its reference.
fn own_target(reference: &str) -> Result<String, Fail> {
    if reference.starts_with(own_image::PREFIX) {
        let fail = Fail::usage(tr!("'{reference}' names no registry", reference));
        return Err(fail.hint(tr!(
            "name the target: `workbay image push IMAGE REGISTRY/NAME:TAG`"
        )));
    }
    Ok(reference.to_owned())
}
