//! Docker's contexts: engines that Docker's own client knows by name.

use std::{fs, path::Path};

use serde::Deserialize;

use super::{process_env::ProcessEnv, transport::tls::TlsFiles};
use crate::model::failure::Failure;

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
    #[serde(rename = "SkipTLSVerify", default)]
    skip_verify: bool,
}

/// The settings of the chosen context.
pub(in crate::engine::docker) struct ChosenContext {
    pub(in crate::engine::docker) host: String,
    pub(in crate::engine::docker) said_by: String,
    pub(in crate::engine::docker) material: Option<TlsFiles>,
}

/// The context in DOCKER_CONTEXT, or the current one; `None` = Docker's default.
pub(in crate::engine::docker) fn chosen(
    around: &ProcessEnv,
) -> Result<Option<ChosenContext>, Failure> {
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
    let said_by = tr_sent!("Docker's context '{name}'", name);
    let Some((endpoint, material)) = find(dir, &name) else {
        return Err(Failure::internal(tr_sent!(
            "{said_by} is selected (DOCKER_CONTEXT or {path}), but doesn't exist. `docker context ls` \
             lists all contexts, `docker context use default` selects the default",
            said_by,
            path = dir.join("config.json").display()
        )));
    };
    if endpoint.skip_verify {
        return Err(Failure::unsupported(tr_sent!(
            "{said_by} doesn't verify certificates (skip-tls-verify), but workbay always does. \
             Add the engine's ca.pem to the context",
            said_by
        )));
    }
    let host = endpoint.host.ok_or_else(|| {
        Failure::internal(tr_sent!(
            "{said_by} has no engine address. See `docker context inspect {name}`",
            said_by,
            name
        ))
    })?;
    Ok(Some(ChosenContext {
        host,
        said_by,
        material,
    }))
}

/// Finds a context by the name in its file. Contexts are in directories named by a digest of their name. The TLS
/// files are in another directory under the same digest.
fn find(dir: &Path, name: &str) -> Option<(ContextEndpoint, Option<TlsFiles>)> {
    let entries = fs::read_dir(dir.join("contexts/meta")).ok()?;
    entries.filter_map(Result::ok).find_map(|entry| {
        let text = fs::read_to_string(entry.path().join("meta.json")).ok()?;
        let mut meta: ContextMeta = serde_json::from_str(&text).ok()?;
        if meta.name != name {
            return None;
        }
        let digest = entry.file_name();
        let material = dir.join("contexts/tls").join(digest).join("docker");
        let material = material.is_dir().then(|| TlsFiles::in_dir(&material));
        Some((meta.endpoints.remove("docker")?, material))
    })
}

#[cfg(test)]
mod tests {
    use super::{
        super::{discover, endpoint::Endpoint},
        *,
    };

    #[test]
    fn contexts_are_followed_and_a_missing_one_is_reported() {
        let dir = tempfile::tempdir().unwrap();
        let meta = dir.path().join("contexts/meta/0a1b/meta.json");
        fs::create_dir_all(meta.parent().unwrap()).unwrap();
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
        let mut around = ProcessEnv {
            docker_config: Some(dir.path().to_owned()),
            root: dir.path().to_owned(),
            ..ProcessEnv::default()
        };
        assert_eq!(
            discover::find(None, &around).unwrap().url(),
            "unix:///mine.sock"
        );
        around.docker_context = Some("other".into());
        let error = discover::find(None, &around).unwrap_err().to_string();
        assert!(
            error.contains("'other'") && error.contains("docker context ls"),
            "{error}"
        );
    }

    #[test]
    fn the_tls_material_of_a_context_is_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let (meta, tls) = (
            dir.path().join("contexts/meta/0a1b"),
            dir.path().join("contexts/tls/0a1b/docker"),
        );
        fs::create_dir_all(&meta).unwrap();
        fs::create_dir_all(&tls).unwrap();
        let write = |skip: bool| {
            let text = format!(
                r#"{{"Name":"far","Endpoints":{{"docker":{{"Host":"tcp://box:2376","SkipTLSVerify":{skip}}}}}}}"#
            );
            fs::write(meta.join("meta.json"), text).unwrap();
        };
        let around = ProcessEnv {
            docker_config: Some(dir.path().to_owned()),
            docker_context: Some("far".into()),
            ..ProcessEnv::default()
        };
        write(false);
        let found = discover::find(None, &around).unwrap();
        let files = TlsFiles::in_dir(&tls);
        assert!(
            matches!(&found, Endpoint::Tcp { tls: Some(found), .. } if *found == files),
            "{found:?}"
        );
        write(true);
        let error = discover::find(None, &around).unwrap_err().to_string();
        assert!(error.contains("ca.pem"), "{error}");
    }
}
