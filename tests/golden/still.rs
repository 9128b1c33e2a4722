//! Rows that are reported as unchanged are: a picture in which only the others are repainted is the
//! whole picture, after every piece of every stream.

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use ratatui::layout::Rect;
use workbay::{
    terminal::emulator::Emulator,
    view::{
        cells,
        still::{Picture, Still},
        surface::Surface,
    },
};

use crate::corpus::{
    self, cases,
    mixed::{Mixed, mixed},
    pieces, size,
    stream::{self, Act},
};

/// Longer than a synchronized update is waited for.
const LONG: SignedDuration = SignedDuration::from_secs(1);

/// A terminal, and a picture of it in which only what is loose is painted.
struct Watched {
    emulator: Emulator,
    picture: Picture,
    painted: Surface,
    now: Timestamp,
    /// Rows painted so far, and rows left out.
    counts: [usize; 2],
}

impl Watched {
    fn new(columns: u16, rows: u16) -> Self {
        Self {
            emulator: Emulator::new(columns, rows),
            picture: Picture::default(),
            painted: Surface::empty(Rect::new(0, 0, columns.max(1), rows.max(1))),
            now: Timestamp::UNIX_EPOCH,
            counts: [0; 2],
        }
    }

    fn act(&mut self, act: &Act) -> Result<(), String> {
        match act {
            Act::Feed(bytes) => self.emulator.feed(bytes, self.now),
            Act::Resize(columns, rows) => self.emulator.resize(*columns, *rows),
        }
        self.look()
            .map_err(|row| format!("row {row} changed unnoticed at {act:?}"))
    }

    /// An update that did not end is shown after a while.
    fn wait(&mut self) -> Result<(), String> {
        self.now += LONG;
        self.emulator.tick(self.now);
        self.look()
            .map_err(|row| format!("row {row} changed unnoticed while nothing came"))
    }

    /// Paints what is loose; gives the first row that is not as it should be.
    fn look(&mut self) -> Result<(), u16> {
        let area = self.painted.buffer.area;
        let mut picture = Picture::default();
        picture.add(&self.emulator, area);
        let still = Still::between(&self.picture, &picture);
        for row in 0..area.height {
            let is_still = still.contains(0, row);
            self.counts[usize::from(is_still)] += 1;
            if !is_still {
                self.painted.clear(Rect::new(0, row, area.width, 1));
            }
        }
        let target = (&mut self.painted.buffer, &mut self.painted.extras);
        cells::paint_loose(&self.emulator, area, target, &still);
        self.picture = picture;
        let mut whole = Surface::empty(area);
        cells::paint(&self.emulator, area, (&mut whole.buffer, &mut whole.extras));
        let differs = |row: &u16| {
            let at = |it: &Surface, column| {
                let extra = it.extras.at(column, *row).cloned();
                (it.buffer[(column, *row)].clone(), extra)
            };
            (0..area.width).any(|column| at(&self.painted, column) != at(&whole, column))
        };
        (0..area.height).find(differs).map_or(Ok(()), Err)
    }
}

#[test]
fn no_row_of_a_recorded_stream_changes_unnoticed() {
    for (name, stream) in crate::STREAMS {
        for chunk in [5, 64, 1024] {
            // Comparing whole screens is dear: the beginning shows as much.
            let bytes = &stream[..stream.len().min(chunk * 100)];
            let mut watched = Watched::new(crate::COLUMNS, crate::ROWS);
            for piece in bytes.chunks(chunk) {
                let seen = watched.act(&Act::Feed(piece.to_vec()));
                assert_eq!(seen, Ok(()), "{name} by {chunk}");
            }
            assert_eq!(watched.wait(), Ok(()), "{name} by {chunk}");
        }
    }
}

#[test]
fn no_row_of_a_nasty_stream_changes_unnoticed() {
    for stream in stream::made() {
        for (columns, rows) in [(20, 5), (5, 2), (1, 1)] {
            let mut watched = Watched::new(columns, rows);
            for act in &stream.acts {
                let about = format!("{} on {columns}x{rows}", stream.name);
                assert_eq!(watched.act(act), Ok(()), "{about}");
                if let Act::Feed(bytes) = act {
                    for byte in bytes {
                        assert_eq!(watched.act(&Act::Feed(vec![*byte])), Ok(()), "{about}");
                    }
                }
            }
            assert_eq!(watched.wait(), Ok(()), "{}", stream.name);
        }
    }
}

#[test]
fn most_rows_are_unchanged_while_a_user_works() {
    for name in ["ls", "vim-code", "python", "fish"] {
        let (_, stream) = crate::STREAMS.iter().find(|it| it.0 == name).unwrap();
        let mut watched = Watched::new(crate::COLUMNS, crate::ROWS);
        for piece in whole_sequences(stream, 64) {
            watched.act(&Act::Feed(piece.to_vec())).unwrap();
        }
        let [painted, left_out] = watched.counts;
        assert!(
            left_out > painted,
            "{name}: {painted} painted, {left_out} not"
        );
    }
}

/// Pieces of about this length that end in no sequence, as programs write them.
fn whole_sequences(stream: &[u8], length: usize) -> impl Iterator<Item = &[u8]> {
    let mut rest = stream;
    std::iter::from_fn(move || {
        let escape = rest.iter().skip(length).position(|byte| *byte == 0x1b);
        let (piece, after) = rest.split_at(escape.map_or(rest.len(), |at| at + length));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn no_row_of_a_mixed_stream_changes_unnoticed(
        Mixed(bytes) in mixed(),
        lengths in prop::collection::vec(1..60_usize, 1..6),
        sizes in prop::collection::vec(size(), 0..8),
        (columns, rows) in size(),
    ) {
        let mut watched = Watched::new(columns, rows);
        let mut sizes = sizes.iter();
        for (number, piece) in pieces(&bytes, &lengths).enumerate() {
            prop_assert_eq!(watched.act(&Act::Feed(piece.to_vec())), Ok(()));
            if number % 5 == 4 {
                prop_assert_eq!(watched.wait(), Ok(()));
            }
            if number % 7 == 6 && let Some((columns, rows)) = sizes.next() {
                prop_assert_eq!(watched.act(&Act::Resize(*columns, *rows)), Ok(()));
            }
        }
    }

    #[test]
    fn no_row_changes_unnoticed_by_text_styles_and_moves(
        steps in prop::collection::vec(corpus::known(), 1..40),
        columns in 2u16..30,
        rows in 1u16..9,
    ) {
        let mut watched = Watched::new(columns, rows);
        for step in steps {
            prop_assert_eq!(watched.act(&Act::Feed(step.into_bytes())), Ok(()));
        }
    }
}
