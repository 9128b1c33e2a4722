//! The login at a web server, which signs requests for us ("session mode").
//!
//! All requests share one login. A failed login is remembered, so that a wrong password is tried
//! once and not with every request: the server blocks the account after ten failures.

use std::time::Duration;

use reqwest::{
    Client, StatusCode,
    header::{HeaderMap, HeaderName},
};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::Mutex;

use super::{base_url::BaseUrl, header::value};
use crate::{
    engine::{
        api::Result,
        backendai::request::{call::USUAL, manager_error::Recipient, problem::ErrorBody},
    },
    model::{
        failure::{Failure, FailureKind},
        one_time_code::OneTimeCode,
        secret::Secret,
    },
};

const SESSION_HEADER: HeaderName = HeaderName::from_static("x-backendai-sessionid");

/// What a request sends to the web server as proof of the login. Never printed.
#[derive(Clone)]
pub(in crate::engine::backendai) struct LoginProof(Option<Secret>);

impl LoginProof {
    /// The ticket of signed requests.
    pub(in crate::engine::backendai) fn none() -> Self {
        Self(None)
    }

    pub(in crate::engine::backendai) fn put(&self, headers: &mut HeaderMap) -> Result<()> {
        if let Some(id) = &self.0 {
            let mut id = value(id.expose())?;
            id.set_sensitive(true);
            headers.insert(SESSION_HEADER, id);
        }
        Ok(())
    }
}

pub(in crate::engine::backendai) struct LoginState {
    username: String,
    password: Secret,
    /// For the next login, and only for that one.
    code: Mutex<Option<OneTimeCode>>,
    /// Locked during a login, so that other requests wait for it instead of logging in themselves.
    state: Mutex<LoginStatus>,
}

enum LoginStatus {
    Out,
    In(LoginProof),
    Failed(Failure),
}

/// The server's answer to a login.
#[derive(Deserialize)]
struct LoginReply {
    authenticated: bool,
    #[serde(default)]
    data: serde_json::Value,
}

impl LoginState {
    pub(in crate::engine::backendai) fn new(username: String, password: Secret) -> Self {
        Self {
            username,
            password,
            code: Mutex::new(None),
            state: Mutex::new(LoginStatus::Out),
        }
    }

    pub(in crate::engine::backendai) async fn forgive(&self) {
        let mut state = self.state.lock().await;
        if matches!(*state, LoginStatus::Failed(_)) {
            *state = LoginStatus::Out;
        }
    }

    pub(in crate::engine::backendai) async fn use_code(&self, code: OneTimeCode) {
        *self.code.lock().await = Some(code);
    }

    /// The ticket of the current login. Logs in first if necessary.
    pub(in crate::engine::backendai) async fn ticket(
        &self,
        client: &Client,
        place: &BaseUrl,
        whom: &Recipient,
    ) -> Result<LoginProof> {
        let mut state = self.state.lock().await;
        match &*state {
            LoginStatus::In(ticket) => return Ok(ticket.clone()),
            LoginStatus::Failed(error) => return Err(error.clone()),
            LoginStatus::Out => {}
        }
        match self.log_in(client, place, whom).await {
            Ok(ticket) => {
                *state = LoginStatus::In(ticket.clone());
                Ok(ticket)
            }
            Err(error) => {
                // A lost connection doesn't mean that the password is wrong.
                if !error.is_lost() {
                    *state = LoginStatus::Failed(error.clone());
                }
                Err(error)
            }
        }
    }

    /// Drops a ticket that the server no longer accepts. A newer ticket stays.
    pub(in crate::engine::backendai) async fn drop_ticket(&self, ticket: &LoginProof) {
        let mut state = self.state.lock().await;
        if matches!(&*state, LoginStatus::In(LoginProof(present)) if *present == ticket.0) {
            *state = LoginStatus::Out;
        }
    }

    async fn log_in(
        &self,
        client: &Client,
        place: &BaseUrl,
        whom: &Recipient,
    ) -> Result<LoginProof> {
        let code = self.code.lock().await.take();
        let mut body = json!({"username": self.username, "password": self.password.expose()});
        if let Some(code) = &code {
            body["otp"] = code.expose().into();
        }
        let sent = client
            .post(place.web("/server/login"))
            .header(reqwest::header::CONTENT_TYPE, "application/json")
            .body(body.to_string())
            .timeout(USUAL)
            .send()
            .await
            .map_err(|error| whom.transport(&error, USUAL))?;
        let (status, headers) = (sent.status(), sent.headers().clone());
        let body = sent.bytes().await;
        let body = body.map_err(|error| whom.transport(&error, USUAL))?;
        if status == StatusCode::TOO_MANY_REQUESTS {
            return Err(blocked(&headers));
        }
        let reply: LoginReply = match serde_json::from_slice(&body) {
            Ok(reply) => reply,
            Err(error) if status.is_success() => {
                return Err(whom.unreadable(&headers, &body, &error));
            }
            Err(_) if status == StatusCode::NOT_FOUND => return Err(no_web_server(whom)),
            Err(_) => return Err(whom.answered(status, &headers, &body, None)),
        };
        if !reply.authenticated {
            return Err(refused(&reply.data, whom, code.is_some()));
        }
        match headers.get(SESSION_HEADER).map(|id| id.to_str()) {
            Some(Ok(id)) => Ok(LoginProof(Some(Secret::new(id)))),
            _ => Err(Failure::reported(tr_sent!(
                "a login without an id (header X-BackendAI-SessionID). The web server is too old"
            ))),
        }
    }
}

/// Why a login was refused. `with_code`: it had a one-time password.
fn refused(data: &serde_json::Value, whom: &Recipient, with_code: bool) -> Failure {
    let body = data.to_string();
    let problem = ErrorBody::read(body.as_bytes()).unwrap_or_default();
    let (kind, hint) = match problem.kind.as_str() {
        "require-totp-authentication" => (
            FailureKind::NeedsCode,
            tr_sent!(
                "run `workbay context login {context}` and type the one-time password",
                context = whom.context
            ),
        ),
        "require-totp-registration" => (
            FailureKind::Denied,
            tr_sent!("this account must have one-time passwords: set them up in the WebUI first")
                .to_owned(),
        ),
        "password-expired" => (
            FailureKind::Denied,
            tr_sent!(
                "set a new password in the WebUI first, then in the configuration of the context"
            )
            .to_owned(),
        ),
        // The password was accepted, or the server would not have asked for the code.
        kind if with_code && kind != "auth-failed" => (
            FailureKind::NeedsCode,
            tr_sent!(
                "run `workbay context login {context}` and type the present one-time password: each is \
                 accepted for half a minute",
                context = whom.context
            ),
        ),
        _ => (
            FailureKind::Denied,
            tr_sent!("check username and password of the context. The web server may belong to another domain").to_owned(),
        ),
    };
    let what = tr_sent!(
        "the login of context '{context}' at {endpoint} wasn't accepted: {sentence}",
        context = whom.context,
        endpoint = whom.endpoint,
        sentence = problem.sentence()
    );
    Failure::new(kind, what).hint(hint)
}

/// The endpoint has no path for logins.
fn no_web_server(whom: &Recipient) -> Failure {
    whom.unreachable(
        tr_sent!("the endpoint doesn't accept logins"),
        Some(tr_sent!(
            "with mode = \"session\", set the endpoint to the web server for logins. For the \
             manager itself, use mode = \"api\" and keys"
        )),
    )
}

fn blocked(headers: &HeaderMap) -> Failure {
    let reported = headers
        .get("retry-after")
        .and_then(|text| text.to_str().ok()?.trim().parse().ok())
        .map(Duration::from_secs);
    Failure::denied(tr_sent!(
        "too many failed logins: the web server blocks this account for a while"
    ))
    .hint(match reported {
        Some(wait) => tr_sent!(
            "try again in {minutes} min",
            minutes = wait.as_secs().div_ceil(60)
        ),
        None => tr_sent!("try again later (20 minutes by default)").to_owned(),
    })
}
