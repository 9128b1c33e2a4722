//! The apps of a session on a cluster: the services that the manager lists.

mod listed;
mod proxy;

use std::{collections::BTreeMap, time::Duration};

use async_trait::async_trait;
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    BackendAiEngine,
    request::call::{ManagerCall, with_query},
    stream::services,
};
use crate::{
    engine::api::{Apps, DialTarget, Result},
    model::{
        app::{App, AppStart, AppState, ProxyOptions, ProxyUrl},
        failure::Failure,
        id::SessionId,
        text::Clean,
    },
};

/// The session gives a service 30 s to listen on its port, and starts one service at a time.
const START: Duration = Duration::from_secs(90);
const STOP: Duration = Duration::from_secs(30);

/// How the manager reports that the service itself failed. Any other error may be of the cluster's app proxy.
const NOT_LAUNCHED: &str = "Failed to launch the app service";

#[async_trait]
impl Apps for BackendAiEngine {
    async fn apps(&self, session: SessionId) -> Result<Vec<App>> {
        self.must_be_open(session).await?;
        let connection = self.core.connection().await?;
        let services = services::list(&connection.http, session).await?;
        Ok(listed::apps(&services))
    }

    /// The session answers when the service listens on its port.
    async fn start_app(&self, session: SessionId, start: &AppStart) -> Result<App> {
        let mut app = self.app(session, &start.app).await?;
        if !app.startable {
            // Its user starts it inside the session.
            if start.arguments.is_empty() && start.env.is_empty() {
                return Ok(app);
            }
            return Err(not_startable(&app));
        }
        let options = StartOptions::new(&app, start)?;
        self.start_service(session, &start.app, &options).await?;
        app.state = AppState::Running;
        Ok(app)
    }

    async fn proxy_app(
        &self,
        session: SessionId,
        start: &AppStart,
        options: &ProxyOptions,
    ) -> Result<ProxyUrl> {
        let app = self.app(session, &start.app).await?;
        let start = StartOptions::new(&app, start)?;
        self.open_at_proxy(session, &app, &start, options).await
    }

    async fn stop_app(&self, session: SessionId, app: &str) -> Result<()> {
        let app = self.app(session, app).await?;
        if !app.startable {
            return Err(not_startable(&app));
        }
        let path = format!("/session/{session}/shutdown-service");
        let path = with_query(&path, &[("service_name", app.name.as_str())]);
        let call = ManagerCall::new(Method::POST, path).within(STOP);
        let connection = self.core.connection().await?;
        connection.http.send(&call).await.map(drop)
    }

    async fn app_end(&self, _session: SessionId, _app: &str) -> Result<Option<i64>> {
        Err(Failure::unsupported(tr_sent!(
            "the manager doesn't report whether the apps of a session run"
        )))
    }

    async fn app_log(&self, _session: SessionId, app: &str) -> Result<Vec<Clean>> {
        let what = tr_sent!(
            "'{app}' has no log of its own: on a cluster, apps print to the log of their session",
            app = Clean::new(app)
        );
        Err(Failure::unsupported(what).hint(tr_sent!("`workbay logs S` prints it")))
    }
}

fn not_startable(app: &App) -> Failure {
    Failure::refused(tr_sent!("{title} is opened in advance: the program on its port isn't started or stopped by the manager", title = app.title))
    .hint(tr_sent!("start and stop the program inside the session"))
}

impl BackendAiEngine {
    async fn app(&self, session: SessionId, name: &str) -> Result<App> {
        let apps = self.apps(session).await?;
        let names: Vec<String> = apps.iter().map(|app| app.name.to_string()).collect();
        let found = apps.into_iter().find(|app| app.name == *name);
        found.ok_or_else(|| {
            let what = tr_sent!("the session has no app '{name}'", name = Clean::new(name));
            Failure::not_found(what)
                .hint(tr_sent!("its apps are {names}", names = names.join(", ")))
        })
    }

    /// The request also registers the session at the cluster's app proxy, which not every cluster has. A connection
    /// starts the service without it.
    async fn start_service(
        &self,
        session: SessionId,
        service: &str,
        options: &StartOptions,
    ) -> Result<()> {
        let path = format!("/session/{session}/start-service");
        let call = ManagerCall::post(path, &options.body(service)).within(START);
        let connection = self.core.connection().await?;
        let Err(error) = connection.http.send(&call).await else {
            return Ok(());
        };
        let said = error.message();
        if said.as_str().contains(NOT_LAUNCHED) {
            return Err(not_launched(service, said.as_str()));
        }
        if error.is_denied() {
            return Err(error);
        }
        let to = DialTarget {
            service: service.to_owned(),
            port: None,
        };
        // The first error is the complete one.
        let started = self
            .start_by_connection(session, &to, &options.query())
            .await;
        started.map_err(|_| error)
    }
}

fn not_launched(service: &str, said: &str) -> Failure {
    let why = said.split_once(NOT_LAUNCHED).map_or("", |(_, why)| why);
    let why = why.trim_start_matches([':', ' ']);
    let failure = Failure::refused(tr_sent!(
        "'{service}' didn't start",
        service = Clean::new(service)
    ));
    let failure = if why.is_empty() {
        failure
    } else {
        failure.because(why)
    };
    failure.hint(tr_sent!("`workbay logs S` prints what it said"))
}

/// The arguments and variables of a start, as JSON in strings.
struct StartOptions {
    arguments: Option<String>,
    variables: Option<String>,
}

impl StartOptions {
    /// Arguments may be named without their dashes. Where the manager doesn't list them, the session checks them.
    fn new(app: &App, start: &AppStart) -> Result<Self> {
        let mut arguments = BTreeMap::new();
        for (name, value) in &start.arguments {
            let bare = name.trim_start_matches('-');
            let listed = app.arguments.iter().find(|it| it.title == *bare);
            let name = match listed {
                Some(listed) => listed.name.to_string(),
                None if !app.arguments.is_empty() => return Err(unknown_argument(app, name)),
                None if name.starts_with('-') => name.clone(),
                None => format!("--{name}"),
            };
            arguments.insert(name, value.as_str());
        }
        let text = |value: Value, is_empty: bool| (!is_empty).then(|| value.to_string());
        Ok(Self {
            arguments: text(json!(arguments), arguments.is_empty()),
            variables: text(json!(start.env), start.env.is_empty()),
        })
    }

    fn body(&self, service: &str) -> Value {
        let mut body = json!({ "app": service });
        for (name, value) in self.query() {
            body[name] = Value::String(value);
        }
        body
    }

    fn query(&self) -> Vec<(&'static str, String)> {
        let pairs = [("arguments", &self.arguments), ("envs", &self.variables)];
        let given = pairs
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.clone()?)));
        given.collect()
    }
}

fn unknown_argument(app: &App, name: &str) -> Failure {
    let names: Vec<&str> = app.arguments.iter().map(|it| it.title.as_str()).collect();
    Failure::usage(tr_sent!(
        "{title} has no argument '{name}'",
        title = app.title,
        name = Clean::new(name)
    ))
    .hint(tr_sent!("it takes {names}", names = names.join(", ")))
}
