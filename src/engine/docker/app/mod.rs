//! The apps of a session's container: the runner inside lists, starts and ends them.

mod answer;

use std::{collections::HashMap, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use tokio::time::timeout;

use self::answer::Expected;
use super::{
    DockerEngine,
    container::labels,
    terminal::{exec, runner_command},
};
use crate::{
    engine::api::{Apps, Attached, Input, Output, Result},
    model::{
        app::{App, AppStart},
        app_order::{AppAnswer, AppOrder, LONGEST_LINE},
        failure::Failure,
        id::SessionId,
        image,
        text::Clean,
    },
};

/// How long the runner may take to answer. A session may have a small part of a core.
const ANSWER: Duration = Duration::from_secs(60);
/// The runner gives an app 180 s to answer.
const START: Duration = Duration::from_secs(240);

/// The longest message on stderr that is kept, in bytes.
const LONGEST_MESSAGE: usize = 1024;

/// The exit code of a runner that doesn't know a command.
const UNKNOWN_COMMAND: i64 = 2;

#[async_trait]
impl Apps for DockerEngine {
    async fn apps(&self, session: SessionId) -> Result<Vec<App>> {
        let asked = self.ask(session, &["list"], None);
        let answer = in_time(ANSWER, asked).await?;
        answer::apps(answer).ok_or_else(unexpected)
    }

    async fn start_app(&self, session: SessionId, start: &AppStart) -> Result<App> {
        let asked = self.ask(session, &["start"], Some(start.clone()));
        let answer = in_time(START, asked).await?;
        answer::app(answer, &start.app).ok_or_else(unexpected)
    }

    async fn stop_app(&self, session: SessionId, app: &str) -> Result<()> {
        let words = ["stop", "--", app];
        let asked = self.ask(session, &words, None);
        match in_time(ANSWER, asked).await? {
            AppAnswer::Stopped => Ok(()),
            _ => Err(unexpected()),
        }
    }

    async fn app_end(&self, session: SessionId, app: &str) -> Result<Option<i64>> {
        match self.ask(session, &["wait", "--", app], None).await? {
            AppAnswer::Ended { exit_code } => Ok(exit_code),
            _ => Err(unexpected()),
        }
    }

    async fn app_log(&self, session: SessionId, app: &str) -> Result<Vec<Clean>> {
        let words = ["log", "--", app];
        let asked = self.ask(session, &words, None);
        let answer = in_time(ANSWER, asked).await?;
        answer::log(answer).ok_or_else(unexpected)
    }
}

async fn in_time<T>(most: Duration, asked: impl Future<Output = Result<T>>) -> Result<T> {
    timeout(most, asked).await.unwrap_or_else(|_| {
        let what = tr_sent!(
            "the session didn't answer within {seconds} seconds",
            seconds = most.as_secs()
        );
        Err(Failure::reported(what))
    })
}

fn unexpected() -> Failure {
    Failure::reported(tr_sent!(
        "the session's answer about its apps can't be read"
    ))
}

impl DockerEngine {
    /// Asks the runner in the session's main container. A failure that it reports is the error.
    async fn ask(
        &self,
        session: SessionId,
        words: &[&str],
        start: Option<AppStart>,
    ) -> Result<AppAnswer> {
        let starter = self.starter(session).await?;
        let order = order(&starter.labels, starter.shares_network, start);
        let mut line = serde_json::to_vec(&order).map_err(|error| {
            Failure::internal(tr_sent!(
                "a request for apps can't be written: {error}",
                error
            ))
        })?;
        line.push(b'\n');
        if line.len() as u64 > LONGEST_LINE {
            return Err(Failure::usage(tr_sent!(
                "the arguments and variables of the app are too long"
            )));
        }
        let key = starter.key();
        let argv = runner_command::app(&starter.runner, words, key.as_deref());
        let ending = starter.ending(key, None);
        let started = exec::start(starter.connection, starter.container, argv, false, ending).await;
        let attached = started.map_err(|error| self.named(error, session))?;
        // The runner may have ended; its output says why.
        let _ = attached.input.send(Input::Bytes(Bytes::from(line))).await;
        answer::checked(read(attached).await?)
    }
}

/// What the labels of the container say about its apps. Anyone with access to the engine can write labels, so they are
/// checked like those of a launch.
fn order(
    labels: &HashMap<String, String>,
    shares_network: bool,
    start: Option<AppStart>,
) -> AppOrder {
    let services = labels.get(image::SERVICE_PORTS).map(String::as_str);
    AppOrder {
        services: image::services(services.unwrap_or_default()),
        catalog: labels::apps(labels),
        runtime_path: labels.get(image::RUNTIME_PATH).cloned(),
        shares_network,
        start,
    }
}

/// Reads the answer of the runner.
async fn read(mut attached: Attached) -> Result<Expected> {
    let (mut out, mut message) = (Vec::new(), Vec::new());
    loop {
        match attached.output.recv().await {
            Some(Output::Stdout(bytes)) => {
                out.extend_from_slice(&bytes);
                if out.len() as u64 > LONGEST_LINE {
                    return Err(unexpected());
                }
            }
            Some(Output::Stderr(bytes)) => {
                let room = LONGEST_MESSAGE.saturating_sub(message.len());
                message.extend_from_slice(&bytes[..bytes.len().min(room)]);
            }
            Some(Output::End { exit_code }) => return ended(exit_code, &out, &message),
            Some(Output::Lost { why }) => return Err(Failure::reported(why)),
            None => {
                return Err(Failure::reported(tr_sent!(
                    "the connection to the session broke"
                )));
            }
        }
    }
}

fn ended(exit_code: Option<i64>, out: &[u8], message: &[u8]) -> Result<Expected> {
    match exit_code {
        Some(0) => serde_json::from_slice(out).map_err(|_| unexpected()),
        Some(UNKNOWN_COMMAND) => {
            let what = tr_sent!(
                "this session was launched by an older version of workbay, which has no apps"
            );
            Err(Failure::unsupported(what).hint(tr_sent!("launch the session again")))
        }
        _ => {
            let message = Clean::from_bytes(message);
            let message = message.as_str().trim();
            let message = message.strip_prefix("workbay: ").unwrap_or(message);
            Err(Failure::reported(if message.is_empty() {
                tr_sent!("the request for apps failed inside the session")
            } else {
                message
            }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::failure::FailureKind;

    #[test]
    fn the_end_of_a_runner_without_an_answer_is_explained() {
        let kind = |code, out: &[u8], message: &[u8]| ended(code, out, message).unwrap_err();
        assert_eq!(
            kind(Some(2), b"", b"error: unrecognized").kind,
            FailureKind::Unsupported
        );
        let failed = kind(Some(1), b"", b"workbay: \x1b[2Jno\n");
        assert_eq!(failed.why.unwrap(), "no");
        assert_eq!(
            kind(Some(0), b"{\"answer\":\"x\"}", b"").kind,
            FailureKind::Failed
        );
        assert!(ended(Some(0), b"{\"answer\":\"stopped\"}\n", b"").is_ok());
        assert_eq!(kind(None, b"", b"").kind, FailureKind::Failed);
    }

    #[test]
    fn damaged_labels_give_no_apps() {
        let labels = [
            (image::SERVICE_PORTS, "jupyter:http:80,nonsense"),
            ("workbay.spec", "{\"apps\": [{\"name\": \"../x\"}]}"),
        ];
        let labels = labels.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let order = order(&labels.into(), false, None);
        assert_eq!((order.services.len(), order.catalog.len()), (1, 0));
    }
}
