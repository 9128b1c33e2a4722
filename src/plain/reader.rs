//! Reads stdin byte by byte, and only when the console asks: what follows a complete line belongs to the command that
//! the line starts.

use std::{io, sync::mpsc, thread};

use rustix::io::Errno;

use super::console::Event;

/// Asks for the next byte of stdin.
pub struct Reader {
    wanted: mpsc::Sender<()>,
    /// Whether a byte was requested that hasn't arrived.
    pending: bool,
}

impl Reader {
    /// Starts the thread that reads. It ends with the process, because a read can't be cancelled.
    pub fn start(events: mpsc::Sender<Event>) -> io::Result<Self> {
        let (wanted, requests) = mpsc::channel();
        thread::Builder::new()
            .name("stdin".to_owned())
            .spawn(move || {
                while requests.recv().is_ok() {
                    if events.send(next()).is_err() {
                        return;
                    }
                }
            })?;
        Ok(Self {
            wanted,
            pending: false,
        })
    }

    /// Requests the next byte, unless one is requested already.
    pub fn want(&mut self) {
        if !self.pending {
            self.pending = self.wanted.send(()).is_ok();
        }
    }

    /// A byte arrived, or the end.
    pub fn arrived(&mut self) {
        self.pending = false;
    }
}

fn next() -> Event {
    let mut byte = [0];
    loop {
        match rustix::io::read(io::stdin(), &mut byte) {
            Ok(1) => return Event::Byte(byte[0]),
            Err(Errno::INTR) => {}
            _ => return Event::End,
        }
    }
}
