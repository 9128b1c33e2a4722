//! Reports what counts as use of a session: typing, a running command and an open connection to a service.
//! Watching and idle terminals don't count.

use std::time::Duration;

use tokio::{sync::mpsc, time::Instant};

use super::inbound::Inbound;
use crate::{
    daemon::clock,
    model::{id::SessionKey, idle::ActivityKind},
    protocol::message::{Origin, StreamOpen},
    scheduler::fact::UseEvent,
};

/// The minimum time between two reports of typing.
const TYPED_EVERY: Duration = Duration::from_secs(1);

/// Reports the typing of one stream.
#[derive(Debug)]
pub(in crate::daemon) struct Typing {
    session: Option<SessionKey>,
    reported: Option<Instant>,
}

impl Typing {
    pub fn new(open: &StreamOpen) -> Self {
        let session = match open {
            StreamOpen::Terminal { session, .. } => Some(*session),
            _ => None,
        };
        Self {
            session,
            reported: None,
        }
    }

    /// Handles input, and returns a report if one is due.
    pub fn report(&mut self, origin: Origin) -> Option<Inbound> {
        let session = self.session.filter(|_| origin == Origin::Typed)?;
        let now = clock::instant();
        if self.reported.is_some_and(|at| now < at + TYPED_EVERY) {
            return None;
        }
        self.reported = Some(now);
        let usage = UseEvent::Typed;
        Some(Inbound::Used { session, usage })
    }
}

/// A running command or an open connection. Dropping it reports the end.
pub(in crate::daemon) struct ActivityReporter {
    session: SessionKey,
    kind: ActivityKind,
    inbound: mpsc::Sender<Inbound>,
}

impl ActivityReporter {
    /// Reports the start; `None` for streams that don't count as use while they are open.
    pub async fn begin(open: &StreamOpen, inbound: &mpsc::Sender<Inbound>) -> Option<Self> {
        let (session, kind) = match open {
            StreamOpen::Exec { session, .. } | StreamOpen::Helper { session, .. } => {
                (*session, ActivityKind::Exec)
            }
            StreamOpen::Dial { session, .. } => (*session, ActivityKind::App),
            // Its SSH server reports what its clients do.
            StreamOpen::Ssh { .. } => return None,
            StreamOpen::Terminal { .. }
            | StreamOpen::Control { .. }
            | StreamOpen::Log { .. }
            // What opens files reports the use of their session.
            | StreamOpen::ReadFile { .. }
            | StreamOpen::WriteFile { .. }
            | StreamOpen::ReadFiles { .. }
            | StreamOpen::WriteFiles { .. }
            | StreamOpen::FileWork { .. }
            | StreamOpen::Rescue { .. }
            | StreamOpen::ExportImage { .. }
            | StreamOpen::ImportImage { .. }
            | StreamOpen::PushImage { .. } => {
                return None;
            }
        };
        Self::of(session, kind, inbound).await
    }

    /// Reports the start of use.
    pub async fn of(
        session: SessionKey,
        kind: ActivityKind,
        inbound: &mpsc::Sender<Inbound>,
    ) -> Option<Self> {
        let usage = UseEvent::Opened(kind);
        // If the loop has ended, the daemon is ending.
        inbound.send(Inbound::Used { session, usage }).await.ok()?;
        let inbound = inbound.clone();
        Some(Self {
            session,
            kind,
            inbound,
        })
    }
}

impl Drop for ActivityReporter {
    fn drop(&mut self) {
        let closed = Inbound::Used {
            session: self.session,
            usage: UseEvent::Closed(self.kind),
        };
        // The loop may be busy now. Without this report the session would count as used for ever.
        if let Err(mpsc::error::TrySendError::Full(closed)) = self.inbound.try_send(closed) {
            let inbound = self.inbound.clone();
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                runtime.spawn(async move { drop(inbound.send(closed).await) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        id::{ContextName, SessionId},
        log::LogOptions,
    };

    fn session() -> SessionKey {
        SessionKey::new(ContextName::local(), SessionId::from_u128(1))
    }

    fn terminal() -> StreamOpen {
        StreamOpen::Terminal {
            session: session(),
            tag: "t".to_owned(),
            columns: 80,
            rows: 24,
            start: crate::model::shell_start::ShellStart::default(),
        }
    }

    fn exec() -> StreamOpen {
        StreamOpen::Exec {
            session: session(),
            argv: vec!["true".to_owned()],
            tty: None,
            kernel: None,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn only_what_a_user_types_in_a_terminal_is_reported_and_once_a_second() {
        let mut typing = Typing::new(&terminal());
        for origin in [Origin::Reply, Origin::Focus, Origin::Motion] {
            assert!(typing.report(origin).is_none(), "{origin:?} counted");
        }
        assert!(typing.report(Origin::Typed).is_some());
        assert!(typing.report(Origin::Typed).is_none());
        tokio::time::advance(TYPED_EVERY).await;
        assert!(typing.report(Origin::Typed).is_some());
        assert!(Typing::new(&exec()).report(Origin::Typed).is_none());
    }

    #[tokio::test]
    async fn a_command_counts_until_it_is_dropped_and_a_log_never() {
        let (inbound, mut received) = mpsc::channel(1);
        let reporter = ActivityReporter::begin(&exec(), &inbound).await.unwrap();
        // The channel is full, but the last report still arrives.
        drop(reporter);
        let mut next = async || match received.recv().await {
            Some(Inbound::Used { usage, .. }) => usage,
            _ => panic!("something else was reported"),
        };
        assert_eq!(next().await, UseEvent::Opened(ActivityKind::Exec));
        assert_eq!(next().await, UseEvent::Closed(ActivityKind::Exec));
        let log = StreamOpen::Log {
            session: session(),
            options: LogOptions::default(),
        };
        assert!(ActivityReporter::begin(&log, &inbound).await.is_none());
        assert!(
            ActivityReporter::begin(&terminal(), &inbound)
                .await
                .is_none()
        );
    }
}
