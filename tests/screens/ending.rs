//! Of a session that has ended: one line that says how, what it used last, the last lines of its log;
//! and launched again with more memory where memory killed it.

use workbay::{
    app::effect::Effect,
    app::launcher::Launcher,
    model::{
        figures::{Figures, Metric},
        request::SessionRequest,
        resources::{Bytes, Cpu},
        session::{BatchResult, Session, SessionType},
        spec::LaunchRequest,
        status::Status,
        text::Clean,
    },
    protocol::message::Reply,
};

use crate::{
    cluster::{in_full, two},
    screen::Screen,
    usage::{answered, figures},
    world::{history, session, snapshot},
};

fn out_of_memory() -> Session {
    let mut it = session(1, "train-resnet", Status::Terminated, 90);
    it.session_type = SessionType::Batch;
    it.startup_command = Some(Clean::new("python3 train.py --epochs 90"));
    it.result = BatchResult::Failure;
    it.status_info = Some(Clean::new("task-failed"));
    it.status_message = Some(Clean::new("its command used more memory than its 512 MiB"));
    it.kernels[0].oom_killed = true;
    it.kernels[0].exit_code = Some(137);
    it
}

fn reclaimed() -> Session {
    let mut it = session(2, "notebook", Status::Terminated, 120);
    it.status_info = Some(Clean::new("idle-timeout"));
    it.status_message = Some(Clean::new(
        "not used for 62 min (limit 60 min; last: typing in a terminal)",
    ));
    it.kernels[0].exit_code = Some(143);
    it
}

/// What was kept of it.
fn kept() -> Figures {
    let mut kept = figures();
    kept.series.retain(|series| {
        !matches!(
            series.metric,
            Metric::Accelerator { .. } | Metric::AcceleratorMem { .. }
        )
    });
    kept.series[1].limit = Some(512 * Bytes::MIB);
    kept.series[1].peak = Some(509 * Bytes::MIB);
    kept.last_lines = (1..=12)
        .map(|n| Clean::new(&format!("epoch {n}/90: loss 0.{}, 세대 {n}", 90 - n)))
        .collect();
    kept
}

fn finished(columns: u16, rows: u16) -> Screen {
    Screen::new(columns, rows)
        .daemon(snapshot(vec![out_of_memory(), reclaimed()]))
        .press("2")
}

#[test]
fn the_verdict_is_first() {
    for (columns, rows) in [(80, 24), (140, 50)] {
        let screen = answered(finished(columns, rows).press("enter"), kept());
        let entries = history(1);
        let reply = Ok(Reply::History { entries });
        let screen = screen.answer(
            |r| matches!(r.of_session(), Some(SessionRequest::History)),
            reply,
        );
        let name = format!("ending_out_of_memory_{columns}x{rows}");
        insta::assert_snapshot!(name, screen.text());
        let below = screen.press("j");
        let screen = answered(below.wait(1), Figures::default());
        if columns > 100 {
            insta::assert_snapshot!("ending_reclaimed_140x50", screen.text());
        }
    }
}

#[test]
fn without_anything_kept_there_is_the_verdict_alone() {
    let screen = answered(finished(140, 40).press("enter"), Figures::default());
    assert!(screen.sees("Killed, out of memory: used all of its 512 MiB"));
    assert!(
        !screen.sees("Usage") && !screen.sees("Last lines"),
        "{}",
        screen.text()
    );
}

fn launched_with(mem: u64) -> LaunchRequest {
    LaunchRequest {
        name: Some("train-resnet".to_owned()),
        environment: Some("python:3.12-slim".to_owned()),
        cpu: Some(Cpu::from_millis(1000)),
        mem: Some(Bytes::mib(mem)),
        mounts: vec!["models:out".parse().unwrap()],
        ..LaunchRequest::default()
    }
}

fn again(screen: Screen, launch: LaunchRequest) -> Screen {
    let launch = Box::new(launch);
    screen.press(".").answer(
        |r| matches!(r.of_session(), Some(SessionRequest::Again)),
        Ok(Reply::Again {
            launch,
            missing: Vec::new(),
        }),
    )
}

#[test]
fn what_memory_killed_is_launched_again_with_more() {
    let screen = again(finished(80, 24), launched_with(512));
    let launcher = screen.panel::<Launcher>();
    assert_eq!(launcher.request().mem, Some(Bytes::mib(1024)));
    insta::assert_snapshot!(screen.text());
    // Of one that ended otherwise nothing is changed.
    let other = again(finished(80, 24).press("j"), launched_with(512));
    let launcher = other.panel::<Launcher>();
    assert_eq!(launcher.request().mem, Some(Bytes::mib(512)));
    assert!(!other.sees("ran out"));
}

#[test]
fn no_more_is_offered_than_the_limits_allow() {
    let mut large = out_of_memory();
    large.requested_slots.mem = Bytes(20 * Bytes::GIB);
    let screen = Screen::new(80, 24).daemon(snapshot(vec![large])).press("2");
    let screen = again(screen, launched_with(20 * 1024));
    let launcher = screen.panel::<Launcher>();
    // The machine has 31 GiB.
    assert_eq!(launcher.request().mem, Some(Bytes(31 * Bytes::GIB)));
    assert!(screen.sees("memory is now 31 GiB: it ran out with 20 GiB"));
}

#[test]
fn the_marked_kernel_gives_its_ids_and_its_log() {
    let reply = Reply::Session {
        session: Box::new(in_full()),
    };
    let screen = Screen::new(140, 50)
        .starting_in("seoul")
        .daemon(two())
        .press("j enter enter")
        .answer(
            |r| matches!(r.of_session(), Some(SessionRequest::Detail)),
            Ok(reply),
        );
    let copied = |screen: &Screen| match screen.effects().last() {
        Some(Effect::Copy { text, .. }) => text.clone(),
        other => panic!("{other:?}"),
    };
    let screen = screen.press("K");
    assert_eq!(copied(&screen), in_full().kernels[0].id.to_string());
    let screen = screen.press("right K");
    assert_eq!(copied(&screen), in_full().kernels[1].id.to_string());
    let screen = screen.press("Y");
    let container = in_full().kernels[1].container_id.clone().unwrap();
    assert_eq!(copied(&screen), container.to_string());
    let log = screen.press("l");
    assert!(log.sees("sub1"), "{}", log.text());
}
