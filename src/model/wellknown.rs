//! Well-known environments: names for images in registries, and what is known about them.
//!
//! The labels of an image override what the environment catalog says about it.

use super::{
    app_definition::AppDefinition,
    environment::{Environment, EnvironmentSource, HOST, ImageFacts, SessionUser},
    reference,
    resources::ResourceSlots,
    service::Service,
    text::Clean,
};

/// One name of the environment catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WellKnown {
    pub name: Clean,
    /// One sentence about its purpose.
    pub about: Clean,
    /// In the order of the file; empty for the host environment only.
    pub versions: Vec<KnownVersion>,
    /// The version that a name without a version means; one of `versions`.
    pub default: Clean,
    pub services: Vec<Service>,
    pub apps: Vec<AppDefinition>,
    pub user: SessionUser,
    /// The minimum resources that it needs.
    pub minimum: ResourceSlots,
}

/// A version of an environment, and its image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownVersion {
    pub name: Clean,
    /// As in the catalog: `quay.io/jupyter/scipy-notebook:2024-10-07`.
    pub image: String,
    /// Where the image is pulled from: `image` itself, or its name on a mirror.
    pub from: String,
}

/// Lists the environments on the engine, with what the catalog knows about them, then the rest of the
/// catalog.
pub fn completed(here: Vec<Environment>, known: &[WellKnown]) -> Vec<Environment> {
    let mut all = here;
    let mut absent = Vec::new();
    for one in known {
        if one.name == HOST {
            one.add_to_host(&mut all);
        }
        for version in one.in_order() {
            let found = all.iter_mut().filter(|it| version.is_image_of(it));
            let mut is_here = false;
            for environment in found {
                is_here = true;
                one.add_to(environment, version);
            }
            if !is_here {
                absent.push(one.absent(version));
            }
        }
    }
    all.append(&mut absent);
    all
}

impl WellKnown {
    /// Where the image of `name` or `name:version` is pulled from; `None` = another environment is meant.
    pub fn image_of(&self, asked: &str) -> Option<&str> {
        let asked = asked.trim();
        let mut all = self.in_order();
        let meant = all.find(|version| self.name == *asked || self.label(version) == *asked);
        meant.map(|version| version.from.as_str())
    }

    /// The default version first.
    fn in_order(&self) -> impl Iterator<Item = &KnownVersion> {
        let is_default = |version: &&KnownVersion| version.name == self.default;
        let first = self.versions.iter().filter(is_default);
        let others = self
            .versions
            .iter()
            .filter(move |version| !is_default(version));
        first.chain(others)
    }

    fn label(&self, version: &KnownVersion) -> Clean {
        Clean::new(&format!("{}:{}", self.name, version.name))
    }

    fn add_to(&self, environment: &mut Environment, version: &KnownVersion) {
        let facts = &mut environment.facts;
        if facts.known_as.is_none() {
            facts.known_as = Some(self.label(version));
            facts.about = Some(self.about.clone());
        }
        facts.user = self.user;
        facts.apps.clone_from(&self.apps);
        if facts.services.is_empty() {
            facts.services.clone_from(&self.services);
        }
        if facts.minimum == ResourceSlots::default() {
            facts.minimum = self.minimum.clone();
        }
    }

    /// The host environment has no image, so only its apps can be in the catalog.
    fn add_to_host(&self, all: &mut [Environment]) {
        let hosts = all
            .iter_mut()
            .filter(|it| it.source == EnvironmentSource::Host);
        for host in hosts {
            host.facts.apps.clone_from(&self.apps);
        }
    }

    fn absent(&self, version: &KnownVersion) -> Environment {
        let image = EnvironmentSource::Image {
            reference: version.from.clone(),
        };
        let mut environment = Environment {
            name: self.name.clone(),
            version: version.name.clone(),
            source: image,
            size: None,
            unavailable: None,
            absent: true,
            facts: ImageFacts::default(),
        };
        self.add_to(&mut environment, version);
        environment
    }
}

impl KnownVersion {
    fn is_image_of(&self, environment: &Environment) -> bool {
        let EnvironmentSource::Image { reference } = &environment.source else {
            return false;
        };
        [&self.image, &self.from]
            .into_iter()
            .any(|known| reference::is_same(known, reference))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::resources::Bytes;

    fn known() -> WellKnown {
        let version = |name: &str| KnownVersion {
            name: Clean::new(name),
            image: format!("docker.io/library/python:{name}"),
            from: format!("mirror.local/hub/python:{name}"),
        };
        WellKnown {
            name: "python".into(),
            about: "Python.".into(),
            versions: vec![version("3.13"), version("3.12")],
            default: "3.12".into(),
            services: Vec::new(),
            apps: vec![AppDefinition {
                command: vec!["serve".to_owned()],
                ..AppDefinition::of("serve")
            }],
            user: SessionUser::Image,
            minimum: ResourceSlots {
                mem: Bytes::mib(64),
                ..ResourceSlots::default()
            },
        }
    }

    fn here(reference: &str) -> Environment {
        Environment {
            absent: false,
            size: Some(Bytes::mib(120)),
            facts: ImageFacts::default(),
            source: EnvironmentSource::Image {
                reference: reference.to_owned(),
            },
            ..known().absent(&known().versions[0])
        }
    }

    fn reported(all: &[Environment]) -> Vec<(String, bool)> {
        all.iter().map(|it| (it.label(), it.absent)).collect()
    }

    #[test]
    fn what_is_not_here_follows_what_is_the_default_first() {
        let all = completed(Vec::new(), &[known()]);
        let label = |version: &str| (format!("python:{version}"), true);
        assert_eq!(reported(&all), [label("3.12"), label("3.13")]);
        let EnvironmentSource::Image { reference } = &all[0].source else {
            panic!("no image");
        };
        assert_eq!(reference, "mirror.local/hub/python:3.12");
    }

    #[test]
    fn an_image_that_is_here_is_known_by_either_of_its_names() {
        for reference in ["python:3.13", "mirror.local/hub/python:3.13"] {
            let all = completed(vec![here(reference)], &[known()]);
            assert_eq!(all.len(), 2, "{reference}");
            assert!(!all[0].absent && all[1].absent, "{reference}");
            assert_eq!(all[0].size, Some(Bytes::mib(120)));
            assert_eq!(all[0].facts.known_as, Some("python:3.13".into()));
            assert_eq!(all[0].facts.minimum.mem, Bytes::mib(64));
            assert_eq!(all[0].facts.user, SessionUser::Image);
            assert_eq!(all[0].facts.apps, known().apps);
        }
        let all = completed(vec![here("other/python:3.13")], &[known()]);
        assert_eq!(all.len(), 3);
        assert_eq!(all[0].facts.known_as, None);
    }

    #[test]
    fn the_host_environment_gets_apps_and_nothing_else() {
        let host = Environment {
            source: EnvironmentSource::Host,
            ..here("x")
        };
        let of_host = WellKnown {
            name: HOST.into(),
            versions: Vec::new(),
            ..known()
        };
        let all = completed(vec![host.clone()], &[of_host]);
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].facts.apps, known().apps);
        assert_eq!(
            (all[0].facts.user, &all[0].facts.known_as),
            (host.facts.user, &None)
        );
    }

    #[test]
    fn what_an_image_says_of_itself_counts() {
        let mut labelled = here("python:3.13");
        labelled.facts.minimum.mem = Bytes::mib(256);
        let all = completed(vec![labelled], &[known()]);
        assert_eq!(all[0].facts.minimum.mem, Bytes::mib(256));
    }
}
