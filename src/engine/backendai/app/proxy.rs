//! The app proxy of a cluster, which gives an app a URL that needs no workbay: the coordinator (version 2). The older
//! version needs the user's secret key, so it isn't used.

use std::time::Duration;

use reqwest::{StatusCode, Url};
use serde::Deserialize;

use super::{BackendAiEngine, START, StartOptions};
use crate::{
    engine::{
        api::Result,
        backendai::{connect::base_url::BaseUrl, request::call::ManagerCall},
    },
    model::{
        app::{App, AppProtocol, ProxyOptions, ProxyUrl},
        cidr::Network,
        failure::Failure,
        id::SessionId,
        text::Clean,
    },
};

const TIME_LIMIT: Duration = Duration::from_secs(20);
/// The proxy may not know a new session yet. The WebUI also retries that often.
const TRIES: u32 = 5;
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// The longest answer that is read, in bytes.
const LONGEST: usize = 64 * 1024;

/// The manager's answer to a start.
#[derive(Deserialize)]
struct StartedService {
    token: Option<String>,
    wsproxy_addr: Option<String>,
}

/// The proxy's answer to a new app.
#[derive(Deserialize)]
struct Added {
    url: Option<String>,
}

/// The proxy's answer instead of a redirect.
#[derive(Deserialize)]
struct Redirect {
    #[serde(alias = "redirectURI")]
    redirect_url: Option<String>,
}

impl BackendAiEngine {
    pub(super) async fn open_at_proxy(
        &self,
        session: SessionId,
        app: &App,
        start: &StartOptions,
        options: &ProxyOptions,
    ) -> Result<ProxyUrl> {
        let networks = networks(&options.allowed)?;
        let path = format!("/session/{session}/start-service");
        let call = ManagerCall::post(path, &start.body(app.name.as_str())).within(START);
        let connection = self.core.connection().await?;
        let started: StartedService = connection.http.json(&call).await?;
        let (Some(token), Some(place)) = (started.token, started.wsproxy_addr) else {
            return Err(no_proxy());
        };
        let place = BaseUrl::new(&place, false)?;
        place.check_encryption(false, self.core.config.insecure)?;
        let mut url = place.manager(&format!("/v2/proxy/{token}/{session}/add"));
        let protocol = match app.protocol {
            AppProtocol::Http => "http",
            AppProtocol::Tcp => "tcp",
        };
        {
            let mut query = url.query_pairs_mut();
            query.append_pair("app", app.name.as_str());
            query.append_pair("protocol", protocol);
            if let Some(port) = options.preferred_port {
                query.append_pair("port", &port.to_string());
            }
            if options.public {
                query.append_pair("open_to_public", "true");
            }
            if !networks.is_empty() {
                query.append_pair("allowed_client_ips", &networks);
            }
        }
        let client = connection.http.client();
        let added: Added = read(&client, url).await?;
        let url = added
            .url
            .ok_or_else(|| unexpected(tr_sent!("its answer has no URL")))?;
        let address = match app.protocol {
            AppProtocol::Http => None,
            AppProtocol::Tcp => Some(address(&client, &url).await?),
        };
        Ok(ProxyUrl { url, address })
    }
}

/// Where a program connects to, for an app that isn't a web page.
async fn address(client: &reqwest::Client, url: &str) -> Result<String> {
    let mut url = Url::parse(url).map_err(|_| unexpected(tr_sent!("its URL is damaged")))?;
    url.query_pairs_mut().append_pair("do-not-redirect", "true");
    let redirect: Redirect = read(client, url).await?;
    let to = redirect.redirect_url.unwrap_or_default();
    let to = Url::parse(&to).map_err(|_| unexpected(tr_sent!("its answer has no address")))?;
    let gateway = to
        .query_pairs()
        .find_map(|(name, value)| (name == "gateway").then(|| value.into_owned()));
    let gateway = gateway.and_then(|it| Some(it.strip_prefix("tcp://")?.to_owned()));
    gateway.ok_or_else(|| unexpected(tr_sent!("its answer has no address")))
}

/// The networks as the proxy reads them.
fn networks(allowed: &[String]) -> Result<String> {
    for network in allowed {
        let parsed = network.parse::<Network>();
        parsed.map_err(Failure::usage)?;
    }
    Ok(allowed.join(","))
}

/// Reads an answer of the proxy. Errors of a proxy that is still starting are retried.
async fn read<T: serde::de::DeserializeOwned>(client: &reqwest::Client, url: Url) -> Result<T> {
    let mut last = None;
    for attempt in 0..TRIES {
        if attempt > 0 {
            tokio::time::sleep(RETRY_AFTER).await;
        }
        match get(client, url.clone()).await? {
            Ok(body) => {
                return serde_json::from_slice(&body)
                    .map_err(|_| unexpected(tr_sent!("its answer can't be read")));
            }
            Err(failure) => last = Some(failure),
        }
    }
    Err(last.unwrap_or_else(no_proxy))
}

/// The body of an answer, or a failure that may be over soon.
async fn get(client: &reqwest::Client, url: Url) -> Result<std::result::Result<Vec<u8>, Failure>> {
    let host = url.host_str().unwrap_or_default().to_owned();
    let request = client
        .get(url)
        .header(reqwest::header::ACCEPT, "application/json")
        .timeout(TIME_LIMIT);
    let response = match request.send().await {
        Ok(response) => response,
        // The URL contains the token.
        Err(error) => return Err(unreachable_proxy(&host, &error.without_url())),
    };
    let status = response.status();
    let body = body(response, &host).await?;
    let may_pass = [
        StatusCode::INTERNAL_SERVER_ERROR,
        StatusCode::NOT_IMPLEMENTED,
        StatusCode::BAD_GATEWAY,
    ]
    .contains(&status);
    match status {
        status if status.is_success() => Ok(Ok(body)),
        status => {
            let failure = refused(status, &body);
            if may_pass {
                Ok(Err(failure))
            } else {
                Err(failure)
            }
        }
    }
}

async fn body(mut response: reqwest::Response, host: &str) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => return Ok(body),
            Err(error) => return Err(unreachable_proxy(host, &error.without_url())),
        }
        if body.len() > LONGEST {
            return Err(unexpected(tr_sent!("its answer is too long")));
        }
    }
}

fn refused(status: StatusCode, body: &[u8]) -> Failure {
    let body: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    let said = ["msg", "message", "title"]
        .into_iter()
        .find_map(|key| body[key].as_str());
    let text = tr_sent!(
        "the cluster's app proxy refused the app ({status})",
        status = status.as_u16()
    );
    let failure = Failure::refused(text);
    let failure = match said {
        Some(said) => failure.because(Clean::new(said).to_string()),
        None => failure,
    };
    failure.hint(tr_sent!(
        "`workbay app start` opens a port of this machine instead"
    ))
}

fn no_proxy() -> Failure {
    Failure::unsupported(tr_sent!("this cluster has no app proxy of version 2")).hint(tr_sent!(
        "`workbay app start` opens a port of this machine instead"
    ))
}

fn unexpected(why: &str) -> Failure {
    Failure::refused(tr_sent!(
        "the cluster's app proxy can't be used: {why}",
        why
    ))
    .hint(tr_sent!(
        "`workbay app start` opens a port of this machine instead"
    ))
}

fn unreachable_proxy(host: &str, error: &reqwest::Error) -> Failure {
    let host = Clean::new(host);
    // The manager itself is still connected.
    Failure::refused(tr_sent!(
        "the cluster's app proxy at {host} doesn't answer",
        host
    ))
    .because(error.to_string())
    .hint(tr_sent!(
        "`workbay app start` opens a port of this machine instead"
    ))
}
