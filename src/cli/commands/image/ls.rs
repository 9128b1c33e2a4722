//! `workbay image ls`.

use clap::Args;

use crate::{
    cli::{
        Start,
        args::Json,
        connection,
        fail::Outcome,
        output::{self, Cell},
    },
    model::{own_image::StoredImage, text::Clean},
};

#[derive(Args, Debug)]
pub struct ImageLs {
    /// Only images that you created from sessions
    #[arg(long)]
    pub mine: bool,
    #[command(flatten)]
    pub format: Json,
}

pub fn ls(start: &Start, arguments: &ImageLs) -> Outcome {
    let mut images = connection::block_on(async {
        let (connection, context) = super::connect(start).await?;
        super::list(&connection, context).await
    })?;
    images.retain(|it| it.mine || !arguments.mine);
    if arguments.format.json {
        output::json(&images)?;
    } else {
        let rows: Vec<Vec<Cell>> = images.iter().map(row).collect();
        let head = [
            tr_later!("NAME"),
            tr_later!("REFERENCE"),
            tr_later!("SIZE"),
            tr_later!("CREATED"),
            tr_later!("USED BY"),
        ];
        output::print(&output::table(&head, &rows, false))?;
    }
    Ok(0)
}

fn row(image: &StoredImage) -> Vec<Cell> {
    let name = match (&image.name, &image.owner) {
        (Some(name), Some(owner)) => tr!("{name} (by {owner})", name, owner),
        (Some(name), None) => name.to_string(),
        (None, _) => "-".to_owned(),
    };
    let none = || "-".to_owned();
    let size = image.size.map_or_else(none, |it| it.to_string());
    let created = image
        .created_at
        .map_or_else(none, |at| at.strftime("%Y-%m-%d %H:%M").to_string());
    let users: Vec<&str> = image.used_by.iter().map(Clean::as_str).collect();
    let users = if users.is_empty() {
        none()
    } else {
        users.join(", ")
    };
    vec![
        name.into(),
        image.reference.as_str().into(),
        size.into(),
        created.into(),
        users.into(),
    ]
}
