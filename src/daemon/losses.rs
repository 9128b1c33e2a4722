//! Files of sessions that aren't in a folder: requests of clients, and what idle warnings say about them.

use std::time::Duration;

use tokio::{sync::mpsc, time::timeout};

use super::{
    apps::{AppEvent, Asker},
    clock,
    connection::{
        inbound::{ConnectionId, Inbound},
        streams::engine_for,
    },
    main_loop::core::Core,
};
use crate::{
    model::{
        change::Change,
        failure::Failure,
        id::SessionKey,
        loss::{LossRequest, Unsaved},
        notice::{Notice, NoticeKind},
    },
    protocol::message::{Reply, RequestId, StreamOpen},
    rules::loss,
};

/// How long an idle warning waits for the count, at most.
const WAIT_OF_WARNING: Duration = Duration::from_secs(5);

impl Core {
    /// Asks the engine in a task. It isn't use of the session.
    pub(in crate::daemon) fn loss_asked(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        session: SessionKey,
        request: LossRequest,
    ) {
        if let Err(failure) = self.context_for(session.context, false) {
            return self.answer(connection, id, Err(failure));
        }
        let asker = Asker { connection, id };
        let (inbound, keep_days) = (self.apps.inbound.clone(), self.keep_days);
        tokio::spawn(async move {
            let result = carry_out(&inbound, session, request, keep_days).await;
            let event = AppEvent::Answered { asker, result };
            // If the loop has ended, the daemon is ending.
            let _ = inbound.send(Inbound::App(event)).await;
        });
    }

    /// Removes the idle warnings of sessions from `changes`. Each is published when the files that aren't in a folder
    /// are counted, or soon without them.
    pub(in crate::daemon) fn complete_warnings(&self, changes: &mut Vec<Change>) {
        changes.retain(|change| {
            let Change::Notice { notice } = change else {
                return true;
            };
            let (NoticeKind::IdleWarning { until, .. }, Some(session)) =
                (&notice.kind, notice.session)
            else {
                return true;
            };
            let is_ours = self
                .context_for(session.context, false)
                .is_ok_and(|number| !self.contexts[number].known().is_observing());
            if !is_ours {
                return true;
            }
            let left = until.duration_since(clock::now()) / 2;
            let wait = Duration::try_from(left).unwrap_or_default();
            let wait = wait.min(WAIT_OF_WARNING);
            self.complete_warning((**notice).clone(), session, wait);
            false
        });
    }

    fn complete_warning(&self, mut notice: Notice, session: SessionKey, wait: Duration) {
        let (inbound, keep_days) = (self.apps.inbound.clone(), self.keep_days);
        tokio::spawn(async move {
            let asked = timeout(wait, count(&inbound, session, keep_days)).await;
            if let Ok(Ok(unsaved)) = asked
                && let Some(sentence) = loss::warning(&unsaved)
            {
                notice.text = format!("{}. {sentence}", notice.text).as_str().into();
            }
            let _ = inbound.send(Inbound::Warning { notice }).await;
        });
    }
}

async fn carry_out(
    inbound: &mpsc::Sender<Inbound>,
    session: SessionKey,
    request: LossRequest,
    keep_days: u32,
) -> Result<Reply, Failure> {
    match request {
        LossRequest::List => {
            let unsaved = count(inbound, session, keep_days).await?;
            Ok(Reply::Unsaved {
                unsaved: Box::new(unsaved),
            })
        }
    }
}

async fn count(
    inbound: &mpsc::Sender<Inbound>,
    session: SessionKey,
    keep_days: u32,
) -> Result<Unsaved, Failure> {
    let engine = engine_for(inbound, &command(session)).await?;
    let mut unsaved = engine.unsaved(session.id).await?;
    unsaved.keep_days = unsaved.home_is_kept.then_some(keep_days);
    // Without a day of keeping, it is deleted soon after the end.
    unsaved.home_is_kept &= keep_days > 0;
    Ok(unsaved)
}

/// What a session must allow before its files are asked about.
fn command(session: SessionKey) -> StreamOpen {
    StreamOpen::Exec {
        session,
        argv: Vec::new(),
        tty: None,
        kernel: None,
    }
}
