//! The outer terminal: enters it, draws on it, and always restores it.

use std::{
    cell::RefCell,
    io::{self, Write},
    rc::Rc,
    sync::atomic::{AtomicBool, Ordering},
};

use super::{
    ansi::{AnsiWriter, Outer},
    background::Background,
    canvas::{Canvas, Painter},
    keyboard::Keyboard,
};
use crate::{
    terminal::{
        emulator::{self, CursorShape},
        fatal,
    },
    view::still::Picture,
};
use crossterm::{
    cursor::Show,
    event::{DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange},
    execute,
    terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode},
};
use ratatui::layout::Size;

/// Reports presses, releases, dragging and the wheel, in decimal numbers. Movement without a button is left
/// out because only some programs in panes need it.
const MOUSE_ON: &[u8] = b"\x1b[?1000h\x1b[?1002h\x1b[?1006h";
/// Terminals have a single tracking mode at a time. After tracking of movement, button tracking must be
/// requested again.
pub const MOVES_ON: &[u8] = b"\x1b[?1003h";
pub const MOVES_OFF: &[u8] = b"\x1b[?1003l\x1b[?1002h";
const MOUSE_OFF: &[u8] = b"\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l";
/// The keyboard protocol of kitty: reports keys that have no bytes of their own, with the shifted character.
/// Each screen has its own stack of these modes.
pub(super) const KEYS_ON: &[u8] = b"\x1b[>5u";
pub(super) const KEYS_OFF: &[u8] = b"\x1b[<1u";
/// The terminal reports when it changes to a dark or a light color scheme. Terminals without this mode ignore it.
const SCHEME_ON: &[u8] = b"\x1b[?2031h";
const SCHEME_OFF: &[u8] = b"\x1b[?2031l";
const OWN_CURSOR: &[u8] = b"\x1b[0 q";
const CLEAR: &[u8] = b"\x1b[0m\x1b[2J";
const BEGIN_UPDATE: &[u8] = b"\x1b[?2026h";
const END_UPDATE: &[u8] = b"\x1b[?2026l";

/// Whether workbay has the terminal now. Restoring the terminal twice does nothing.
static ENTERED: AtomicBool = AtomicBool::new(false);
/// Whether the keyboard protocol is on now.
static KEYS: AtomicBool = AtomicBool::new(false);
/// Whether the shape of the cursor is changed now.
static SHAPED: AtomicBool = AtomicBool::new(false);

/// What the TUI draws on. The real one is [`OuterTerminal`], and tests have their own.
pub trait Stage {
    /// The size of the next frame.
    fn size(&self) -> Size;
    /// Checks whether the terminal has another size.
    fn resized(&mut self) -> io::Result<()>;
    /// Draws a frame whose terminals look like `picture`.
    fn draw(&mut self, picture: Picture, paint: Painter<'_>) -> io::Result<()>;
    /// Forgets what was painted, so that the next frame paints everything.
    fn repaint(&mut self) -> io::Result<()>;
    fn mouse(&mut self, on: bool) -> io::Result<()>;
    /// Sets the shape of the cursor from the next frame on.
    fn cursor(&mut self, shape: CursorShape) -> io::Result<()>;
    /// Sends bytes to the terminal itself: a bell, the clipboard.
    fn send(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Restores the terminal and stops this program until it is continued.
    fn suspend(&mut self) -> io::Result<()>;
    /// Gives the terminal to another program.
    fn lend(&mut self) -> io::Result<()>;
    /// Takes the terminal back from the other program.
    fn take_back(&mut self) -> io::Result<()>;
}

/// The bytes of a frame, written to the terminal in one piece. Clones share the bytes.
#[derive(Clone, Debug, Default)]
struct FrameBytes {
    bytes: Rc<RefCell<Vec<u8>>>,
}

impl Write for FrameBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    /// Does nothing: `FrameBytes::present` writes the frame.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl FrameBytes {
    /// Writes the frame. Writes nothing if nothing changed.
    fn present(&self) -> io::Result<()> {
        let mut bytes = self.bytes.borrow_mut();
        if bytes.is_empty() {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        // A signal handler may have restored the terminal, under the same lock.
        if !ENTERED.load(Ordering::SeqCst) {
            return Ok(());
        }
        out.write_all(&[BEGIN_UPDATE, &bytes, END_UPDATE].concat())?;
        bytes.clear();
        out.flush()
    }
}

/// The calling terminal. Dropping it restores the terminal.
pub struct OuterTerminal {
    canvas: Canvas<AnsiWriter<FrameBytes>>,
    /// What `canvas` has written and the terminal hasn't received yet.
    frame: FrameBytes,
    mouse: bool,
    keyboard: Keyboard,
    keys: bool,
    cursor: CursorShape,
}

impl OuterTerminal {
    /// Takes over the terminal. A panic restores it before its message is printed.
    pub fn enter(mouse: bool, keyboard: Keyboard, about: &Background) -> io::Result<Self> {
        give_back_on_panic();
        fatal::give_back_before(fatal::UNEXPECTED, give_back)?;
        fatal::end_after_hangup(give_back)?;
        let keys = about.distinguishes_keys;
        take(mouse, keys)?;
        let frame = FrameBytes::default();
        let outer = Outer::find(|name| std::env::var(name).ok(), about.name.as_deref());
        let canvas = Canvas::new(AnsiWriter::new(frame.clone(), outer))?;
        Ok(Self {
            canvas,
            frame,
            mouse,
            keyboard,
            keys,
            cursor: CursorShape::Default,
        })
    }
}

impl OuterTerminal {
    fn take(&mut self) -> io::Result<()> {
        // The other program restored the cursor's own shape.
        self.cursor = CursorShape::Default;
        take(self.mouse, self.keys)
    }
}

impl Drop for OuterTerminal {
    fn drop(&mut self) {
        give_back();
    }
}

impl Stage for OuterTerminal {
    fn size(&self) -> Size {
        self.canvas.size()
    }

    fn resized(&mut self) -> io::Result<()> {
        if self.canvas.has_other_size()? {
            self.repaint()?;
        }
        Ok(())
    }

    fn draw(&mut self, picture: Picture, paint: Painter<'_>) -> io::Result<()> {
        self.canvas.draw(picture, paint)?;
        self.frame.present()
    }

    fn repaint(&mut self) -> io::Result<()> {
        self.canvas.forget()?;
        self.frame.write_all(CLEAR)
    }

    fn mouse(&mut self, on: bool) -> io::Result<()> {
        self.mouse = on;
        self.send(if on { MOUSE_ON } else { MOUSE_OFF })
    }

    fn cursor(&mut self, shape: CursorShape) -> io::Result<()> {
        if shape == self.cursor {
            return Ok(());
        }
        self.cursor = shape;
        SHAPED.store(shape != CursorShape::Default, Ordering::SeqCst);
        write!(self.frame, "\x1b[{} q", shape as u8)
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        // Writes nothing while another program has the terminal.
        if !ENTERED.load(Ordering::SeqCst) {
            return Ok(());
        }
        out.write_all(bytes)?;
        out.flush()
    }

    fn suspend(&mut self) -> io::Result<()> {
        give_back();
        let stopped = stop_until_continued();
        self.take()?;
        self.repaint()?;
        stopped
    }

    fn lend(&mut self) -> io::Result<()> {
        self.keyboard.let_go();
        give_back();
        Ok(())
    }

    fn take_back(&mut self) -> io::Result<()> {
        self.take()?;
        self.keyboard.read_on()?;
        self.repaint()
    }
}

/// Stops the whole job, as Ctrl-Z would.
fn stop_until_continued() -> io::Result<()> {
    use rustix::process::{Signal, getppid, getsid, kill_current_process_group};
    let parent = getppid().and_then(|parent| getsid(Some(parent)).ok());
    if parent.is_none() || parent != getsid(None).ok() {
        return Err(io::Error::other(tr!(
            "workbay can't be suspended: it wasn't started from a shell"
        )));
    }
    kill_current_process_group(Signal::STOP)?;
    Ok(())
}

fn take(mouse: bool, keys: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if fatal::is_ending() {
        drop(out);
        fatal::wait_if_ending();
        return Ok(());
    }
    enable_raw_mode()?;
    ENTERED.store(true, Ordering::SeqCst);
    execute!(
        out,
        EnterAlternateScreen,
        EnableBracketedPaste,
        EnableFocusChange
    )?;
    if mouse {
        out.write_all(MOUSE_ON)?;
    }
    if keys {
        KEYS.store(true, Ordering::SeqCst);
        out.write_all(KEYS_ON)?;
    }
    out.write_all(SCHEME_ON)?;
    out.flush()
}

/// Restores the terminal. Does nothing if workbay doesn't have it.
pub fn give_back() {
    // Writers check under this lock whether workbay still has the terminal.
    let mut out = io::stdout().lock();
    if !ENTERED.swap(false, Ordering::SeqCst) {
        return;
    }
    // The terminal may be gone (SIGHUP), so errors can't be reported.
    let _ = out.write_all(END_UPDATE);
    let _ = out.write_all(MOUSE_OFF);
    let _ = out.write_all(SCHEME_OFF);
    if KEYS.swap(false, Ordering::SeqCst) {
        let _ = out.write_all(KEYS_OFF);
    }
    if SHAPED.swap(false, Ordering::SeqCst) {
        let _ = out.write_all(OWN_CURSOR);
    }
    let _ = execute!(
        out,
        DisableFocusChange,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        Show
    );
    let _ = disable_raw_mode();
}

fn give_back_on_panic() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // The emulator catches this panic. It costs only a picture.
            if emulator::is_guarded() {
                return;
            }
            give_back();
            before(panic);
        }));
    });
}
