//! Whole lives of sessions in simulated time.

use super::facts::{lifetime, network, utilization};
use crate::{
    model::{
        catalogue::Preset,
        failure::FailureKind,
        id::SessionId,
        idle::{ActivityKind, IdleChecker, IdleRules, IdleState, Join},
        notice::NoticeKind,
        resources::{Bytes, Cpu, ResourceSlots},
        span::Span,
        spec::LaunchRequest,
        status::Status,
        usage::Usage,
    },
    scheduler::{
        fact::{ContainerEvent, Fact, UseEvent},
        tests::{
            batch,
            play::{Play, at, fault, settings},
        },
    },
};

/// A daemon with these rules.
pub fn play(rules: IdleRules) -> Play {
    let mut settings = settings();
    settings.resources.idle = rules;
    Play::with(settings)
}

/// Lets time pass. Carries out orders and handles deadlines as they come due.
pub fn pass(play: &mut Play, seconds: i64) {
    let end = play.now + seconds;
    loop {
        if !play.orders.is_empty() {
            play.carry_out(0, None);
            continue;
        }
        let due = play.scheduler.next_deadline();
        let due = due.map(|due| due.as_second() - at(0).as_second());
        let Some(due) = due.filter(|due| *due <= end) else {
            break;
        };
        play.now = play.now.max(due);
        play.handle(Fact::Tick);
    }
    play.now = play.now.max(end);
}

/// Launches a session that runs.
pub fn runs(play: &mut Play, request: LaunchRequest) -> SessionId {
    play.launch_with(request);
    pass(play, 1);
    let id = *play.launched.last().unwrap();
    assert_eq!(play.status(id), Status::Running);
    id
}

pub fn used(play: &mut Play, session: SessionId, usage: UseEvent) {
    play.handle(Fact::Used { session, usage });
}

/// The code and the sentence of the reason.
fn end(play: &Play, id: SessionId) -> (String, String) {
    let session = play.session(id);
    assert_eq!(session.status, Status::Terminated);
    assert!(session.idle_checks.is_empty(), "nothing counts any more");
    (
        session.status_info.clone().unwrap().into_string(),
        play.why(id),
    )
}

/// The warnings and the code of the end, from all notifications.
pub fn notices_of(play: &Play) -> Vec<&'static str> {
    let words = play.notices.iter().filter_map(|notice| match notice.kind {
        NoticeKind::IdleWarning { .. } => Some("warning"),
        NoticeKind::Reclaimed { .. } => Some("reclaimed"),
        _ => None,
    });
    words.collect()
}

/// What became due while no warning was possible ends after the notice of two minutes, not before.
pub fn ends_after_its_notice(play: &mut Play, id: SessionId) {
    pass(play, 110);
    assert_eq!(play.status(id), Status::Running);
    assert_eq!(
        notices_of(play),
        ["warning", "warning"],
        "at once and at a minute"
    );
    pass(play, 20);
    assert_eq!(play.status(id), Status::Terminated);
}

#[test]
fn a_session_that_is_not_used_is_warned_and_ended() {
    let mut play = play(network(600));
    let id = runs(&mut play, LaunchRequest::default());
    let check = &play.session(id).idle_checks[0];
    assert_eq!(check.checker, IdleChecker::NetworkTimeout);
    assert!(matches!(check.state, IdleState::Counting { .. }));
    let before = (play.changed.len(), play.written);
    pass(&mut play, 580);
    assert_eq!(play.status(id), Status::Running);
    assert_eq!(
        notices_of(&play),
        ["warning", "warning"],
        "at 5 minutes and at 1"
    );
    assert_eq!(
        (play.changed.len(), play.written),
        before,
        "the passing of time alone is not reported"
    );
    pass(&mut play, 30);
    let (info, why) = end(&play, id);
    assert_eq!(info, "idle-timeout");
    assert_eq!(
        why,
        "not used for 10 min (limit: 10 min, last used: its start)"
    );
    assert_eq!(notices_of(&play), ["warning", "warning", "reclaimed"]);
    let entry = play
        .history
        .iter()
        .find(|it| it.phase == "terminate-sessions");
    assert_eq!(entry.unwrap().message.as_ref().unwrap().as_str(), why);
    assert_eq!(
        play.scheduler
            .next_deadline()
            .map(|at| at.as_second() > 1_800_100_000),
        Some(true)
    );
    play.check_rest();
}

#[test]
fn typing_keeps_it_and_is_not_written_each_second() {
    let mut play = play(network(1_800));
    let id = runs(&mut play, LaunchRequest::default());
    let before = play.written;
    for _ in 0..3_600 {
        used(&mut play, id, UseEvent::Typed);
    }
    assert_eq!(play.status(id), Status::Running);
    assert!(
        play.written - before <= 3_600 / 15,
        "{}",
        play.written - before
    );
    let noted = play.stored[&id].session.activity.unwrap();
    assert_eq!(noted.kind, ActivityKind::Typed);
    assert!(at(play.now).duration_since(noted.at).as_secs() <= 60);
    assert_eq!(notices_of(&play), [""; 0]);
    pass(&mut play, 1_700);
    assert_eq!(play.status(id), Status::Running);
    pass(&mut play, 110);
    assert!(end(&play, id).1.contains("last used: typing in a terminal"));
}

#[test]
fn what_is_open_keeps_it_until_it_is_closed() {
    let mut play = play(network(600));
    let id = runs(&mut play, LaunchRequest::default());
    used(&mut play, id, UseEvent::Opened(ActivityKind::Exec));
    used(&mut play, id, UseEvent::Opened(ActivityKind::App));
    pass(&mut play, 5_000);
    used(&mut play, id, UseEvent::Closed(ActivityKind::App));
    pass(&mut play, 5_000);
    assert_eq!(
        play.session(id).idle_checks[0].state,
        IdleState::NotCounting
    );
    assert_eq!(play.session(id).activity.unwrap().open, 1);
    used(&mut play, id, UseEvent::Closed(ActivityKind::Exec));
    pass(&mut play, 590);
    assert_eq!(play.status(id), Status::Running);
    pass(&mut play, 20);
    assert_eq!(end(&play, id).0, "idle-timeout");
}

#[test]
fn what_was_open_when_the_daemon_was_killed_was_used_until_then() {
    let mut play = play(network(600));
    let id = runs(&mut play, LaunchRequest::default());
    used(&mut play, id, UseEvent::Opened(ActivityKind::App));
    pass(&mut play, 5_000);
    play.restart();
    pass(&mut play, 590);
    assert_eq!(play.status(id), Status::Running);
    assert_eq!(play.session(id).activity.unwrap().open, 0);
    pass(&mut play, 30);
    assert_eq!(end(&play, id).0, "idle-timeout");
}

#[test]
fn a_batch_session_is_used_by_nobody_and_lives_its_time() {
    let rules = IdleRules {
        session_lifetime: lifetime(3_600).session_lifetime,
        ..network(600)
    };
    let mut play = play(rules);
    let id = runs(&mut play, batch::request(None));
    pass(&mut play, 2_000);
    play.restart();
    pass(&mut play, 1_500);
    assert_eq!(play.status(id), Status::Running);
    pass(&mut play, 200);
    let (info, why) = end(&play, id);
    assert_eq!(info, "idle-session-lifetime");
    assert_eq!(why, "it reached the maximum lifetime (1h)");
}

#[test]
fn the_launch_can_only_tighten_the_rules() {
    let mut settings = settings();
    settings.resources.idle = network(600);
    let mut short = Preset::new(
        "short",
        ResourceSlots::new(Cpu::from_millis(500), Bytes::mib(64)),
    );
    short.idle = network(100);
    settings.resources.presets = vec![short];
    let mut play = Play::with(settings);
    for (preset, seconds, lives) in [
        (None, Some(60), false),
        (None, Some(600), true),
        (Some("short"), None, false),
        (Some("short"), Some(600), false),
    ] {
        let request = LaunchRequest {
            preset: preset.map(str::to_owned),
            idle_timeout: seconds.map(Span),
            ..LaunchRequest::default()
        };
        let id = runs(&mut play, request);
        pass(&mut play, 200);
        assert_eq!(play.status(id) == Status::Running, lives, "{seconds:?}");
        pass(&mut play, 500);
        assert_eq!(end(&play, id).0, "idle-timeout");
    }
}

/// Sends samples of `cpu` thousandths of a core, every five seconds.
fn sample(play: &mut Play, id: SessionId, seconds: i64, cpu: u64) {
    let end = play.now + seconds;
    while play.now < end {
        let usage = Usage::new(at(play.now), Some(Cpu::from_millis(cpu)), Bytes::mib(1));
        let samples = vec![(id, usage)];
        play.handle(Fact::Sampled { samples });
        pass(play, 4);
    }
}

#[test]
fn a_busy_session_lives_and_a_lazy_one_is_ended() {
    let mut rules = utilization(Join::And, &[("cpu_util", 5)]);
    rules.utilization.as_mut().unwrap().initial_grace_period = Span(60);
    let mut play = play(rules);
    let id = runs(&mut play, LaunchRequest::default());
    assert_eq!(play.scheduler.sampled(), [], "in its grace");
    sample(&mut play, id, 30, 0);
    pass(&mut play, 60);
    let wanted: Vec<_> = play.scheduler.sampled();
    assert_eq!(wanted, [(id, std::time::Duration::from_secs(5))]);
    sample(&mut play, id, 500, 400);
    assert_eq!(play.status(id), Status::Running);
    assert_eq!(
        play.session(id).idle_checks[0].state,
        IdleState::NotCounting
    );
    sample(&mut play, id, 95, 0);
    assert_eq!(play.status(id), Status::Running);
    sample(&mut play, id, 60, 0);
    let (info, why) = end(&play, id);
    assert_eq!(info, "idle-utilization");
    let begins = "it used too little of its resources over 100 s (cpu_util ";
    assert!(why.starts_with(begins), "{why}");
    assert!(
        notices_of(&play).contains(&"warning"),
        "{:?}",
        notices_of(&play)
    );
    assert_eq!(play.scheduler.sampled(), []);
    play.check_rest();
}

#[test]
fn averages_that_hardly_move_are_no_news() {
    let mut play = play(utilization(Join::And, &[("cpu_util", 5)]));
    let id = runs(&mut play, LaunchRequest::default());
    sample(&mut play, id, 200, 400);
    let before = (play.changed.len(), play.written);
    for cpu in [401, 399, 402, 398, 400] {
        sample(&mut play, id, 100, cpu);
    }
    assert_eq!((play.changed.len(), play.written), before);
}

#[test]
fn a_session_that_is_looked_at_is_not_ended_meanwhile() {
    let mut play = play(network(600));
    let id = runs(&mut play, LaunchRequest::default());
    play.now += 595;
    let event = ContainerEvent::Other;
    play.handle(Fact::Happened { session: id, event });
    play.now += 10;
    play.handle(Fact::Tick);
    assert_eq!(play.status(id), Status::Running);
    assert_eq!(play.orders.len(), 1, "it is being looked at");
    pass(&mut play, 1);
    assert_eq!(end(&play, id).0, "idle-timeout");
}

#[test]
fn without_an_engine_nobody_is_ended_and_then_not_at_once() {
    let mut play = play(network(600));
    let id = runs(&mut play, LaunchRequest::default());
    let connection = play.connection;
    play.connected = false;
    play.handle(Fact::EngineDown {
        connection,
        failure: fault(FailureKind::Unreachable),
    });
    pass(&mut play, 900);
    assert_eq!(play.session(id).idle_checks[0].state, IdleState::Over);
    assert_eq!(play.status(id), Status::Running);
    play.connected = true;
    pass(&mut play, 100);
    assert_eq!(play.status(id), Status::Running);
    assert_eq!(notices_of(&play).last(), Some(&"warning"));
    pass(&mut play, 100);
    assert_eq!(end(&play, id).0, "idle-timeout");
}
