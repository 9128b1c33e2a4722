//! Why a session waits, and what could start now in its place.

use workbay::{
    app::msg::Msg,
    model::{
        catalogue::{Catalogue, Preset, ResourceGroup},
        change::Change,
        failure::Failure,
        request::{ContextRequest, SessionRequest},
        resources::{Bytes, Cpu, ResourceSlots},
        session::Session,
        spec::LaunchRequest,
        status::Status,
    },
    protocol::message::{Reply, Request},
};

use crate::{
    screen::Screen,
    world::{key, session, snapshot},
};

fn slots(cores: u64, gib: u64) -> ResourceSlots {
    ResourceSlots::new(Cpu::from_millis(cores * 1000), Bytes(gib * Bytes::GIB))
}

fn waiting() -> Session {
    let mut it = session(1, "train-resnet", Status::Pending, 12);
    it.requested_slots = slots(4, 8);
    it.placement.queue_position = Some(2);
    it.placement.resource_group = Some("default".into());
    it.status_message = Some(
        "no room in default: 4 CPU are asked for and 3 are free of 8; it is tried again as soon \
         as something ends"
            .into(),
    );
    it
}

fn offer() -> Catalogue {
    let group = |name: &str, remaining| ResourceGroup {
        name: name.into(),
        using: ResourceSlots::default(),
        remaining,
        waiting: None,
        capacity: None,
        free: None,
        free_by_agent: None,
    };
    Catalogue {
        resource_groups: vec![group("default", slots(3, 6)), group("spare", slots(16, 64))],
        presets: vec![Preset::new("small", slots(1, 2))],
        ..Catalogue::default()
    }
}

fn asked(columns: u16, rows: u16) -> Screen {
    Screen::new(columns, rows)
        .daemon(snapshot(vec![waiting()]))
        .press("w")
}

fn answered(screen: Screen, offer: Catalogue, launch: LaunchRequest) -> Screen {
    let launch = Box::new(launch);
    let catalogue = Box::new(offer);
    screen
        .answer(
            |request| matches!(request.of_session(), Some(SessionRequest::Again)),
            Ok(Reply::Again {
                launch,
                missing: Vec::new(),
            }),
        )
        .answer(
            |request| matches!(request.of_context(), Some(ContextRequest::Catalogue { .. })),
            Ok(Reply::Catalogue { catalogue }),
        )
}

fn launches(screen: &Screen) -> Vec<&LaunchRequest> {
    let wishes = screen.wishes().into_iter();
    let launches = wishes.filter_map(|request| match request {
        Request::Launch { launch, .. } => Some(&**launch),
        _ => None,
    });
    launches.collect()
}

#[test]
fn what_could_start_now_80x24() {
    let screen = answered(asked(80, 24), offer(), LaunchRequest::default());
    insta::assert_snapshot!(screen.text());
}

#[test]
fn what_could_start_now_140x40() {
    let screen = answered(asked(140, 40), offer(), LaunchRequest::default());
    insta::assert_snapshot!(screen.text());
}

#[test]
fn asking_nothing_and_failed() {
    assert!(asked(80, 24).sees("Loading what could start now"));
    let nothing = answered(
        asked(80, 24),
        Catalogue::default(),
        LaunchRequest::default(),
    );
    assert!(
        nothing.sees("No smaller launch would start now: other sessions are ahead, or"),
        "{}",
        nothing.text()
    );
    let failure = Failure::lost("the engine does not answer");
    let failed = asked(80, 24).answer(
        |request| matches!(request.of_context(), Some(ContextRequest::Catalogue { .. })),
        Err(failure),
    );
    assert!(failed.sees("the engine does not answer"));
}

#[test]
fn replacing_asks_first_and_then_the_old_one_leaves_the_queue() {
    let screen = answered(asked(80, 24), offer(), LaunchRequest::default());
    assert!(screen.sees("enter replace"), "{}", screen.text());
    let screen = screen.press("down enter");
    insta::assert_snapshot!(screen.text());
    assert_eq!(launches(&screen), [] as [&LaunchRequest; 0]);
    // Enter again presses the harmless button, which leads back.
    let screen = screen.press("enter");
    assert!(screen.sees("What would help"), "{}", screen.text());
    assert_eq!(launches(&screen), [] as [&LaunchRequest; 0]);
    let screen = screen.press("enter y");
    let asked = launches(&screen);
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].resource_group.as_deref(), Some("spare"));
    assert_eq!(asked[0].name.as_deref(), Some("train-resnet-2"));
    let sessions = vec![session(2, "train-resnet-2", Status::Pending, 0)];
    let launched = Reply::Launched {
        sessions,
        failure: None,
    };
    let is_launch = |request: &Request| matches!(request, Request::Launch { .. });
    let screen = screen.answer(is_launch, Ok(launched));
    let taken_out = Request::session(key(1), SessionRequest::Terminate { force: false });
    assert!(screen.wishes().contains(&&taken_out));
}

#[test]
fn what_began_meanwhile_is_left_alone() {
    let mut began = waiting();
    began.status = Status::Running;
    let screen = answered(asked(80, 24), offer(), LaunchRequest::default())
        .notice(Change::Session {
            session: Box::new(began),
        })
        .press("enter");
    assert_eq!(launches(&screen), [] as [&LaunchRequest; 0]);
    assert!(screen.sees("isn't waiting any more"), "{}", screen.text());
}

#[test]
fn a_secret_is_asked_for_in_the_launcher() {
    let launch = LaunchRequest {
        env: [("API_TOKEN".to_owned(), String::new())].into(),
        ..LaunchRequest::default()
    };
    let screen = answered(asked(80, 24), offer(), launch).press("enter");
    assert_eq!(launches(&screen), [] as [&LaunchRequest; 0]);
    assert!(screen.sees("API_TOKEN"), "{}", screen.text());
}

#[test]
fn a_session_that_runs_does_not_wait() {
    let screen = Screen::new(80, 24)
        .daemon(snapshot(vec![session(1, "train", Status::Running, 5)]))
        .press("w");
    assert!(
        screen.sees("Only PENDING sessions wait"),
        "{}",
        screen.text()
    );
}

#[test]
fn another_launch_never_takes_the_place_of_a_waiting_session() {
    let is_launch = |request: &Request| matches!(request, Request::Launch { .. });
    let launched = || {
        Ok(Reply::Launched {
            sessions: vec![session(2, "other", Status::Pending, 0)],
            failure: None,
        })
    };
    let ends = |screen: &Screen| {
        let wishes = screen.wishes().into_iter();
        wishes
            .filter(|it| matches!(it.of_session(), Some(SessionRequest::Terminate { .. })))
            .count()
    };
    // The answer to the first launch never comes; a second, unrelated one is answered.
    let screen = answered(asked(80, 24), offer(), LaunchRequest::default())
        .press("down enter y")
        .press("n alt-enter enter enter");
    assert_eq!(launches(&screen).len(), 2, "{}", screen.text());
    let first = screen.questions().find(|(_, it)| is_launch(it));
    let (first, _) = first.unwrap();
    let screen = screen.answer(is_launch, launched());
    assert_eq!(ends(&screen), 0);
    // The late answer to the first one does what was asked for.
    let screen = screen.send(Msg::Answer {
        ticket: first,
        result: launched(),
    });
    assert_eq!(ends(&screen), 1);
}
