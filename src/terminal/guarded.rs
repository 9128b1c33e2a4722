//! Output to a terminal that may be given back at any moment, by another thread: what is written is written before
//! that, or not at all.

use std::{
    io,
    os::fd::AsFd,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use rustix::io::Errno;

/// Bytes that are written under one lock: on a slow terminal it is not waited for longer than for these.
const PIECE: usize = 1024;

/// Open while it holds what the terminal is to be given back with.
#[derive(Debug)]
pub struct Guarded<T> {
    before: Mutex<Option<T>>,
    /// Locks are not handed out in the order they are asked for: whoever writes leaves it to whoever closes.
    closing: AtomicBool,
}

impl<T> Guarded<T> {
    pub const fn new() -> Self {
        Self {
            before: Mutex::new(None),
            closing: AtomicBool::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<T>> {
        self.before.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens it once `take` has taken the terminal; nobody gives it back meanwhile.
    pub fn open<E>(&self, take: impl FnOnce() -> Result<T, E>) -> Result<(), E> {
        let mut before = self.lock();
        *before = Some(take()?);
        self.closing.store(false, Ordering::SeqCst);
        Ok(())
    }

    /// Writes the output; `note` is called with each piece before it is written. `false`: it is closed, or
    /// was closed meanwhile, and the rest was not written.
    pub fn write(
        &self,
        to: impl AsFd,
        output: &[u8],
        mut note: impl FnMut(&[u8]),
    ) -> io::Result<bool> {
        for piece in output.chunks(PIECE) {
            if self.closing.load(Ordering::SeqCst) {
                return Ok(false);
            }
            let before = self.lock();
            if before.is_none() {
                return Ok(false);
            }
            note(piece);
            write_all(&to, piece)?;
        }
        Ok(true)
    }

    /// Closes it, then lets `give_back` give the terminal back, if it was open.
    pub fn close(&self, give_back: impl FnOnce(T)) {
        self.closing.store(true, Ordering::SeqCst);
        let mut before = self.lock();
        if let Some(before) = before.take() {
            give_back(before);
        }
    }
}

/// Not through the buffered output, which a thread that a signal interrupted may have locked.
pub fn write_all(to: impl AsFd, mut rest: &[u8]) -> io::Result<()> {
    while !rest.is_empty() {
        match rustix::io::write(&to, rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read as _, pipe},
        sync::{Arc, mpsc},
        thread,
    };

    use super::*;

    const GIVEN_BACK: &[u8] = b"given back";

    #[test]
    fn nothing_is_written_after_the_terminal_was_given_back() {
        let guarded = Arc::new(Guarded::new());
        guarded.open(|| Ok::<_, io::Error>(())).unwrap();
        let (mut reader, writer) = pipe().unwrap();
        let (started, begun) = mpsc::channel();
        let flood = {
            let (guarded, to) = (guarded.clone(), writer.try_clone().unwrap());
            // More than a pipe holds: it is always in the middle of writing.
            thread::spawn(move || {
                while guarded
                    .write(&to, &[b'x'; 4 * PIECE], |_| {
                        let _ = started.send(());
                    })
                    .unwrap()
                {}
            })
        };
        begun.recv().unwrap();
        let closing =
            thread::spawn(move || guarded.close(|()| write_all(&writer, GIVEN_BACK).unwrap()));
        let mut all = Vec::new();
        // Ends when both have let go of the pipe.
        reader.read_to_end(&mut all).unwrap();
        flood.join().unwrap();
        closing.join().unwrap();
        assert!(all.ends_with(GIVEN_BACK));
    }

    #[test]
    fn a_closed_one_lets_nothing_through_until_it_is_opened_again() {
        let guarded = Guarded::new();
        let (mut reader, writer) = pipe().unwrap();
        let write = |text: &str| guarded.write(&writer, text.as_bytes(), |_| ()).unwrap();
        assert!(!write("early"));
        guarded.open(|| Ok::<_, io::Error>(1)).unwrap();
        assert!(write("one,"));
        let mut given = Vec::new();
        guarded.close(|before| given.push(before));
        guarded.close(|before| given.push(before));
        assert!(!write("late"));
        guarded.open(|| Ok::<_, io::Error>(2)).unwrap();
        assert!(write("two"));
        assert!(
            guarded
                .open(|| Err(io::Error::other("no terminal")))
                .is_err()
        );
        guarded.close(|before| given.push(before));
        drop(writer);
        let mut all = String::new();
        reader.read_to_string(&mut all).unwrap();
        assert_eq!((all.as_str(), given.as_slice()), ("one,two", &[1, 2][..]));
    }
}
