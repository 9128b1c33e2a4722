//! The screen of the TUI: cells in memory, with every frame for the test.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};

use ratatui::{
    backend::{Backend as _, TestBackend},
    buffer::{Buffer, CellWidth as _},
    layout::Size,
};
use tokio::sync::watch;
use workbay::{
    run::{
        canvas::{Canvas, Painter},
        screen::Stage,
    },
    terminal::emulator::CursorShape,
    view::{
        still::{Picture, Still},
        surface::Surface,
    },
};

/// All frames so far, as text.
#[derive(Debug, Default)]
pub struct Frames {
    texts: Mutex<Vec<Arc<str>>>,
}

impl Frames {
    pub fn count(&self) -> usize {
        self.lock().len()
    }

    pub fn last(&self) -> Arc<str> {
        self.lock().last().cloned().unwrap_or_default()
    }

    /// The frames from the `first` on.
    pub fn since(&self, first: usize) -> Vec<Arc<str>> {
        self.lock().iter().skip(first).cloned().collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<str>>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub struct Board {
    canvas: Canvas<TestBackend>,
    frames: Arc<Frames>,
    /// Returns the number of frames.
    drawn: watch::Sender<usize>,
}

impl Board {
    pub fn new(columns: u16, rows: u16, frames: Arc<Frames>, drawn: watch::Sender<usize>) -> Self {
        let Ok(canvas) = Canvas::new(TestBackend::new(columns, rows));
        Self {
            canvas,
            frames,
            drawn,
        }
    }
}

impl Stage for Board {
    fn size(&self) -> Size {
        self.canvas.size()
    }

    fn resized(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// What was left out because it is unchanged is what would have been painted.
    fn draw(&mut self, picture: Picture, paint: Painter<'_>) -> io::Result<()> {
        let Ok(()) = self.canvas.draw(picture, paint);
        let shown = self.canvas.shown().expect("a frame");
        let mut repainted = Surface::empty(shown.buffer.area);
        paint(&mut repainted, &Still::default());
        assert_eq!(
            *shown, repainted,
            "a frame painted in part, and painted whole"
        );
        self.frames.lock().push(text(&shown.buffer).into());
        self.drawn.send_replace(self.frames.count());
        Ok(())
    }

    fn repaint(&mut self) -> io::Result<()> {
        let Ok(()) = self.canvas.backend_mut().clear();
        let Ok(()) = self.canvas.forget();
        Ok(())
    }

    fn cursor(&mut self, _shape: CursorShape) -> io::Result<()> {
        Ok(())
    }

    fn mouse(&mut self, _on: bool) -> io::Result<()> {
        Ok(())
    }

    fn send(&mut self, _bytes: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn suspend(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn lend(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn take_back(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The lines without blanks at their ends.
fn text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in buffer.area.rows().map(|row| row.y) {
        let mut line = String::new();
        let mut x = 0;
        while x < buffer.area.width {
            let cell = &buffer[(x, y)];
            line.push_str(cell.symbol());
            x += cell.cell_width().max(1);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
