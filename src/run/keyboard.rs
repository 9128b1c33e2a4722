//! Reads the keys of the terminal, and can leave them to another program for a while.

use std::{
    cell::RefCell,
    fs::File,
    io::{self, IsTerminal as _},
    os::fd::{AsFd as _, OwnedFd},
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, Waker, ready},
};

use crossterm::event::Event;
use futures_util::Stream;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::{
    io::{Interest, unix::AsyncFd},
    signal::unix::{Signal, SignalKind, signal},
};

use super::input::parser::{Parser, Typed};

/// The most bytes that are read at once.
const AT_ONCE: usize = 4096;

/// The reader of typed keys. Clones share the keyboard.
#[derive(Clone, Debug, Default)]
pub struct Keyboard {
    shared: Rc<RefCell<Shared>>,
}

#[derive(Debug, Default)]
struct Shared {
    /// `None` = another program reads.
    reader: Option<Reader>,
    /// Waits for the reader.
    waker: Option<Waker>,
}

impl Keyboard {
    /// Starts to read.
    pub fn read_on(&self) -> io::Result<()> {
        let mut shared = self.shared.borrow_mut();
        if shared.reader.is_none() {
            shared.reader = Some(Reader::new(terminal()?)?);
        }
        if let Some(waker) = shared.waker.take() {
            waker.wake();
        }
        Ok(())
    }

    /// Stops reading until [`Keyboard::read_on`].
    pub fn let_go(&self) {
        self.shared.borrow_mut().reader = None;
    }

    /// Whether workbay reads the keys now.
    pub fn is_ours(&self) -> bool {
        self.shared.borrow().reader.is_some()
    }
}

impl Stream for Keyboard {
    type Item = io::Result<Typed>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut shared = self.shared.borrow_mut();
        match &mut shared.reader {
            Some(reader) => reader.poll(context),
            None => {
                shared.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

/// The terminal of this process.
fn terminal() -> io::Result<OwnedFd> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return stdin.as_fd().try_clone_to_owned();
    }
    Ok(File::open("/dev/tty")?.into())
}

#[derive(Debug)]
struct Reader {
    terminal: AsyncFd<OwnedFd>,
    parser: Parser,
    /// The terminal has another size.
    resized: Signal,
}

impl Reader {
    fn new(terminal: OwnedFd) -> io::Result<Self> {
        #[expect(
            deprecated,
            reason = "the replacement is unsafe. The file descriptor stays open as long as it is owned"
        )]
        let terminal = AsyncFd::with_interest(terminal, Interest::READABLE)?;
        Ok(Self {
            terminal,
            parser: Parser::default(),
            resized: signal(SignalKind::window_change())?,
        })
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Typed>>> {
        if self.resized.poll_recv(context).is_ready()
            && let Ok((columns, rows)) = crossterm::terminal::size()
        {
            let event = Event::Resize(columns, rows);
            return Poll::Ready(Some(Ok(Typed::Event(event))));
        }
        loop {
            if let Some(typed) = self.parser.next() {
                return Poll::Ready(Some(Ok(typed)));
            }
            let mut ready = ready!(self.terminal.poll_read_ready(context))?;
            // The terminal blocks readers, because other programs share it. So it is read only if it has something.
            if !has_input(self.terminal.get_ref())? {
                ready.clear_ready();
                continue;
            }
            let mut bytes = [0; AT_ONCE];
            match rustix::io::read(self.terminal.get_ref(), &mut bytes) {
                Ok(0) => return Poll::Ready(None),
                Ok(length) => self.parser.take(&bytes[..length], length == AT_ONCE),
                Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
                Err(error) => return Poll::Ready(Some(Err(error.into()))),
            }
        }
    }
}

fn has_input(terminal: &OwnedFd) -> io::Result<bool> {
    let mut waits = [PollFd::new(terminal, PollFlags::IN)];
    match poll(&mut waits, Some(&Timespec::default())) {
        Ok(count) => Ok(count > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt as _;
    use rustix::{
        io::write,
        pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
        termios::{OptionalActions, tcgetattr, tcsetattr},
    };

    use super::*;
    use crate::{app::msg::Msg, run::input};

    /// Both ends of a pseudo-terminal in raw mode: the terminal, and what its program reads.
    fn pair() -> (OwnedFd, OwnedFd) {
        let outer = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&outer).unwrap();
        unlockpt(&outer).unwrap();
        let name = ptsname(&outer, Vec::new()).unwrap();
        let inner = rustix::fs::open(
            &name,
            rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY,
            rustix::fs::Mode::empty(),
        )
        .unwrap();
        let mut modes = tcgetattr(&inner).unwrap();
        modes.make_raw();
        tcsetattr(&inner, OptionalActions::Now, &modes).unwrap();
        (outer, inner)
    }

    #[tokio::test]
    async fn keys_are_read_as_they_come_and_the_end_of_the_terminal_ends_them() {
        let (outer, inner) = pair();
        let keyboard = Keyboard::default();
        keyboard.shared.borrow_mut().reader = Some(Reader::new(inner).unwrap());
        let mut typed = keyboard.clone();
        for key in ["a", "세", "x"] {
            write(&outer, key.as_bytes()).unwrap();
            let Some(Ok(Typed::Event(event))) = typed.next().await else {
                panic!("nothing typed");
            };
            let Some(Msg::Key(pressed)) = input::msg(event) else {
                panic!("no key");
            };
            assert_eq!(pressed.to_string(), key);
        }
        // Another program reads for a while.
        let reader = keyboard.shared.borrow_mut().reader.take();
        assert!(!keyboard.is_ours());
        assert!(futures_util::poll!(typed.next()).is_pending());
        keyboard.shared.borrow_mut().reader = reader;
        drop(outer);
        assert!(!matches!(typed.next().await, Some(Ok(_))));
    }
}
