//! Output to a terminal that another thread may restore at any moment. Bytes are written before that or not
//! at all.

use std::{
    io,
    os::fd::AsFd,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use rustix::io::Errno;

/// Bytes that are written under one lock. On a slow terminal, `close` waits only for this number of bytes.
const PIECE: usize = 1024;

/// Open while it contains the state to restore the terminal with.
#[derive(Debug)]
pub struct Guarded<T> {
    before: Mutex<Option<T>>,
    /// A mutex isn't fair, so a writer stops when this is set and leaves the lock to `close`.
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

    /// Opens the output after `take` has taken the terminal. The lock prevents a concurrent `close`.
    pub fn open<E>(&self, take: impl FnOnce() -> Result<T, E>) -> Result<(), E> {
        let mut before = self.lock();
        *before = Some(take()?);
        self.closing.store(false, Ordering::SeqCst);
        Ok(())
    }

    /// Writes the output and calls `note` with each piece before it is written. Returns `false` if the output
    /// is closed or is closed meanwhile. The rest is not written then.
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

    /// Closes the output, then calls `give_back` to restore the terminal if the output was open.
    pub fn close(&self, give_back: impl FnOnce(T)) {
        self.closing.store(true, Ordering::SeqCst);
        let mut before = self.lock();
        if let Some(before) = before.take() {
            give_back(before);
        }
    }
}

/// Bypasses the buffered output, because the thread that the signal interrupted may have locked it.
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
            // More than a pipe can buffer, so that the thread is always in the middle of a write.
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
        // Ends when both threads have closed the pipe.
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
