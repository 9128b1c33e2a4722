//! Any keys at all.

use proptest::prelude::*;
use workbay::app::launcher::Launcher;
use workbay::model::catalogue::Catalogue;

use super::{many, offer, page_with};

const KEYS: [&str; 24] = [
    "tab",
    "tab",
    "tab",
    "shift-tab",
    "left",
    "right",
    "up",
    "down",
    "home",
    "end",
    "space",
    "+",
    "-",
    "ctrl-x",
    "alt-x",
    "y",
    "backspace",
    "ctrl-u",
    "a",
    "1",
    "0",
    ".",
    "=",
    "한",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is typed: it draws at every size, and what can be launched comes back as it is when
    /// it is launched again.
    #[test]
    fn what_is_asked_for_can_be_asked_for_again(
        keys in proptest::collection::vec(0..KEYS.len(), 0..60),
        offered: bool,
    ) {
        let offer = if offered { offer() } else { Catalogue::default() };
        let mut screen = page_with(80, 24, many(), offer);
        for key in keys {
            screen = screen.press(KEYS[key]);
        }
        for (columns, rows) in [(60, 16), (140, 40), (200, 50), (80, 24)] {
            screen = screen.resize(columns, rows);
        }
        let launcher = screen.app.panels.get_mut::<Launcher>().unwrap();
        let asked = launcher.request().clone();
        if launcher.problems().is_empty() {
            launcher.fill(&asked);
            prop_assert_eq!(launcher.request(), &asked);
            prop_assert!(launcher.problems().is_empty());
        }
    }
}
