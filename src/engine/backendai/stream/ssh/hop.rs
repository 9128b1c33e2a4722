//! Connects to another container of a cluster session. A manager connects to the main container
//! only. From its sshd, a TCP stream leads to the sshd of the other container. The key is the one
//! that all containers of the session share.

use russh::keys::PrivateKey;
use serde_json::Value;

use super::{
    channel,
    handshake::{self, LoginResult, SshConnection},
    key, shell_words, wire,
};
use crate::{
    engine::{
        api::Result,
        backendai::{
            BackendAiEngine,
            request::manager_error::declined,
            stream::{precheck::Container, ws::OpenError},
        },
    },
    model::{failure::Failure, id::SessionId, secret::Secret},
};

/// Prints the key, and the address of each container's sshd if it isn't the usual one.
const READ: &str = "cat /home/config/ssh/id_cluster; printf '\\0'; cat /home/config/ssh/port-mapping.json 2>/dev/null; true";

/// The usual port of a container's sshd.
const PORT: u16 = 2200;

/// Opens a new connection to the sshd of this container.
pub(super) async fn enter(
    engine: &BackendAiEngine,
    session: SessionId,
    container: &Container,
) -> Result<SshConnection> {
    let main = super::enter(engine, session).await?;
    let hop = match ContainerHop::read(&main, container.host.as_str()).await {
        Ok(hop) => hop,
        Err(error) => {
            main.leave(channel::FAREWELL).await;
            return Err(error);
        }
    };
    let stream = channel::tunnel(main, &hop.host, hop.port).await?;
    let sshd = engine.core.known.of_container(session, container.id);
    let _turn = sshd.door().await;
    match handshake::knock_at(wire::through(stream), &sshd, hop.key).await {
        Ok(LoginResult::In(entered)) => Ok(*entered),
        Ok(LoginResult::Denied) => Err(declined(tr_sent!(
            "the SSH server of {host} doesn't accept the key of its session",
            host = container.host
        ))),
        Err(OpenError::NotYet(why)) => Err(Failure::refused(format!("{}: {why}", container.host))
            .hint(tr_sent!("the container may still be starting. Try again"))),
        Err(OpenError::Failed(error)) => Err(error),
    }
}

/// How to reach another container from the main one.
struct ContainerHop {
    key: PrivateKey,
    host: String,
    port: u16,
}

/// The same, as the command prints it.
struct HopReply {
    key: Secret,
    host: String,
    port: u16,
}

impl ContainerHop {
    async fn read(main: &SshConnection, host: &str) -> Result<Self> {
        let argv = ["sh", "-c", READ].map(str::to_owned);
        let line = shell_words::command(&argv).unwrap_or_default();
        let printed = channel::answer(main, line).await?;
        let Some(reported) = of(&printed, host) else {
            return Err(declined(tr_sent!(
                "the main container has no key for {host} (/home/config/ssh/id_cluster)",
                host
            )));
        };
        Ok(Self {
            key: key::read_cluster(&reported.key)?,
            host: reported.host,
            port: reported.port,
        })
    }
}

/// `None` if the output has no key.
fn of(printed: &[u8], host: &str) -> Option<HopReply> {
    let text = std::str::from_utf8(printed).ok()?;
    let (key, ports) = text.split_once('\0')?;
    let ports: Value = serde_json::from_str(ports).unwrap_or_default();
    // `{"sub1": ["10.0.0.2", 30012]}`
    let elsewhere = ports.get(host).and_then(|place| {
        let port = place.get(1)?.as_u64()?.try_into().ok()?;
        Some((place.get(0)?.as_str()?.to_owned(), port))
    });
    let (host, port) = elsewhere.unwrap_or_else(|| (host.to_owned(), PORT));
    key.starts_with("-----BEGIN").then(|| HopReply {
        key: Secret::new(key),
        host,
        port,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_are_found_by_name_or_where_they_were_mapped() {
        let hop = |ports: &str, host| {
            let printed = format!("-----BEGIN X-----\n\0{ports}");
            let hop = of(printed.as_bytes(), host).unwrap();
            assert_eq!(hop.key.expose(), "-----BEGIN X-----\n");
            (hop.host, hop.port)
        };
        assert_eq!(hop("", "sub1"), ("sub1".to_owned(), 2200));
        let mapped = r#"{"main1": ["10.0.0.1", 30001], "sub1": ["10.0.0.2", 30002]}"#;
        assert_eq!(hop(mapped, "sub1"), ("10.0.0.2".to_owned(), 30002));
        assert_eq!(hop(mapped, "sub2"), ("sub2".to_owned(), 2200));
        assert_eq!(hop(r#"{"sub1": [1, "x"]}"#, "sub1").1, 2200);
        assert!(of(b"cat: not found\n\0", "sub1").is_none());
        assert!(of(b"", "sub1").is_none());
    }
}
