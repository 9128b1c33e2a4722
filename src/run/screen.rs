//! The outer terminal: entered, drawn on, and always given back as it was.

use std::{
    cell::RefCell,
    io::{self, Write},
    rc::Rc,
    sync::atomic::{AtomicBool, Ordering},
};

use super::{
    background::Background,
    brush::{Brush, Outer},
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

/// Presses, releases, dragging and the wheel, in decimal numbers; not movement without a button, which
/// only some programs in panes need.
const MOUSE_ON: &[u8] = b"\x1b[?1000h\x1b[?1002h\x1b[?1006h";
/// Terminals know one kind of tracking at a time: after movement the other is to be asked for again.
pub const MOVES_ON: &[u8] = b"\x1b[?1003h";
pub const MOVES_OFF: &[u8] = b"\x1b[?1003l\x1b[?1002h";
const MOUSE_OFF: &[u8] = b"\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l";
/// The keyboard protocol of kitty: keys that have no bytes of their own are told, with the character
/// that Shift makes of them. A stack of the screen it is switched on in.
pub(super) const KEYS_ON: &[u8] = b"\x1b[>5u";
pub(super) const KEYS_OFF: &[u8] = b"\x1b[<1u";
const OWN_CURSOR: &[u8] = b"\x1b[0 q";
const CLEAR: &[u8] = b"\x1b[0m\x1b[2J";
const BEGIN_UPDATE: &[u8] = b"\x1b[?2026h";
const END_UPDATE: &[u8] = b"\x1b[?2026l";

/// Whether the terminal is ours now; giving it back twice does nothing.
static ENTERED: AtomicBool = AtomicBool::new(false);
/// Whether keys are told apart now.
static KEYS: AtomicBool = AtomicBool::new(false);
/// Whether the cursor has another shape than its own now.
static SHAPED: AtomicBool = AtomicBool::new(false);

/// What the face draws on. The real one is [`Screen`]; tests have their own.
pub trait Stage {
    /// The size of the next frame.
    fn size(&self) -> Size;
    /// The terminal may have another size.
    fn resized(&mut self) -> io::Result<()>;
    /// Draws a frame whose terminals look like `picture`.
    fn draw(&mut self, picture: Picture, paint: Painter<'_>) -> io::Result<()>;
    /// Forgets what was painted, so that the next frame paints everything.
    fn repaint(&mut self) -> io::Result<()>;
    fn mouse(&mut self, on: bool) -> io::Result<()>;
    /// The shape of the cursor from the next frame on.
    fn cursor(&mut self, shape: CursorShape) -> io::Result<()>;
    /// Bytes for the terminal itself: a bell, the clipboard.
    fn send(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Gives the terminal back and stops this program until it is continued.
    fn suspend(&mut self) -> io::Result<()>;
    /// Another program has the terminal from now on.
    fn lend(&mut self) -> io::Result<()>;
    /// It is ours again.
    fn take_back(&mut self) -> io::Result<()>;
}

/// Bytes of a frame, written to the terminal in one piece. Clones share the bytes.
#[derive(Clone, Debug, Default)]
struct Whole {
    bytes: Rc<RefCell<Vec<u8>>>,
}

impl Write for Whole {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    /// Nothing: the frame goes out by `Whole::present`.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Whole {
    /// Nothing is written where nothing changed.
    fn present(&self) -> io::Result<()> {
        let mut bytes = self.bytes.borrow_mut();
        if bytes.is_empty() {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        // A signal may just have given the terminal back, under the same lock.
        if !ENTERED.load(Ordering::SeqCst) {
            return Ok(());
        }
        out.write_all(&[BEGIN_UPDATE, &bytes, END_UPDATE].concat())?;
        bytes.clear();
        out.flush()
    }
}

/// The calling terminal. Dropping it gives the terminal back.
pub struct Screen {
    canvas: Canvas<Brush<Whole>>,
    /// What `canvas` has written and nobody has seen yet.
    frame: Whole,
    mouse: bool,
    keyboard: Keyboard,
    keys: bool,
    cursor: CursorShape,
}

impl Screen {
    /// Takes the terminal over; a panic gives it back before it is told.
    pub fn enter(mouse: bool, keyboard: Keyboard, about: &Background) -> io::Result<Self> {
        give_back_on_panic();
        fatal::give_back_before(fatal::UNEXPECTED, give_back)?;
        let keys = about.tells_keys_apart;
        take(mouse, keys)?;
        let frame = Whole::default();
        let outer = Outer::find(|name| std::env::var(name).ok(), about.name.as_deref());
        let canvas = Canvas::new(Brush::new(frame.clone(), outer))?;
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

impl Screen {
    fn take(&mut self) -> io::Result<()> {
        // Whoever had it meanwhile left the cursor as it is by itself.
        self.cursor = CursorShape::Default;
        take(self.mouse, self.keys)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

impl Stage for Screen {
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
        self.canvas.backend_mut().know(picture.links());
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
        // Nothing of ours goes to a terminal that is another program's.
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
        self.keyboard.read_on();
        self.repaint()
    }
}

/// The whole job stops, as if Ctrl-Z had reached it.
fn stop_until_continued() -> io::Result<()> {
    use rustix::process::{Signal, getppid, getsid, kill_current_process_group};
    let parent = getppid().and_then(|parent| getsid(Some(parent)).ok());
    if parent.is_none() || parent != getsid(None).ok() {
        return Err(io::Error::other(
            "workbay can't be suspended: it wasn't started from a shell",
        ));
    }
    kill_current_process_group(Signal::STOP)?;
    Ok(())
}

fn take(mouse: bool, keys: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if fatal::is_ending() {
        drop(out);
        fatal::hold();
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
    out.flush()
}

/// Gives the terminal back as it was found. Does nothing when it is not ours.
pub fn give_back() {
    // Whoever writes looks under this lock whether the terminal is ours still.
    let mut out = io::stdout().lock();
    if !ENTERED.swap(false, Ordering::SeqCst) {
        return;
    }
    // The terminal may be gone (SIGHUP): then there is nobody left to tell.
    let _ = out.write_all(END_UPDATE);
    let _ = out.write_all(MOUSE_OFF);
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
            // It is caught, and costs no more than a picture.
            if emulator::is_guarded() {
                return;
            }
            give_back();
            before(panic);
        }));
    });
}
