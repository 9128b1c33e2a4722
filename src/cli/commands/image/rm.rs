//! `workbay image rm`.

use clap::Args;

use crate::{
    cli::{
        Start, connection,
        fail::{Fail, Outcome, code},
        output, tty,
    },
    model::{
        own_image::{ImageRequest, StoredImage},
        request::ContextRequest,
    },
    protocol::message::Request,
};

#[derive(Args, Debug)]
pub struct ImageRm {
    /// References, names of your own images, or beginnings of ids
    #[arg(required = true, value_name = "IMAGE")]
    pub images: Vec<String>,
    /// Don't ask for confirmation
    #[arg(short, long)]
    pub yes: bool,
}

pub fn rm(start: &Start, arguments: &ImageRm) -> Outcome {
    connection::block_on(async {
        let (connection, context) = super::connect(start).await?;
        let all = super::list(&connection, context).await?;
        let mut chosen: Vec<StoredImage> = Vec::new();
        for word in &arguments.images {
            let image = super::one_of(&all, word)?;
            if !chosen.contains(&image) {
                chosen.push(image);
            }
        }
        tty::require_for_confirmation("image rm", arguments.yes)?;
        if !arguments.yes && !confirm(&chosen)? {
            output::remark(tr!("Nothing was removed."));
            return Ok(code::FAILED);
        }
        for image in chosen {
            let request = ImageRequest::Remove {
                reference: image.reference.clone(),
            };
            let request = Request::context(context, ContextRequest::Image { request });
            connection.request_done(request).await?;
            output::line(&tr!("removed {reference}", reference = image.reference))?;
        }
        Ok(0)
    })
}

fn confirm(images: &[StoredImage]) -> Result<bool, Fail> {
    use std::io::Write as _;
    let mut err = std::io::stderr().lock();
    for image in images {
        let name = image.name.as_ref().map(|it| format!("  {it}"));
        writeln!(err, "  {}{}", image.reference, name.unwrap_or_default())?;
    }
    let what = match images {
        [_] => tr!("this image").to_owned(),
        many => tr!("these {many} images", many = many.len()),
    };
    write!(err, "{}", tr!("Remove {what}? [y/N] ", what))?;
    err.flush()?;
    tty::is_agreed()
}
