//! Which context is shown: the list of all, the picker, the command line, a dead context.

use workbay::{
    app::{
        detail::Detail, panels::palette::Palette, sessions::sort::SortOrder,
        shown_contexts::ShownContexts,
    },
    app::{
        launcher::Launcher, panels::contexts::ContextPicker, panels::terminate::TerminateDialog,
    },
    model::{
        change::Change, one_time_code::OneTimeCode, request::ContextRequest, status::Tab,
        text::Clean,
    },
    protocol::message::{Reply, Request},
    theme::color::ColorDepth,
};

use crate::{
    cluster::{self, key, name, three, two, waiting},
    screen::Screen,
    world::{busy, day, snapshot},
};

fn everything(columns: u16, rows: u16) -> Screen {
    Screen::new(columns, rows)
        .daemon(two())
        .notice(Change::Usage { samples: busy() })
        .press("c up enter")
}

#[test]
fn with_one_context_nothing_of_contexts_is_seen() {
    let screen = Screen::new(80, 24).daemon(snapshot(day()));
    for hidden in ["Context", "context"] {
        assert!(!screen.sees(hidden), "{}", screen.text());
    }
    let screen = screen.press("c");
    assert!(!screen.is_open::<ContextPicker>());
    assert!(
        screen.sees("Only one context is configured"),
        "{}",
        screen.text()
    );
}

#[test]
fn it_begins_with_the_first_context_or_the_wanted_one() {
    let first = Screen::new(80, 24).daemon(two());
    assert_eq!(
        first.app.sessions.shown(),
        ShownContexts::One(name("local"))
    );
    assert!(!first.sees("train-vit-large"));
    let wanted = Screen::new(80, 24).starting_in("seoul").daemon(two());
    assert_eq!(
        wanted.app.sessions.shown(),
        ShownContexts::One(name("seoul"))
    );
    insta::assert_snapshot!(wanted.text());
    let unknown = Screen::new(80, 24).starting_in("busan").daemon(two());
    assert!(
        unknown.sees("Context 'busan' not found. Configured: local, seoul"),
        "{}",
        unknown.text()
    );
    // What was chosen stays when the daemon comes back.
    let back = first.press("c end").typed("seoul").press("enter");
    let back = back.daemon_lost("it was killed").daemon(two());
    assert_eq!(back.app.sessions.shown(), ShownContexts::One(name("seoul")));
}

#[test]
fn all_contexts_in_one_list_80x24() {
    insta::assert_snapshot!(everything(80, 24).text());
}

#[test]
fn all_contexts_in_one_list_140x40() {
    insta::assert_snapshot!(everything(140, 40).text());
}

#[test]
fn all_contexts_in_one_list_200x50() {
    insta::assert_snapshot!(everything(200, 50).text());
}

#[test]
fn all_contexts_on_a_small_terminal() {
    insta::assert_snapshot!(everything(60, 16).text());
}

#[test]
fn each_context_has_its_colour() {
    let mut both = two();
    both.contexts[1].context.accent = Some(Clean::new("#ff8800"));
    let screen = Screen::new(80, 24).daemon(both).press("c up enter");
    let styled = screen.styled();
    let look = |word: &str| {
        let line = styled.lines().find(|line| line.ends_with(word));
        line.unwrap_or_default().to_owned()
    };
    assert!(look(" seoul").contains("#ff8800"), "{styled}");
    assert!(look(" local").contains("#b7a1e6"), "{styled}");
    let by_name = {
        let mut both = two();
        both.contexts[1].context.accent = Some(Clean::new("sand"));
        Screen::new(80, 24)
            .daemon(both)
            .press("c up enter")
            .styled()
    };
    assert!(by_name.contains("#d6a57f"), "{by_name}");
    let few = screen.theme("ansi16", ColorDepth::Ansi16).styled();
    assert!(few.contains("magenta") && !few.contains("#b7a1e6"), "{few}");
    let light = everything(80, 24).theme("default-light", ColorDepth::TrueColor);
    assert!(light.styled().contains("#6544ad"));
    let none = everything(80, 24).theme("default-dark", ColorDepth::None);
    assert!(none.sees("seoul") && !none.styled().contains("#b7"));
}

#[test]
fn rows_of_all_contexts_are_sorted_and_filtered_together() {
    let screen = everything(80, 24);
    let rows: Vec<_> = screen.app.sessions.keys().to_vec();
    assert_eq!(rows[1], key("seoul", 23), "the second newest of all");
    let by_context = screen.press("o o o o o o o");
    assert!(by_context.sees("Context▴"), "{}", by_context.text());
    let first = by_context.app.sessions.keys()[0];
    assert_eq!(first.context, name("local"));
    // One context shown again is not sorted by what has no column.
    let alone = by_context.press("c").typed("local").press("enter");
    assert_eq!(alone.app.sessions.order(), SortOrder::default());
    let found = everything(80, 24).press("/").typed("seoul");
    assert_eq!(found.app.sessions.len(), 3);
}

#[test]
fn the_same_session_in_two_contexts_is_two_rows() {
    let mut both = two();
    let mut twin = both.sessions[0].clone();
    twin.context = name("seoul");
    both.sessions.push(twin);
    let screen = Screen::new(80, 24).daemon(both).press("c up enter");
    assert_eq!(screen.app.mirror.count(ShownContexts::All, Tab::Running), 9);
    assert_eq!(screen.app.sessions.len(), 9);
    let screen = screen.notice(Change::Gone {
        session: key("seoul", 1),
    });
    assert_eq!(screen.app.sessions.len(), 8);
    assert!(screen.app.mirror.session(key("local", 1)).is_some());
}

#[test]
fn the_picker_80x24() {
    let screen = Screen::new(80, 24).daemon(three()).press("c");
    insta::assert_snapshot!(screen.text());
    let dead = screen.press("down down");
    insta::assert_snapshot!(dead.text());
    insta::assert_snapshot!(dead.press("up").typed("zz").text());
}

#[test]
fn the_picker_140x40() {
    let screen = Screen::new(140, 40).daemon(three()).press("c down");
    insta::assert_snapshot!(screen.text());
}

#[test]
fn the_picker_is_left_searched_and_clicked() {
    let screen = Screen::new(80, 24).daemon(three());
    let left = screen.press("c down esc");
    assert_eq!(left.app.sessions.shown(), ShownContexts::One(name("local")));
    let found = left.press("c").typed("backend");
    assert_eq!(found.panel::<ContextPicker>().rows().len(), 2);
    let chosen = found.press("enter");
    assert_eq!(
        chosen.app.sessions.shown(),
        ShownContexts::One(name("seoul"))
    );
    let screen = chosen.press("c");
    let line = screen
        .text()
        .lines()
        .position(|l| l.contains("all contexts"));
    let clicked = screen.click(12, u16::try_from(line.unwrap()).unwrap());
    assert_eq!(clicked.app.sessions.shown(), ShownContexts::All);
    for (columns, rows) in [(60, 16), (61, 17), (200, 50)] {
        let odd = Screen::new(columns, rows)
            .daemon(three())
            .press("c down down down");
        assert!(odd.sees("edge"), "{}", odd.text());
    }
}

#[test]
fn a_dead_context_says_why_and_blocks_no_other() {
    let dead = Screen::new(80, 24).starting_in("edge").daemon(three());
    insta::assert_snapshot!(dead.text());
    let refused = dead.press("n");
    assert!(!refused.is_open::<Launcher>());
    let all = refused.press("c home").press("up up up enter");
    assert_eq!(all.app.sessions.shown(), ShownContexts::All);
    insta::assert_snapshot!(all.text());
    let launching = all.press("n");
    assert!(launching.is_open::<Launcher>(), "{}", launching.text());
}

#[test]
fn rows_of_a_lost_context_fade_alone() {
    let screen = everything(80, 24).notice(Change::Engine {
        context: name("seoul"),
        engine: Box::new(cluster::away()),
    });
    let styled = screen.styled();
    let line = |word: &str| {
        let y = screen
            .text()
            .lines()
            .position(|l| l.contains(word))
            .unwrap();
        let prefix = format!("{y:2},");
        let runs: Vec<_> = styled.lines().filter(|l| l.starts_with(&prefix)).collect();
        runs.join("\n")
    };
    assert!(!line("train-resnet").contains("#939caa dim"));
    assert!(line("train-resnet").contains("#8fc08a"), "{styled}");
    assert!(!line("train-vit-large").contains("#8fc08a"), "{styled}");
}

#[test]
fn a_command_shows_a_context_and_completes_it() {
    let screen = Screen::new(80, 24).daemon(two());
    let typing = screen.press(":").typed("ctx se");
    insta::assert_snapshot!(typing.text());
    let chosen = typing.press("tab enter");
    assert_eq!(
        chosen.app.sessions.shown(),
        ShownContexts::One(name("seoul"))
    );
    assert!(!chosen.is_open::<Palette>());
    let all = chosen.press(":").typed("ctx all").press("enter");
    assert_eq!(all.app.sessions.shown(), ShownContexts::All);
    let picker = all.press(":").typed("ctx").press("enter");
    assert!(picker.is_open::<ContextPicker>());
    let tab = picker.press("esc :").typed("fini").press("tab enter");
    assert_eq!(tab.app.sessions.tab(), Tab::Finished);
    assert!(tab.press(":").typed("q").press("enter").has_left());
}

#[test]
fn the_command_line_shows_what_can_be_typed() {
    let screen = Screen::new(80, 24).daemon(two()).press(":");
    assert!(
        screen.sees(":type to search, or a command like ctx NAME"),
        "{}",
        screen.text()
    );
    let screen = screen.typed("r");
    assert!(screen.sees(":refresh  running"), "{}", screen.text());
    let screen = screen.press("tab");
    assert!(screen.sees(":refresh") && !screen.sees("refresh  running"));
    let wrong = screen.press("ctrl-u").typed("ter").press("tab");
    assert!(wrong.sees("No command starts with ter"), "{}", wrong.text());
    assert!(!wrong.press("backspace").sees("No command"));
}

#[test]
fn an_unknown_command_or_context_is_reported_with_the_known_ones() {
    let screen = Screen::new(80, 24).daemon(two());
    let wrong = screen.press(":").typed("ctx busan").press("enter");
    insta::assert_snapshot!(wrong.text());
    // The line stays to be fixed; the sentence goes with the next key.
    let fixed = wrong.press("backspace");
    assert!(!fixed.sees("no context") && fixed.sees("ctx busa"));
    let unknown = fixed.press("ctrl-u").typed("qqzz").press("enter");
    assert!(unknown.sees("Nothing matches 'qqzz'"), "{}", unknown.text());
    assert!(!unknown.press("esc").is_open::<Palette>());
    let gone = Screen::new(80, 24).daemon(two()).press(": backspace");
    assert!(!gone.is_open::<Palette>(), "as in vi");
}

#[test]
fn a_context_may_be_read_only() {
    let mut both = two();
    both.contexts[1].context.read_only = true;
    let screen = Screen::new(80, 24).starting_in("seoul").daemon(both);
    let launch = screen.press("n");
    assert!(
        !launch.is_open::<Launcher>() && launch.sees("read-only"),
        "{}",
        launch.text()
    );
    let terminate = launch.wait(20).press("x");
    assert!(!terminate.is_open::<TerminateDialog>() && terminate.sees("read-only"));
    let elsewhere = terminate.press("c").typed("local").press("enter n");
    assert!(elsewhere.is_open::<Launcher>());
}

#[test]
fn the_detail_goes_with_its_context() {
    let screen = Screen::new(140, 40).starting_in("seoul").daemon(two());
    let screen = screen.press("j enter");
    assert!(screen.app.detail.is_some());
    let all = screen.press(":").typed("ctx all").press("enter");
    assert!(all.app.detail.is_some(), "it is among all of them");
    let local = all.press(":").typed("ctx local").press("enter");
    // It describes what is selected there.
    let described = local.app.detail.as_ref().map(Detail::session);
    assert_eq!(described, local.app.sessions.selected(), "{}", local.text());
    assert_eq!(described.unwrap().context, name("local"));
}

#[test]
fn refreshing_asks_what_is_shown() {
    let screen = Screen::new(80, 24)
        .starting_in("seoul")
        .daemon(two())
        .press("R");
    let wish = Request::refresh(Some(name("seoul")));
    assert_eq!(screen.wishes(), [&wish]);
    let all = screen.press("c up up up enter R");
    assert_eq!(all.wishes().last(), Some(&&Request::refresh(None)));
}

#[test]
fn a_session_that_waits_says_why() {
    let screen = Screen::new(80, 24).starting_in("seoul").daemon(two());
    assert!(screen.sees("PENDING #3"), "{}", screen.text());
    assert!(screen.sees("대기-중인-작업 PENDING: waiting: not enough resources"));
    insta::assert_snapshot!(screen.text());
    let elsewhere = screen.press("j");
    assert!(!elsewhere.sees("not enough resources"));
}

#[test]
fn a_position_in_a_long_queue_is_shown_in_full() {
    let mut last = waiting();
    last.placement.queue_position = Some(179);
    let screen = Screen::new(80, 24)
        .starting_in("seoul")
        .daemon(two())
        .notice(Change::Session {
            session: Box::new(last),
        });
    let list = screen.text();
    let mut rows = list.lines();
    let row = rows.find(|row| row.contains("대기-중인")).unwrap();
    assert!(row.contains("PENDING #180 "), "{list}");
}

#[test]
fn a_session_launched_into_a_context_is_followed() {
    let screen = Screen::new(80, 24).starting_in("seoul").daemon(two());
    let mut launched = waiting();
    launched.id = crate::world::id(60);
    launched.name = Clean::new("just-asked-for");
    let reply = Reply::Launched {
        sessions: vec![launched.clone()],
        failure: None,
    };
    let screen = screen
        .press("2 n alt-enter enter")
        .answer(|r| matches!(r, Request::Launch { .. }), Ok(reply))
        .notice(Change::Session {
            session: Box::new(launched),
        });
    assert_eq!(screen.app.sessions.selected(), Some(key("seoul", 60)));
    assert!(
        screen.sees("just-asked-for PENDING: waiting"),
        "{}",
        screen.text()
    );
}

#[test]
fn a_login_with_a_one_time_password_is_a_prompt() {
    let screen = Screen::new(80, 24).starting_in("edge").daemon(three());
    let idle = screen.press("ctrl-o");
    assert!(
        idle.sees("No login of the shown contexts needs"),
        "{}",
        idle.text()
    );
    let waiting = idle.notice(Change::Engine {
        context: name("edge"),
        engine: Box::new(cluster::without_code()),
    });
    insta::assert_snapshot!(waiting.text());
    let prompt = waiting.press("ctrl-o").typed("4920");
    insta::assert_snapshot!(prompt.text());
    let wrong = prompt.typed("-");
    assert!(
        wrong.sees("has only digits and letters"),
        "{}",
        wrong.text()
    );
    let sent = wrong.press("backspace").typed("39").press("enter");
    let code = OneTimeCode::parse("492039").unwrap();
    assert_eq!(
        sent.wishes().last(),
        Some(&&Request::context(
            name("edge"),
            ContextRequest::LogIn { code }
        ))
    );
}
