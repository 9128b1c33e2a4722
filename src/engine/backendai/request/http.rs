//! HTTP to one manager: signatures, time limits, the request limit, and errors as sentences.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use jiff::Timestamp;
use reqwest::{
    Method, RequestBuilder, Response, StatusCode, Url,
    header::{ACCEPT, CONTENT_TYPE, DATE, HOST, HeaderMap, HeaderName, HeaderValue},
};
use serde::de::DeserializeOwned;

use super::{
    manager_error::{Recipient, skew_of},
    rate_limit::RateLimit,
};
use crate::{
    engine::{
        api::Result,
        backendai::connect::{
            base_url::{BaseUrl, target},
            config::{BackendAiConfig, Login},
            header::value,
            login::{LoginProof, LoginState},
            pool::Pool,
            sign::{self, SignedParts},
            tls_roots,
        },
    },
    model::{failure::Failure, one_time_code::OneTimeCode, secret::Secret},
};

pub(in crate::engine::backendai) use super::call::{LIST, ManagerAnswer, ManagerCall, SHORT};

/// The longest answer that is read, in bytes.
const BODY_MAX: usize = 64 << 20;
/// The API version until the manager has announced its own. It is also the newest one that we know.
pub(in crate::engine::backendai) const API_VERSION: &str = "v9.20250722";
const JSON: &str = "application/json";
const API_VERSION_HEADER: HeaderName = HeaderName::from_static("x-backendai-version");

/// One connection pool to one manager.
pub(in crate::engine::backendai) struct Http {
    pool: Pool,
    place: BaseUrl,
    tls: Arc<rustls::ClientConfig>,
    pub(in crate::engine::backendai) whom: Recipient,
    auth: Auth,
    pace: RateLimit,
    api_version: Mutex<String>,
    clock: fn() -> Timestamp,
}

enum Auth {
    Keys { access: String, secret: Secret },
    Login(LoginState),
}

impl Http {
    pub(in crate::engine::backendai) fn new(config: &BackendAiConfig) -> Result<Self> {
        let by_password = matches!(config.login, Login::Session { .. });
        let place = BaseUrl::new(&config.endpoint, by_password)?;
        place.check_encryption(by_password, config.insecure)?;
        let tls = tls_roots::client_config(config.ca_file.as_deref())?;
        let pool = Pool::new(tls.clone(), place.is_loopback())?;
        let auth = match &config.login {
            Login::Api {
                access_key,
                secret_key,
            } => Auth::Keys {
                access: access_key.clone(),
                secret: secret_key.clone(),
            },
            Login::Session { username, password } => {
                Auth::Login(LoginState::new(username.clone(), password.clone()))
            }
        };
        Ok(Self {
            pool,
            whom: Recipient {
                endpoint: place.shown().to_owned(),
                context: config.context.to_string(),
                by_password,
            },
            place,
            tls,
            auth,
            pace: RateLimit::default(),
            api_version: Mutex::new(API_VERSION.to_owned()),
            clock: config.clock,
        })
    }

    /// Sets the API version for the next requests.
    pub(in crate::engine::backendai) fn speak(&self, version: &str) {
        version.clone_into(
            &mut self
                .api_version
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        );
    }

    pub(in crate::engine::backendai) fn spoken(&self) -> String {
        let version = self.api_version.lock();
        version.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Forgets that a login failed, so that the next request tries again.
    pub(in crate::engine::backendai) async fn forgive(&self) {
        if let Auth::Login(login) = &self.auth {
            login.forgive().await;
        }
    }

    /// Uses the one-time password for the next login.
    pub(in crate::engine::backendai) async fn use_code(&self, code: OneTimeCode) -> Result<()> {
        match &self.auth {
            Auth::Login(login) => {
                login.use_code(code).await;
                Ok(())
            }
            Auth::Keys { .. } => Err(Failure::usage(tr_sent!(
                "context '{context}' signs its requests with keys and has no login",
                context = self.whom.context
            ))
            .hint(tr_sent!(
                "with mode = \"session\" it logs in at the web server by user name and password"
            ))),
        }
    }

    /// Whether requests go through a web server, which has its own paths for GraphQL.
    pub(in crate::engine::backendai) fn through_web(&self) -> bool {
        matches!(self.auth, Auth::Login(_))
    }

    /// A client for other servers of the cluster, which get no keys.
    pub(in crate::engine::backendai) fn client(&self) -> reqwest::Client {
        self.pool.client()
    }

    /// Where WebSockets connect to, and with which TLS settings.
    pub(in crate::engine::backendai) fn place(&self) -> &BaseUrl {
        &self.place
    }

    pub(in crate::engine::backendai) fn tls(&self) -> Arc<rustls::ClientConfig> {
        self.tls.clone()
    }

    /// Sends a request and reads its answer as JSON.
    pub(in crate::engine::backendai) async fn json<T: DeserializeOwned>(
        &self,
        call: &ManagerCall,
    ) -> Result<T> {
        self.parsed(&self.send(call).await?)
    }

    /// Reads an answer as JSON.
    pub(in crate::engine::backendai) fn parsed<T: DeserializeOwned>(
        &self,
        answer: &ManagerAnswer,
    ) -> Result<T> {
        serde_json::from_slice(&answer.body)
            .map_err(|error| self.whom.unreadable(&answer.headers, &answer.body, &error))
    }

    /// Sends a request. An answer without a success status is an error.
    pub(in crate::engine::backendai) async fn send(
        &self,
        call: &ManagerCall,
    ) -> Result<ManagerAnswer> {
        let work = self.exchange(call, Some(call.limit));
        let response = work.await?;
        let headers = response.headers().clone();
        let body = self.read(response, call.limit).await?;
        Ok(ManagerAnswer { headers, body })
    }

    /// Sends a request whose answer doesn't end. Only its head is waited for.
    pub(in crate::engine::backendai) async fn open(&self, call: &ManagerCall) -> Result<Response> {
        let work = self.exchange(call, None);
        match tokio::time::timeout(call.limit, work).await {
            Ok(result) => result,
            Err(_) => Err(self.whom.late(call.limit)),
        }
    }

    /// The URL of a manager's path, and the headers of a WebSocket's GET request to it.
    pub(in crate::engine::backendai) async fn upgrade(
        &self,
        path: &str,
    ) -> Result<(Url, HeaderMap)> {
        let url = self.place.manager(path);
        let ticket = self.ticket().await?;
        let headers = self.headers(&Method::GET, &url, false, &ticket)?;
        Ok((url, headers))
    }

    /// Repeats a request until it succeeds or fails for good: up to twice because of the request
    /// limit, once after a new login, and once if it only reads and its connection was closed.
    async fn exchange(&self, call: &ManagerCall, limit: Option<Duration>) -> Result<Response> {
        let mut refusals = 0;
        let mut renewed = false;
        let mut reconnected = false;
        loop {
            self.pace.wait().await?;
            let ticket = self.ticket().await?;
            let response = match self.request(call, limit, &ticket)?.send().await {
                Ok(response) => response,
                Err(error) if call.only_reads && !reconnected && is_closed(&error) => {
                    self.pool.renew();
                    reconnected = true;
                    continue;
                }
                Err(error) => return Err(self.unsent(&error, call.limit)),
            };
            self.pace.note(response.headers());
            match response.status() {
                status if status.is_success() => return Ok(response),
                StatusCode::TOO_MANY_REQUESTS => {
                    let wait = self.pace.refused(response.headers(), refusals)?;
                    refusals += 1;
                    tokio::time::sleep(wait).await;
                }
                StatusCode::UNAUTHORIZED if self.expired(&ticket, renewed).await => renewed = true,
                _ => return Err(self.failure(response, call.limit).await),
            }
        }
    }

    fn request(
        &self,
        call: &ManagerCall,
        limit: Option<Duration>,
        ticket: &LoginProof,
    ) -> Result<RequestBuilder> {
        let url = self.place.manager(&call.path);
        let headers = self.headers(&call.method, &url, call.body.is_some(), ticket)?;
        let client = self.pool.client();
        let mut request = client.request(call.method.clone(), url).headers(headers);
        if let Some(accept) = &call.accept {
            request = request.header(ACCEPT, accept.clone());
        }
        if let Some(limit) = limit {
            request = request.timeout(limit);
        }
        if let Some(body) = &call.body {
            request = request.body(body.clone());
        }
        Ok(request)
    }

    fn unsent(&self, error: &reqwest::Error, limit: Duration) -> Failure {
        if error.is_timeout() {
            self.pool.renew();
        }
        self.whom.transport(error, limit)
    }

    /// Turns an answer without a success status into an error.
    async fn failure(&self, response: Response, limit: Duration) -> Failure {
        let status = response.status();
        let headers = response.headers().clone();
        match self.read(response, limit).await {
            Ok(body) => {
                let skew = skew_of(&headers, (self.clock)());
                self.whom.answered(status, &headers, &body, skew)
            }
            Err(error) => error,
        }
    }

    async fn read(&self, mut response: Response, limit: Duration) -> Result<Bytes> {
        let mut body = BytesMut::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => return Ok(body.freeze()),
                Err(error) => return Err(self.whom.transport(&error, limit)),
            }
            if body.len() > BODY_MAX {
                return Err(Failure::reported(tr_sent!("more than 64 MiB at once")));
            }
        }
    }

    fn headers(
        &self,
        method: &Method,
        url: &Url,
        has_body: bool,
        ticket: &LoginProof,
    ) -> Result<HeaderMap> {
        let mut headers = HeaderMap::new();
        let version = self.spoken();
        let host = self.place.host_header();
        let content_type = has_body.then_some(JSON);
        if has_body {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
        }
        headers.insert(API_VERSION_HEADER, value(&version)?);
        match &self.auth {
            Auth::Keys { access, secret } => {
                let date = sign::date_header((self.clock)());
                let signed = SignedParts {
                    method: method.as_str(),
                    target: &target(url),
                    host: &host,
                    content_type,
                    version: &version,
                    date: &date,
                };
                let mut authorization = value(&sign::authorization(&signed, access, secret))?;
                authorization.set_sensitive(true);
                headers.insert(reqwest::header::AUTHORIZATION, authorization);
                headers.insert(DATE, value(&date)?);
            }
            Auth::Login(_) => ticket.put(&mut headers)?,
        }
        headers.insert(HOST, value(&host)?);
        Ok(headers)
    }

    async fn ticket(&self) -> Result<LoginProof> {
        match &self.auth {
            Auth::Keys { .. } => Ok(LoginProof::none()),
            Auth::Login(login) => {
                login
                    .ticket(&self.pool.client(), &self.place, &self.whom)
                    .await
            }
        }
    }

    /// Whether to retry a refused login: it was a login at a web server, and it wasn't renewed yet.
    async fn expired(&self, ticket: &LoginProof, renewed: bool) -> bool {
        match &self.auth {
            Auth::Login(login) if !renewed => {
                login.drop_ticket(ticket).await;
                true
            }
            _ => false,
        }
    }
}

/// Whether the connection was closed before the answer, as if the manager closed it when it had
/// been idle for too long.
fn is_closed(error: &reqwest::Error) -> bool {
    error.is_request() && !error.is_connect() && !error.is_timeout()
}
