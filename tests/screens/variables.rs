//! Environment variables in the launcher: secrets, and rows that are left half filled.

use workbay::{
    app::launcher::{
        FormRow, LAUNCH, Launcher, Page,
        allocation::{VariablePart, variable_row},
    },
    model::{
        failure::Failure, launch_field::LaunchField as Field, request::SessionRequest,
        spec::LaunchRequest,
    },
    protocol::message::{Reply, Request},
};

use crate::{
    screen::Screen,
    world::{day, snapshot},
};

const SIZES: [(u16, u16); 2] = [(80, 24), (140, 40)];

fn list(columns: u16, rows: u16) -> Screen {
    Screen::new(columns, rows).daemon(snapshot(day()))
}

/// In the first row of the variables.
fn variables(columns: u16, rows: u16) -> Screen {
    let screen = list(columns, rows).press("n alt-2 tab tab");
    assert_eq!(row(&screen), name(0));
    screen
}

/// A launch done again: two variables and a secret whose value is kept nowhere.
fn again(columns: u16, rows: u16) -> Screen {
    let launch = LaunchRequest {
        env: [("API_TOKEN", ""), ("LANG", "C"), ("STAGE", "dev")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        ..LaunchRequest::default()
    };
    let launch = Box::new(launch);
    list(columns, rows).press("j .").answer(
        |r| matches!(r.of_session(), Some(SessionRequest::Again)),
        Ok(Reply::Again {
            launch,
            missing: Vec::new(),
        }),
    )
}

fn name(at: usize) -> FormRow {
    variable_row(at, VariablePart::Name)
}

fn value(at: usize) -> FormRow {
    variable_row(at, VariablePart::Value)
}

fn row(screen: &Screen) -> FormRow {
    screen.panel::<Launcher>().row()
}

fn page(screen: &Screen) -> Page {
    screen.panel::<Launcher>().page()
}

/// What would be launched.
fn env(screen: &Screen) -> Vec<(&str, &str)> {
    let request = screen.panel::<Launcher>().request();
    let all = request.env.iter();
    all.map(|(name, value)| (name.as_str(), value.as_str()))
        .collect()
}

/// The position of a text.
fn place(screen: &Screen, text: &str) -> (u16, u16) {
    let shown = screen.text();
    let mut lines = shown.lines().enumerate();
    let found = lines.find_map(|(y, line)| Some((line[..line.find(text)?].chars().count(), y)));
    let (x, y) = found.unwrap_or_else(|| panic!("no {text}\n{shown}"));
    (u16::try_from(x).unwrap(), u16::try_from(y).unwrap())
}

/// The value of the secret is missing and the cursor is there: what is typed is launched, never shown.
fn is_typed_into_its_value(screen: Screen) {
    assert_eq!(row(&screen), value(0), "{}", screen.text());
    let typed = screen.typed("hush-hush");
    assert!(!typed.sees("hush"), "{}", typed.text());
    assert!(typed.sees("∙∙∙∙∙∙∙∙∙ "), "{}", typed.text());
    let sent = typed.press("alt-enter enter");
    let launch = sent.questions().find_map(|(_, request)| match request {
        Request::Launch { launch, .. } => Some(launch),
        _ => None,
    });
    assert_eq!(launch.unwrap().env["API_TOKEN"], "hush-hush");
}

#[test]
fn a_secret_that_is_asked_for_again_is_typed_into_its_value() {
    // By the launch itself, by its card, by the step and a click beside the name.
    is_typed_into_its_value(again(80, 24).press("alt-enter"));
    is_typed_into_its_value(again(80, 24).press("up up up enter"));
    let stepped = again(80, 24).press("alt-2");
    let (x, y) = place(&stepped, "API_TOKEN  ");
    is_typed_into_its_value(stepped.click(x + 20, y));
    for (columns, rows) in SIZES {
        let screen = again(columns, rows).press("alt-enter");
        insta::assert_snapshot!(format!("asked_again_{columns}x{rows}"), screen.text());
    }
}

#[test]
fn a_click_goes_to_the_half_it_points_at() {
    let screen = again(80, 24).press("alt-2");
    let (x, y) = place(&screen, "STAGE  ");
    let screen = screen.click(x + 14, y);
    assert_eq!(row(&screen), value(2));
    let (x, y) = place(&screen, "STAGE  ");
    let screen = screen.click(x + 2, y);
    assert_eq!(row(&screen), name(2));
    // What is wrong is fixed where it says so.
    let (x, y) = place(&screen, "is a secret, so");
    assert_eq!(row(&screen.click(x, y)), value(0));
}

#[test]
fn a_wrong_name_is_gone_to_in_the_name() {
    let screen = variables(80, 24).typed("9=x").press("down").typed("B=1");
    let screen = screen.press("alt-enter");
    assert_eq!(row(&screen), name(0), "{}", screen.text());
}

#[test]
fn what_the_engine_refuses_is_shown_and_gone_to() {
    let failure = Failure::refused("environ: STAGE is not allowed here").about(Field::Variables);
    let screen = again(80, 24)
        .press("alt-enter")
        .typed("hush")
        .press("alt-enter enter");
    let screen = screen.answer(|r| matches!(r, Request::Launch { .. }), Err(failure));
    assert_eq!(row(&screen), value(2));
    assert!(
        screen.sees("STAGE is not allowed here"),
        "{}",
        screen.text()
    );
}

#[test]
fn a_secret_is_never_shown() {
    let screen = variables(80, 24).typed("API_TOKEN=abc키");
    insta::assert_snapshot!(screen.text());
    // The cursor among the dots, and more of them than there is room.
    let screen = screen.press("left left home").typed(&"x".repeat(90));
    assert!(
        !screen.sees("xx") && screen.sees(&"∙".repeat(30)),
        "{}",
        screen.text()
    );
    assert_eq!(env(&screen)[0].1.chars().count(), 94);
    let left = screen.press("down");
    assert!(!left.sees("xx"), "{}", left.text());
    // A value is hidden as soon as its name shows that it is a secret.
    let screen = variables(80, 24)
        .typed("X=plain")
        .press("shift-tab backspace")
        .typed("MY_KE");
    assert!(screen.sees("plain"), "{}", screen.text());
    assert!(!screen.typed("Y").sees("plain"));
}

#[test]
fn a_row_half_filled_is_not_left_without_a_question() {
    for keys in [
        "down",
        "up",
        "tab",
        "shift-tab shift-tab",
        "alt-1",
        "alt-3",
        "ctrl-r",
        "enter",
        "alt-enter",
        "ctrl-o",
    ] {
        let asked = variables(80, 24).typed("A=").press(keys);
        assert!(
            asked.sees("A has no value. Type one"),
            "{keys}\n{}",
            asked.text()
        );
        assert!(asked.wishes().is_empty());
        for no in ["esc", "n", "enter"] {
            let screen = variables(80, 24).typed("A=").press(keys).press(no);
            assert_eq!((page(&screen), row(&screen)), (Page::Allocation, value(0)));
            assert_eq!(env(&screen.typed("1")), [("A", "1")], "{keys} {no}");
        }
    }
    for (columns, rows) in SIZES {
        let asked = variables(columns, rows).typed("A").press("down");
        insta::assert_snapshot!(format!("half_filled_{columns}x{rows}"), asked.text());
    }
}

#[test]
fn on_yes_the_row_goes_and_so_does_its_user() {
    let begun = |keys: &str| variables(80, 24).typed("A=").press(keys);
    for (keys, then) in [
        ("ctrl-r", (Page::Review, LAUNCH)),
        (
            "enter",
            (Page::Storage, row(&variables(80, 24).press("alt-3"))),
        ),
        ("down", (Page::Allocation, name(0))),
        ("up", (Page::Allocation, FormRow::of(Field::Image))),
    ] {
        for yes in ["y", "tab enter"] {
            let screen = begun(keys).press(yes);
            assert_eq!((page(&screen), row(&screen)), then, "{keys} {yes}");
            assert!(env(&screen).is_empty());
        }
    }
    // The launch continues as well.
    let sent = begun("alt-enter").press("y enter");
    let launches = sent.wishes();
    assert!(
        matches!(launches[..], [Request::Launch { .. }]),
        "{launches:?}"
    );
    // Rows below the one that goes keep their cursor.
    let screen = again(80, 24).press("alt-enter down y");
    assert_eq!(row(&screen), value(0));
    assert_eq!(env(&screen.typed("x")), [("LANG", "Cx"), ("STAGE", "dev")]);
}

#[test]
fn a_secret_without_its_value_is_half_a_row() {
    let asked = again(80, 24).press("alt-enter tab");
    insta::assert_snapshot!(asked.text());
    assert_eq!(row(&asked.press("esc")), value(0));
}

#[test]
fn a_value_without_a_name_is_half_a_row() {
    // Between both halves nobody is asked.
    let screen = variables(80, 24)
        .typed("A=hush")
        .press("shift-tab backspace");
    assert_eq!(row(&screen), name(0));
    assert!(screen.sees("its name"), "{}", screen.text());
    let screen = screen.press("tab shift-tab backspace");
    assert_eq!(row(&screen), name(0));
    let asked = screen.press("down");
    assert!(
        asked.sees("A value has no name. Type one, or remove the row"),
        "{}",
        asked.text()
    );
    assert_eq!(row(&asked.press("n")), name(0));
}

#[test]
fn a_click_and_the_wheel_leave_a_row_too() {
    let half = || variables(80, 24).typed("A=");
    let (x, y) = place(&half(), "Other image");
    let asked = half().click(x, y);
    assert!(asked.sees("A has no value. Type one"), "{}", asked.text());
    assert_eq!(row(&asked.press("y")), FormRow::of(Field::Image));
    let (x, y) = place(&half(), "4 Network");
    let asked = half().click(x, y);
    assert!(asked.sees("A has no value. Type one"), "{}", asked.text());
    assert_eq!(page(&asked.press("y")), Page::Network);
    let (x, y) = place(&half(), "A  ");
    assert_eq!(row(&half().click(x, y)), name(0));
    let wheel = |screen: Screen| screen.mouse(workbay::app::msg::MouseKind::WheelDown, x, y);
    let asked = wheel(half());
    assert!(asked.sees("A has no value. Type one"), "{}", asked.text());
    assert_eq!(row(&wheel(half().typed("1"))), name(1));
}

#[test]
fn all_go_after_a_question() {
    let asked = again(80, 24).press("alt-enter");
    assert!(asked.sees("alt-x remove all"), "{}", asked.text());
    let asked = asked.press("alt-x");
    insta::assert_snapshot!(asked.text());
    assert_eq!(env(&asked.press("enter")).len(), 2);
    let gone = again(80, 24).press("alt-enter alt-x y");
    assert!(env(&gone).is_empty() && row(&gone) == name(0));
}
