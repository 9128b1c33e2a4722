//! The filter of the list with conditions, its errors and its completion, saved views, and chosen columns.

use workbay::{
    app::{
        saved::SavedState,
        sessions::{columns::all_of, sort::Column},
    },
    model::{
        change::Change,
        status::{Status, Tab},
    },
};

use crate::{
    screen::Screen,
    world::{ago, day, key, many, session, snapshot, usage},
};

fn filtered(query: &str) -> Screen {
    Screen::new(80, 24)
        .daemon(snapshot(day()))
        .press("/")
        .typed(query)
}

#[test]
fn conditions_and_fuzzy_words_are_used_together() {
    let found = |query: &str| filtered(query).app.sessions.keys().to_vec();
    assert_eq!(found("cpu>=2"), [key(1)]);
    assert_eq!(found("env:pytorch trsnt"), [key(1)]);
    assert_eq!(found("mem>4g -status:running"), []);
    assert_eq!(found("status:term"), [key(5)]);
    assert_eq!(found("age>2d"), [key(3)]);
    assert_eq!(found("-trainn").len(), 5);
    assert_eq!(found("!train -notebook").len(), 3);
    let screen = filtered("age>2d").press("enter");
    assert!(screen.sees("/age>2d  1 of 5"), "{}", screen.text());
}

#[test]
fn an_invalid_filter_says_why_and_keeps_the_list() {
    let screen = filtered("cpu>=2 stauts:x");
    assert!(
        screen.sees("unknown key 'stauts'. Did you mean 'status'?"),
        "{}",
        screen.text()
    );
    // The list shows what the valid terms accept.
    assert_eq!(screen.app.sessions.keys(), [key(1)]);
    insta::assert_snapshot!(screen.text());
    // Enter doesn't hide the error.
    let screen = screen.press("enter");
    assert!(screen.app.sessions.filter.editing().is_some());
    let screen = screen.press("ctrl-u").typed("mem>");
    assert!(screen.sees("mem> needs a value, for example mem>4g"));
    assert_eq!(screen.app.sessions.len(), 5);
    let screen = screen.typed("lots");
    assert!(screen.sees("'mem>lots': "), "{}", screen.text());
    assert!(screen.press("esc").sees("train-resnet"));
}

#[test]
fn tab_completes_keys_and_known_values() {
    let screen = filtered("");
    assert!(
        screen.sees("status:failed  env:python"),
        "{}",
        screen.text()
    );
    let screen = screen.typed("env");
    assert!(screen.sees("environment:"), "{}", screen.text());
    let screen = screen.press("tab");
    let text = |screen: &Screen| screen.app.sessions.filter.query().to_string();
    assert_eq!(text(&screen), "environment:");
    let screen = screen.typed("pyto").press("tab");
    assert_eq!(text(&screen), "environment:pytorch");
    assert_eq!(screen.app.sessions.keys(), [key(1)]);
    // Outside of the filter, Tab goes to the next tab.
    let screen = screen.press("enter tab");
    assert_eq!(screen.app.sessions.tab(), Tab::Finished);
}

#[test]
fn a_condition_on_time_is_applied_again() {
    let mut sessions = many(1);
    sessions[0].created_at = ago(59);
    let screen = Screen::new(80, 24).daemon(snapshot(sessions));
    let screen = screen.press("/").typed("age>1h").press("enter");
    assert!(screen.app.sessions.is_empty());
    assert_eq!(screen.wait(90).app.sessions.len(), 1);
}

#[test]
fn a_view_is_saved_and_shown_again() {
    let screen = filtered("status:running cpu>=1").press("enter o");
    let order = screen.app.sessions.order();
    let screen = screen.press(":").typed("view-save busy").press("enter");
    assert!(screen.sees("View 'busy' saved"), "{}", screen.text());
    let screen = screen.press("esc 2 :").typed("view b").press("tab enter");
    assert_eq!(screen.app.sessions.tab(), Tab::Running);
    assert_eq!(
        screen.app.sessions.filter.query().as_str(),
        "status:running cpu>=1"
    );
    assert_eq!(screen.app.sessions.order(), order);
    let screen = screen.press(":").typed("view nothing").press("enter");
    assert!(screen.sees("View 'nothing' not found"), "{}", screen.text());
    let screen = screen.press(":").typed("view-delete busy").press("enter");
    let screen = screen.press(":").typed("view").press("enter");
    assert!(screen.sees("No saved views"), "{}", screen.text());
}

#[test]
fn columns_are_chosen_ordered_and_sized() {
    let screen = Screen::new(120, 40).daemon(snapshot(day())).press("C");
    assert!(screen.sees("Columns of Running"), "{}", screen.text());
    insta::assert_snapshot!(screen.text());
    let shown = |screen: &Screen| -> Vec<Column> {
        let columns = screen.app.sessions.columns().iter();
        columns.filter(|it| it.shown).map(|it| it.column).collect()
    };
    // The status is hidden, the environment goes before the name and gets wider.
    let screen = screen.press("j space j K K + +");
    let columns = shown(&screen);
    assert_eq!(columns[..2], [Column::Environment, Column::Name]);
    assert!(!columns.contains(&Column::Status));
    let screen = screen.press("esc");
    let head = screen.text();
    let head = head.lines().find(|line| line.contains("Environment"));
    let head = head.unwrap();
    assert!(head.find("Environment") < head.find("Name"), "{head}");
    assert!(!head.contains("Status"), "{head}");
    let screen = screen.press("C r");
    assert!(screen.app.sessions.columns().is_empty());
    assert!(screen.sees("Status"));
}

#[test]
fn sparklines_show_the_samples_since_the_session_is_visible() {
    let mut screen = Screen::new(120, 40).daemon(snapshot(many(2)));
    let chosen = [
        Column::Name,
        Column::Status,
        Column::Cpu,
        Column::CpuHistory,
        Column::MemoryHistory,
    ];
    let columns = all_of(Tab::Running, &chosen);
    screen.app.sessions.set_columns(Tab::Running, columns);
    for second in 0..6_i64 {
        let (key, mut sample) = usage(0, 200 * u64::try_from(second).unwrap(), 100);
        sample.at = ago(1) + jiff::SignedDuration::from_secs(second * 2);
        screen = screen.notice(Change::Usage {
            samples: vec![(key, sample)],
        });
    }
    assert!(screen.sees("CPU history"), "{}", screen.text());
    insta::assert_snapshot!(screen.text());
}

#[test]
fn columns_and_views_are_kept_for_the_next_tui() {
    let screen = Screen::new(120, 40).daemon(snapshot(day()));
    let screen = screen.press("C j space esc");
    let columns = screen.app.sessions.all_columns().to_vec();
    let saved = SavedState {
        columns: columns.clone(),
        ..SavedState::default()
    };
    let text = serde_json::to_string(&saved).unwrap();
    let read: SavedState = serde_json::from_str(&text).unwrap();
    assert_eq!(read.columns, columns);
    let mut next = Screen::new(120, 40);
    next.app = next.app.saving_state(read);
    let next = next.daemon(snapshot(vec![session(1, "one", Status::Running, 3)]));
    assert!(!next.sees("Status"), "{}", next.text());
}
