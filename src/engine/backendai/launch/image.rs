//! Finds the image for the name that the user typed.

use super::super::{
    BackendAiEngine, image::reference::Reference, request::manager_error::declined,
};
use crate::{
    engine::api::{Images, Result},
    model::{
        environment::{Environment, EnvironmentSource, HOST},
        failure::Failure,
        launch_field::LaunchField,
        resources::ResourceSlots,
        spec::LaunchRequest,
        text::Clean,
    },
};

impl BackendAiEngine {
    /// The requested image, with what is known about it.
    pub(super) async fn image_of(&self, request: &LaunchRequest) -> Result<Image> {
        if let Some(image) = &request.image {
            return Ok(Image {
                reference: Reference::read(image),
                minimum: ResourceSlots::default(),
            });
        }
        let wanted = request.environment.as_deref().unwrap_or_default().trim();
        if wanted == HOST {
            return Err(Failure::refused(tr_sent!(
                "the host environment isn't available on a cluster. Choose an environment of \
                      the cluster"
            ))
            .about(LaunchField::Environment)
            .hint(tr_sent!("`workbay env ls` lists the environments")));
        }
        if let Some(known) = self.core.known_environments()
            && let Ok(found) = choose(&known, wanted)
        {
            return Ok(found);
        }
        choose(&self.environments().await?, wanted)
    }
}

/// The image to run.
pub(super) struct Image {
    pub(super) reference: Reference,
    pub(super) minimum: ResourceSlots,
}

impl From<&Environment> for Image {
    fn from(environment: &Environment) -> Self {
        let mut reference = match &environment.source {
            EnvironmentSource::Image { reference } => Reference::read(reference),
            EnvironmentSource::Host => Reference::default(),
        };
        if reference.architecture.is_none() {
            let architecture = environment.facts.architecture.as_ref();
            reference.architecture = architecture.map(|text| text.as_str().to_owned());
        }
        Self {
            reference,
            minimum: environment.facts.minimum.clone(),
        }
    }
}

/// Finds `python`, `stable/python` or `local/stable/python`, each with or without `:version`.
/// Without a version it takes the newest one, and without a name the first environment.
fn choose(environments: &[Environment], wanted: &str) -> Result<Image> {
    let Reference {
        name,
        tag,
        architecture,
    } = Reference::read(wanted);
    let matching: Vec<&Environment> = environments
        .iter()
        .filter(|e| name.is_empty() || is_named(e.name.as_str(), &name))
        .filter(|e| {
            let image = Image::from(*e).reference;
            let right = architecture.is_none() || image.architecture == architecture;
            right && (tag.is_empty() || image.tag == tag)
        })
        .collect();
    // The name that a user gave to an image made from a session.
    let own = environments.iter().find(|environment| {
        let customized = environment.facts.customized.as_ref();
        customized.is_some_and(|it| it.name == *wanted)
    });
    if let (Some(own), true) = (own, matching.is_empty()) {
        return Ok(Image::from(own));
    }
    let Some(first) = matching.first() else {
        return Err(Failure::no_image(if wanted.is_empty() {
            tr_sent!("an environment").to_owned()
        } else {
            tr_sent!("environment '{wanted}'", wanted = Clean::new(wanted))
        })
        .hint(tr_sent!(
            "`workbay env ls` lists the available environments"
        )));
    };
    if !name.is_empty() && matching.iter().any(|e| e.name != first.name) {
        let mut names: Vec<&str> = matching.iter().map(|e| e.name.as_str()).collect();
        names.dedup();
        return Err(declined(tr_sent!(
            "'{name}' matches several environments: {names}. Use one of them",
            name,
            names = names.join(", ")
        )));
    }
    Ok(Image::from(*first))
}

/// Whether `wanted` is the whole name or its last parts.
fn is_named(name: &str, wanted: &str) -> bool {
    name == wanted
        || name
            .strip_suffix(wanted)
            .is_some_and(|head| head.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::failure::FailureKind;
    use crate::model::{
        environment::ImageFacts,
        resources::{Bytes, Cpu},
    };

    fn environment(name: &str, version: &str) -> Environment {
        Environment {
            name: name.into(),
            version: version.into(),
            source: EnvironmentSource::Image {
                reference: format!("{name}:{version}"),
            },
            size: None,
            unavailable: None,
            absent: false,
            facts: ImageFacts {
                architecture: Some("x86_64".into()),
                minimum: ResourceSlots::new(Cpu::from_millis(2000), Bytes::mib(1500)),
                ..ImageFacts::default()
            },
        }
    }

    #[test]
    fn environments_are_found_by_the_end_of_their_name() {
        let all = [
            environment("cr/stable/python", "3.12"),
            environment("cr/stable/python", "3.11"),
            environment("cr/test/python", "3.9"),
            environment("cr/stable/r-base", "4"),
        ];
        let found = |wanted: &str| choose(&all, wanted).map(|image| image.reference.image());
        assert_eq!(found("r-base").unwrap(), "cr/stable/r-base:4");
        assert_eq!(found("stable/python").unwrap(), "cr/stable/python:3.12");
        assert_eq!(
            found("stable/python:3.11").unwrap(),
            "cr/stable/python:3.11"
        );
        assert_eq!(found("").unwrap(), "cr/stable/python:3.12");
        assert_eq!(
            found("python").unwrap_err().to_string(),
            "'python' matches several environments: cr/stable/python, cr/test/python. Use one of \
             them"
        );
        for missing in ["base", "python:2", "x/r-base"] {
            assert!(
                found(missing).is_err_and(|error| error.kind == FailureKind::NoImage),
                "{missing}"
            );
        }
    }
}
