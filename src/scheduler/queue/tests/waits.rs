//! Which sessions wait, for what, and for how long.

use super::{cpus, full, full_by, group, named, settings};
use crate::{
    model::{
        failure::FailureKind,
        history::Outcome,
        id::SessionId,
        policy::{Backfill, GroupRules, QueueOrder},
        request::SessionRequest,
        resources::{Bytes, Cpu, ResourceSlots},
        session::SessionType,
        span::Span,
        spec::LaunchRequest,
        status::Status,
    },
    scheduler::{
        fact::SchedulerRequest,
        order::Order,
        tests::play::{Play, at},
    },
};

fn info(play: &Play, id: SessionId) -> String {
    let info = play.session(id).status_info.as_ref();
    info.map(ToString::to_string).unwrap_or_default()
}

/// `phase result attempts` of the queue's entries in a session's history.
fn history(play: &Play, id: SessionId) -> Vec<String> {
    let own = play.history.iter().filter(|entry| entry.session == id);
    own.map(|entry| format!("{} {:?} {}", entry.phase, entry.result, entry.attempts))
        .collect()
}

#[test]
fn what_does_not_fit_waits_and_begins_when_room_appears() {
    let mut play = full_by(|rules| group(rules).backfill = Backfill::Off);
    let second = play.comes(cpus("second", 2000));
    let third = play.comes(named("third"));
    assert_eq!(
        play.why(second),
        "needs 2 CPU, 0 of 4 free in group default; position 1 in queue"
    );
    assert_eq!(
        play.why(third),
        "position 2 in queue, behind second; needs 1 CPU, 0 of 4 free in group default"
    );
    assert_eq!(play.session(third).placement.queue_position, Some(1));
    let first = play.launched[0];
    play.terminate(first);
    assert_eq!(play.status(third), Status::Pending, "it does not overtake");
    assert_eq!(
        play.why(second),
        "needs 2 CPU, 1 of 4 free in group default; position 1 in queue"
    );
    play.terminate(play.launched[1]);
    assert_eq!(play.status(second), Status::Running);
    assert_eq!(play.session(second).placement.queue_position, None);
    assert_eq!(play.session(second).status_message, None);
    assert_eq!(
        play.why(third),
        "needs 1 CPU, 0 of 4 free in group default; position 1 in queue"
    );
    play.check_rest();
}

#[test]
fn a_machine_taken_to_be_larger_lets_sessions_share_it() {
    let mut play = full_by(|rules| rules.host.cpu = Some(Cpu::from_millis(6000)));
    let fifth = play.comes(named("fifth"));
    assert_eq!(play.status(fifth), Status::Running);
    let refused = play.refused(cpus("wide", 5000));
    assert!(
        refused.message().as_str().contains("max: 4"),
        "one container gets no more than there is: {}",
        refused.message()
    );
    let second = play.comes(cpus("second", 2000));
    assert_eq!(
        play.why(second),
        "needs 2 CPU, 1 of 6 free in group default; position 1 in queue"
    );
    play.check_rest();
}

#[test]
fn what_can_never_begin_blocks_nobody() {
    let mut play = full();
    let wide = play.comes(cpus("wide", 3000));
    let small = play.comes(named("small"));
    assert_eq!(
        play.why(small),
        "position 2 in queue, behind wide; needs 1 CPU, 0 of 4 free in group default"
    );
    play.settings.resources.limits.total.cpu = Some(Cpu::from_millis(2000));
    play.restart();
    play.work_off();
    assert!(
        play.why(wide)
            .contains("needs 3 CPU, which is now more than group default"),
        "{}",
        play.why(wide)
    );
    for number in 0..3 {
        play.terminate(play.launched[number]);
    }
    assert_eq!(play.status(small), Status::Running);
    assert_eq!(play.status(wide), Status::Pending);
    play.check_rest();
}

#[test]
fn what_others_took_meanwhile_is_seen_before_a_timed_session_begins() {
    let mut play = Play::with(settings(|_| ()));
    let later = play.comes(LaunchRequest {
        session_type: SessionType::Batch,
        startup_command: Some("true".into()),
        starts_at: Some(at(play.now + 500).into()),
        ..named("later")
    });
    play.others = ResourceSlots::new(Cpu::from_millis(4000), Bytes(0));
    play.wait(600);
    assert_eq!(play.status(later), Status::Pending, "{}", play.why(later));
    assert!(
        play.why(later).starts_with("needs 1 CPU, 0 of 4 free"),
        "{}",
        play.why(later)
    );
}

#[test]
fn every_decision_is_in_the_history_and_many_tries_are_one_entry() {
    let mut play = full();
    let id = play.comes(named("waits"));
    for _ in 0..10 {
        play.wait(15);
    }
    let before = play.written;
    play.wait(15);
    assert_eq!(play.written, before, "a try more is not written");
    play.terminate(play.launched[0]);
    let entries = history(&play, id);
    let tries: u32 = entries[0].rsplit(' ').next().unwrap().parse().unwrap();
    assert!(tries > 10, "{entries:?}");
    assert_eq!(
        entries[1..],
        [
            "schedule-sessions Success 1",
            "check-precondition Success 1",
            "start-sessions Success 1",
            "promote-to-running Success 1",
        ]
    );
    let entry = play.history.iter().find(|it| it.session == id).unwrap();
    assert_eq!(entry.result, Outcome::NeedRetry);
    assert!(entry.until > Some(entry.at));
    let last = entry.steps.last().unwrap();
    assert_eq!(last.step, "ConcentratedAgentSelector");
    assert_eq!(
        last.message.as_ref().unwrap(),
        "needs 1 CPU, 0 of 4 free in group default"
    );
    let scheduled = play.history.iter().find(|it| it.to == Status::Scheduled);
    let names: Vec<_> = scheduled
        .unwrap()
        .steps
        .iter()
        .map(|it| it.step.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "FIFOSequencer",
            "ReservedBatchSessionValidator",
            "ConcurrencyLimitValidator",
            "UserResourceLimitValidator",
            "GroupResourceLimitValidator",
            "ConcentratedAgentSelector",
        ]
    );
}

#[test]
fn each_reason_has_an_entry_of_its_own() {
    let mut play = full();
    let id = play.comes(named("waits"));
    for _ in 0..3 {
        play.wait(15);
    }
    // It has enough CPU now, but others use the memory.
    play.others.mem = Bytes(Bytes::GIB);
    play.wait(15);
    play.terminate(play.launched[0]);
    play.wait(15);
    let mine = play.history.iter().filter(|it| it.session == id);
    let holds_seen: Vec<_> = mine
        .filter(|it| it.result == Outcome::NeedRetry)
        .map(|it| (it.message.as_ref().unwrap().as_str(), it.error_code.clone()))
        .collect();
    let [first, second] = holds_seen.as_slice() else {
        panic!("{holds_seen:?}");
    };
    assert!(
        first.0.contains("1 CPU") && second.0.contains("of memory"),
        "{holds_seen:?}"
    );
    let code = Some("agent_schedule_unavailable".into());
    assert!(first.1 == code && second.1 == code, "{holds_seen:?}");
}

#[test]
fn the_highest_priority_comes_first_then_the_oldest() {
    let mut play = full();
    let old = play.comes(named("old1"));
    let urgent = play.comes(LaunchRequest {
        priority: Some(90),
        ..named("urgent")
    });
    let young = play.comes(named("young"));
    play.terminate(play.launched[0]);
    assert_eq!(play.status(urgent), Status::Running);
    play.terminate(play.launched[1]);
    assert_eq!(play.status(old), Status::Running);
    assert_eq!(play.status(young), Status::Pending);
}

#[test]
fn a_group_may_take_the_newest_first() {
    let mut play = full_by(|rules| group(rules).order = QueueOrder::Lifo);
    let old = play.comes(named("old1"));
    let young = play.comes(named("young"));
    play.terminate(play.launched[0]);
    assert_eq!(play.status(old), Status::Pending);
    assert_eq!(play.status(young), Status::Running);
}

#[test]
fn a_head_that_was_tried_often_enough_is_passed_over() {
    let mut play = full_by(|rules| group(rules).num_retries_to_skip = 3);
    let big = play.comes(cpus("bigger", 4000));
    let small = play.comes(named("small"));
    play.wait(60);
    play.terminate(play.launched[0]);
    assert_eq!(play.status(big), Status::Pending);
    assert_eq!(play.status(small), Status::Running);
    for full in 1..4 {
        play.terminate(play.launched[full]);
    }
    play.terminate(small);
    assert_eq!(play.status(big), Status::Running, "it begins when it fits");
}

#[test]
fn groups_have_queues_of_their_own_and_share_the_machine() {
    let mut play = Play::with(settings(|rules| {
        let mut small = GroupRules::default();
        small.most.cpu = Some(Cpu::from_millis(2000));
        rules.groups.insert("small".into(), small);
        group(rules).reserve_cpu = Cpu::from_millis(1000);
    }));
    let of = |name: &str, group: &str| LaunchRequest {
        resource_group: Some(group.to_owned()),
        ..cpus(name, 2000)
    };
    let one = play.comes(of("one-small", "small"));
    let two = play.comes(of("two-small", "small"));
    assert_eq!(
        play.why(two),
        "needs 2 CPU, 0 of 2 free in group small; position 1 in queue"
    );
    let other = play.comes(of("other", "default"));
    assert_eq!(
        play.why(other),
        "needs 2 CPU, 1 of 3 free in group default; position 1 in queue"
    );
    play.terminate(one);
    assert_eq!(play.status(two), Status::Running, "the older of both heads");
    play.terminate(two);
    assert_eq!(play.status(other), Status::Running);
}

#[test]
fn what_other_instances_end_is_seen_and_nothing_is_listed_when_no_session_waits() {
    let mut play = Play::new();
    play.others = ResourceSlots::new(Cpu::from_millis(4000), Bytes::default());
    let id = play.comes(named("waits"));
    assert_eq!(play.status(id), Status::Pending);
    play.others = ResourceSlots::default();
    play.wait(15);
    assert_eq!(play.status(id), Status::Running);
    assert_eq!(
        play.scheduler.next_deadline(),
        None,
        "a timer runs for nothing"
    );
}

#[test]
fn a_session_that_waits_for_its_time_does_not_block_others_and_begins_then() {
    let mut play = Play::new();
    let start = at(play.now + 3600);
    let batch = play.comes(LaunchRequest {
        session_type: SessionType::Batch,
        startup_command: Some("true".into()),
        starts_at: Some(start.into()),
        priority: Some(100),
        ..named("later")
    });
    let shown = start.strftime("%Y-%m-%d %H:%M:%S UTC");
    assert_eq!(play.why(batch), format!("waits for its start time {shown}"));
    assert_eq!(play.scheduler.next_deadline(), Some(start));
    let now = play.comes(named("now1"));
    assert_eq!(play.status(now), Status::Running);
    play.now = start.as_second() - at(0).as_second();
    play.wait(0);
    assert_eq!(play.status(batch), Status::Running);
}

#[test]
fn a_session_that_waits_too_long_is_cancelled() {
    let mut play = full_by(|rules| group(rules).pending_timeout = Some(Span(600)));
    let id = play.comes(named("waits"));
    play.wait(200);
    assert_eq!(play.status(id), Status::Pending);
    play.wait(600);
    assert_eq!(play.status(id), Status::Cancelled);
    assert_eq!(info(&play, id), "pending-timeout");
    assert_eq!(play.why(id), "waited 10m, the maximum of group default");
    let last = play.history.iter().rfind(|it| it.session == id).unwrap();
    assert_eq!(last.result, Outcome::Expired);
    play.check_rest();
}

#[test]
fn what_others_hold_is_counted_and_named() {
    let mut play = Play::with(settings(|_| ()));
    play.others = ResourceSlots::new(Cpu::from_millis(600), Bytes(0));
    play.comes(cpus("first", 2800));
    let second = play.comes(named("second"));
    assert_eq!(
        play.why(second),
        "needs 1 CPU, 0.6 of 4 free in group default (2.8 yours, 0.6 others'); position 1 in queue"
    );
    play.check_rest();
}

#[test]
fn limits_of_a_user_hold_back_too() {
    let mut play = Play::with(settings(|rules| {
        rules.limits.concurrent_sessions = Some(1);
    }));
    let first = play.comes(named("first"));
    let second = play.comes(named("second"));
    assert_eq!(
        play.why(second),
        "waits until one of your sessions ends (running: 1, limit: 1); position 1 in queue"
    );
    play.terminate(first);
    assert_eq!(play.status(second), Status::Running);

    let mut play = Play::with(settings(|_| ()));
    play.comes(named("first"));
    play.comes(named("second"));
    play.settings.resources.limits.concurrent_sessions = Some(1);
    play.restart();
    play.work_off();
    let third = play.comes(named("third"));
    assert_eq!(
        play.why(third),
        "waits until 2 of your sessions end (running: 2, limit: 1); position 1 in queue"
    );

    let mut play = Play::with(settings(|rules| {
        rules.limits.total.mem = Some(Bytes::mib(100));
    }));
    play.comes(named("first"));
    let second = play.comes(named("second"));
    assert_eq!(
        play.why(second),
        "needs 64 MiB of memory, 36 MiB of 100 MiB left of your limit; position 1 in queue"
    );
    let tried = play
        .history
        .iter()
        .rfind(|it| it.session == second)
        .unwrap();
    let step = tried.steps.last().unwrap();
    assert_eq!(step.step, "UserResourceLimitValidator");
}

#[test]
fn a_session_that_waits_is_cancelled_at_once_with_or_without_an_engine() {
    let mut play = full();
    let one = play.comes(named("one1"));
    let two = play.comes(named("two2"));
    let force = false;
    play.ask(SchedulerRequest::session(
        one,
        SessionRequest::Terminate { force },
    ));
    assert_eq!(play.status(one), Status::Cancelled);
    assert_eq!(info(&play, one), "user-requested");
    play.connected = false;
    play.handle(crate::scheduler::fact::Fact::EngineDown {
        connection: play.connection,
        failure: crate::scheduler::tests::play::fault(FailureKind::Unreachable),
    });
    play.ask(SchedulerRequest::session(
        two,
        SessionRequest::Terminate { force },
    ));
    assert_eq!(play.status(two), Status::Cancelled);
    play.work_off();
    play.check_rest();
}

#[test]
fn they_wait_on_while_the_engine_is_disconnected_and_over_a_restart() {
    let mut play = full();
    let id = play.comes(named("waits"));
    play.connected = false;
    play.handle(crate::scheduler::fact::Fact::EngineDown {
        connection: play.connection,
        failure: crate::scheduler::tests::play::fault(FailureKind::Unreachable),
    });
    assert_eq!(play.status(id), Status::Pending);
    play.restart();
    play.work_off();
    assert_eq!(play.status(id), Status::Pending);
    assert_eq!(play.session(id).placement.queue_position, Some(0));
    play.terminate(play.launched[0]);
    assert_eq!(play.status(id), Status::Running);
    play.check_rest();
}

#[test]
fn secrets_reach_the_engine_and_nothing_that_is_kept() {
    let mut play = full();
    let request = LaunchRequest {
        env: [("API_TOKEN", "hush"), ("STAGE", "test")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        ..named("secretive")
    };
    let id = play.comes(request.clone());
    assert!(!format!("{:?}", play.stored[&id]).contains("hush"));
    let first = play.launched[0];
    play.ask(SchedulerRequest::session(
        first,
        SessionRequest::Terminate { force: true },
    ));
    while play.status(id) == Status::Pending {
        play.carry_out(0, None);
    }
    let secrets = play.orders.iter().find_map(|order| match order {
        Order::Create { plan, .. } => Some(plan.secrets.clone()),
        _ => None,
    });
    assert_eq!(secrets.unwrap()["API_TOKEN"].expose(), "hush");
    play.work_off();

    let again = play.comes(LaunchRequest {
        name: None,
        ..request
    });
    play.restart();
    play.work_off();
    assert_eq!(play.status(again), Status::Cancelled);
    assert_eq!(info(&play, again), "secret-lost");
    assert!(play.why(again).contains("Relaunch the session"));
    play.check_rest();
}
