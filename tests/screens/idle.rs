//! Idle checks: the clock in the list, each checker in the detail, the dialog that keeps a session.

use jiff::SignedDuration;
use workbay::{
    app::panels::extend::ExtendDialog,
    app::sessions::sort::SortOrder,
    model::{
        catalogue::Catalogue,
        change::Change,
        failure::Failure,
        idle::{
            Activity, ActivityKind, IdleBasis, IdleCheck, IdleChecker, IdleResource, IdleState,
            Join, Keep, NO_DATA, Reprieve, ReprieveRules,
        },
        notice::{Level, Notice, NoticeKind},
        request::{ContextRequest, SessionRequest},
        session::Session,
        span::Span,
        status::Status,
        text::Clean,
    },
    protocol::message::{Reply, Request},
};

use crate::{
    screen::{Screen, noon},
    world::{ago, busy, day, session, snapshot},
};

fn counting(seconds: i64) -> IdleState {
    IdleState::Counting {
        until: noon() + SignedDuration::from_secs(seconds),
    }
}

fn network(seconds: i64) -> IdleCheck {
    IdleCheck {
        limit: Some(Span(6 * 3_600)),
        ..IdleCheck::new(IdleChecker::NetworkTimeout, counting(seconds))
    }
}

fn lifetime(seconds: i64) -> IdleCheck {
    IdleCheck {
        limit: Some(Span(604_800)),
        ..IdleCheck::new(IdleChecker::SessionLifetime, counting(seconds))
    }
}

fn utilization(state: IdleState, averages: [i64; 2]) -> IdleCheck {
    let resource = |(name, average): (&str, i64)| IdleResource {
        resource: Clean::new(name),
        average,
        threshold: 500,
    };
    IdleCheck {
        limit: Some(Span(1_800)),
        join: Some(Join::And),
        resources: ["cpu_util", "cuda_util"]
            .into_iter()
            .zip(averages)
            .map(resource)
            .collect(),
        ..IdleCheck::new(IdleChecker::Utilization, state)
    }
}

fn used(minutes: i64, kind: ActivityKind, open: u32) -> Activity {
    Activity {
        at: ago(minutes),
        kind,
        open,
    }
}

/// A session of each state; the newest first, as the list has them.
fn sessions() -> Vec<Session> {
    let named = |n: u128, name: &str| {
        let minutes = i64::try_from(n).unwrap();
        session(n, name, Status::Running, minutes)
    };
    let with = |n, name, checks: Vec<IdleCheck>| Session {
        idle_checks: checks,
        activity: Some(used(3, ActivityKind::Typed, 0)),
        ..named(n, name)
    };
    let mut grace = utilization(counting(2_400), [NO_DATA, NO_DATA]);
    grace.basis = IdleBasis::GracePeriod;
    let mut over = network(0);
    over.state = IdleState::Over;
    let mut open = network(0);
    open.state = IdleState::NotCounting;
    let mut held = with(17, "held-open", vec![open]);
    held.activity = Some(used(1, ActivityKind::Exec, 2));
    let mut kept = with(18, "exempted", vec![network(0), lifetime(0)]);
    for check in &mut kept.idle_checks {
        check.state = IdleState::NotCounting;
    }
    kept.reprieve = Reprieve {
        exempt: true,
        extended: 1,
        until: Some(ago(-90)),
    };
    let low = utilization(counting(58), [325, 240]);
    vec![
        with(11, "safe", vec![network(18_730), lifetime(6 * 86_400)]),
        with(
            12,
            "warning",
            vec![network(7_500), utilization(counting(9_000), [2_000, 900])],
        ),
        with(13, "at-risk", vec![lifetime(1_740), low]),
        with(14, "over-its-limit", vec![over, lifetime(86_400)]),
        with(15, "young", vec![grace]),
        with(
            16,
            "no-figures",
            vec![utilization(IdleState::NotCounting, [NO_DATA, NO_DATA])],
        ),
        held,
        kept,
        named(19, "unchecked"),
    ]
}

fn screen(columns: u16, rows: u16) -> Screen {
    Screen::new(columns, rows).daemon(snapshot(sessions()))
}

fn rules(extensions: u32, exempt: bool) -> Reply {
    let reprieve = ReprieveRules {
        extensions,
        extend_by: Span(3_600),
        exempt,
        contact: Some(Clean::new("ops@example.org")),
    };
    Reply::Catalogue {
        catalogue: Box::new(Catalogue {
            reprieve,
            ..Catalogue::default()
        }),
    }
}

fn with_rules(screen: Screen, extensions: u32, exempt: bool) -> Screen {
    screen.answer(
        |r| matches!(r.of_context(), Some(ContextRequest::Catalogue { .. })),
        Ok(rules(extensions, exempt)),
    )
}

#[test]
fn the_clock_in_the_list() {
    for (columns, rows) in [(80, 24), (140, 40)] {
        let name = format!("reclaim_list_{columns}x{rows}");
        insta::assert_snapshot!(name, screen(columns, rows).text());
    }
    // Where nothing is limited there is no such column.
    let plain = Screen::new(140, 40).daemon(snapshot(day()));
    assert!(!plain.sees("Reclaim"));
    // Nor in the tab of what has ended.
    assert!(!screen(140, 40).press("2").sees("Reclaim"));
}

#[test]
fn the_list_is_sorted_by_the_end_that_comes_first() {
    let sorted = screen(140, 40).press("o o o o o o o");
    let text = sorted.text();
    let at = |name: &str| text.find(name).unwrap();
    assert!(at("over-its-limit") < at("at-risk") && at("at-risk") < at("warning"));
    assert!(at("warning") < at("safe") && at("safe") < at("exempted"));
    assert!(at("exempted") < at("unchecked"));
    assert!(
        sorted.sees("▴ Reclaim in") || sorted.sees("▴Reclaim in"),
        "{text}"
    );
    // Where there is none one cannot sort by it.
    let plain = Screen::new(140, 40).daemon(snapshot(day()));
    let around = plain.press("o o o o o o o");
    assert_eq!(around.app.sessions.order(), SortOrder::default());
}

#[test]
fn the_clock_ticks_by_minutes_until_the_last_one() {
    let only = |name: &str| {
        let found = sessions().into_iter().filter(|s| s.name == name);
        Screen::new(140, 40).daemon(snapshot(found.collect()))
    };
    let wakes =
        |screen: &Screen| screen.app.wake_at(noon()).unwrap().as_second() - noon().as_second();
    // 2h 05m and 0 s left: it reads differently a second later, then every minute.
    assert_eq!(wakes(&only("warning")), 1);
    assert_eq!(wakes(&only("held-open")), 60);
    // Its last minute is shown in seconds.
    let last = only("at-risk").wait(3);
    assert!(last.sees("55s"), "{}", last.text());
    let over = last.wait(60);
    assert!(over.sees("now"), "{}", over.text());
}

#[test]
fn each_state_in_the_detail() {
    for (row, name) in [
        "safe",
        "warning",
        "at-risk",
        "over-its-limit",
        "young",
        "no-figures",
        "held-open",
        "exempted",
    ]
    .into_iter()
    .enumerate()
    {
        let down = "j ".repeat(row);
        for (columns, rows) in [(80, 24), (140, 40)] {
            // Focused, so that it ticks; low screens are scrolled to the checks.
            let keys = if columns < 120 {
                "enter G pageup"
            } else {
                "enter enter"
            };
            let screen = screen(columns, rows).press(&down).press(keys);
            let snapshot = format!("idle_{name}_{columns}x{rows}");
            insta::assert_snapshot!(snapshot, screen.text());
        }
    }
}

#[test]
fn the_detail_ticks_seconds_while_it_has_the_keys() {
    let screen = screen(140, 40).press("enter enter");
    assert!(screen.sees("05:12:10"), "{}", screen.text());
    assert!(screen.wait(3).sees("05:12:07"));
}

#[test]
fn what_was_done_against_idle_checks_is_reported() {
    let screen = screen(140, 40).press("j j j j j j j enter");
    assert!(screen.sees("(once)"), "{}", screen.text());
    assert!(with_rules(screen, 2, true).sees("until 13:30 (1 of 2)"));
}

#[test]
fn a_session_is_kept_by_a_dialog() {
    for (columns, rows) in [(80, 24), (140, 40)] {
        let asked = screen(columns, rows).press("j E");
        assert!(asked.sees("loading the rules"));
        let screen = with_rules(asked, 2, false);
        insta::assert_snapshot!(format!("keep_{columns}x{rows}"), screen.text());
        let screen = screen.press("enter");
        assert!(!screen.is_open::<ExtendDialog>());
        let wanted = Request::session(
            sessions()[1].key(),
            SessionRequest::Keep { keep: Keep::Extend },
        );
        assert_eq!(screen.wishes(), [&wanted]);
        let reply = Reply::Session {
            session: Box::new(sessions().remove(1)),
        };
        let done = screen.answer(
            |r| matches!(r.of_session(), Some(SessionRequest::Keep { .. })),
            Ok(reply),
        );
        assert!(done.sees("warning extended"));
    }
}

#[test]
fn what_is_not_allowed_says_whom_to_ask() {
    let screen = with_rules(screen(80, 24).press("j E"), 0, false);
    insta::assert_snapshot!(screen.text());
    let pressed = screen.press("enter");
    assert!(!pressed.is_open::<ExtendDialog>() && pressed.wishes().is_empty());
    // Where only one of both is allowed, nothing comes of pressing the other.
    let one = with_rules(self::screen(80, 24).press("j E"), 2, false).press("down enter");
    assert!(one.is_open::<ExtendDialog>() && one.wishes().is_empty());
    assert!(one.sees("Ask ops@example.org for more."), "{}", one.text());
}

#[test]
fn an_exempt_session_can_be_included_again() {
    let screen = with_rules(screen(80, 24).press("j j j j j j j E"), 2, true);
    insta::assert_snapshot!(screen.text());
    let screen = screen.press("y");
    let wanted = Request::session(
        sessions()[7].key(),
        SessionRequest::Keep {
            keep: Keep::Include,
        },
    );
    assert_eq!(screen.wishes(), [&wanted]);
    let failure = Failure::refused(Clean::new("it cannot be done here"));
    let refused = screen.answer(
        |r| matches!(r.of_session(), Some(SessionRequest::Keep { .. })),
        Err(failure),
    );
    assert!(refused.sees("It cannot be done here"));
}

#[test]
fn without_idle_checks_there_is_nothing_to_keep() {
    let screen = screen(80, 24).press("j j j j j j j j E");
    assert!(!screen.is_open::<ExtendDialog>());
    assert!(screen.sees("unchecked has no idle limit, so there is nothing to"));
}

#[test]
fn on_a_cluster_the_reason_is_the_managers() {
    let mut two = crate::cluster::two();
    let session = two
        .sessions
        .iter_mut()
        .find(|s| s.name == "train-vit-large");
    session.unwrap().idle_checks = vec![network(1_740)];
    for state in &mut two.contexts {
        if let workbay::model::capability::EngineState::Connected { info } = &mut state.engine {
            info.capabilities.missing.push((
                workbay::model::capability::Capability::Reprieve,
                Clean::new("the manager decides: ask its administrator"),
            ));
        }
    }
    let screen = Screen::new(80, 24).starting_in("seoul").daemon(two);
    let asked = screen.press("j E");
    assert!(!asked.is_open::<ExtendDialog>());
    assert!(asked.sees("ask its administrator"), "{}", asked.text());
}

#[test]
fn plain_ascii_and_sixteen_colours_show_the_same() {
    let mut facts = crate::screen::facts();
    facts.unicode = false;
    let screen = Screen::with(80, 24, facts)
        .daemon(snapshot(sessions()))
        .notice(Change::Usage { samples: busy() })
        .press("j j enter G pageup");
    let text = screen.text();
    assert!(text.is_ascii(), "{text}");
    assert!(text.contains("! at risk"), "{text}");
}

#[test]
fn a_warning_names_the_key_against_it() {
    let warned = |session: Session| {
        let until = noon() + SignedDuration::from_secs(58);
        let notice = Notice {
            at: noon(),
            kind: NoticeKind::IdleWarning {
                checker: IdleChecker::NetworkTimeout,
                until,
            },
            level: Level::Warning,
            session: Some(session.key()),
            text: Clean::new("it will be reclaimed in 58 s: it isn't used"),
        };
        screen(80, 24).notice(Change::Notice {
            notice: Box::new(notice),
        })
    };
    let mut all = sessions();
    let warned_screen = warned(all.remove(2));
    assert!(
        warned_screen.sees("press E in the list to extend it"),
        "{}",
        warned_screen.text()
    );
    // What nothing can be done against has no hint.
    let unchecked = warned(all.pop().unwrap());
    assert!(unchecked.sees("It will be reclaimed in 58 s"));
    assert!(
        !unchecked.sees("in the list to extend"),
        "{}",
        unchecked.text()
    );
}
