//! A request on its way to the application, and the answer on its way back.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Version, header};
use http_body_util::{Either, Empty};
use hyper::{
    body::{Body as _, Incoming},
    upgrade::OnUpgrade,
};

use super::{
    Connection,
    access::{self, Pass},
    body::{Answer, Outgoing, Streamed},
    headers, pages,
    pool::{self, ConnectError},
    upgrade,
};
use crate::{
    gateway::listening::{DialError, Shared},
    model::text::Clean,
};

/// Why the application gave no answer.
enum SendError {
    Connect(ConnectError),
    Answer(hyper::Error),
}

/// Forwards a request and waits for the answer, without a limit: it may be a long poll. If the client goes away, the
/// request ends, too.
pub(super) async fn forward(
    connection: &Arc<Connection>,
    mut request: Request<Incoming>,
    pass: Pass,
) -> Response<Answer> {
    let shared = &connection.shared;
    let seen = pages::wishes(request.headers());
    let protocol = headers::upgrade(request.headers());
    let client = protocol.is_some().then(|| hyper::upgrade::on(&mut request));
    let request = match outgoing(connection, request, &pass, protocol) {
        Ok(request) => request,
        Err(error) => return failed(shared, seen, StatusCode::BAD_REQUEST, &error.to_string()),
    };
    match send(shared, request).await {
        Ok(response) => answer(connection, response, client, seen),
        Err(error) => explain(shared, seen, error),
    }
}

/// The request as the application gets it.
fn outgoing(
    connection: &Connection,
    request: Request<Incoming>,
    pass: &Pass,
    protocol: Option<HeaderValue>,
) -> Result<Request<Outgoing>, http::Error> {
    let target = access::without_token(request.uri()).parse()?;
    let (mut parts, body) = request.into_parts();
    parts.uri = target;
    parts.version = Version::HTTP_11;
    headers::for_application(&mut parts.headers, pass, connection.ends.peer);
    if let Some(protocol) = protocol {
        headers::set_upgrade(&mut parts.headers, protocol);
    }
    // Otherwise the body of a GET without a length would be left out.
    if body.size_hint().exact().is_none() {
        let chunked = HeaderValue::from_static("chunked");
        parts.headers.insert(header::TRANSFER_ENCODING, chunked);
    }
    let body = if body.is_end_stream() {
        Either::Right(Empty::new())
    } else {
        Either::Left(body)
    };
    Ok(Request::from_parts(parts, body))
}

/// Sends a request on an idle connection, otherwise on a new one.
async fn send(
    shared: &Arc<Shared>,
    mut request: Request<Outgoing>,
) -> Result<Response<Incoming>, SendError> {
    while let Some(mut sender) = shared.pool.take() {
        let copy = repeatable(&request);
        match sender.try_send_request(request).await {
            Ok(response) => {
                pool::give_back(shared, sender);
                return Ok(response);
            }
            // The application has closed the connection while the request was on its way.
            Err(mut error) => match error.take_message().or(copy) {
                Some(again) => request = again,
                None => return Err(SendError::Answer(error.into_error())),
            },
        }
    }
    let mut sender = pool::connect(shared).await.map_err(SendError::Connect)?;
    let response = sender
        .send_request(request)
        .await
        .map_err(SendError::Answer)?;
    pool::give_back(shared, sender);
    Ok(response)
}

/// A copy of a request that has no effect or no further effect if it is sent twice (RFC 9110, section 9.2.2).
fn repeatable(request: &Request<Outgoing>) -> Option<Request<Outgoing>> {
    let is_safe = matches!(
        *request.method(),
        Method::GET | Method::HEAD | Method::OPTIONS
    );
    if !is_safe || matches!(request.body(), Either::Left(_)) {
        return None;
    }
    let mut copy = Request::new(Either::Right(Empty::<Bytes>::new()));
    *copy.method_mut() = request.method().clone();
    *copy.uri_mut() = request.uri().clone();
    *copy.headers_mut() = request.headers().clone();
    Some(copy)
}

/// The answer as the client gets it.
fn answer(
    connection: &Arc<Connection>,
    mut response: Response<Incoming>,
    client: Option<OnUpgrade>,
    seen: HeaderMap,
) -> Response<Answer> {
    let shared = &connection.shared;
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        let protocol = headers::upgrade(response.headers());
        let (Some(client), Some(protocol)) = (client, protocol) else {
            let why = tr_sent!("it switched to another protocol without being asked");
            return failed(shared, seen, StatusCode::BAD_GATEWAY, why);
        };
        let application = hyper::upgrade::on(&mut response);
        upgrade::start(connection, client, application);
        let mut response = response.map(|_| Answer::empty());
        headers::for_client(response.headers_mut());
        headers::set_upgrade(response.headers_mut(), protocol);
        return response;
    }
    headers::for_client(response.headers_mut());
    *response.version_mut() = Version::HTTP_11;
    response
        .map(|body| Answer::Streamed(Streamed::new(body, connection.abort.clone(), &shared.stop)))
}

fn explain(shared: &Shared, seen: HeaderMap, error: SendError) -> Response<Answer> {
    let bad = StatusCode::BAD_GATEWAY;
    match error {
        SendError::Connect(ConnectError::Dial(DialError::Failed(failure))) => {
            failed(shared, seen, bad, &failure.sentence())
        }
        SendError::Connect(ConnectError::Dial(DialError::TimedOut)) => {
            let why = tr_sent!("it doesn't accept connections");
            failed(shared, seen, StatusCode::GATEWAY_TIMEOUT, why)
        }
        SendError::Connect(ConnectError::Http(error)) | SendError::Answer(error) => {
            failed(shared, seen, bad, reason(&error))
        }
    }
}

fn reason(error: &hyper::Error) -> &'static str {
    if error.is_parse_too_large() {
        tr_sent!("the head of its answer is too large")
    } else if error.is_parse() {
        tr_sent!("its answer isn't valid HTTP")
    } else if error.is_body_write_aborted() || error.is_user() {
        tr_sent!("the upload was interrupted")
    } else {
        tr_sent!("it closed the connection without an answer")
    }
}

fn failed(shared: &Shared, seen: HeaderMap, status: StatusCode, why: &str) -> Response<Answer> {
    let what = tr_sent!(
        "{title} doesn't answer: {why}",
        title = shared.route.title,
        why
    );
    let fix = tr_sent!(
        "Check the log of the application with `workbay app logs`, and start it again if it has stopped. Then reload \
        this page."
    );
    pages::page(&seen, status, &Clean::new(&what), Some(&fix.into())).map(Answer::page)
}
