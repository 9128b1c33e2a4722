//! Where the engine answers: configuration, DOCKER_HOST, Docker's context, the usual sockets.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;

use crate::engine::error::EngineError;

/// What of the process's surroundings says where an engine is.
#[derive(Clone, Debug, Default)]
pub(super) struct Surroundings {
    pub(super) docker_host: Option<String>,
    pub(super) docker_context: Option<String>,
    /// Docker's own configuration directory.
    pub(super) docker_config: Option<PathBuf>,
    pub(super) runtime_dir: Option<PathBuf>,
    /// Prefix of the system's sockets: `/` but in tests.
    pub(super) root: PathBuf,
}

impl Surroundings {
    pub(super) fn of_process() -> Self {
        let text = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let home = text("HOME").map(|home| Path::new(&home).join(".docker"));
        Self {
            docker_host: text("DOCKER_HOST"),
            docker_context: text("DOCKER_CONTEXT"),
            docker_config: text("DOCKER_CONFIG").map(PathBuf::from).or(home),
            runtime_dir: text("XDG_RUNTIME_DIR").map(PathBuf::from),
            root: PathBuf::from("/"),
        }
    }
}

/// A Unix socket of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Endpoint {
    pub(super) socket: PathBuf,
}

impl Endpoint {
    /// `unix:///var/run/docker.sock`.
    pub(super) fn url(&self) -> String {
        format!("unix://{}", self.socket.display())
    }
}

/// The engine's address, in this order: configuration, DOCKER_HOST, DOCKER_CONTEXT or the current
/// context, rootless Docker, Docker, rootless Podman, Podman.
pub(super) fn find(
    configured: Option<&str>,
    around: &Surroundings,
) -> Result<Endpoint, EngineError> {
    if let Some(url) = configured {
        return parse(url, "the configuration (engine.endpoint)");
    }
    if let Some(url) = &around.docker_host {
        return parse(url, "DOCKER_HOST");
    }
    if let Some(found) = of_context(around)? {
        return Ok(found);
    }
    let candidates = usual(around);
    let there = candidates.iter().find(|socket| socket.exists());
    there
        .map(|socket| Endpoint {
            socket: socket.clone(),
        })
        .ok_or_else(|| nothing_found(&candidates))
}

fn parse(url: &str, said_by: &str) -> Result<Endpoint, EngineError> {
    let path = url.strip_prefix("unix://").unwrap_or(url);
    if path.starts_with('/') {
        return Ok(Endpoint {
            socket: PathBuf::from(path),
        });
    }
    Err(EngineError::Unsupported(format!(
        "{said_by} names the engine at '{url}', but workbay reaches engines of this machine only \
         (unix:///path/of/a.sock): unset it, or set engine.endpoint to a socket here"
    )))
}

#[derive(Deserialize)]
struct ClientConfig {
    #[serde(rename = "currentContext")]
    current_context: Option<String>,
}

#[derive(Deserialize)]
struct ContextMeta {
    #[serde(rename = "Name")]
    name: String,
    #[serde(rename = "Endpoints")]
    endpoints: std::collections::BTreeMap<String, ContextEndpoint>,
}

#[derive(Deserialize)]
struct ContextEndpoint {
    #[serde(rename = "Host")]
    host: Option<String>,
}

fn of_context(around: &Surroundings) -> Result<Option<Endpoint>, EngineError> {
    let Some(dir) = &around.docker_config else {
        return Ok(None);
    };
    let current = || {
        let text = fs::read_to_string(dir.join("config.json")).ok()?;
        serde_json::from_str::<ClientConfig>(&text)
            .ok()?
            .current_context
    };
    let Some(name) = around.docker_context.clone().or_else(current) else {
        return Ok(None);
    };
    if name.is_empty() || name == "default" {
        return Ok(None);
    }
    let said_by = format!("Docker's context '{name}'");
    match context_host(dir, &name) {
        Some(host) => parse(&host, &said_by).map(Some),
        None => Err(EngineError::Host(format!(
            "{said_by} is chosen (DOCKER_CONTEXT or {}), but there is no such context: \
             `docker context ls` lists them, `docker context use default` goes back",
            dir.join("config.json").display()
        ))),
    }
}

/// Contexts lie in directories named by a digest of their name; their files say the name.
fn context_host(dir: &Path, name: &str) -> Option<String> {
    let entries = fs::read_dir(dir.join("contexts/meta")).ok()?;
    entries
        .filter_map(|entry| fs::read_to_string(entry.ok()?.path().join("meta.json")).ok())
        .filter_map(|text| serde_json::from_str::<ContextMeta>(&text).ok())
        .find(|meta| meta.name == name)
        .and_then(|meta| meta.endpoints.get("docker")?.host.clone())
}

fn usual(around: &Surroundings) -> Vec<PathBuf> {
    let runtime = around.runtime_dir.as_ref();
    let rootless = runtime.map(|dir| dir.join("docker.sock"));
    let podman = runtime.map(|dir| dir.join("podman/podman.sock"));
    let system = around.root.join("var/run/docker.sock");
    let system_podman = around.root.join("run/podman/podman.sock");
    [rootless, Some(system), podman, Some(system_podman)]
        .into_iter()
        .flatten()
        .collect()
}

fn nothing_found(looked: &[PathBuf]) -> EngineError {
    let places: Vec<String> = looked.iter().map(|p| p.display().to_string()).collect();
    EngineError::Unreachable {
        endpoint: "this machine".to_owned(),
        why: format!("no container engine was found ({})", places.join(", ")),
        mend: Some(install_line(
            &fs::read_to_string("/etc/os-release").unwrap_or_default(),
        )),
    }
}

/// The line that installs an engine on this system.
fn install_line(os_release: &str) -> String {
    let has = |word: &str| {
        os_release
            .lines()
            .filter(|line| line.starts_with("ID=") || line.starts_with("ID_LIKE="))
            .any(|line| line.contains(word))
    };
    let line = if has("debian") || has("ubuntu") {
        "install one: `sudo apt-get install docker.io`"
    } else if has("fedora") || has("rhel") {
        "install one: `sudo dnf install podman`, then `systemctl --user enable --now podman.socket`"
    } else if has("arch") {
        "install one: `sudo pacman -S docker`, then `sudo systemctl enable --now docker`"
    } else if has("suse") {
        "install one: `sudo zypper install docker`, then `sudo systemctl enable --now docker`"
    } else {
        "install Docker (https://docs.docker.com/engine/install) or Podman"
    };
    line.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn socket(root: &Path, place: &str) -> PathBuf {
        let path = root.join(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "").unwrap();
        path
    }

    #[test]
    fn the_order_is_the_documented_one() {
        let dir = tempfile::tempdir().unwrap();
        let mut around = Surroundings {
            root: dir.path().to_owned(),
            runtime_dir: Some(dir.path().join("user")),
            ..Surroundings::default()
        };
        let nothing = find(None, &around).unwrap_err();
        assert!(
            nothing.to_string().contains("no container engine"),
            "{nothing}"
        );
        for place in [
            "run/podman/podman.sock",
            "user/podman/podman.sock",
            "var/run/docker.sock",
            "user/docker.sock",
        ] {
            let made = socket(dir.path(), place);
            assert_eq!(find(None, &around).unwrap().socket, made);
        }
        around.docker_host = Some("unix:///by/host.sock".into());
        assert_eq!(find(None, &around).unwrap().url(), "unix:///by/host.sock");
        let configured = find(Some("unix:///by/config.sock"), &around).unwrap();
        assert_eq!(configured.socket, Path::new("/by/config.sock"));
    }

    #[test]
    fn contexts_are_followed_and_a_missing_one_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let meta = socket(dir.path(), "contexts/meta/0a1b/meta.json");
        fs::write(
            &meta,
            r#"{"Name":"mine","Metadata":{},"Endpoints":{"docker":{"Host":"unix:///mine.sock","SkipTLSVerify":false}}}"#,
        )
        .unwrap();
        fs::write(
            dir.path().join("config.json"),
            r#"{"currentContext":"mine"}"#,
        )
        .unwrap();
        let mut around = Surroundings {
            docker_config: Some(dir.path().to_owned()),
            root: dir.path().to_owned(),
            ..Surroundings::default()
        };
        assert_eq!(find(None, &around).unwrap().socket, Path::new("/mine.sock"));
        around.docker_context = Some("other".into());
        let error = find(None, &around).unwrap_err().to_string();
        assert!(
            error.contains("'other'") && error.contains("docker context ls"),
            "{error}"
        );
    }

    #[test]
    fn engines_of_other_machines_are_refused_in_a_sentence() {
        for url in [
            "tcp://10.0.0.1:2375",
            "ssh://me@there",
            "npipe:////./pipe/x",
        ] {
            let around = Surroundings {
                docker_host: Some(url.into()),
                ..Surroundings::default()
            };
            let error = find(None, &around).unwrap_err();
            assert!(
                matches!(&error, EngineError::Unsupported(said) if said.contains(url)),
                "{error}"
            );
        }
    }

    #[test]
    fn each_system_has_its_line() {
        assert!(install_line("ID=ubuntu\nID_LIKE=debian\n").contains("apt-get"));
        assert!(install_line("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n").contains("dnf"));
        assert!(install_line("").contains("docs.docker.com"));
    }
}
