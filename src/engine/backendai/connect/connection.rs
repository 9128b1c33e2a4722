//! A connected manager: its version, its features and our account there.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    capabilities,
    config::BackendAiConfig,
    features::{Features, OLDEST},
    version::Announcement,
};
use crate::{
    engine::{
        api::Result,
        backendai::request::{
            gql::Schema,
            http::{Http, ManagerCall, SHORT},
            lenient_json::Node,
            manager_error::declined,
        },
    },
    model::{
        capability::{Capability, EngineInfo},
        catalogue::{Project, User},
        failure::{Failure, FailureKind},
        launch_field::LaunchField,
        text::Clean,
    },
};

/// Checks whether agents are visible. In the query below, which reads our account, `groups` are the
/// user's own projects.
const AGENTS: &str = "query { agent_summary_list(limit: 1, offset: 0) { total_count } }";

const WHO: &str = "query { user { uuid email full_name role domain_name groups { id name } } }";

pub(in crate::engine::backendai) struct ManagerConnection {
    pub(in crate::engine::backendai) http: Arc<Http>,
    pub(in crate::engine::backendai) features: Features,
    pub(in crate::engine::backendai) me: CurrentUser,
    /// The project of launches, and of the lists of old managers.
    pub(in crate::engine::backendai) project: Option<Project>,
    pub(in crate::engine::backendai) all_users: bool,
    /// The site hides its agents from this user.
    pub(in crate::engine::backendai) agents_hidden: bool,
    domain: String,
    pub(in crate::engine::backendai) info: EngineInfo,
}

/// The user of the key pair or the login.
#[derive(Clone, Debug)]
pub(in crate::engine::backendai) struct CurrentUser {
    pub(in crate::engine::backendai) id: Clean,
    pub(in crate::engine::backendai) user: User,
    pub(in crate::engine::backendai) projects: Vec<Project>,
}

impl ManagerConnection {
    /// Reads what the manager is and which account we have there.
    pub(in crate::engine::backendai) async fn open(
        http: Arc<Http>,
        config: &BackendAiConfig,
    ) -> Result<Self> {
        let announced: Announcement = http.json(&ManagerCall::get("/").within(SHORT)).await?;
        let version = announced.version();
        if version < OLDEST {
            return Err(Failure::unsupported(tr_sent!(
                "the manager at {endpoint} has version {version}. workbay needs 24.09 or later",
                endpoint = http.whom.endpoint,
                version = announced.shown()
            )));
        }
        http.speak(&announced.api_version());
        let me = current_user(&http).await?;
        let project = choose_project(config.project.as_deref(), &me)?;
        let features = Features::of(version);
        let agents_hidden = are_agents_hidden(&http).await;
        let administrator = me.user.is_administrator();
        let domain = config.domain.clone();
        let info = EngineInfo {
            version: announced.shown(),
            api_version: Clean::new(&http.spoken()),
            user: Some(me.user.clone()),
            capabilities: capabilities::of(features, administrator, agents_hidden),
            ..EngineInfo::new("Backend.AI".into(), Clean::new(&http.whom.endpoint))
        };
        Ok(Self {
            http,
            features,
            all_users: config.all_users && administrator,
            agents_hidden,
            domain: domain.unwrap_or_else(|| me.user.domain.as_str().to_owned()),
            me,
            project,
            info,
        })
    }

    /// The domain of launches.
    pub(in crate::engine::backendai) fn domain(&self) -> &str {
        &self.domain
    }

    /// Why an agent can't be chosen; `None` if it can.
    pub(in crate::engine::backendai) fn why_no_agent(&self) -> Option<&str> {
        let why = self.info.capabilities.why_not(Capability::AgentChoice);
        why.map(Clean::as_str)
    }

    /// The name of a project; its id if the project isn't one of ours.
    pub(in crate::engine::backendai) fn project_name(&self, id: &Clean) -> Clean {
        let known = self.me.projects.iter().find(|project| project.id == *id);
        known.map_or_else(|| id.clone(), |project| project.name.clone())
    }
}

/// A site that hides its agents declines this query. Any other error may be temporary.
async fn are_agents_hidden(http: &Http) -> bool {
    let asked = http.ask(Schema::One, AGENTS, json!({})).await;
    asked.is_err_and(|error| error.kind == FailureKind::Refused)
}

async fn current_user(http: &Http) -> Result<CurrentUser> {
    let data = http.ask(Schema::One, WHO, json!({})).await?;
    let user = Node::new(&data["user"]);
    let Some(id) = user.text("uuid") else {
        return Err(declined(tr_sent!(
            "the manager doesn't report the user of these keys"
        )));
    };
    let projects = user.list("groups").iter().filter_map(project).collect();
    Ok(CurrentUser {
        id,
        user: User {
            email: user.text("email").unwrap_or_default(),
            full_name: user.text("full_name"),
            domain: user.text("domain_name").unwrap_or_else(|| "default".into()),
            role: user.text("role").unwrap_or_else(|| "user".into()),
        },
        projects,
    })
}

fn project(group: &Value) -> Option<Project> {
    let group = Node::new(group);
    Some(Project {
        id: group.text("id")?,
        name: group.text("name")?,
    })
}

/// The failure of everything that needs a project. Managers answer such requests with an internal error.
pub(in crate::engine::backendai) fn without_project(email: &Clean) -> Failure {
    Failure::refused(tr_sent!(
        "{email} is in no project, so it can't launch sessions",
        email
    ))
    .hint(tr_sent!(
        "ask an administrator of the cluster to add it to a project"
    ))
    .about(LaunchField::Project)
}

/// The configured project, else `default`, else the first one.
fn choose_project(wanted: Option<&str>, me: &CurrentUser) -> Result<Option<Project>> {
    let named = |name: &str| me.projects.iter().find(|project| project.name == name);
    let Some(wanted) = wanted else {
        return Ok(named("default").or(me.projects.first()).cloned());
    };
    if let Some(project) = named(wanted) {
        return Ok(Some(project.clone()));
    }
    let there: Vec<&str> = me.projects.iter().map(|p| p.name.as_str()).collect();
    Err(Failure::denied(tr_sent!(
        "{email} isn't in project '{project}'",
        email = me.user.email,
        project = Clean::new(wanted)
    ))
    .hint(tr_sent!(
        "set project of the context to one of: {names}",
        names = there.join(", ")
    )))
}
