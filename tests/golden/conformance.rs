//! What a program prints, straight into our emulator and through a real tmux, against another emulator
//! that was given the same. The result is in `docs/terminal.md`, and this test keeps it true;
//! `INSTA_UPDATE=always` rewrites it.

mod cases;
mod tmux;

use std::{fmt::Write as _, time::Duration};

use workbay::terminal::emulator::Emulator;

use crate::{alacritty, cell_text};
use cases::CASES;
use tmux::Tmux;

pub const COLUMNS: u16 = 40;
pub const ROWS: u16 = 10;

/// The tmux whose column the table shows.
const VERSION: &str = "3.3a";
/// A difference counts when nothing has come for this long.
const QUIET: Duration = Duration::from_millis(150);

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/terminal.md");
const BEGIN: &str = "<!-- written by tests/golden/conformance.rs -->\n";
const END: &str = "<!-- end -->\n";

fn ours(emulator: &Emulator) -> Vec<String> {
    let cells = (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (column, row)));
    let mut seen: Vec<String> = cells
        .map(|(column, row)| cell_text(emulator, column, row))
        .collect();
    seen.push(format!(
        "cursor {:?}",
        emulator.cursor().map(|cursor| (cursor.column, cursor.row))
    ));
    seen
}

fn theirs(screen: &alacritty::ReferenceScreen) -> Vec<String> {
    let cells = (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (column, row)));
    let mut seen: Vec<String> = cells
        .map(|(column, row)| screen.cell_text(column, row))
        .collect();
    seen.push(format!("cursor {:?}", screen.cursor()));
    seen
}

fn text(emulator: &Emulator) -> String {
    let rows: Vec<String> = (0..ROWS).map(|row| emulator.row_text(row)).collect();
    rows.join("\n").trim_end().to_owned()
}

/// The first difference, for the message of the test.
fn first_difference(ours: &[String], theirs: &[String]) -> String {
    let mut cells = ours.iter().zip(theirs).enumerate();
    let Some((at, (ours, theirs))) = cells.find(|(_, (ours, theirs))| ours != theirs) else {
        return String::new();
    };
    let columns = usize::from(COLUMNS);
    format!("{},{}: {ours} / {theirs}", at % columns, at / columns)
}

fn straight(stream: &str) -> Emulator {
    let mut emulator = Emulator::new(COLUMNS, ROWS);
    emulator.feed(stream.as_bytes(), jiff::Timestamp::UNIX_EPOCH);
    emulator
}

fn through(tmux: &mut Tmux, name: &str, stream: &str, wanted: &[String]) -> &'static str {
    tmux.print(name, stream);
    loop {
        if ours(&tmux.ours) == wanted {
            return "same";
        }
        if !tmux.take(QUIET) {
            break;
        }
    }
    let (seen, other) = (ours(&tmux.ours), theirs(&tmux.theirs));
    if seen == other && text(&tmux.ours) == tmux.text() {
        return "as tmux has it";
    }
    eprintln!("{name}: {}", first_difference(&seen, &other));
    "differs"
}

#[test]
fn the_table_of_what_is_painted_is_true() {
    let mut tmux = (tmux::version().as_deref() == Some(VERSION)).then(Tmux::start);
    let mut table = String::new();
    let mut counts = [0; 3];
    for (group, cases) in CASES {
        let _ = write!(
            table,
            "\n| {group} | straight | through tmux |\n|---|---|---|\n"
        );
        for (name, stream) in *cases {
            let wanted = theirs(&alacritty::ReferenceScreen::of(
                stream.as_bytes(),
                COLUMNS,
                ROWS,
            ));
            let seen = ours(&straight(stream));
            let direct = if seen == wanted { "same" } else { "differs" };
            if seen != wanted {
                eprintln!("{group}: {name}: {}", first_difference(&seen, &wanted));
            }
            let inside = tmux.as_mut().map_or("", |tmux| {
                through(tmux, &format!("{group} {name}"), stream, &wanted)
            });
            counts[0] += 1;
            counts[1] += usize::from(direct == "same");
            counts[2] += usize::from(inside == "same");
            let _ = writeln!(table, "| {name} | {direct} | {inside} |");
        }
    }
    let [all, direct, inside] = counts;
    let head = format!(
        "\nOf {all} cases {direct} are the same straight, {inside} through tmux {VERSION}.\n"
    );
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (written, after) = rest.split_once(END).unwrap();
    if tmux.is_none() {
        // Another tmux may see it otherwise; what comes straight does not depend on it.
        let straight = |text: &str| -> Vec<String> {
            let rows = text.lines().filter(|line| line.starts_with("| "));
            let cells = rows.filter_map(|row| row.rsplit_once(" |")?.0.rsplit_once(" |"));
            cells.map(|(row, _)| row.to_owned()).collect()
        };
        assert_eq!(straight(&table), straight(written));
        return;
    }
    let table = format!("{head}{table}\n");
    if std::env::var("INSTA_UPDATE").as_deref() == Ok("always") {
        std::fs::write(PAGE, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(written, table, "INSTA_UPDATE=always rewrites it");
}
