use super::*;
use crate::{
    app::testing::{TestEnv, session},
    model::{
        capability::EngineState,
        catalogue::{AgentSlots, ResourceGroup},
        context::Context,
        resources::{Bytes, Cpu, ResourceSlots},
        statistics::Statistics,
        text::Clean,
    },
    protocol::message::{ContextState, Snapshot},
};

fn waiting() -> Session {
    let mut it = session(1, "train");
    it.requested_slots = ResourceSlots::new(Cpu::from_millis(4000), Bytes::mib(1024));
    it
}

fn answered(remaining: ResourceSlots) -> WaitingDialog {
    let session = waiting();
    let mut mirror = Mirror::default();
    let change = crate::model::change::Change::Session {
        session: Box::new(session.clone()),
    };
    mirror.apply(change, jiff::Timestamp::UNIX_EPOCH);
    let mut it = WaitingDialog::new(&session);
    let launch = Box::default();
    let missing = Vec::new();
    it.answered(
        &session,
        Ok(Reply::Again { launch, missing }),
        &mirror,
        now(),
    );
    assert_eq!(it.found(), None);
    let group = ResourceGroup {
        name: "default".into(),
        using: ResourceSlots::default(),
        free_by_agent: Some(vec![AgentSlots {
            agent: Clean::default(),
            slots: remaining.clone(),
        }]),
        remaining,
        waiting: None,
        capacity: None,
        free: None,
    };
    let catalogue = Box::new(Catalogue {
        resource_groups: vec![group],
        ..Catalogue::default()
    });
    it.answered(&session, Ok(Reply::Catalogue { catalogue }), &mirror, now());
    it
}

fn now() -> Timestamp {
    Timestamp::from_second(1_000).unwrap()
}

#[test]
fn a_session_that_is_behind_is_offered_a_priority_and_a_timeout_that_pass_the_first() {
    let mut first = waiting();
    first.id = crate::model::id::SessionId::from_u128(7 << 96);
    first.name = "large".into();
    first.status = crate::model::status::Status::Pending;
    first.placement.queue_position = Some(0);
    first.placement.priority = Some(10);
    first.placement.starts_by = Timestamp::from_second(1_000 + 600).ok();
    let mut me = waiting();
    me.status = crate::model::status::Status::Pending;
    me.placement.queue_position = Some(1);
    for it in [&mut first, &mut me] {
        it.placement.resource_group = Some("default".into());
    }
    let mut mirror = with_free(vec![first.clone(), me.clone()], 4000);
    let mut request = LaunchRequest {
        session_type: SessionType::Batch,
        ..LaunchRequest::default()
    };
    let found = in_the_queue(&me, &request, &mirror, now());
    let words: Vec<&str> = found.iter().map(|it| it.words.as_str()).collect();
    assert_eq!(
        words,
        [
            "priority 11: before large",
            "with a timeout of 8m: ends before large starts"
        ]
    );
    assert_eq!(found[0].change, RemedyChange::Priority(11));
    request.timeout = Some(Span(60));
    let found = in_the_queue(&me, &request, &mirror, now());
    assert_eq!(found.len(), 1, "it is short enough already");
    assert!(in_the_queue(&first, &request, &mirror, now()).is_empty());
    mirror = with_free(vec![first, me.clone()], 3000);
    let found = in_the_queue(&me, &request, &mirror, now());
    assert!(found.is_empty(), "it would wait in the first place, too");
}

fn with_free(sessions: Vec<Session>, millis: u64) -> Mirror {
    let free = ResourceSlots::new(Cpu::from_millis(millis), Bytes::mib(4096));
    let group = ResourceGroup {
        name: "default".into(),
        using: ResourceSlots::default(),
        remaining: free.clone(),
        waiting: None,
        capacity: None,
        free: None,
        free_by_agent: Some(vec![AgentSlots {
            agent: Clean::default(),
            slots: free,
        }]),
    };
    let statistics = Statistics {
        groups: vec![group],
        ..Statistics::default()
    };
    let context = ContextState {
        context: Context::local(),
        engine: EngineState::Connecting,
        environments: Vec::new(),
        totals: None,
        statistics: Some(Box::new(statistics)),
        incomplete: false,
    };
    let mut mirror = Mirror::default();
    let snapshot = Snapshot {
        seq: 1,
        sessions,
        contexts: vec![context],
        forwards: Vec::new(),
    };
    mirror.replace(snapshot, now());
    mirror
}

#[test]
fn what_was_not_said_is_what_the_session_has_and_its_name_is_taken() {
    let it = answered(ResourceSlots::new(Cpu::from_millis(2000), Bytes::mib(4096)));
    assert_eq!(it.found().unwrap()[0].words, "with 2 CPU");
    let RemedyChange::Launch(request) = &it.found().unwrap()[0].change else {
        panic!("nothing is launched");
    };
    assert_eq!(request.cpu, Some(Cpu::from_millis(2000)));
    assert_eq!(request.mem, Some(Bytes::mib(1024)));
    assert_eq!(request.name.as_deref(), Some("train-2"));
    assert!(is_whole(request));
}

#[test]
fn with_nothing_to_press_enter_does_nothing() {
    let mut it = answered(ResourceSlots::default());
    assert_eq!(it.found(), Some(&[][..]));
    let mut act = |action| it.action(action, None, &TestEnv::default().env());
    assert_eq!(act(Action::ListDown), []);
    assert_eq!(act(Action::ConfirmPress), []);
    assert_eq!(act(Action::ConfirmNo), [Step::CLOSE]);
}

#[test]
fn a_secret_without_its_value_is_not_whole() {
    let env = [("API_TOKEN".to_owned(), String::new())].into();
    let request = LaunchRequest {
        env,
        ..LaunchRequest::default()
    };
    assert!(!is_whole(&request));
}
