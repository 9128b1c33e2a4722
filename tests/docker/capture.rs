//! Programs at work in a session: every cell that a pane shows is the one that the session's tmux has.

use std::time::Duration;

use workbay::model::id::SessionId;

use crate::{
    alacritty::{ReferenceScreen, cell_text},
    support::{Bench, DEADLINE, Terminal, until},
};

const COLUMNS: u16 = 80;
const ROWS: u16 = 24;
/// What is in progress is there after this, or is asked for again.
const MOMENT: Duration = Duration::from_millis(20);

const NOTES: &str = "plain, \u{1b}[1mbold\u{1b}[m, \u{1b}[4munder\u{1b}[24m, \u{1b}[7mreverse\u{1b}[m\n\
                     \u{1b}[31mred \u{1b}[42mon green\u{1b}[m, \u{1b}[38;5;208morange\u{1b}[m, \u{1b}[38;2;9;90;200mblue\u{1b}[m\n\
                     한글 세션, 日本語, → ✓ é\n";

/// Column by column, row by row, and the cursor.
type Cells = Vec<String>;

fn cells(cell_text: impl Fn(u16, u16) -> String, cursor: Option<(u16, u16)>) -> Cells {
    let places = (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (column, row)));
    let cells = places.map(|(column, row)| format!("{column},{row} {}", cell_text(column, row)));
    cells.chain([format!("cursor {cursor:?}")]).collect()
}

fn shown(pane: &Terminal) -> Cells {
    let cursor = pane.emulator.cursor();
    cells(
        |column, row| cell_text(&pane.emulator, column, row),
        cursor.map(|cursor| (cursor.column, cursor.row)),
    )
}

/// What the session's tmux has, read by another emulator than ours.
async fn held(bench: &Bench, session: SessionId) -> Cells {
    let (text, _) = bench
        .run(session, &["tmux", "capture-pane", "-epN", "-t", "main"])
        .await;
    let mut screen = ReferenceScreen::new(COLUMNS, ROWS);
    screen.feed(text.trim_end_matches('\n').replace('\n', "\r\n").as_bytes());
    let place = "#{cursor_flag} #{cursor_x} #{cursor_y}";
    let said = bench
        .sh(session, &format!("tmux display -pt main '{place}'"))
        .await;
    let place: Vec<u16> = said.split(' ').map(|it| it.parse().unwrap()).collect();
    let cursor = (place[0] == 1).then_some((place[1], place[2]));
    cells(|column, row| screen.cell_text(column, row), cursor)
}

/// Both are the same as soon as nothing is in progress.
async fn same(bench: &Bench, session: SessionId, pane: &mut Terminal, about: &str) {
    let mut differs = None;
    let waiting = tokio::time::timeout(DEADLINE, async {
        loop {
            while pane.take(MOMENT).await {}
            let (held, shown) = (held(bench, session).await, shown(pane));
            let mut both = shown.into_iter().zip(held);
            differs = both.find(|(shown, held)| shown != held);
            if differs.is_none() {
                return;
            }
        }
    });
    let settled = waiting.await.is_ok();
    assert!(settled, "{about}: {differs:?} in\n{}", pane.text());
}

/// A pane of a session of this machine's own programs.
async fn pane(bench: &Bench) -> (SessionId, Terminal) {
    let session = bench.host_session().await;
    std::fs::write(bench.home(session).join("notes"), NOTES).unwrap();
    let mut pane = bench.terminal(session, "one", COLUMNS, ROWS).await;
    pane.wait_for("work@bench").await;
    (session, pane)
}

#[tokio::test]
async fn vim_shows_the_cells_that_tmux_holds() {
    let bench = Bench::new();
    let (session, mut pane) = pane(&bench).await;
    pane.type_text("vi -u NONE -N notes\r").await;
    pane.wait_for("notes").await;
    pane.type_text(":set number showmode\rGotyped 한글 in vim")
        .await;
    pane.wait_for("INSERT").await;
    same(&bench, session, &mut pane, "typed").await;
    pane.type_text("\x1byy30pgg").await;
    same(&bench, session, &mut pane, "put and scrolled").await;
    pane.type_text(":4,20d\r").await;
    same(&bench, session, &mut pane, "deleted").await;
    pane.type_text(":q!\r").await;
    same(&bench, session, &mut pane, "left").await;
}

#[tokio::test]
async fn less_shows_the_cells_that_tmux_holds() {
    let bench = Bench::new();
    let (session, mut pane) = pane(&bench).await;
    pane.type_text("(cat notes; seq 500) > long; less -RM long\r")
        .await;
    pane.wait_for("long lines").await;
    same(&bench, session, &mut pane, "first page").await;
    for (keys, about) in [
        (" ", "next page"),
        ("b", "back"),
        ("/12\r", "searched"),
        ("G", "end"),
        ("jkkk", "by lines"),
        ("q", "left"),
    ] {
        pane.type_text(keys).await;
        same(&bench, session, &mut pane, about).await;
    }
}

#[tokio::test]
async fn python_shows_the_cells_that_tmux_holds() {
    let bench = Bench::new();
    let (session, mut pane) = pane(&bench).await;
    pane.type_text("/usr/bin/python3 -q\r").await;
    pane.wait_for(">>>").await;
    pane.type_text("print(open('notes').read())\r").await;
    pane.wait_for("orange").await;
    same(&bench, session, &mut pane, "printed").await;
    pane.type_text("for i in range(40): print(f'\\x1b[3{i % 8}m', '한' * i)\r\r")
        .await;
    same(&bench, session, &mut pane, "scrolled").await;
    pane.type_text("'a line that is typed and then \x01\x1b[C\x1b[Cchanged\x05'\r")
        .await;
    same(&bench, session, &mut pane, "edited").await;
}

#[tokio::test]
async fn what_is_shown_is_what_is_held_after_many_sizes() {
    let bench = Bench::new();
    let (session, mut pane) = pane(&bench).await;
    pane.type_text("less -RM notes\r").await;
    pane.wait_for("notes").await;
    for (columns, rows) in [(40, 12), (100, 30), (COLUMNS, ROWS)] {
        pane.resize(columns, rows).await;
    }
    until(async || {
        let size = "tmux display -pt main '#{window_width}x#{window_height}'";
        (bench.sh(session, size).await == format!("{COLUMNS}x{ROWS}")).then_some(())
    })
    .await;
    same(&bench, session, &mut pane, "resized").await;
}
