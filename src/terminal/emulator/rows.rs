//! When each row was last printed on, so that who paints can leave out what stands still.
//!
//! The parser does not tell. What it gets is cut into pieces that reach no row but the cursor's;
//! whatever else a piece may do counts as printing on all rows: too much is painted then, never too
//! little.

mod reach;

use std::sync::atomic::{AtomicU64, Ordering};

use reach::{Reach, Scan};

/// The last moment of all emulators.
static LAST: AtomicU64 = AtomicU64::new(0);

/// When something was printed; no two feeds of any two emulators have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment(u64);

impl Moment {
    fn next() -> Self {
        Self(LAST.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

#[derive(Debug)]
pub(super) struct Rows {
    printed: Vec<Moment>,
    now: Moment,
    /// All rows were printed on since `now` began.
    all: bool,
    scan: Scan,
}

impl Rows {
    pub fn new(rows: u16) -> Self {
        let now = Moment::next();
        Self {
            printed: vec![now; rows.into()],
            now,
            all: true,
            scan: Scan::default(),
        }
    }

    /// When the row was last printed on; `None` outside the screen.
    pub fn printed(&self, row: u16) -> Option<Moment> {
        self.printed.get(usize::from(row)).copied()
    }

    /// Somebody may have painted what was there so far.
    pub fn begin(&mut self) {
        self.now = Moment::next();
        self.all = false;
    }

    pub fn touch_all(&mut self) {
        self.printed.fill(self.now);
        self.all = true;
    }

    /// Another screen, of so many rows. A sequence that is open stays open.
    pub fn begin_anew(&mut self, rows: u16) {
        self.begin();
        self.printed.resize(rows.into(), self.now);
        self.touch_all();
    }

    /// How much of `bytes` the parser is to get at once, from this cursor on. [`Rows::after`] is to be
    /// told where the cursor went.
    pub fn piece(&mut self, bytes: &[u8], cursor: (u16, u16), columns: u16) -> Piece {
        if self.all {
            self.scan.skip(bytes);
            return Piece {
                length: bytes.len(),
                reach: Reach::Nothing,
                row: cursor.0,
            };
        }
        let (length, reach) = self.scan.piece(bytes, cursor.1, columns);
        Piece {
            length,
            reach,
            row: cursor.0,
        }
    }

    /// The parser has worked a piece off; its cursor is in this row now.
    pub fn after(&mut self, piece: &Piece, row: u16) {
        match piece.reach {
            Reach::Nothing => {}
            Reach::Row => match self.printed.get_mut(usize::from(piece.row)) {
                Some(printed) => *printed = self.now,
                None => self.touch_all(),
            },
            // In the last row of a region it scrolled.
            Reach::Down if row == piece.row + 1 => {}
            Reach::Down | Reach::All => self.touch_all(),
        }
    }
}

/// What the parser gets at once.
pub(super) struct Piece {
    pub length: usize,
    reach: Reach,
    /// Where the cursor was.
    row: u16,
}
