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

use rustix::event::{PollFd, PollFlags, poll};
use signal_hook::{
    consts::{
        SIGABRT, SIGALRM, SIGHUP, SIGPROF, SIGQUIT, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
    },
    iterator::Signals,
    low_level::emulate_default_handler,
};

/// Signals that end a process and that workbay doesn't use.
pub const UNEXPECTED: &[i32] = &[
    SIGQUIT, SIGABRT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ,
];

/// A terminal that accepts no bytes (stopped with Ctrl-S, for example) must not keep the process alive.
const LIMIT: Duration = Duration::from_secs(1);

/// Time for the program to end on its own after its terminal has gone.
const AFTER_HANGUP: Duration = Duration::from_secs(3);

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
                end(signal, give_back);
            }
        })?;
    Ok(())
}

/// Calls `give_back`, then ends the process as `signal` does without a handler.
fn end(signal: i32, give_back: fn()) {
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

/// Ends the process when the terminal of its input has gone and the program doesn't end on its own.
///
/// It can't always: crossterm 0.29 reads a terminal that has gone in an endless loop, and takes its thread with it. Not
/// every terminal sends SIGHUP when it goes, and the loop may begin before the signal arrives.
pub fn end_after_hangup(give_back: fn()) -> io::Result<()> {
    thread::Builder::new()
        .name("hangup".to_owned())
        .spawn(move || {
            if wait_for_hangup().is_ok() {
                thread::sleep(AFTER_HANGUP);
                end(SIGHUP, give_back);
            }
        })?;
    Ok(())
}

/// Returns when the terminal of the input has gone. Keys don't end it.
fn wait_for_hangup() -> io::Result<()> {
    let input = io::stdin();
    loop {
        let mut polled = [PollFd::new(&input, PollFlags::empty())];
        match poll(&mut polled, None) {
            Ok(_) if polled[0].revents().is_empty() => {}
            Ok(_) => return Ok(()),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
