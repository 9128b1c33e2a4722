use jiff::Timestamp;
use proptest::prelude::*;
use ratatui::{backend::TestBackend, buffer::Buffer, style::Style};

use super::*;
use crate::terminal::emulator::Emulator;

const AREA: Rect = Rect::new(0, 0, 6, 2);
const BLANK: &str = "      ";

fn canvas() -> Canvas<TestBackend> {
    let Ok(canvas) = Canvas::new(TestBackend::new(AREA.width, AREA.height));
    canvas
}

/// Draws text from the first cell.
fn draw(canvas: &mut Canvas<TestBackend>, text: &str, cursor: Option<Position>) {
    let Ok(()) = canvas.draw(Picture::default(), &mut |surface, _| {
        surface.buffer.set_string(0, 0, text, Style::default());
        cursor
    });
}

#[test]
fn a_frame_replaces_the_one_before() {
    let mut canvas = canvas();
    draw(&mut canvas, "한글ab", None);
    canvas.backend().assert_buffer_lines(["한글ab", BLANK]);
    draw(&mut canvas, "x", None);
    canvas.backend().assert_buffer_lines(["x     ", BLANK]);
}

#[test]
fn the_cursor_is_where_the_frame_says() {
    let mut canvas = canvas();
    draw(&mut canvas, "ab", None);
    assert!(!canvas.backend().cursor_visible());
    let at = Position::new(2, 1);
    draw(&mut canvas, "abc", Some(at));
    assert!(canvas.backend().cursor_visible());
    assert_eq!(canvas.backend().cursor_position(), at);
    // Writing moves the cursor.
    draw(&mut canvas, "xyz", Some(at));
    assert_eq!(canvas.backend().cursor_position(), at);
}

#[test]
fn what_is_unchanged_is_neither_painted_nor_lost() {
    let mut canvas = canvas();
    let mut emulator = Emulator::new(6, 2);
    let mut painted = Vec::new();
    for bytes in ["one\r\ntwo", "\rTwo", ""] {
        emulator.feed(bytes.as_bytes(), Timestamp::UNIX_EPOCH);
        let mut picture = Picture::default();
        picture.add(&emulator, AREA);
        let Ok(()) = canvas.draw(picture, &mut |surface, still| {
            let rows = (0..AREA.height).filter(|row| !still.contains(0, *row));
            painted.push(rows.collect::<Vec<_>>());
            let target = (&mut surface.buffer, &mut surface.extras);
            crate::view::cells::paint_loose(&emulator, AREA, target, still)
        });
    }
    assert_eq!(painted, [vec![0, 1], vec![1], vec![]]);
    canvas.backend().assert_buffer_lines(["one   ", "Two   "]);
    // After the screen was cleared, everything is painted.
    let Ok(()) = canvas.backend_mut().clear();
    let Ok(()) = canvas.forget();
    let mut picture = Picture::default();
    picture.add(&emulator, AREA);
    let Ok(()) = canvas.draw(picture, &mut |surface, still| {
        assert_eq!(*still, Still::default());
        let target = (&mut surface.buffer, &mut surface.extras);
        crate::view::cells::paint(&emulator, AREA, target)
    });
    canvas.backend().assert_buffer_lines(["one   ", "Two   "]);
}

#[test]
fn another_size_is_noticed_and_taken() {
    let mut canvas = canvas();
    assert_eq!(canvas.has_other_size(), Ok(false));
    canvas.backend_mut().resize(4, 3);
    assert_eq!(canvas.has_other_size(), Ok(true));
    let Ok(()) = canvas.forget();
    assert_eq!(canvas.size(), Size::new(4, 3));
    draw(&mut canvas, "abcd", None);
    canvas
        .backend()
        .assert_buffer_lines(["abcd", "    ", "    "]);
}

fn painted() -> impl Strategy<Value = Buffer> {
    let piece = (0..6_u16, 0..2_u16, "[ab한글é ]{1,4}", 0..4_u8);
    prop::collection::vec(piece, 0..6).prop_map(|pieces| {
        let mut buffer = Buffer::empty(AREA);
        for (x, y, text, look) in pieces {
            let style = match look {
                0 => Style::new().bg(Color::Blue),
                1 => Style::new().add_modifier(Modifier::REVERSED),
                _ => Style::new(),
            };
            buffer.set_string(x, y, text, style);
        }
        buffer
    })
}

proptest! {
    #[test]
    fn the_difference_is_what_ratatui_finds(before in painted(), after in painted()) {
        let expected = before.diff(&after);
        let (mut shown, mut next) = (Surface::empty(AREA), Surface::empty(AREA));
        shown.buffer.clone_from(&before);
        next.buffer.clone_from(&after);
        let rows = AREA.rows().flat_map(|part| {
            let cells = changed(Some(&shown), &next, part);
            cells.into_iter().map(move |(x, cell)| (x, part.y, cell))
        });
        prop_assert_eq!(rows.collect::<Vec<_>>(), expected);
        let expected = Buffer::empty(AREA).diff(&after);
        let rows = AREA.rows().flat_map(|part| {
            let cells = changed(None, &next, part);
            cells.into_iter().map(move |(x, cell)| (x, part.y, cell))
        });
        prop_assert_eq!(rows.collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_cell_is_written_again_if_only_its_underline_changes() {
    let row = Rect::new(0, 0, 6, 1);
    let painted = |stream: &str| {
        let mut emulator = Emulator::new(6, 1);
        emulator.feed(stream.as_bytes(), Timestamp::UNIX_EPOCH);
        let mut surface = Surface::empty(row);
        let target = (&mut surface.buffer, &mut surface.extras);
        crate::view::cells::paint(&emulator, row, target);
        surface
    };
    let (before, after) = (painted("a\x1b[4mb"), painted("a\x1b[4:3mb"));
    let cells = changed(Some(&before), &after, row);
    assert_eq!(cells.iter().map(|(x, _)| *x).collect::<Vec<_>>(), [1]);
    assert!(changed(Some(&after), &after, row).is_empty());
}
