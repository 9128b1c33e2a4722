use jiff::Timestamp;

use super::{lines::of_terminal, *};
use crate::{model::id::SessionId, terminal::emulator::Emulator};

fn screen(columns: u16, rows: u16, printed: &str) -> Option<QuickSelect> {
    let mut emulator = Emulator::new(columns, rows);
    emulator.feed(printed.as_bytes(), Timestamp::UNIX_EPOCH);
    QuickSelect::new(of_terminal(&emulator), Some(key()))
}

fn key() -> SessionKey {
    SessionKey::local(SessionId::from_u128(1))
}

fn texts(select: &QuickSelect) -> Vec<&str> {
    select.matches.iter().map(|it| it.text.as_str()).collect()
}

fn typed(mut select: QuickSelect, letters: &str) -> Picked {
    let mut last = Picked::Nothing;
    for letter in letters.chars() {
        last = select.key(Key::char(letter));
    }
    last
}

#[test]
fn the_lowest_match_has_the_first_letter_and_equal_texts_share_one() {
    let select = screen(60, 6, "/a/b /c/d\r\n/a/b\r\nsee 10.0.0.1").unwrap();
    assert_eq!(texts(&select), ["/a/b", "/c/d", "/a/b", "10.0.0.1"]);
    let labels: Vec<&str> = select.matches.iter().map(|it| it.label.as_str()).collect();
    assert_eq!(labels, ["s", "d", "s", "a"]);
}

#[test]
fn a_wrapped_line_is_one_text_with_cells_in_each_row() {
    let select = screen(10, 4, "at https://a.example/x").unwrap();
    assert_eq!(texts(&select), ["https://a.example/x"]);
    let cells: Vec<_> = select.matches[0]
        .cells
        .iter()
        .map(|it| (it.row, it.column, it.width))
        .collect();
    assert_eq!(cells, [(0, 3, 7), (1, 0, 10), (2, 0, 2)]);
    // Two lines that a program ended are two texts, even if the first one is full.
    let select = screen(10, 4, "/aaa/bbb/c\r\n/ddd/eee").unwrap();
    assert_eq!(texts(&select), ["/aaa/bbb/c", "/ddd/eee"]);
}

#[test]
fn wide_characters_keep_their_columns_and_are_joined_at_the_edge() {
    let select = screen(20, 3, "열기 /데이터/가.py").unwrap();
    assert_eq!(texts(&select), ["/데이터/가.py"]);
    let first = select.matches[0].cells[0];
    assert_eq!((first.column, first.width), (5, 13));
    let select = screen(11, 3, "/a/bcdefg한글").unwrap();
    assert_eq!(texts(&select), ["/a/bcdefg한글"]);
}

#[test]
fn a_letter_copies_and_a_capital_opens() {
    let all = "https://a.example/b\r\nftp://a.example/c\r\n/home/work/runs/1.log\r\n/etc/hosts";
    let select = || screen(60, 6, all).unwrap();
    assert_eq!(
        typed(select(), "f"),
        Picked::Done(vec![Step::Copy("https://a.example/b".to_owned())])
    );
    assert_eq!(
        typed(select(), "F"),
        Picked::Done(vec![Step::Browse("https://a.example/b".to_owned())])
    );
    let Picked::Done(steps) = typed(select(), "S") else {
        panic!("nothing chosen");
    };
    let place = FilePlace::Session { session: key() };
    let path = FilePath::parse(OsStr::new("runs")).unwrap();
    assert_eq!(steps, [Step::Explore { place, path }]);
    for (letter, text) in [("D", "ftp://a.example/c"), ("A", "/etc/hosts")] {
        let Picked::Done(steps) = typed(select(), letter) else {
            panic!("nothing chosen");
        };
        assert_eq!(steps.last(), Some(&Step::Copy(text.to_owned())));
    }
    assert_eq!(typed(select(), "z1"), Picked::Nothing);
}

#[test]
fn many_matches_have_two_letters_and_backspace_goes_back() {
    let all: Vec<String> = (0..40).map(|at| format!("/a/{at:02}")).collect();
    let mut select = screen(60, 45, &all.join("\r\n")).unwrap();
    assert_eq!(select.matches[0].label.len(), 2, "{:?}", select.matches[0]);
    assert_eq!(select.matches[39].label, "a");
    let label = select.matches[0].label.clone();
    let mut letters = label.chars();
    let first = Key::char(letters.next().unwrap());
    assert_eq!(select.key(first), Picked::Nothing);
    assert!(select.open().count() < 27);
    select.key(Key::plain(KeyCode::Backspace));
    assert_eq!(select.open().count(), 40);
    let chosen = typed(select, &label);
    assert_eq!(chosen, Picked::Done(vec![Step::Copy("/a/00".to_owned())]));
}

#[test]
fn arrows_and_enter_choose_without_letters() {
    let mut select = screen(60, 6, "/a/b\r\n/c/d").unwrap();
    assert_eq!(select.action(Action::InputSubmit), Some(Vec::new()));
    select.key(Key::plain(KeyCode::Up));
    select.key(Key::plain(KeyCode::Up));
    let copied = select.action(Action::InputSubmit);
    assert_eq!(copied, Some(vec![Step::Copy("/a/b".to_owned())]));
}

#[test]
fn a_link_of_a_program_is_its_address() {
    let select = screen(
        60,
        3,
        "\x1b]8;;https://a.example/long\x07docs\x1b]8;;\x07 /b/c",
    );
    assert_eq!(texts(&select.unwrap()), ["https://a.example/long", "/b/c"]);
    assert!(screen(60, 3, "nothing here").is_none());
}

proptest::proptest! {
    #[test]
    fn labels_choose_exactly_one_text_and_cells_are_on_the_screen(
        printed in "([a-f0-9/.:한글 ]|https://|\r\n){0,120}",
        columns in 2u16..40,
    ) {
        let Some(select) = screen(columns, 8, &printed) else { return Ok(()) };
        for it in &select.matches {
            for other in &select.matches {
                let same = it.text == other.text;
                proptest::prop_assert_eq!(it.label == other.label, same);
                proptest::prop_assert!(same || !other.label.starts_with(&it.label));
            }
            for cells in &it.cells {
                proptest::prop_assert!(cells.width > 0 && cells.row < 8);
                proptest::prop_assert!(cells.column + cells.width <= columns);
            }
        }
    }
}
