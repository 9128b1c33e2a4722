//! Local images as environments.

use std::cmp::Reverse;

use async_trait::async_trait;
use bollard::{models::ImageSummary, query_parameters::ListImagesOptionsBuilder};
use futures_util::stream::BoxStream;
use tokio::sync::mpsc;

use super::{host, own};
use crate::engine::docker::{DockerEngine, remote};
use crate::{
    engine::api::{Images, Input, Result},
    model::{
        environment::{Environment, EnvironmentSource, HOST, ImageFacts, SessionUser},
        image::{self, version_numbers},
        own_image::{ImageProgress, StoredImage},
        pull::PullFigures,
        resources::Bytes,
        text::Clean,
    },
};

#[async_trait]
impl Images for DockerEngine {
    async fn environments(&self) -> Result<Vec<Environment>> {
        let connection = self.connection().await?;
        let options = ListImagesOptionsBuilder::default().build();
        let listed = connection.docker.list_images(Some(options)).await;
        let images = listed.map_err(|error| connection.fault(error))?;
        let remote = connection.remote.clone();
        let mut all = vec![host_environment(remote.clone().or_else(host::unavailable))];
        let mut of_images: Vec<Environment> = images.iter().flat_map(of_image).collect();
        let unfit = remote.and_then(|_| remote::check_processor(&connection).err());
        for environment in &mut of_images {
            environment.unavailable = unfit.as_ref().map(|why| Clean::new(&why.to_string()));
        }
        newest_first(&mut of_images);
        all.append(&mut of_images);
        Ok(all)
    }

    async fn pull(&self, reference: &str) -> Result<BoxStream<'static, Result<PullFigures>>> {
        self.pull_image(reference).await
    }

    async fn stored_images(&self) -> Result<Vec<StoredImage>> {
        self.all_stored().await
    }

    async fn remove_image(&self, reference: &str) -> Result<()> {
        self.remove_stored(reference).await
    }

    async fn export_image(
        &self,
        reference: &str,
    ) -> Result<BoxStream<'static, Result<bytes::Bytes>>> {
        self.save_image(reference).await
    }

    async fn import_image(
        &self,
        archive: mpsc::Receiver<Input>,
    ) -> Result<BoxStream<'static, Result<ImageProgress>>> {
        self.load_image(archive).await
    }

    async fn push_image(
        &self,
        reference: &str,
        target: &str,
    ) -> Result<BoxStream<'static, Result<ImageProgress>>> {
        self.push_stored(reference, target).await
    }
}

/// Sorts by name; within a name, the newest version comes first.
fn newest_first(environments: &mut [Environment]) {
    environments.sort_by_cached_key(|one| {
        let version = one.version.clone();
        (
            one.name.clone(),
            Reverse(version_numbers(version.as_str())),
            version,
        )
    });
}

fn host_environment(unavailable: Option<String>) -> Environment {
    Environment {
        name: Clean::new(HOST),
        version: Clean::new(&host::version()),
        source: EnvironmentSource::Host,
        size: None,
        unavailable: unavailable.map(Clean::from),
        absent: false,
        facts: ImageFacts::default(),
    }
}

/// One environment for each name of the image; none for an image without a name or not for sessions.
fn of_image(image: &ImageSummary) -> Vec<Environment> {
    let label = |name: &str| image.labels.get(name).map(String::as_str);
    if !image::is_for_sessions(label(image::FEATURES), label(image::ROLE)) {
        return Vec::new();
    }
    let size = u64::try_from(image.size).ok().map(Bytes);
    image
        .repo_tags
        .iter()
        .filter_map(|reference| split(reference).map(|parts| (reference, parts)))
        .filter(|(_, (name, version))| {
            *name != host::REPOSITORY
                && !name.ends_with(&format!("/{}", host::REPOSITORY))
                && *name != "<none>"
                && *version != "<none>"
        })
        .map(|(reference, (name, version))| Environment {
            name: Clean::new(name),
            version: Clean::new(version),
            source: EnvironmentSource::Image {
                reference: reference.clone(),
            },
            size,
            unavailable: None,
            absent: false,
            facts: facts(image, version),
        })
        .collect()
}

fn facts(image: &ImageSummary, tag: &str) -> ImageFacts {
    let label = |name: &str| image.labels.get(name).map(String::as_str);
    let all = image.labels.iter();
    ImageFacts {
        // The list of images doesn't contain these.
        architecture: None,
        group: own::is_mine(image).then(|| Clean::new(image::MY_ENVIRONMENTS)),
        customized: own::customized(image),
        known_as: None,
        about: None,
        chips: image::chips(tag, label(image::OWN_NAME)),
        minimum: image::minimum(all.map(|(key, value)| (key.as_str(), value.as_str()))),
        accelerators: image::accelerators(label(image::ACCELERATORS)),
        user: SessionUser::Work,
        services: label(image::SERVICE_PORTS)
            .map(image::services)
            .unwrap_or_default(),
        apps: Vec::new(),
        digests: [&image.id]
            .into_iter()
            .chain(&image.repo_digests)
            .cloned()
            .collect(),
    }
}

/// Name and tag; a registry's port isn't a tag.
fn split(reference: &str) -> Option<(&str, &str)> {
    let (name, tag) = reference.rsplit_once(':')?;
    (!tag.contains('/')).then_some((name, tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_versions() {
        let image = ImageSummary {
            repo_tags: [
                "busybox:1.35",
                "localhost:5000/team/python:3.12",
                "localhost:5000/untagged",
                "<none>:<none>",
                "workbay/host:0123",
            ]
            .map(str::to_owned)
            .to_vec(),
            size: 42,
            ..ImageSummary::default()
        };
        let labels: Vec<String> = of_image(&image).iter().map(Environment::label).collect();
        assert_eq!(labels, ["busybox:1.35", "localhost:5000/team/python:3.12"]);
    }

    fn labelled(tag: &str, labels: &[(&str, &str)]) -> ImageSummary {
        ImageSummary {
            repo_tags: vec![tag.to_owned()],
            labels: labels
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                .collect(),
            ..ImageSummary::default()
        }
    }

    #[test]
    fn labels_give_what_an_image_needs_and_offers() {
        let image = labelled(
            "cr/python:3.11-py311-cuda12.1",
            &[
                ("ai.backend.resource.min.mem", "1g"),
                ("ai.backend.accelerators", "cuda"),
                ("ai.backend.service-ports", "jupyter:http:8080"),
            ],
        );
        let facts = &of_image(&image)[0].facts;
        assert_eq!(facts.chips, ["py311", "cuda12.1"].map(Clean::from));
        assert_eq!(facts.minimum.mem, Bytes::mib(1024));
        assert_eq!(facts.accelerators, [Clean::from("cuda")]);
        assert_eq!(facts.services[0].ports, [8080]);
        let system = labelled("cr/sftp:1", &[("ai.backend.role", "SYSTEM")]);
        assert!(of_image(&system).is_empty());
    }

    #[test]
    fn the_newest_version_comes_first() {
        let tags = ["b:1", "a:3.9", "a:3.11", "a:latest"];
        let mut all: Vec<Environment> = tags
            .iter()
            .flat_map(|tag| of_image(&labelled(tag, &[])))
            .collect();
        newest_first(&mut all);
        let labels: Vec<String> = all.iter().map(Environment::label).collect();
        assert_eq!(labels, ["a:3.11", "a:3.9", "a:latest", "b:1"]);
    }

    #[test]
    fn fuzz_docker_images() {
        crate::fuzz::parser("docker-images", &[], |bytes, _| {
            if let Ok(image) = serde_json::from_slice::<ImageSummary>(bytes) {
                let mut environments = of_image(&image);
                newest_first(&mut environments);
                for environment in &environments {
                    crate::fuzz::bounded(bytes, environment);
                }
            }
        });
    }
}
