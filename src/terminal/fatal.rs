//! Gives the calling terminal back before a signal ends this process.
//!
//! SIGKILL can't be handled, and neither can a fault of the processor: then `reset` helps.

use std::{
    io,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use signal_hook::{
    consts::{SIGABRT, SIGALRM, SIGPROF, SIGQUIT, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ},
    iterator::Signals,
    low_level::emulate_default_handler,
};

/// Signals that end a process and mean nothing to this program.
pub const UNEXPECTED: &[i32] = &[
    SIGQUIT, SIGABRT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ,
];

/// A terminal that takes no bytes (stopped with Ctrl-S, say) must not keep us alive.
const LIMIT: Duration = Duration::from_secs(1);

/// Whether a signal ends this process in a moment.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Whether a signal ends this process in a moment: the terminal must not be taken again.
pub fn is_ending() -> bool {
    ENDING.load(Ordering::SeqCst)
}

/// Returns at once, or never where a signal ends this process in a moment: that is not to look like anything else.
pub fn hold() {
    while is_ending() {
        thread::park();
    }
}

/// When one of these signals comes, calls `give_back`, then ends as if nothing had handled the signal.
///
/// A thread of its own does it, so that a program that hangs ends as well.
pub fn give_back_before(signals: &[i32], give_back: fn()) -> io::Result<()> {
    let mut signals = Signals::new(signals)?;
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            for signal in signals.forever() {
                ENDING.store(true, Ordering::SeqCst);
                let (done, given_back) = mpsc::channel();
                thread::spawn(move || {
                    give_back();
                    let _ = done.send(());
                });
                // Given back or not, the signal has its effect.
                let _ = given_back.recv_timeout(LIMIT);
                let _ = emulate_default_handler(signal);
            }
        })?;
    Ok(())
}
