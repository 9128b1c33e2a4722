//! An open wizard stays true while time passes and sessions come and go.

use workbay::{
    app::launcher::Launcher,
    model::{
        catalogue::{AgentSlots, Catalogue, ResourceGroup},
        change::Change,
        failure::Failure,
        request::ContextRequest,
        resources::{Bytes, Cpu, ResourceSlots},
        span::Span,
        start_time::StartAt,
        status::Status,
        text::Clean,
    },
    protocol::message::Request,
};

use crate::{
    screen::{Screen, noon},
    steps::{answered, changed},
    world::{connected, day, lost, session, snapshot},
};

fn room(cores: u64, waiting: u32) -> Catalogue {
    let slots = |cores: u64| ResourceSlots::new(Cpu::from_millis(cores * 1000), Bytes(8 << 30));
    Catalogue {
        resource_groups: vec![ResourceGroup {
            name: Clean::new("default"),
            using: slots(8 - cores),
            remaining: slots(cores),
            waiting: Some(waiting),
            capacity: Some(slots(8)),
            free: None,
            free_by_agent: None,
        }],
        ..Catalogue::default()
    }
}

fn opened(columns: u16, rows: u16) -> Screen {
    let screen = Screen::new(columns, rows).daemon(snapshot(day()));
    answered(screen.press("n"), room(3, 0))
}

/// How often what can be had was asked for.
fn asked(screen: &Screen) -> usize {
    let all = screen.questions();
    all.filter(|(_, request)| {
        matches!(request.of_context(), Some(ContextRequest::Catalogue { .. }))
    })
    .count()
}

#[test]
fn what_is_free_is_asked_again_when_sessions_move_and_what_was_typed_stays() {
    let screen = opened(140, 40).wait(60);
    assert_eq!(asked(&screen), 1, "nothing moved");
    let screen = screen.press("alt-2 down down").typed("2").press("alt-5");
    let typed = screen.panel::<Launcher>().request().clone();
    assert!(screen.sees("starts now"), "{}", screen.text());
    // Many changes at once are one question, and one that changes nothing of the room is none.
    let mut screen = screen;
    for n in 70..90 {
        screen = changed(screen, session(n, &format!("more-{n}"), Status::Pending, 0));
    }
    let screen = screen.wait(1);
    assert_eq!(asked(&screen), 2);
    let screen = answered(screen, room(0, 20));
    assert!(screen.sees("20 ahead"), "{}", screen.text());
    assert_eq!(screen.panel::<Launcher>().request(), &typed);
    let same = session(70, "more-70", Status::Pending, 0);
    let screen = changed(screen, same).wait(60);
    assert_eq!(asked(&screen), 2);
    // Not more often than every two seconds.
    let mut screen = screen;
    for n in 70..90 {
        screen = changed(
            screen,
            session(n, &format!("more-{n}"), Status::Preparing, 0),
        )
        .wait(1);
    }
    let times = asked(&screen) - 2;
    assert!((9..=11).contains(&times), "{times} times in 20 seconds");
}

#[test]
fn a_start_after_a_while_is_kept_as_typed_and_its_moment_goes_along() {
    let screen = opened(140, 40)
        .press("up right down")
        .typed("nightly")
        .press("tab")
        .typed("make")
        .press("tab")
        .typed("+1m")
        .press("alt-5");
    assert!(screen.sees("+1m = 12:01 today"), "{}", screen.text());
    assert!(screen.sees("waits until 12:01 today"), "{}", screen.text());
    let line = screen.panel::<Launcher>().command_line();
    assert!(line.contains(" --start-at +1m "), "{line}");
    let screen = screen.wait(61);
    assert!(screen.sees("+1m = 12:02 today"), "{}", screen.text());
    let screen = screen.wait(11 * 3600 + 58 * 60).press("alt-enter enter");
    assert!(screen.sees("+1m = 00:00 tomorrow"), "{}", screen.text());
    let launch = screen.questions().find_map(|(_, request)| match request {
        Request::Launch { launch, .. } => Some(launch.clone()),
        _ => None,
    });
    assert_eq!(launch.unwrap().starts_at, Some(StartAt::After(Span(60))));
}

#[test]
fn a_moment_that_passes_on_the_screen_is_shown() {
    let screen = opened(140, 40)
        .press("up right down tab")
        .typed("make")
        .press("tab")
        .typed("2026-03-02 12:05");
    assert!(!screen.sees("has passed"));
    let screen = screen.wait(301);
    assert!(screen.sees("has passed"), "{}", screen.text());
}

#[test]
fn an_engine_that_disconnects_takes_nothing_of_what_was_typed() {
    let engine = |screen: Screen, engine| {
        let context = workbay::model::id::ContextName::local();
        let engine = Box::new(engine);
        screen.notice(Change::Engine { context, engine })
    };
    let screen = opened(140, 40).typed("my-work").press("alt-5");
    let typed = screen.panel::<Launcher>().request().clone();
    let screen = engine(screen, lost());
    assert!(screen.sees("doesn't answer"), "{}", screen.text());
    assert!(!screen.sees("starts now"), "{}", screen.text());
    let screen = engine(screen, connected()).wait(3);
    assert_eq!(asked(&screen), 2);
    let screen = answered(screen, room(3, 2));
    assert!(!screen.sees("doesn't answer"), "{}", screen.text());
    assert!(screen.sees("2 sessions are ahead"), "{}", screen.text());
    assert_eq!(screen.panel::<Launcher>().request(), &typed);
    let screen = screen.press("enter enter");
    assert!(
        screen
            .wishes()
            .iter()
            .any(|r| matches!(r, Request::Launch { .. }))
    );
}

#[test]
fn what_cannot_be_read_again_leaves_the_wizard_as_it_is() {
    let screen = opened(140, 40).typed("my-work").press("alt-5");
    let screen = changed(screen, session(70, "more", Status::Pending, 0)).wait(3);
    let away = Failure::lost("the engine doesn't answer");
    let screen = screen.answer(
        |r| matches!(r.of_context(), Some(ContextRequest::Catalogue { .. })),
        Err(away),
    );
    let request = screen.panel::<Launcher>().request();
    assert_eq!(request.name.as_deref(), Some("my-work"));
    assert!(screen.sees("starts now"), "{}", screen.text());
    let launcher = screen.panel::<Launcher>();
    assert_eq!(launcher.wake_at(noon()), None, "it asks on on its own");
}

#[test]
fn a_group_without_room_on_any_agent_is_named() {
    let with_agents = |millis: [u64; 2]| {
        let mut offer = room(4, 0);
        let agent = |millis: u64| AgentSlots {
            agent: "i-1".into(),
            slots: ResourceSlots::new(Cpu::from_millis(millis), Bytes(4 << 30)),
        };
        offer.resource_groups[0].free_by_agent = Some(millis.map(agent).into());
        let screen = Screen::new(140, 40).daemon(snapshot(day()));
        answered(screen.press("n"), offer).press("alt-5")
    };
    let screen = with_agents([500, 1000]);
    assert!(screen.sees("starts now"), "{}", screen.text());
    let screen = with_agents([500, 500]);
    let words = "will wait: no agent of group default has this much free";
    assert!(screen.sees(words), "{}", screen.text());
}
