//! Connections to a port in a session. The runner inside opens them, so that they reach programs that listen on the
//! session's own loopback, even if this machine can't reach the session's network.

use std::collections::HashMap;

use super::{
    direct::{self, NoConnection},
    exec, runner_command,
};
use crate::{
    engine::{
        api::{Attached, DialTarget, Result},
        docker::{DockerEngine, container::identity::Identity},
        port_stream::{PipedStream, PortStream, attached},
    },
    model::{failure::Failure, id::SessionId, image},
};

impl DockerEngine {
    pub(in crate::engine::docker) async fn connect_to(
        &self,
        session: SessionId,
        to: &DialTarget,
    ) -> Result<Attached> {
        let starter = self.starter(session).await?;
        let port = port(&starter.labels, to)?;
        let key = starter.key();
        let argv = runner_command::relay(&starter.runner, port, key.as_deref());
        let ending = starter.ending(key, None);
        let started = exec::start(starter.connection, starter.container, argv, false, ending).await;
        started.map_err(|error| self.named(error, session))
    }
}

impl DockerEngine {
    /// The connection itself where the session hands it over, otherwise one through the engine's exec.
    pub(in crate::engine::docker) async fn port_stream(
        &self,
        session: SessionId,
        to: &DialTarget,
    ) -> Result<PortStream> {
        if self.connection().await?.remote.is_none()
            && let Some(port) = self.port_of(session, to).await?
        {
            let shared = self.scratches.shared(session);
            let uid = Identity::owner_of_homes().0;
            match direct::connect(&shared, uid, port).await {
                Ok(stream) => return Ok(Box::new(stream)),
                Err(NoConnection::Refused(why)) => return Err(Failure::refused(why)),
                Err(NoConnection::Unavailable(error)) => {
                    tracing::debug!(%session, %error, "no direct connection to a port");
                }
            }
        }
        Ok(Box::new(PipedStream::new(
            self.connect_to(session, to).await?,
        )))
    }

    /// A connection to a new SFTP server that doesn't pass through the engine. `None` = the session can't hand one over:
    /// its engine is elsewhere, or its runner is an older one.
    pub(super) async fn direct_sftp(&self, session: SessionId) -> Result<Option<Attached>> {
        if self.connection().await?.remote.is_some() {
            return Ok(None);
        }
        let shared = self.scratches.shared(session);
        match direct::sftp(&shared, Identity::owner_of_homes().0).await {
            Ok(stream) => Ok(Some(attached(stream))),
            Err(why) => {
                tracing::debug!(%session, ?why, "no direct connection to an SFTP server");
                Ok(None)
            }
        }
    }

    /// `None` if the session shares no directory, so that its port needn't be known.
    async fn port_of(&self, session: SessionId, to: &DialTarget) -> Result<Option<u16>> {
        if !self.scratches.shared(session).is_dir() {
            return Ok(None);
        }
        // The engine needn't be asked for a plain number: a service with this name has this port.
        match (to.service.parse::<u16>(), to.port) {
            (Ok(port), None) => Ok(Some(port)),
            (Ok(port), Some(other)) if port == other => Ok(Some(port)),
            _ => Ok(Some(port(&self.starter(session).await?.labels, to)?)),
        }
    }
}

/// The port of a service of the session, by name, or a plain number.
fn port(labels: &HashMap<String, String>, to: &DialTarget) -> Result<u16> {
    let label = labels.get(image::SERVICE_PORTS).map(String::as_str);
    let services = image::services(label.unwrap_or_default());
    let named = services
        .iter()
        .find(|service| service.name.as_str() == to.service);
    let Some(service) = named else {
        return match (to.service.parse::<u16>(), to.port) {
            (Ok(port), None) => Ok(port),
            (Ok(port), Some(other)) if port == other => Ok(port),
            // An app that the labels don't name, on the port that it was started on.
            (Err(_), Some(port)) => Ok(port),
            _ => Err(no_service(&to.service, &services)),
        };
    };
    match to.port {
        None => service.ports.first().copied(),
        Some(port) => service.ports.iter().copied().find(|one| *one == port),
    }
    .ok_or_else(|| {
        let service = &to.service;
        Failure::engine_refused(match to.port {
            Some(port) => tr_sent!(
                "the session has no service {service} on port {port}",
                service,
                port
            ),
            None => tr_sent!("the session has no service {service}", service),
        })
        .hint(tr_sent!("`workbay show` lists the services of a session"))
    })
}

fn no_service(name: &str, there: &[crate::model::service::Service]) -> Failure {
    let names: Vec<&str> = there.iter().map(|service| service.name.as_str()).collect();
    let names = match names.as_slice() {
        [] => tr_sent!("it has no service").to_owned(),
        names => tr_sent!("available: {names}", names = names.join(", ")),
    };
    Failure::engine_refused(tr_sent!(
        "the session has no service '{name}' ({names}). For a port, use its number",
        name,
        names
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_found_by_name_and_ports_by_number() {
        let label = "jupyter:http:8080,x:tcp:[90,91]";
        let labels = HashMap::from([(image::SERVICE_PORTS.to_owned(), label.to_owned())]);
        let of = |service: &str, of: Option<u16>| {
            let to = DialTarget {
                service: service.to_owned(),
                port: of,
            };
            port(&labels, &to)
        };
        assert_eq!(of("jupyter", None).unwrap(), 8080);
        assert_eq!(of("x", Some(91)).unwrap(), 91);
        assert_eq!(of("1234", None).unwrap(), 1234);
        assert!(of("x", Some(92)).is_err() && of("1234", Some(5)).is_err());
        let error = of("ttyd", None).unwrap_err().to_string();
        assert!(error.contains("available: jupyter, x"), "{error}");
    }
}
