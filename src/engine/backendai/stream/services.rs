//! The services of a running session, as the manager lists them for connections.

use serde::Deserialize;
use serde_json::Value;

use crate::{
    engine::{
        api::Result,
        backendai::request::http::{Http, ManagerCall, SHORT},
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
