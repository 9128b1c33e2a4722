//! Local images as environments.

use async_trait::async_trait;
use bollard::{models::ImageSummary, query_parameters::ListImagesOptionsBuilder};

use super::{DockerEngine, host};
use crate::{
    engine::api::{Images, Result},
    model::{
        environment::{Environment, EnvironmentSource, HOST, ImageFacts},
        resources::Bytes,
        text::Clean,
    },
};

#[async_trait]
impl Images for DockerEngine {
    async fn environments(&self) -> Result<Vec<Environment>> {
        let line = self.line().await?;
        let options = ListImagesOptionsBuilder::default().build();
        let listed = line.docker.list_images(Some(options)).await;
        let images = listed.map_err(|error| line.fault(error))?;
        let remote = line.remote.clone();
        let mut all = vec![host_environment(remote.clone().or_else(host::unavailable))];
        let mut of_images: Vec<Environment> = images.iter().flat_map(of_image).collect();
        for environment in &mut of_images {
            environment.unavailable = remote.as_deref().map(Clean::new);
        }
        of_images.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
        all.append(&mut of_images);
        Ok(all)
    }
}

fn host_environment(unavailable: Option<String>) -> Environment {
    Environment {
        name: Clean::new(HOST),
        version: Clean::new(&host::version()),
        source: EnvironmentSource::Host,
        size: None,
        unavailable: unavailable.map(Clean::from),
        facts: ImageFacts::default(),
    }
}

/// One environment for each of its names; an image without a name has none.
fn of_image(image: &ImageSummary) -> Vec<Environment> {
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
            facts: ImageFacts::default(),
        })
        .collect()
}

/// Name and tag; a registry's port is no tag.
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
}
