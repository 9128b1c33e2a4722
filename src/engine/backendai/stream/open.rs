//! Opens connections and terminals, and retries while a service is starting.

use std::time::Duration;

use tokio::time::{sleep, timeout};

use super::{
    super::{BackendAiEngine, request::manager_error::declined},
    pipe::PortPipe,
    terminal::{self, NotOpened, TtydConnection},
    ws::{self, BoxedStream, OpenError, OpenResult},
};
use crate::{
    engine::api::{AttachRequest, DialTarget, Result},
    model::{failure::Failure, id::SessionId},
};

/// How long a service may take to start after its session runs.
const COMING_UP: Duration = Duration::from_secs(30);
/// The first and the longest pause between two attempts.
const SOON: Duration = Duration::from_millis(250);
const LATER: Duration = Duration::from_secs(2);

/// Time limit for closing a connection.
const GOODBYE: Duration = Duration::from_secs(1);

/// Time limit for ttyd's answer. A web server in between doesn't report a port that refuses.
const TERMINAL: Duration = Duration::from_secs(8);

/// The service that terminals use.
const TTYD: &str = "ttyd";

/// Opens a connection to a port of our running session.
pub(super) async fn pipe(
    engine: &BackendAiEngine,
    session: SessionId,
    to: &DialTarget,
) -> Result<PortPipe<BoxedStream>> {
    patiently(|| once(engine, session, to)).await
}

/// The port of a target that is named by its number, if the connection failed because the session has no such service.
pub(super) fn other_port(error: &Failure, to: &DialTarget) -> Option<u16> {
    let port = to.service.parse().ok().filter(|port| *port != 0)?;
    (to.port.is_none() && error.is_not_found()).then_some(port)
}

/// Opens a terminal in our running session.
pub(super) async fn terminal(
    engine: &BackendAiEngine,
    session: SessionId,
    request: &AttachRequest,
) -> Result<TtydConnection<BoxedStream>> {
    let to = DialTarget {
        service: TTYD.to_owned(),
        port: None,
    };
    patiently(|| async {
        let pipe = once(engine, session, &to).await?;
        let opening = terminal::open(pipe, request.columns, request.rows);
        match timeout(TERMINAL, opening).await {
            Ok(Ok(tty)) => Ok(tty),
            Ok(Err(NotOpened::NotYet)) => Err(OpenError::NotYet(
                tr_sent!("the terminal service of the session isn't running yet").to_owned(),
            )),
            Ok(Err(NotOpened::Failed(why))) => Err(declined(why).into()),
            Err(_) => Err(OpenError::NotYet(
                tr_sent!("the terminal service of the session doesn't answer").to_owned(),
            )),
        }
    })
    .await
}

/// Makes one attempt to connect to a port.
pub(super) async fn once(
    engine: &BackendAiEngine,
    session: SessionId,
    to: &DialTarget,
) -> OpenResult<PortPipe<BoxedStream>> {
    // The session may have ended since the last attempt.
    engine.must_be_open(session).await?;
    let connection = engine.core.connection().await?;
    ws::open(&connection.http, session, to, &[]).await
}

impl BackendAiEngine {
    /// Starts a service with these options by a connection, which is closed at once.
    pub(in super::super) async fn start_by_connection(
        &self,
        session: SessionId,
        to: &DialTarget,
        options: &[(&str, String)],
    ) -> Result<()> {
        let mut pipe = patiently(|| async {
            self.must_be_open(session).await?;
            let connection = self.core.connection().await?;
            ws::open(&connection.http, session, to, options).await
        })
        .await?;
        let _ = timeout(GOODBYE, pipe.close()).await;
        Ok(())
    }
}

/// Retries until the attempt succeeds, is refused for good, or takes too long.
pub(super) async fn patiently<T, F: Future<Output = OpenResult<T>>>(
    attempt: impl Fn() -> F,
) -> Result<T> {
    let mut last = None;
    let work = async {
        let mut pause = SOON;
        loop {
            match attempt().await {
                Ok(opened) => return Ok(opened),
                Err(OpenError::Failed(error)) => return Err(error),
                Err(OpenError::NotYet(why)) => last = Some(why),
            }
            sleep(pause).await;
            pause = (pause * 2).min(LATER);
        }
    };
    match timeout(COMING_UP, work).await {
        Ok(opened) => opened,
        Err(_) => Err(Failure::refused(tr_sent!(
            "no connection after {seconds}s: {why}",
            seconds = COMING_UP.as_secs(),
            why = last
                .as_deref()
                .unwrap_or(tr_sent!("the manager didn't answer"))
        ))
        .hint(tr_sent!("the service may still be starting. Try again"))),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn not_yet<T>() -> OpenResult<T> {
        Err(OpenError::NotYet("service 'x' is not up yet".to_owned()))
    }

    #[tokio::test(start_paused = true)]
    async fn what_comes_up_is_waited_for() {
        let attempts = Cell::new(0);
        let opened = patiently(|| async {
            attempts.set(attempts.get() + 1);
            if attempts.get() < 4 {
                not_yet()
            } else {
                Ok("open")
            }
        });
        assert_eq!(opened.await.unwrap(), "open");
    }

    #[tokio::test(start_paused = true)]
    async fn what_never_comes_up_is_reported_with_the_last_reason() {
        let error = patiently(|| async { not_yet::<()>() }).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "no connection after 30s: service 'x' is not up yet"
        );
        let error = patiently(std::future::pending::<OpenResult<()>>).await;
        assert_eq!(
            error.unwrap_err().to_string(),
            "no connection after 30s: the manager didn't answer"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_is_final() {
        let attempts = Cell::new(0);
        let refused = patiently(|| async {
            attempts.set(attempts.get() + 1);
            Err::<(), _>(OpenError::Failed(declined("no")))
        });
        assert_eq!(refused.await.unwrap_err().to_string(), "no");
        assert_eq!(attempts.get(), 1);
    }
}
