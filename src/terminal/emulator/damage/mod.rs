//! Records when each row was last printed on, so that the painter can skip unchanged rows.
//!
//! The parser doesn't report changed rows. Its input is cut into pieces that reach only the cursor's row.
//! Every other piece counts as printing on all rows, so that too much may be painted but never too little.

mod reach;

use std::sync::atomic::{AtomicU64, Ordering};

use reach::{Reach, Scan};

/// The last revision, over all emulators.
static LAST: AtomicU64 = AtomicU64::new(0);

/// The state of a row after something was printed on it. No two feeds share a revision, even in different emulators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revision(u64);

impl Revision {
    fn next() -> Self {
        Self(LAST.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

#[derive(Debug)]
pub(super) struct Damage {
    revisions: Vec<Revision>,
    now: Revision,
    /// All rows were printed on since `now` began.
    all: bool,
    scan: Scan,
}

impl Damage {
    pub fn new(rows: u16) -> Self {
        let now = Revision::next();
        Self {
            revisions: vec![now; rows.into()],
            now,
            all: true,
            scan: Scan::default(),
        }
    }

    /// When the row was last printed on, `None` outside the screen.
    pub fn revision(&self, row: u16) -> Option<Revision> {
        self.revisions.get(usize::from(row)).copied()
    }

    /// Starts a new revision, because the earlier content may already be painted.
    pub fn begin(&mut self) {
        self.now = Revision::next();
        self.all = false;
    }

    pub fn touch_all(&mut self) {
        self.revisions.fill(self.now);
        self.all = true;
    }

    /// Starts another screen with this number of rows. An open sequence stays open.
    pub fn restart(&mut self, rows: u16) {
        self.begin();
        self.revisions.resize(rows.into(), self.now);
        self.touch_all();
    }

    /// How many of these bytes the parser may process at once from this cursor position. Call [`Damage::after`]
    /// with the new row of the cursor.
    pub fn piece(&mut self, bytes: &[u8], cursor: (u16, u16), columns: u16) -> ParserChunk {
        if self.all {
            self.scan.skip(bytes);
            return ParserChunk {
                length: bytes.len(),
                reach: Reach::Nothing,
                row: cursor.0,
            };
        }
        let (length, reach) = self.scan.piece(bytes, cursor.1, columns);
        ParserChunk {
            length,
            reach,
            row: cursor.0,
        }
    }

    /// Records that the parser has processed a piece and that its cursor is in this row now.
    pub fn after(&mut self, piece: &ParserChunk, row: u16) {
        match piece.reach {
            Reach::Nothing => {}
            Reach::Row => match self.revisions.get_mut(usize::from(piece.row)) {
                Some(printed) => *printed = self.now,
                None => self.touch_all(),
            },
            // In the last row of a region, a line break scrolls instead of moving the cursor down.
            Reach::Down if row == piece.row + 1 => {}
            Reach::Down | Reach::All => self.touch_all(),
        }
    }
}

/// Bytes that the parser processes at once.
pub(super) struct ParserChunk {
    pub length: usize,
    reach: Reach,
    /// The row of the cursor before the piece.
    row: u16,
}
