//! The calling terminal in raw mode, for programs whose output goes to it unchanged.

use std::{
    io::{self, Write as _},
    os::fd::AsFd,
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
};

use rustix::termios::{self, LocalModes, OptionalActions, Termios};

use super::{
    fatal,
    guarded::{Guarded, write_all},
};

/// Switches off everything that a terminal program may have switched on. The cursor stays where it is.
const RESET: &[u8] =
    b"\x1b[?2026l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?9l\x1b[?1006l\x1b[?1005l\x1b[?1015l\x1b[?1004l\
    \x1b[?2004l\x1b[>4;0m\x1b[?1l\x1b>\x1b7\x1b[r\x1b8\x1b[?7h\x1b[4l\x0f\x1b(B\x1b)B";
/// Sent only if the alternate screen is in use. On the main screen it would move the cursor.
const LEAVE_ALTERNATE: &[u8] = b"\x1b[?1049l";
const CURSOR_AND_STYLE: &[u8] = b"\x1b[0 q\x1b[?25h\x1b[m";

/// The terminal modes to restore, while the terminal is in raw mode.
static TERMINAL: Guarded<Termios> = Guarded::new();
/// Whether a program uses the alternate screen.
static ALTERNATE: AtomicBool = AtomicBool::new(false);
/// Whether only the modes are restored, because nothing was printed that must be undone.
static SILENT: AtomicBool = AtomicBool::new(false);

/// Sends every key to the program at the other end until this is dropped. The terminal is restored before a
/// panic is reported and before a signal ends this process.
pub struct Raw {
    modes: Modes,
}

impl Raw {
    pub fn enter(signals: &[i32]) -> io::Result<Self> {
        Self::change(signals, Termios::make_raw)
    }

    /// Only switches off echo and line input. Ctrl-C is still a signal.
    pub fn quiet(signals: &[i32]) -> io::Result<Self> {
        Self::change(signals, |modes| {
            modes
                .local_modes
                .remove(LocalModes::ECHO | LocalModes::ICANON);
        })
    }

    /// Like [`Self::quiet`], for a program that prints nothing but lines: the terminal gets no sequences at the end.
    pub fn lines(signals: &[i32]) -> io::Result<Self> {
        SILENT.store(true, Ordering::SeqCst);
        Self::quiet(signals)
    }

    fn change(signals: &[i32], change: impl FnOnce(&mut Termios)) -> io::Result<Self> {
        static ONCE: Once = Once::new();
        let mut handled = Ok(());
        ONCE.call_once(|| {
            let hook = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                give_back();
                hook(panic);
            }));
            handled = fatal::give_back_before(signals, give_back);
        });
        handled?;
        io::stdout().flush()?;
        let opened = TERMINAL.open(|| take(change));
        fatal::wait_if_ending();
        opened?;
        Ok(Self {
            modes: Modes::default(),
        })
    }

    /// Records that the program uses the alternate screen.
    pub fn has_alternate_screen(&self) {
        ALTERNATE.store(true, Ordering::SeqCst);
    }

    /// Like [`put`], and also records what the output does to the terminal.
    pub fn put(&mut self, to: impl AsFd, output: &[u8]) -> io::Result<()> {
        put_noted(to, output, |piece| {
            if let Some(on) = self.modes.alternate_screen(piece) {
                ALTERNATE.store(on, Ordering::SeqCst);
            }
        })
    }
}

/// Writes output of the program at the other end to the terminal. After the terminal is restored it writes
/// nothing, because modes that the program switches on then would stay on.
pub fn put(to: impl AsFd, output: &[u8]) -> io::Result<()> {
    put_noted(to, output, |_| ())
}

fn put_noted(to: impl AsFd, output: &[u8], note: impl FnMut(&[u8])) -> io::Result<()> {
    if TERMINAL.write(to, output, note)? {
        return Ok(());
    }
    fatal::wait_if_ending();
    Err(io::Error::other("the terminal was given back"))
}

fn take(change: impl FnOnce(&mut Termios)) -> io::Result<Termios> {
    if fatal::is_ending() {
        return Err(io::ErrorKind::Interrupted.into());
    }
    let before = termios::tcgetattr(io::stdin())?;
    let mut raw = before.clone();
    change(&mut raw);
    termios::tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
    Ok(before)
}

impl Drop for Raw {
    fn drop(&mut self) {
        give_back();
    }
}

/// Restores the terminal. Does nothing if that already happened.
fn give_back() {
    TERMINAL.close(|before| {
        let leave = if ALTERNATE.swap(false, Ordering::SeqCst) {
            LEAVE_ALTERNATE
        } else {
            b""
        };
        // Errors don't matter: the terminal may no longer exist.
        if !SILENT.load(Ordering::SeqCst) && !is_dumb() {
            let _ = write_all(io::stdout(), &[RESET, leave, CURSOR_AND_STYLE].concat());
        }
        let _ = termios::tcsetattr(io::stdin(), OptionalActions::Now, &before);
    });
}

/// Whether the terminal would print the sequences instead of obeying them.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Finds switches of private modes (`CSI ? 1049 ; 1006 h`) in output that may be cut into pieces.
#[derive(Debug, Default)]
struct Modes {
    /// The number of bytes of `ESC [ ?` seen so far.
    head: u8,
    number: u16,
    /// Whether one of the numbers is a mode of the alternate screen.
    alternate: bool,
}

impl Modes {
    /// The last switch of the alternate screen in this piece.
    fn alternate_screen(&mut self, output: &[u8]) -> Option<bool> {
        let mut last = None;
        for byte in output {
            match (self.head, byte) {
                (_, 0x1b) => {
                    *self = Self {
                        head: 1,
                        ..Self::default()
                    }
                }
                (1, b'[') | (2, b'?') => self.head += 1,
                (3, b'0'..=b'9') => {
                    let digit = u16::from(byte - b'0');
                    self.number = self.number.saturating_mul(10).saturating_add(digit);
                }
                (3, b';') => self.end_of_number(),
                (3, b'h' | b'l') => {
                    self.end_of_number();
                    if self.alternate {
                        last = Some(*byte == b'h');
                    }
                    *self = Self::default();
                }
                (0, _) => {}
                _ => *self = Self::default(),
            }
        }
        last
    }

    fn end_of_number(&mut self) {
        let number = std::mem::take(&mut self.number);
        self.alternate |= matches!(number, 47 | 1047 | 1049);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alternate_screen_is_noticed_however_output_is_cut() {
        let whole = b"text\x1b[31m\x1b[?25l\x1b[?1006;1049hmore";
        assert_eq!(Modes::default().alternate_screen(whole), Some(true));
        let mut modes = Modes::default();
        let last = whole
            .chunks(1)
            .filter_map(|piece| modes.alternate_screen(piece));
        assert_eq!(last.last(), Some(true));
        let both = b"\x1b[?1049h\x1b[?1049l";
        assert_eq!(Modes::default().alternate_screen(both), Some(false));
        for other in [
            &b"\x1b[1049h"[..],
            b"\x1b[?10490h",
            b"?1049h",
            b"\x1b[?1049$p",
        ] {
            assert_eq!(Modes::default().alternate_screen(other), None);
        }
    }
}
