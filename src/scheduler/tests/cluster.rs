//! Cluster sessions.

use super::play::{Play, settings};
use crate::{
    engine::api::ContainerState,
    model::{
        id::SessionId,
        resources::{Bytes, Cpu, ResourceSlots},
        secret::Secret,
        spec::LaunchRequest,
        status::Status,
    },
    scheduler::{
        fact::{ContainerEvent, Fact},
        order::Order,
    },
};

pub fn request() -> LaunchRequest {
    LaunchRequest {
        cpu: Some(Cpu::from_millis(500)),
        cluster_size: Some(3),
        ..LaunchRequest::default()
    }
}

fn sub_dies(play: &mut Play, id: SessionId, number: usize, exit_code: i64) {
    play.die_sub(id, number, exit_code);
    play.handle(Fact::Happened {
        session: id,
        event: ContainerEvent::Died { exit_code },
    });
    play.work_off();
}

/// Statuses of all kernels, the main one's first.
fn kernels(play: &Play, id: SessionId) -> Vec<Status> {
    let kernels = play.session(id).kernels.iter();
    kernels.map(|kernel| kernel.status.clone()).collect()
}

#[test]
fn all_of_it_runs_and_ends_together() {
    let mut play = Play::new();
    let id = play.comes(request());
    let session = play.session(id);
    assert_eq!(session.status, Status::Running);
    let names: Vec<&str> = session
        .kernels
        .iter()
        .map(|k| k.hostname.as_str())
        .collect();
    assert_eq!(names, ["main1", "sub1", "sub2"]);
    let there: Vec<_> = session
        .kernels
        .iter()
        .map(|k| k.container_id.clone().unwrap())
        .collect();
    assert_eq!(there, ["c", "s1", "s2"]);
    let total = ResourceSlots::new(Cpu::from_millis(1500), Bytes::mib(192));
    assert_eq!(session.requested_slots, total);
    assert_eq!(session.occupied_slots, total);
    play.terminate(id);
    assert_eq!(kernels(&play, id), vec![Status::Terminated; 3]);
    play.check_rest();
    assert!(play.there.is_empty());
}

#[test]
fn one_that_ends_degrades_the_session_and_one_that_comes_back_heals_it() {
    let mut play = Play::new();
    let id = play.comes(request());
    sub_dies(&mut play, id, 2, 3);
    assert_eq!(play.status(id), Status::RunningDegraded);
    assert_eq!(play.why(id), "sub2 ended with exit code 3");
    let running = Status::Running;
    assert_eq!(
        kernels(&play, id),
        [running.clone(), running.clone(), Status::Terminated]
    );
    let kernel = &play.session(id).kernels[2];
    assert_eq!(kernel.exit_code, Some(3));
    assert!(kernel.terminated_at.is_some());
    sub_dies(&mut play, id, 1, 137);
    assert_eq!(
        play.why(id),
        "sub1 was killed by signal 9 (exit code 137); sub2 ended with exit code 3"
    );
    play.check_rest();

    for sub in &mut play.there.get_mut(&id).unwrap().subs {
        sub.state = ContainerState::Running { started_at: None };
    }
    let event = ContainerEvent::Started;
    play.handle(Fact::Happened { session: id, event });
    play.work_off();
    assert_eq!(kernels(&play, id), vec![running; 3]);
    assert_eq!(play.status(id), Status::Running);
    assert_eq!(play.why(id), "");
    assert_eq!(play.session(id).kernels[2].exit_code, None);
}

#[test]
fn a_degraded_session_can_be_ended() {
    let mut play = Play::new();
    let id = play.comes(request());
    sub_dies(&mut play, id, 1, 1);
    play.terminate(id);
    assert_eq!(play.status(id), Status::Terminated);
    let codes: Vec<_> = play
        .session(id)
        .kernels
        .iter()
        .map(|k| k.exit_code)
        .collect();
    assert_eq!(codes, [None, Some(1), None]);
    play.check_rest();
}

#[test]
fn with_the_main_one_the_others_are_asked_to_end() {
    let mut play = Play::new();
    let id = play.comes(request());
    play.die(id, 0);
    let event = ContainerEvent::Died { exit_code: 0 };
    play.handle(Fact::Happened { session: id, event });
    play.carry_out(0, None);
    assert!(matches!(play.orders[..], [Order::Stop { .. }]));
    play.work_off();
    assert_eq!(play.status(id), Status::Terminated);
    assert_eq!(play.why(id), "its main process ended with exit code 0");
    play.check_rest();
}

#[test]
fn the_exit_of_another_is_not_taken_for_the_main_ones() {
    let mut play = Play::new();
    let id = play.comes(request());
    sub_dies(&mut play, id, 1, 7);
    play.there.remove(&id);
    let event = ContainerEvent::Other;
    play.handle(Fact::Happened { session: id, event });
    play.work_off();
    assert_eq!(play.session(id).kernels[0].exit_code, None);
    assert_eq!(
        play.why(id),
        "its container was removed from the engine outside workbay"
    );
}

#[test]
fn what_ended_while_the_daemon_wasnt_running_is_seen() {
    let mut play = Play::new();
    let id = play.comes(request());
    play.die_sub(id, 1, 4);
    play.there.get_mut(&id).unwrap().subs.pop();
    play.restart();
    play.work_off();
    assert_eq!(play.status(id), Status::RunningDegraded);
    assert_eq!(
        play.why(id),
        "sub1 ended with exit code 4; the container of sub2 was removed outside workbay"
    );
    play.check_rest();
}

#[test]
fn a_lost_store_is_filled_again_with_all_of_them() {
    let mut play = Play::new();
    let id = play.comes(request());
    let before = play.session(id).clone();
    play.die_sub(id, 2, 1);
    play.stored.clear();
    play.restart();
    play.work_off();
    let after = play.session(id);
    assert_eq!(after.status, Status::RunningDegraded);
    let ids = |session: &crate::model::session::Session| {
        let ids = session.kernels.iter().map(|k| (k.id, k.hostname.clone()));
        ids.collect::<Vec<_>>()
    };
    assert_eq!(ids(after), ids(&before));
    assert_eq!(after.requested_slots, before.requested_slots);
    assert_eq!(after.placement, before.placement);
}

/// A launch with a secret whose daemon is killed before an order of that name.
fn killed_before(order: &str) -> (Play, SessionId) {
    let mut play = Play::with(settings());
    let mut request = request();
    request.env.insert("API_TOKEN".into(), "hush".into());
    play.launch_with(request);
    while play.orders.first().map(|order| order.kind().name()) != Some(order) {
        play.carry_out(0, None);
    }
    let id = play.launched[0];
    (play, id)
}

#[test]
fn a_secret_reaches_the_engine_and_nothing_else() {
    let (play, id) = killed_before("create");
    let Order::Create { plan, .. } = &play.orders[0] else {
        panic!("no creation but {:?}", play.orders);
    };
    assert_eq!(plan.secrets["API_TOKEN"], Secret::new("hush"));
    assert_eq!(plan.spec.secret_names, ["API_TOKEN"]);
    assert_eq!(plan.spec.env, std::collections::BTreeMap::new());
    let stored = serde_json::to_string(&play.stored[&id]).unwrap();
    assert!(stored.contains("API_TOKEN") && !stored.contains("hush"));
}

#[test]
fn a_lost_store_is_not_filled_with_the_secrets_of_labels() {
    let mut play = Play::with(settings());
    play.launch_with(request());
    play.work_off();
    let id = play.launched[0];
    // An earlier version wrote the secrets to its containers.
    let sight = play.there.get_mut(&id).unwrap();
    let spec = &mut sight.recorded.as_mut().unwrap().spec;
    spec.env
        .insert("DATABASE_URL".into(), "postgres://u:hush@db".into());
    spec.env.insert("STAGE".into(), "test".into());
    play.stored.clear();
    play.restart();
    play.work_off();
    let spec = &play.stored[&id].spec;
    assert_eq!(spec.secret_names, ["DATABASE_URL"]);
    assert_eq!(spec.env["STAGE"], "test");
    assert!(
        !serde_json::to_string(&play.stored[&id])
            .unwrap()
            .contains("hush")
    );
}

#[test]
fn a_name_of_labels_that_breaks_the_rule_is_replaced() {
    for hostile in [
        "../../etc",
        "x",
        "",
        "a b c d",
        "-rf-",
        "a/b/c/d",
        "\u{1b}[2Jabcd/",
    ] {
        let mut play = Play::with(settings());
        play.launch_with(request());
        play.work_off();
        let id = play.launched[0];
        let sight = play.there.get_mut(&id).unwrap();
        sight.recorded.as_mut().unwrap().name = hostile.into();
        play.stored.clear();
        play.restart();
        play.work_off();
        let name = play.stored[&id].session.name.to_string();
        assert_eq!(name, format!("{}-session", id.short()), "{hostile:?}");
    }
}

#[test]
fn a_session_that_lost_a_secret_before_it_was_made_fails_with_the_reason() {
    let (mut play, id) = killed_before("create");
    play.restart();
    play.work_off();
    assert_eq!(play.status(id), Status::Error);
    assert_eq!(play.session(id).status_info, Some("secret-lost".into()));
    assert!(
        play.why(id).contains("Relaunch the session"),
        "{}",
        play.why(id)
    );
    assert!(play.there.is_empty());
}

#[test]
fn a_session_that_was_made_already_needs_no_secret_any_more() {
    let (mut play, id) = killed_before("start");
    play.restart();
    play.work_off();
    assert_eq!(play.status(id), Status::Running);
    assert_eq!(kernels(&play, id), vec![Status::Running; 3]);

    // One of its containers is missing, so the session can't be completed.
    let (mut play, id) = killed_before("start");
    let record = play.stored.get_mut(&id).unwrap();
    record.step = crate::model::record::Step::Create;
    play.there.get_mut(&id).unwrap().subs.pop();
    play.restart();
    play.work_off();
    assert_eq!(play.status(id), Status::Error);
    assert!(play.there.is_empty(), "what there was is taken away");
}
