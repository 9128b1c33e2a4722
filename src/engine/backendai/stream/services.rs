//! The services of a running session, as the manager lists them for connections.

use serde::Deserialize;
use serde_json::Value;

use crate::{
    engine::{
        api::{DialTarget, Result},
        backendai::{
            BackendAiEngine,
            request::http::{Http, ManagerCall, SHORT},
        },
    },
    model::id::SessionId,
};

/// A service of a session.
#[derive(Clone, Debug, Default, Deserialize)]
pub(in super::super) struct ListedService {
    pub(in super::super) name: String,
    /// `http`, `tcp`, `preopen`, `internal` and others.
    #[serde(default)]
    pub(in super::super) protocol: String,
    /// Ports in the container.
    #[serde(default)]
    pub(in super::super) ports: Vec<u16>,
    /// A list of names, or names with their defaults.
    #[serde(default)]
    pub(in super::super) allowed_arguments: Value,
}

/// Asks the manager. The list is empty while the session is starting.
pub(in super::super) async fn list(http: &Http, session: SessionId) -> Result<Vec<ListedService>> {
    let ask = ManagerCall::get(format!("/stream/session/{session}/apps")).within(SHORT);
    http.json(&ask).await
}

/// The target in words that the manager understands. For an older one, the first port of a service has no number, and any
/// other is a port of the session.
pub(super) async fn known_port(
    engine: &BackendAiEngine,
    session: SessionId,
    to: &DialTarget,
) -> Result<DialTarget> {
    let connection = engine.core.connection().await?;
    let Some(port) = to.port.filter(|_| !connection.features.takes_port) else {
        return Ok(to.clone());
    };
    let services = list(&connection.http, session).await?;
    let service = services.iter().find(|it| it.name == to.service);
    let first = service.and_then(|it| it.ports.first());
    let is_first = first.is_none_or(|first| *first == port);
    Ok(DialTarget {
        service: if is_first {
            to.service.clone()
        } else {
            port.to_string()
        },
        port: None,
    })
}
