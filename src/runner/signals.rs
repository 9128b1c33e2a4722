//! The signals that the main process handles.

use rustix::process::Signal;
use tokio::signal::unix::{Signal as Listener, SignalKind, signal};

/// An order to end, which the engine sends to stop the container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StopOrder {
    Terminate,
    Interrupt,
}

impl StopOrder {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Terminate => "SIGTERM",
            Self::Interrupt => "SIGINT",
        }
    }

    pub(super) fn signal(self) -> Signal {
        match self {
            Self::Terminate => Signal::TERM,
            Self::Interrupt => Signal::INT,
        }
    }

    /// The exit code of a process that this signal ended.
    pub(super) fn code(self) -> u8 {
        match self {
            Self::Terminate => 143,
            Self::Interrupt => 130,
        }
    }
}

pub(super) enum SignalEvent {
    Order(StopOrder),
    /// A child, or an orphan that became one, may have ended.
    Child,
}

pub(super) struct Signals {
    terminate: Listener,
    interrupt: Listener,
    hangup: Listener,
    child: Listener,
}

impl Signals {
    pub(super) fn listen() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            child: signal(SignalKind::child())?,
        })
    }

    pub(super) async fn next(&mut self) -> SignalEvent {
        loop {
            return tokio::select! {
                _ = self.terminate.recv() => SignalEvent::Order(StopOrder::Terminate),
                _ = self.interrupt.recv() => SignalEvent::Order(StopOrder::Interrupt),
                // SIGHUP doesn't end the session, because this process has no terminal.
                _ = self.hangup.recv() => continue,
                _ = self.child.recv() => SignalEvent::Child,
            };
        }
    }
}
