//! Turns a user's launch request into the body that a manager accepts.

mod body;
mod earlier;
mod image;
mod owner;
mod refused;

use serde_json::Value;

use super::{BackendAiEngine, connect::connection::ManagerConnection, request::http::ManagerCall};
use crate::{
    engine::api::Result,
    model::{
        failure::Failure, id::SessionId, launch_field::LaunchField, spec::LaunchRequest,
        text::Clean,
    },
    rules::launch::{amounts, check_words},
};

impl BackendAiEngine {
    pub(super) async fn enqueue(&self, request: &LaunchRequest) -> Result<SessionId> {
        let now = (self.core.config.clock)();
        if let Some(problem) = check_words(request, now).into_iter().next() {
            return Err(refused(problem.field, problem.message));
        }
        let connection = self.core.connection().await?;
        connection.knows(request)?;
        let made = self.ask_for(&connection, request).await;
        made.map_err(|error| {
            let error = refused::at_field(error, request);
            refused::at_project(error, request, &connection.me.projects)
        })
    }

    async fn ask_for(
        &self,
        connection: &ManagerConnection,
        request: &LaunchRequest,
    ) -> Result<SessionId> {
        let image = self.image_of(request).await?;
        let whose = connection.whose(request).await?;
        let request = connection.filled(request, &whose.project).await?;
        let body = body::body(&request, &image, &whose);
        let answer: Value = connection
            .http
            .json(&ManagerCall::post("/session", &body))
            .await?;
        let id = answer["sessionId"].as_str().and_then(|id| id.parse().ok());
        id.ok_or_else(|| {
            Failure::reported(tr_sent!(
                "a launch without the id of the session. Check the list of sessions"
            ))
        })
    }
}

impl ManagerConnection {
    /// Refuses what a manager of this version would refuse or silently ignore.
    fn knows(&self, request: &LaunchRequest) -> Result<()> {
        if request.timeout.is_some() && !self.features.batch_timeout {
            let why = tr_sent!(
                "this manager doesn't support --timeout of batch sessions: it is older than \
                       24.12"
            );
            return Err(refused(LaunchField::Timeout, why));
        }
        if let (true, Some(why)) = (request.agent.is_some(), self.why_no_agent()) {
            return Err(refused(LaunchField::Agent, why));
        }
        Ok(())
    }

    /// Adds the amounts of the preset, because a manager accepts only amounts.
    async fn filled(&self, request: &LaunchRequest, project: &str) -> Result<LaunchRequest> {
        let mut request = request.clone();
        let Some(wanted) = request.preset.clone() else {
            return Ok(request);
        };
        let presets = self.all_presets(project).await?;
        let fits = |group: Option<&Clean>| match (group, &request.resource_group) {
            (Some(only), Some(group)) => *only == *group.as_str(),
            _ => true,
        };
        let named = presets.iter().filter(|it| it.name == *wanted.as_str());
        let found = named
            .into_iter()
            .find(|it| fits(it.resource_group.as_ref()));
        let Some(preset) = found else {
            let names: Vec<&str> = presets.iter().map(|it| it.name.as_str()).collect();
            let why = tr_sent!("preset '{wanted}' not found", wanted = Clean::new(&wanted));
            return Err(Failure::refused(why)
                .about(LaunchField::Preset)
                .hint(tr_sent!("available: {names}", names = names.join(", "))));
        };
        amounts::fill_from(&mut request, preset);
        if request.resource_group.is_none() {
            let only = preset.resource_group.as_ref();
            request.resource_group = only.map(|group| group.as_str().to_owned());
        }
        Ok(request)
    }
}

fn refused(field: LaunchField, why: impl Into<Clean>) -> Failure {
    Failure::refused(why).about(field)
}
