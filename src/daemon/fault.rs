//! Points where a test kills the daemon: `WORKBAY_FAULT=before:create` or `after:create`, for each kind of
//! order and for requests about folders. Debug builds only.

use crate::scheduler::order::OrderKind;

/// The two moments of every order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The order is in the state database, and the engine hasn't received it.
    Before,
    /// The engine has carried out the order, and the daemon hasn't recorded the result.
    After,
}

impl Moment {
    pub const ALL: [Self; 2] = [Self::Before, Self::After];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

/// The point of an order.
pub(super) fn point(moment: Moment, kind: OrderKind) {
    at(moment, kind.name());
}

/// Kills this process with `SIGKILL` if `WORKBAY_FAULT` names this point.
#[cfg(debug_assertions)]
pub(super) fn at(moment: Moment, name: &str) {
    let here = format!("{}:{name}", moment.name());
    if std::env::var("WORKBAY_FAULT").is_ok_and(|asked| asked == here) && is_due() {
        let me = rustix::process::getpid();
        // A process can always signal itself. If that fails, the test finds a running daemon.
        let _ = rustix::process::kill_process(me, rustix::process::Signal::KILL);
    }
}

/// `WORKBAY_FAULT_ONCE` names a file. Only the daemon that removes the file is killed, so later daemons run.
#[cfg(debug_assertions)]
fn is_due() -> bool {
    std::env::var_os("WORKBAY_FAULT_ONCE").is_none_or(|file| std::fs::remove_file(file).is_ok())
}

#[cfg(not(debug_assertions))]
pub(super) fn at(_moment: Moment, _name: &str) {}
