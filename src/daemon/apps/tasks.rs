//! What takes time: asking engines about apps, starting and stopping them, waiting until they end.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::{
    AppEvent, Asker,
    registry::{AbortOnDrop, Apps},
};
use crate::{
    daemon::connection::{inbound::Inbound, streams::engine_for},
    engine::api::Engine,
    model::{
        failure::Failure, forward::SshAccess, id::SessionKey, request::AppRequest, text::Clean,
    },
    protocol::message::{Reply, StreamOpen},
};

use super::keys::KeyFiles;
use crate::engine::api::{HelperTask, Input, Output};

/// The session's copy of its private key, as Backend.AI has it.
const KEY_NAME: &str = "id_container";

/// Carries out a request about the apps of a session, and reports to the loop.
pub(super) async fn carry_out(
    inbound: mpsc::Sender<Inbound>,
    asker: Asker,
    session: SessionKey,
    request: AppRequest,
) {
    let done = async {
        let engine = engine_for(&inbound, &dial(session)).await?;
        ask(&*engine, asker, session, request).await
    };
    let event = done.await.unwrap_or_else(|failure| AppEvent::Answered {
        asker,
        result: Err(failure),
    });
    // If the loop has ended, the daemon is ending.
    let _ = inbound.send(Inbound::App(event)).await;
}

/// What a session must allow before its apps are asked about.
fn dial(session: SessionKey) -> StreamOpen {
    StreamOpen::Dial {
        session,
        service: String::new(),
        port: None,
    }
}

async fn ask(
    engine: &dyn Engine,
    asker: Asker,
    session: SessionKey,
    request: AppRequest,
) -> Result<AppEvent, Failure> {
    let answered = |reply| AppEvent::Answered {
        asker,
        result: Ok(reply),
    };
    Ok(match request {
        AppRequest::List => answered(Reply::Apps {
            apps: engine.apps(session.id).await?,
        }),
        AppRequest::Log { app } => answered(Reply::AppLog {
            lines: engine.app_log(session.id, &app).await?,
        }),
        AppRequest::Start { start } => AppEvent::Started {
            asker,
            session,
            app: Box::new(engine.start_app(session.id, &start).await?),
            options: None,
        },
        AppRequest::Open { start, options } => AppEvent::Started {
            asker,
            session,
            app: Box::new(engine.start_app(session.id, &start).await?),
            options: Some(options),
        },
        AppRequest::Proxy { start, options } => answered(Reply::Proxied {
            proxied: engine.proxy_app(session.id, &start, &options).await?,
        }),
        AppRequest::Stop { app } => {
            engine.stop_app(session.id, &app).await?;
            AppEvent::Stopped {
                asker,
                session,
                app: Clean::new(&app),
            }
        }
    })
}

/// Creates the keys of a session, puts its private key into its home directory, and names the files.
pub(super) async fn prepare_ssh(
    inbound: mpsc::Sender<Inbound>,
    directory: std::path::PathBuf,
    session: SessionKey,
) -> Result<SshAccess, Failure> {
    let engine = engine_for(&inbound, &StreamOpen::Ssh { session }).await?;
    let files = tokio::task::spawn_blocking(move || {
        let files = KeyFiles::new(&directory);
        files
            .session_access(session)
            .and_then(|access| Ok((access, files.private_key(session)?)))
    });
    let (access, private) = files
        .await
        .map_err(|error| Failure::internal(error.to_string()))??;
    if engine.has_own_key_file() {
        return Ok(access);
    }
    if let Err(failure) = put_key(&engine, session, private.expose()).await {
        // It is a copy for users who download it. SSH works without it.
        tracing::warn!(%session, %failure, "the session has no copy of its private key");
    }
    Ok(access)
}

async fn put_key(
    engine: &Arc<dyn Engine>,
    session: SessionKey,
    private: &str,
) -> Result<(), Failure> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(private.len() as u64);
    header.set_mode(0o600);
    let appended = archive.append_data(&mut header, KEY_NAME, private.as_bytes());
    let bytes = appended
        .and_then(|()| archive.into_inner())
        .map_err(|error| Failure::internal(error.to_string()))?;
    let task = HelperTask::Unpack {
        path: "/home/work".to_owned(),
    };
    let mut attached = engine.helper(session.id, task).await?;
    let closed = || Failure::reported(tr_sent!("the helper in the session ended"));
    let send = async {
        let sender = &attached.input;
        sender
            .send(Input::Bytes(bytes.into()))
            .await
            .map_err(|_| closed())?;
        sender.send(Input::Eof).await.map_err(|_| closed())
    };
    send.await?;
    let mut message = String::new();
    while let Some(output) = attached.output.recv().await {
        match output {
            Output::Stderr(bytes) => message.push_str(&String::from_utf8_lossy(&bytes)),
            Output::Stdout(_) => {}
            Output::End { exit_code: Some(0) } => return Ok(()),
            Output::End { .. } => return Err(Failure::reported(message.trim().to_owned())),
            Output::Lost { why } => return Err(Failure::lost(why)),
        }
    }
    Err(closed())
}

impl Apps {
    /// Reports when an app of a session ends.
    pub(super) fn watch_app(&mut self, session: SessionKey, app: Clean) {
        let (inbound, name) = (self.inbound.clone(), app.clone());
        let task = tokio::spawn(async move {
            let Ok(engine) = engine_for(&inbound, &dial(session)).await else {
                return;
            };
            // An app that the engine doesn't watch is reported when it isn't reached.
            let Ok(exit_code) = engine.app_end(session.id, name.as_str()).await else {
                return;
            };
            let event = AppEvent::Ended {
                session,
                app: name,
                exit_code,
            };
            let _ = inbound.send(Inbound::App(event)).await;
        });
        let task = AbortOnDrop(task.abort_handle());
        self.watched.insert((session, app), task);
    }
}
