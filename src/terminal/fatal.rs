//! Restores the calling terminal before a signal ends this process.
//!
//! SIGKILL and processor faults can't be handled. In that case `reset` restores the terminal.

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

/// Signals that end a process and that workbay doesn't use.
pub const UNEXPECTED: &[i32] = &[
    SIGQUIT, SIGABRT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ,
];

/// A terminal that accepts no bytes (stopped with Ctrl-S, for example) must not keep the process alive.
const LIMIT: Duration = Duration::from_secs(1);

/// Whether a signal is about to end this process.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Whether a signal is about to end this process, so that the terminal must not be taken again.
pub fn is_ending() -> bool {
    ENDING.load(Ordering::SeqCst)
}

/// Returns immediately, or never if a signal is about to end this process. The process must not end with
/// another result before that.
pub fn wait_if_ending() {
    while is_ending() {
        thread::park();
    }
}

/// Calls `give_back` on one of these signals, then ends the process as if the signal had no handler.
///
/// This runs in a separate thread, so that it works even if the program hangs.
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
                // The signal takes effect even if the terminal could not be restored.
                let _ = given_back.recv_timeout(LIMIT);
                let _ = emulate_default_handler(signal);
            }
        })?;
    Ok(())
}
