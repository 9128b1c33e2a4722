//! Runs a credential helper: a program that stores logins and is asked through its stdin.

use std::{process::Stdio, time::Duration};

use bollard::auth::DockerCredentials;
use serde::Deserialize;
use tokio::{io::AsyncWriteExt as _, process::Command, time::timeout};

use crate::{engine::api::Result, model::failure::Failure};

/// Time limit: a helper may wait for a user to unlock it, but no user sees its prompt.
const PATIENCE: Duration = Duration::from_secs(10);

/// The user name that a helper returns for a token.
const TOKEN: &str = "<token>";

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct HelperAnswer {
    #[serde(default)]
    username: String,
    secret: String,
}

/// The login stored for the registry at `server`; `None` = none.
pub(super) async fn ask(name: &str, server: &str) -> Result<Option<DockerCredentials>> {
    let program = format!("docker-credential-{name}");
    let failed = |why: String| {
        Failure::refused(tr_sent!(
            "the login for {server} isn't available from {program}: {why}",
            server,
            program,
            why
        ))
        .hint(tr_sent!(
            "check the credential helper in Docker's config.json"
        ))
    };
    if name.contains('/') {
        return Err(failed(tr_sent!("its name contains a '/'").to_owned()));
    }
    let talk = talk(&program, server);
    let Ok(answered) = timeout(PATIENCE, talk).await else {
        let seconds = PATIENCE.as_secs();
        return Err(failed(tr_sent!(
            "it didn't answer within {seconds}s",
            seconds
        )));
    };
    let output = answered.map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        // A missing login is reported on stdout. Anything else on stdout isn't shown.
        let said = String::from_utf8_lossy(&output.stdout).to_lowercase();
        if said.contains("not found") || said.contains("no credentials") {
            return Ok(None);
        }
        return Err(failed(tr_sent!(
            "it ended with {status}",
            status = output.status
        )));
    }
    let reported: HelperAnswer = serde_json::from_slice(&output.stdout)
        .map_err(|_| failed(tr_sent!("its answer is invalid").to_owned()))?;
    Ok(Some(credentials(reported, server)))
}

async fn talk(program: &str, server: &str) -> std::io::Result<std::process::Output> {
    let mut child = Command::new(program)
        .arg("get")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A helper that doesn't read its input already has the answer.
        let _ = stdin.write_all(server.as_bytes()).await;
    }
    child.wait_with_output().await
}

fn credentials(reported: HelperAnswer, server: &str) -> DockerCredentials {
    let base = DockerCredentials {
        serveraddress: Some(server.to_owned()),
        ..DockerCredentials::default()
    };
    if reported.username == TOKEN {
        return DockerCredentials {
            identitytoken: Some(reported.secret),
            ..base
        };
    }
    DockerCredentials {
        username: Some(reported.username),
        password: Some(reported.secret),
        ..base
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fuzz_login_helper() {
        crate::fuzz::parser("login-helper", &[], |bytes, _| {
            if let Ok(reported) = serde_json::from_slice::<HelperAnswer>(bytes) {
                crate::fuzz::bounded(bytes, &credentials(reported, "quay.io"));
            }
        });
    }
}
