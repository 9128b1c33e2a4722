//! The list: columns, selection, scrolling, filter, sorting, mouse.

use workbay::{
    app::{msg::MouseKind, shown_contexts::ShownContexts},
    model::{
        change::Change,
        status::{Status, Tab},
    },
    theme::color::ColorDepth,
};

use crate::{
    screen::Screen,
    steps::working_day,
    world::{self, busy, day, many, session, snapshot},
};

#[test]
fn a_working_day_80x24() {
    insta::assert_snapshot!(working_day(80, 24).text());
}

#[test]
fn a_long_name_keeps_its_number() {
    let copies = (1..13).map(|n| {
        let name = format!("evaluate-language-model-nightly-{n}");
        session(n, &name, Status::Running, 5)
    });
    let screen = Screen::new(80, 24).daemon(snapshot(copies.collect()));
    let text = screen.text();
    for n in 1..13 {
        assert!(screen.sees(&format!("y-{n} ")), "{n}: {text}");
    }
    let found = screen.press("/").typed("nightly-12");
    assert!(found.sees("evaluate-l…ly-12"), "{}", found.text());
}

#[test]
fn a_working_day_140x40() {
    insta::assert_snapshot!(working_day(140, 40).text());
}

#[test]
fn a_working_day_on_a_small_terminal() {
    insta::assert_snapshot!(working_day(60, 16).text());
}

#[test]
fn a_working_day_in_plain_ascii() {
    let mut facts = crate::screen::facts();
    facts.unicode = false;
    let screen = Screen::with(80, 24, facts)
        .daemon(snapshot(day()))
        .notice(Change::Usage { samples: busy() });
    let text = screen.text();
    let foreign = |c: char| !c.is_ascii() && !('가'..='힣').contains(&c);
    assert!(!text.contains(foreign), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn the_looks_of_a_working_day() {
    insta::assert_snapshot!(working_day(80, 24).styled());
}

#[test]
fn sixteen_colours_use_the_terminals_own_palette() {
    let screen = working_day(80, 24).theme("ansi16", ColorDepth::Ansi16);
    let styled = screen.styled();
    // One weight at a time: the tab that is shown is over a dim rule.
    assert!(!styled.contains("bold dim"), "{styled}");
    insta::assert_snapshot!(styled);
}

#[test]
fn without_colour_the_selected_row_is_reversed() {
    let screen = working_day(80, 24).theme("ansi16", ColorDepth::None);
    let styled = screen.styled();
    let row = |name: &str| styled.lines().find(|line| line.contains(name)).unwrap();
    assert!(row("fresh-one").contains("reversed"), "{styled}");
    assert!(!row("train-resnet").contains("reversed"), "{styled}");
}

#[test]
fn only_what_harms_is_red() {
    let styled = |cpu, mib, throttled| {
        let (key, mut usage) = world::usage(1, cpu, mib);
        usage.throttled = throttled;
        let screen = working_day(140, 40).theme("ansi16", ColorDepth::Ansi16);
        let samples = vec![(key, usage)];
        let screen = screen.notice(Change::Usage { samples });
        let text = screen.text();
        let row = text.lines().position(|line| line.contains("train-resnet"));
        let begin = format!("{:2},", row.unwrap());
        let styled = screen.styled();
        let of_row = styled.lines().filter(|line| line.starts_with(&begin));
        of_row.map(str::to_owned).collect::<Vec<_>>().join("\n")
    };
    let is = |styled: &str, colour: &str| styled.contains(colour);
    // All four cores in use, as they should be.
    let busy = styled(4000, 1000, Some(20));
    assert!(!is(&busy, "red") && !is(&busy, "yellow"), "{busy}");
    let held = styled(4000, 1000, Some(900));
    assert!(!is(&held, "red") && is(&held, "yellow"), "{held}");
    let full = styled(10, 15_900, None);
    assert!(is(&full, "red"), "{full}");
    let filling = styled(10, 13_900, None);
    assert!(!is(&filling, "red") && is(&filling, "yellow"), "{filling}");
}

#[test]
fn those_that_wait_are_counted_apart() {
    let waits = |n: u128| session(20 + n, &format!("waits-{n}"), Status::Pending, 1);
    let mut sessions = day();
    sessions.extend([waits(1), waits(2)]);
    let screen = Screen::new(80, 24).daemon(snapshot(sessions));
    assert!(screen.sees("Running 5 + 2 pending"), "{}", screen.text());
    let begun = session(21, "waits-1", Status::Running, 1);
    let screen = screen.notice(Change::Session {
        session: Box::new(begun),
    });
    assert!(screen.sees("Running 6 + 1 pending"), "{}", screen.text());
    let screen = screen.notice(Change::Gone {
        session: world::key(22),
    });
    assert!(screen.sees("Running 6 ") && !screen.sees("pending"));
}

#[test]
fn finished_and_others_have_their_own_tabs() {
    let finished = working_day(80, 24).press("2");
    assert!(finished.sees("nightly-tests") && !finished.sees("train-resnet"));
    insta::assert_snapshot!(finished.text());
    let others = finished.press("3");
    insta::assert_snapshot!(others.text());
    assert_eq!(others.press("tab").app.sessions.tab(), Tab::Running);
}

#[test]
fn two_hundred_sessions_scroll() {
    let screen = Screen::new(80, 24).daemon(snapshot(many(200)));
    insta::assert_snapshot!(screen.text());
    let screen = screen.press("pagedown pagedown j j");
    insta::assert_snapshot!(screen.text());
    let screen = screen.press("G");
    assert!(screen.sees("worker-199") && screen.sees("183-200 of 200"));
    assert!(screen.press("g").sees("worker-000"));
}

#[test]
fn the_selection_stays_on_its_session() {
    let screen = Screen::new(80, 24)
        .daemon(snapshot(many(20)))
        .press("j j j");
    let chosen = screen.app.sessions.selected();
    assert_eq!(chosen, Some(world::key(3)));
    // A newer session above it, another order, a filter that keeps it, and back.
    let newer = session(100, "newest", Status::Running, 0);
    let screen = screen.notice(Change::Session {
        session: Box::new(newer),
    });
    assert_eq!(screen.app.sessions.selected(), chosen);
    let screen = screen.press("o O");
    assert_eq!(screen.app.sessions.selected(), chosen);
    let screen = screen.press("/").typed("003").press("enter esc");
    assert_eq!(screen.app.sessions.selected(), chosen);
    // It goes to another tab: the row where it was is selected.
    let ended = session(3, "worker-003", Status::Terminated, 26);
    let screen = screen.notice(Change::Session {
        session: Box::new(ended),
    });
    assert!(screen.app.sessions.selected().is_some());
    assert_ne!(screen.app.sessions.selected(), chosen);
    assert_eq!(
        screen.app.mirror.count(ShownContexts::All, Tab::Finished),
        1
    );
}

#[test]
fn a_filter_marks_what_it_met() {
    let screen = Screen::new(80, 24).daemon(snapshot(many(200)));
    let screen = screen.press("/").typed("wk12");
    insta::assert_snapshot!(screen.text());
    insta::assert_snapshot!(
        screen
            .styled()
            .lines()
            .filter(|line| line.contains("underlined"))
            .take(4)
            .collect::<Vec<_>>()
            .join("\n")
    );
    // Enter keeps it, Esc takes it away.
    let kept = screen.press("enter");
    assert!(kept.sees("/wk12"));
    assert!(kept.press("esc").sees("1-18 of 200"));
}

#[test]
fn a_filter_finds_korean_names_environments_and_ids() {
    let found = |query: &str| {
        let screen = working_day(80, 24).press("/").typed(query);
        (screen.app.sessions.len(), screen.app.sessions.selected())
    };
    assert_eq!(found("전처리"), (1, Some(world::key(3))));
    assert_eq!(found("cuda"), (1, Some(world::key(1))));
    assert_eq!(found("a1b20002"), (1, Some(world::key(2))));
    assert_eq!(found("zzz").0, 0);
}

#[test]
fn arrows_move_while_a_filter_is_typed() {
    let screen = Screen::new(80, 24).daemon(snapshot(many(9)));
    let screen = screen.press("/").typed("w").press("down down");
    assert_eq!(screen.app.sessions.selected(), Some(world::key(2)));
}

#[test]
fn nothing_fits_a_filter() {
    let screen = working_day(80, 24).press("/").typed("qqq").press("enter");
    insta::assert_snapshot!(screen.text());
}

#[test]
fn sorting_shows_in_the_head() {
    let screen = working_day(80, 24).press("o");
    insta::assert_snapshot!(screen.text());
    let by_cpu = screen.press("o o o");
    assert!(by_cpu.sees("▾ CPU"));
    assert_eq!(by_cpu.app.sessions.keys()[0], world::key(1));
}

#[test]
fn usage_reorders_a_list_sorted_by_it() {
    let screen = working_day(80, 24).press("o o o o");
    let screen = screen.notice(Change::Usage {
        samples: vec![world::usage(2, 3_900, 100)],
    });
    assert_eq!(screen.app.sessions.keys()[0], world::key(2));
}

#[test]
fn the_mouse_selects_opens_and_scrolls() {
    let screen = Screen::new(80, 24).daemon(snapshot(many(200)));
    let screen = screen.click(10, 7);
    assert_eq!(screen.app.sessions.selected(), Some(world::key(2)));
    let screen = screen.mouse(MouseKind::WheelDown, 10, 7);
    assert!(screen.sees("4-21 of 200"));
    let screen = screen.click(10, 8).click(10, 8);
    assert!(screen.app.detail.is_some());
    let screen = screen.press("esc").click(16, 2);
    assert_eq!(screen.app.sessions.tab(), Tab::Finished);
}
