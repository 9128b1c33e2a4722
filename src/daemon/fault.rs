//! Where a test lets the daemon die: `WORKBAY_FAULT=before:create` or `after:create`, with the kinds
//! of orders. Debug builds only.

use crate::controller::order::OrderKind;

/// The two moments of every order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// It is in the store, the engine has not heard of it.
    Before,
    /// The engine has carried it out, nobody knows.
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

/// Kills this process without warning when the environment names this point.
#[cfg(debug_assertions)]
pub(super) fn point(moment: Moment, kind: OrderKind) {
    let here = format!("{}:{}", moment.name(), kind.name());
    if std::env::var("WORKBAY_FAULT").is_ok_and(|asked| asked == here) && is_due() {
        let me = rustix::process::getpid();
        // It cannot fail for one's own process; should it, the test sees a daemon that lives on.
        let _ = rustix::process::kill_process(me, rustix::process::Signal::KILL);
    }
}

/// `WORKBAY_FAULT_ONCE` names a file: who removes it dies, later daemons live.
#[cfg(debug_assertions)]
fn is_due() -> bool {
    std::env::var_os("WORKBAY_FAULT_ONCE").is_none_or(|file| std::fs::remove_file(file).is_ok())
}

#[cfg(not(debug_assertions))]
pub(super) fn point(_moment: Moment, _kind: OrderKind) {}
