//! The log of a session as the manager keeps it: the container's output while the session runs, a
//! copy after it has ended.

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use serde::Deserialize;

use super::{
    super::{
        BackendAiEngine,
        request::{
            http::{ManagerCall, SHORT},
            manager_error::declined,
        },
    },
    follow::{self, ManagerLog},
    precheck::StreamSession,
};
use crate::{
    engine::api::{LogChunk, Result},
    model::{
        failure::Failure,
        id::{KernelId, SessionId},
        log::LogOptions,
    },
};

pub(super) async fn open(
    engine: &BackendAiEngine,
    session: SessionId,
    options: LogOptions,
) -> Result<BoxStream<'static, Result<LogChunk>>> {
    let source = WholeLog {
        engine: engine.clone(),
        session,
        kernel: options.kernel,
    };
    follow::open(source, options).await
}

struct WholeLog {
    engine: BackendAiEngine,
    session: SessionId,
    /// `None` is the main container.
    kernel: Option<KernelId>,
}

#[derive(Deserialize)]
struct LogsReply {
    result: LogsResponse,
}

#[derive(Deserialize)]
struct LogsResponse {
    #[serde(default)]
    logs: Option<String>,
}

#[async_trait]
impl ManagerLog for WholeLog {
    async fn log(&self) -> Result<Option<String>> {
        let error = match self.read().await {
            Ok(log) if !log.is_empty() => return Ok(Some(log)),
            // The output of a batch command may be stored separately.
            Ok(log) => return Ok(Some(self.task().await?.unwrap_or(log))),
            Err(error) if error.is_lost() || error.is_denied() => {
                return Err(error);
            }
            Err(error) => error,
        };
        // Before it runs, a session has no log, and the manager reports that with several errors.
        let standing = self.engine.standing(self.session).await?;
        if standing.has_begun() {
            Err(error)
        } else {
            Ok(None)
        }
    }

    async fn ended(&self) -> Result<bool> {
        let standing = self.engine.standing(self.session).await?;
        Ok(standing.has_ended())
    }

    async fn none(&self) -> Failure {
        match self.engine.standing(self.session).await {
            Ok(standing) => declined(no_log(&standing)),
            Err(error) => error,
        }
    }
}

fn no_log(standing: &StreamSession) -> String {
    if standing.has_ended() {
        tr_sent!("this session has no log: it ended before it wrote one").to_owned()
    } else {
        tr_sent!(
            "no log yet: the session is {status}",
            status = standing.status().word()
        )
    }
}

impl WholeLog {
    async fn read(&self) -> Result<String> {
        let session = self.session;
        let path = match self.kernel {
            Some(kernel) => format!("/session/{session}/logs?kernel_id={kernel}"),
            None => format!("/session/{session}/logs"),
        };
        let connection = self.engine.core.connection().await?;
        let call = ManagerCall::get(path).within(SHORT);
        let answer = connection.send_for_owner(session, &call).await?;
        let reply: LogsReply = connection.http.parsed(&answer)?;
        Ok(reply.result.logs.unwrap_or_default())
    }

    /// The output of a batch session's command, if the manager stores it as a file of the user.
    async fn task(&self) -> Result<Option<String>> {
        // Only the main kernel runs the command.
        let main = self.engine.standing(self.session).await?.task();
        let Some(kernel) = main.filter(|main| self.kernel.is_none_or(|it| it == *main)) else {
            return Ok(None);
        };
        let path = format!("/session/_/logs?kernel_id={kernel}");
        let http = &self.engine.core.connection().await?.http;
        match http.send(&ManagerCall::get(path).within(SHORT)).await {
            Ok(answer) => Ok(Some(String::from_utf8_lossy(&answer.body).into_owned())),
            Err(error) if error.is_lost() || error.is_denied() => Err(error),
            // The file doesn't exist.
            Err(_) => Ok(None),
        }
    }
}
