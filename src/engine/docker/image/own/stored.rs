//! The images that the engine has: which were created from sessions, and by whom.

use bollard::{
    errors::Error,
    models::{ImageInspect, ImageSummary},
    query_parameters::{ListImagesOptionsBuilder, RemoveImageOptions},
};
use jiff::Timestamp;

use crate::{
    engine::{
        api::Result,
        docker::{DockerEngine, connect::connection::EngineConnection, image::host},
    },
    model::{
        environment::Customized,
        failure::Failure,
        image::{OWN_EMAIL, OWN_NAME, OWN_OWNER},
        own_image::{FROM_IMAGE, StoredImage},
        resources::Bytes,
        text::Clean,
    },
};

/// An image that this user created from a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Own {
    pub(super) name: String,
    pub(super) reference: String,
}

/// This user in the labels of images. Names may change, and two machines may share an engine's user.
pub(super) fn me() -> String {
    format!("user:{}", rustix::process::getuid().as_raw())
}

/// The time of an image that the engine made now, by the engine's clock.
pub(super) fn now(made: &ImageInspect) -> String {
    let created = made.created.as_ref().map(ToString::to_string);
    created.unwrap_or_else(|| Timestamp::UNIX_EPOCH.to_string())
}

/// Whether the image was created from a session of this user.
pub(in crate::engine::docker::image) fn is_mine(image: &ImageSummary) -> bool {
    let owner = image.labels.get(OWN_OWNER);
    image.labels.contains_key(OWN_NAME) && owner.is_some_and(|owner| *owner == me())
}

/// The name of an image that was created from a session, and its creator if that is another user.
pub(in crate::engine::docker::image) fn customized(image: &ImageSummary) -> Option<Customized> {
    let name = image.labels.get(OWN_NAME)?;
    let by = || {
        let known = image.labels.get(OWN_EMAIL).or(image.labels.get(OWN_OWNER));
        known.map_or_else(|| Clean::new(tr_sent!("another user")), |it| Clean::new(it))
    };
    Some(Customized {
        name: Clean::new(name),
        owner: (!is_mine(image)).then(by),
    })
}

async fn list(connection: &EngineConnection) -> Result<Vec<ImageSummary>> {
    let options = ListImagesOptionsBuilder::default().build();
    let listed = connection.docker.list_images(Some(options)).await;
    listed.map_err(|error| connection.fault(error))
}

/// The images of this user, each once.
pub(super) async fn own(connection: &EngineConnection) -> Result<Vec<Own>> {
    let all = list(connection).await?;
    let own = all.into_iter().filter(is_mine).filter_map(|image| {
        Some(Own {
            name: image.labels.get(OWN_NAME)?.clone(),
            reference: image.repo_tags.first()?.clone(),
        })
    });
    Ok(own.collect())
}

impl DockerEngine {
    pub(in crate::engine::docker) async fn all_stored(&self) -> Result<Vec<StoredImage>> {
        let connection = self.connection().await?;
        let all = list(&connection).await?;
        let mut rows: Vec<StoredImage> = all.iter().flat_map(rows).collect();
        rows.sort_by_cached_key(|it| (!it.mine, it.name.is_none(), it.reference.clone()));
        Ok(rows)
    }

    pub(in crate::engine::docker) async fn remove_stored(&self, reference: &str) -> Result<()> {
        let connection = self.connection().await?;
        if reference.contains(host::REPOSITORY) {
            let text =
                tr_sent!("the image of the host environment can't be removed: sessions need it");
            return Err(
                Failure::refused(text).hint(tr_sent!("leave it: it has no files of its own"))
            );
        }
        let options = None::<RemoveImageOptions>;
        match connection
            .docker
            .remove_image(reference, options, None)
            .await
        {
            Ok(_) => Ok(()),
            Err(Error::DockerResponseServerError {
                status_code: 409,
                message,
            }) => Err(
                Failure::refused(tr_sent!("image {reference} is in use", reference))
                    .because(message)
                    .hint(tr_sent!(
                        "remove the containers that use it first. `docker ps -a` lists them"
                    )),
            ),
            Err(error) => Err(connection.fault(error)),
        }
    }
}

/// One row for each name. Images without a name are parts of others.
fn rows(image: &ImageSummary) -> Vec<StoredImage> {
    let own = customized(image);
    let named = |tag: &&String| !tag.starts_with("<none>") && !tag.contains(host::REPOSITORY);
    let created = Timestamp::from_second(image.created).ok();
    let row = |tag: &String| StoredImage {
        reference: tag.clone(),
        id: Some(image.id.clone()),
        name: own.as_ref().map(|it| it.name.clone()),
        mine: is_mine(image),
        owner: own.as_ref().and_then(|it| it.owner.clone()),
        size: u64::try_from(image.size).ok().map(Bytes),
        created_at: created.filter(|at| *at != Timestamp::UNIX_EPOCH),
        base: image.labels.get(FROM_IMAGE).map(|it| Clean::new(it)),
        used_by: Vec::new(),
    };
    image.repo_tags.iter().filter(named).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(owner: &str) -> ImageSummary {
        let labels = [
            (OWN_NAME, "my-tools"),
            (OWN_OWNER, owner),
            (OWN_EMAIL, "kim"),
        ];
        ImageSummary {
            repo_tags: vec!["localhost/workbay/kim/busybox:1-customized_0".to_owned()],
            labels: labels.map(|(k, v)| (k.to_owned(), v.to_owned())).into(),
            ..ImageSummary::default()
        }
    }

    #[test]
    fn the_label_names_the_owner() {
        let mine = customized(&image(&me())).unwrap();
        assert_eq!((mine.name.as_str(), mine.owner), ("my-tools", None));
        let theirs = customized(&image("user:4711")).unwrap();
        assert_eq!(theirs.owner, Some("kim".into()));
        assert!(rows(&image(&me()))[0].mine && !rows(&image("user:4711"))[0].mine);
        assert_eq!(customized(&ImageSummary::default()), None);
    }
}
