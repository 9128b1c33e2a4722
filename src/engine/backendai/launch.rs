//! A launch: the request a person made as the body a manager takes.

use serde_json::{Map, Value, json};

use super::{BackendAiEngine, fault::declined, http::Call, line::Line, reference::Reference};
use crate::{
    engine::{
        api::{Images, Result},
        error::EngineError,
    },
    model::{
        environment::{Environment, EnvironmentSource, HOST},
        id::SessionId,
        name,
        resources::{Bytes, Cpu, ResourceSlots},
        session::SessionType,
        spec::LaunchRequest,
    },
};

/// Asked for when neither the person nor the image says how much.
const MEMORY: Bytes = Bytes(Bytes::GIB);
const CORES: Cpu = Cpu::from_millis(1000);
/// What the manager takes itself when no shared memory is asked for.
const SHMEM: Bytes = Bytes::mib(64);

impl BackendAiEngine {
    pub(super) async fn enqueue(&self, request: &LaunchRequest) -> Result<SessionId> {
        check(request)?;
        let line = self.core.line().await?;
        let image = self.image_of(request).await?;
        let body = body(&line, request, &image);
        let answer: Value = line.http.json(&Call::post("/session", &body)).await?;
        let id = answer["sessionId"].as_str().and_then(|id| id.parse().ok());
        id.ok_or_else(|| {
            EngineError::Other("a launch without the id of the session: see the list".to_owned())
        })
    }

    /// The image that was asked for, with what is known of it.
    async fn image_of(&self, request: &LaunchRequest) -> Result<Image> {
        if let Some(image) = &request.image {
            return Ok(Image {
                reference: Reference::read(image),
                minimum: ResourceSlots::default(),
            });
        }
        let wanted = request.environment.as_deref().unwrap_or_default().trim();
        if wanted == HOST {
            return Err(EngineError::Unsupported(
                "the host environment is this machine's own; choose an environment of the cluster: \
                 `workbay env ls` lists them"
                    .to_owned(),
            ));
        }
        if let Some(known) = self.core.known_environments()
            && let Ok(found) = choose(&known, wanted)
        {
            return Ok(found);
        }
        choose(&self.environments().await?, wanted)
    }
}

/// What is to run.
struct Image {
    reference: Reference,
    minimum: ResourceSlots,
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

/// Finds `python`, `stable/python` or `local/stable/python`, each with or without `:version`; the
/// newest version of it where none is named, the first environment of all where nothing is.
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
    let Some(first) = matching.first() else {
        return Err(EngineError::NoImage {
            what: if wanted.is_empty() {
                "any environment".to_owned()
            } else {
                format!(
                    "the environment '{}'",
                    crate::model::text::Clean::new(wanted)
                )
            },
            mend: "`workbay env ls` lists what can be launched".to_owned(),
        });
    };
    if !name.is_empty() && matching.iter().any(|e| e.name != first.name) {
        let mut names: Vec<&str> = matching.iter().map(|e| e.name.as_str()).collect();
        names.dedup();
        return Err(declined(format!(
            "'{name}' may be any of these environments: {}; write one of them",
            names.join(", ")
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

fn check(request: &LaunchRequest) -> Result<()> {
    if let Some(name) = &request.name {
        name::check(name).map_err(|error| declined(error.to_string()))?;
    }
    let command = request.startup_command.as_deref().unwrap_or_default();
    match request.session_type {
        SessionType::Batch if command.trim().is_empty() => {
            Err(declined("a batch session needs a command to run"))
        }
        _ => Ok(()),
    }
}

/// The keys every release takes; what is not set is left out, since older ones refuse what they do
/// not know.
fn body(line: &Line, request: &LaunchRequest, image: &Image) -> Value {
    let mut body = Map::new();
    let name = request.name.clone().unwrap_or_else(name::generated);
    body.insert("name".into(), json!(name));
    body.insert("image".into(), json!(image.reference.image()));
    if let Some(architecture) = &image.reference.architecture {
        body.insert("architecture".into(), json!(architecture));
    }
    body.insert("type".into(), json!(word(request.session_type)));
    let project = request.project.as_deref();
    let project = project.or(line.project.as_ref().map(|project| project.name.as_str()));
    if let Some(project) = project {
        body.insert("group".into(), json!(project));
    }
    body.insert("domain".into(), json!(line.domain()));
    body.insert("cluster_size".into(), json!(1));
    body.insert("cluster_mode".into(), json!("single-node"));
    body.insert("enqueueOnly".into(), json!(true));
    body.insert("reuseIfExists".into(), json!(false));
    if let Some(command) = &request.startup_command {
        body.insert("startupCommand".into(), json!(command));
    }
    body.insert("config".into(), config(request, image));
    Value::Object(body)
}

fn config(request: &LaunchRequest, image: &Image) -> Value {
    let mut config = Map::new();
    config.insert("resources".into(), resources(request, image));
    if let Some(shmem) = request.shmem {
        config.insert(
            "resource_opts".into(),
            json!({"shmem": shmem.0.to_string()}),
        );
    }
    if !request.env.is_empty() {
        config.insert("environ".into(), json!(request.env));
    }
    if !request.mounts.is_empty() {
        let names: Vec<&str> = request.mounts.iter().map(|it| it.folder.as_str()).collect();
        config.insert("mounts".into(), json!(names));
    }
    if let Some(group) = &request.resource_group {
        config.insert("scaling_group".into(), json!(group));
    }
    Value::Object(config)
}

/// As asked; what is not asked is the image's minimum or a sensible amount, whichever is more. The
/// shared memory is a part of the memory and must be less than it.
fn resources(request: &LaunchRequest, image: &Image) -> Value {
    let shmem = request.shmem.unwrap_or(SHMEM);
    let cpu = request.cpu.unwrap_or(image.minimum.cpu.max(CORES));
    let least = Bytes(image.minimum.mem.0 + shmem.0);
    let mem = request
        .mem
        .unwrap_or(least.max(MEMORY).max(Bytes(shmem.0 * 2)));
    let mut resources = Map::new();
    resources.insert("cpu".into(), json!(cpu.to_string()));
    resources.insert("mem".into(), json!(mem.0.to_string()));
    for (slot, thousandths) in &request.accelerators {
        let amount = Cpu::from_millis(*thousandths).to_string();
        resources.insert(slot.clone(), json!(amount));
    }
    Value::Object(resources)
}

fn word(session_type: SessionType) -> &'static str {
    match session_type {
        SessionType::Interactive => "interactive",
        SessionType::Batch => "batch",
        SessionType::Inference => "inference",
        SessionType::System => "system",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::environment::ImageFacts;

    fn environment(name: &str, version: &str) -> Environment {
        Environment {
            name: name.into(),
            version: version.into(),
            source: EnvironmentSource::Image {
                reference: format!("{name}:{version}"),
            },
            size: None,
            unavailable: None,
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
            "'python' may be any of these environments: cr/stable/python, cr/test/python; write \
             one of them"
        );
        for missing in ["base", "python:2", "x/r-base"] {
            assert!(
                matches!(found(missing), Err(EngineError::NoImage { .. })),
                "{missing}"
            );
        }
    }

    #[test]
    fn what_is_not_asked_is_enough_for_the_image() {
        let image = Image::from(&environment("cr/stable/python", "3.12"));
        let asked = LaunchRequest::default();
        let made = resources(&asked, &image);
        assert_eq!(made["cpu"], "2");
        assert_eq!(made["mem"], (Bytes::mib(1500).0 + SHMEM.0).to_string());
        let asked = LaunchRequest {
            cpu: Some(Cpu::from_millis(500)),
            mem: Some(Bytes::mib(256)),
            accelerators: [("cuda.shares".to_owned(), 500)].into(),
            ..LaunchRequest::default()
        };
        assert_eq!(
            resources(&asked, &image),
            json!({"cpu": "0.5", "mem": "268435456", "cuda.shares": "0.5"})
        );
    }

    #[test]
    fn a_batch_session_needs_its_command() {
        let mut request = LaunchRequest {
            session_type: SessionType::Batch,
            ..LaunchRequest::default()
        };
        assert!(check(&request).is_err());
        request.startup_command = Some("make".to_owned());
        assert!(check(&request).is_ok());
        request.name = Some("-x".to_owned());
        assert!(check(&request).is_err());
    }
}
