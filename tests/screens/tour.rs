//! The guide of the tour, below the views.

use workbay::model::session::Session;

use crate::{
    screen::Screen,
    world::{day, snapshot},
};

fn touring(columns: u16, rows: u16) -> Screen {
    let day = day();
    let session = day.iter().find(|it| it.status.is_live()).map(Session::key);
    Screen::new(columns, rows)
        .touring(session)
        .daemon(snapshot(day))
}

#[test]
fn the_guide_is_below_the_list_on_a_small_screen() {
    insta::assert_snapshot!(touring(80, 24).text());
}

#[test]
fn a_screen_that_is_too_small_for_the_guide_says_so() {
    let screen = touring(60, 18);
    assert!(screen.sees("the tour needs 60x19"), "{}", screen.text());
    assert!(touring(60, 19).sees("Step 1 of 10"));
}

#[test]
fn nothing_of_the_guide_is_cut_off() {
    for (columns, rows) in [(60, 20), (80, 24), (120, 40)] {
        let mut screen = touring(columns, rows);
        // In the list, the shell of step 4 is left already.
        for step in [1, 2, 3, 5, 6, 7, 8, 9, 10, 11] {
            let text = screen.text();
            let lines: Vec<&str> = text.lines().collect();
            let guide = lines[lines.len() - 3..].join("\n");
            let (says, button) = if step <= 10 {
                (format!("Step {step} of 10: "), "skip")
            } else {
                ("The tour is over.".to_owned(), "end the tour")
            };
            assert!(guide.contains(&says) && guide.contains(button), "{text}");
            let last = lines[lines.len() - 1];
            assert!(
                !last.contains('…'),
                "{columns}x{rows}, step {step}:\n{text}"
            );
            screen = screen.press("F7");
        }
    }
}
