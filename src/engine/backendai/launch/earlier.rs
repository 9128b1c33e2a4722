//! How a session was launched, as far as a manager reports it. It doesn't report where folders were
//! mounted.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::{
    BackendAiEngine,
    connect::connection::ManagerConnection,
    request::{gql::Schema, lenient_json::Node},
};
use crate::{
    engine::api::Result,
    model::id::SessionId,
    rules::launch::relaunch::{Recalled, ReportedLaunch, recalled},
};

const RUNTIME: &str = "query($id: UUID!) { sessionV2(id: $id) { runtime { environ { entries { name \
                       value } } bootstrapScript } } }";

impl BackendAiEngine {
    pub(in super::super) async fn recalled(&self, session: SessionId) -> Result<Option<Recalled>> {
        let Some(known) = self.read_session(session).await? else {
            return Ok(None);
        };
        let reported = self.core.connection().await?.runtime_of(session).await;
        Ok(Some(recalled(&known, reported)))
    }
}

impl ManagerConnection {
    /// Returns nothing for managers that don't report it.
    async fn runtime_of(&self, session: SessionId) -> ReportedLaunch {
        if !self.features.reports_runtime {
            return ReportedLaunch::default();
        }
        let variables = json!({"id": session.to_string()});
        match self.http.ask(Schema::Two, RUNTIME, variables).await {
            Ok(data) => read(&data),
            Err(error) => {
                tracing::debug!(%error, %session, "its variables are unknown");
                ReportedLaunch::default()
            }
        }
    }
}

fn read(data: &Value) -> ReportedLaunch {
    let runtime = &data["sessionV2"]["runtime"];
    if !runtime.is_object() {
        return ReportedLaunch::default();
    }
    let entries = runtime["environ"]["entries"].as_array();
    let pair = |entry: &Value| {
        let text = |key: &str| Some(entry[key].as_str()?.to_owned());
        Some((text("name")?, text("value")?))
    };
    let env: BTreeMap<String, String> = entries.into_iter().flatten().filter_map(pair).collect();
    let script = Node::new(runtime).str("bootstrapScript");
    ReportedLaunch {
        env: Some(env),
        bootstrap_script: Some(script.map(str::to_owned).filter(|it| !it.is_empty())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_and_a_script_are_read() {
        let reported = read(&json!({"sessionV2": {"runtime": {
            "environ": {"entries": [{"name": "A", "value": "b"}]},
            "bootstrapScript": "echo 1",
        }}}));
        assert_eq!(reported.env.unwrap()["A"], "b");
        assert_eq!(reported.bootstrap_script, Some(Some("echo 1".to_owned())));
        let none = json!({"sessionV2": {"runtime": {"environ": null, "bootstrapScript": null}}});
        let reported = read(&none);
        assert_eq!(
            (reported.env, reported.bootstrap_script),
            (Some(BTreeMap::new()), Some(None))
        );
        let reported = read(&json!({"sessionV2": null}));
        assert_eq!((reported.env, reported.bootstrap_script), (None, None));
    }
}
