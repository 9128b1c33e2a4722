//! Several contexts in one daemon, independent of each other.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use workbay::{
    client::StreamItem,
    daemon::{ContextSetup, EngineFactory},
    model::{
        capability::EngineState,
        change::Change,
        context::Context,
        failure::{Failure, FailureKind},
        id::{ContextName, SessionKey},
        log::LogOptions,
        request::{ContextRequest, SessionRequest},
        resources::{Bytes, Cpu},
        status::Status,
        usage::Usage,
    },
    protocol::message::{Reply, Request, StreamEnd, StreamOpen},
};

use crate::support::{
    MemoryScheduler, TestClient, TestDaemon, eventually,
    scheduler::{Question, denied},
    test_daemon::{named, settings, setup},
};

pub fn prod() -> ContextName {
    ContextName::new("prod").unwrap()
}

pub fn key(id: workbay::model::id::SessionId) -> SessionKey {
    SessionKey::new(prod(), id)
}

/// A daemon with the local engine and this manager as `prod`.
pub async fn daemon_with(manager: &MemoryScheduler) -> TestDaemon {
    let mut daemon = TestDaemon::closed(settings());
    daemon.others = vec![setup("prod", manager)];
    daemon.start().await;
    daemon
}

pub async fn until_prod(client: &mut TestClient, so: impl Fn(&EngineState) -> bool) {
    let known = client.snapshot.contexts.iter();
    let known = known.filter(|state| state.context.name == prod());
    let mut last = known.map(|state| state.engine.clone()).next();
    for change in &client.received {
        if let Change::Engine { context, engine } = change
            && *context == prod()
        {
            last = Some(engine.as_ref().clone());
        }
    }
    if last.is_some_and(|engine| so(&engine)) {
        return;
    }
    let has_text = |change: &Change| match change {
        Change::Engine { context, engine } => *context == prod() && so(engine),
        _ => false,
    };
    client.until_received(has_text).await;
}

pub fn is_up(state: &EngineState) -> bool {
    matches!(state, EngineState::Connected { .. })
}

pub fn is_lost(state: &EngineState) -> bool {
    matches!(state, EngineState::Lost { .. })
}

#[tokio::test]
async fn a_manager_that_hangs_for_ever_blocks_nobody() {
    let manager = MemoryScheduler::new();
    manager.hold(Question::Probe);
    let daemon = daemon_with(&manager).await;
    let mut client = daemon.client().await;
    let names = client
        .snapshot
        .contexts
        .iter()
        .map(|state| state.context.name);
    assert_eq!(names.collect::<Vec<_>>(), [ContextName::local(), prod()]);
    client.until_connected().await;
    let connection = client.connection.clone();
    let waiting = tokio::spawn(async move {
        let (context, launch) = (prod(), Box::new(named("never")));
        connection.ask(Request::Launch { context, launch }).await
    });
    let id = client.run("unhurt").await;
    let refresh = Request::refresh(None);
    assert_eq!(client.connection.ask(refresh).await, Ok(Reply::Done));
    client.terminate(id, false).await.unwrap();
    client.until_status(id, Status::Terminated).await;
    assert!(!waiting.is_finished());
    manager.release(Question::Probe);
    let launched = waiting.await.unwrap().unwrap();
    assert!(matches!(launched, Reply::Launched { .. }), "{launched:?}");
}

#[tokio::test]
async fn a_manager_that_hangs_in_the_middle_blocks_nobody() {
    let manager = MemoryScheduler::new();
    manager.add("RUNNING");
    let daemon = daemon_with(&manager).await;
    let mut client = daemon.client().await;
    until_prod(&mut client, is_up).await;
    for question in [
        Question::Page,
        Question::Rows,
        Question::Totals,
        Question::Session,
    ] {
        manager.hold(question);
    }
    let connection = client.connection.clone();
    let waiting = tokio::spawn(async move {
        let context = Some(prod());
        connection.ask(Request::refresh(context)).await
    });
    let id = client.run("unhurt").await;
    assert_eq!(client.session(id).unwrap().context, ContextName::local());
    let launched = client.launch_in(prod(), named("slow"));
    let release = async {
        eventually("it is launched", || manager.count(Question::Launch) == 1).await;
        for question in [
            Question::Page,
            Question::Rows,
            Question::Totals,
            Question::Session,
        ] {
            manager.release(question);
        }
    };
    let (launched, ()) = tokio::join!(launched, release);
    assert_eq!(launched.unwrap().context, prod());
    assert_eq!(waiting.await.unwrap(), Ok(Reply::Done));
    assert!(
        !client.received.iter().any(|change| matches!(
            change, Change::Engine { engine, .. } if is_lost(engine)
        )),
        "slow is not lost"
    );
}

#[tokio::test]
async fn a_context_that_is_not_there_is_reported_with_those_that_are() {
    let daemon = daemon_with(&MemoryScheduler::new()).await;
    let client = daemon.client().await;
    let stranger = ContextName::new("nowhere").unwrap();
    let failure = client
        .launch_in(stranger, named("x-file"))
        .await
        .unwrap_err();
    assert_eq!(failure.kind, FailureKind::NotFound);
    assert_eq!(
        failure.message(),
        "context 'nowhere' not found. Configured: local, prod"
    );
    let session = SessionKey::new(stranger, workbay::model::id::SessionId::random());
    let mut stream = client.connection.open(StreamOpen::Terminal {
        session,
        tag: "t".into(),
        columns: 80,
        rows: 24,
        start: workbay::model::shell_start::ShellStart::default(),
    });
    let Some(StreamItem::Ended(StreamEnd::Failed { failure })) = stream.recv().await else {
        panic!("it was opened");
    };
    assert_eq!(failure.kind, FailureKind::NotFound);
}

#[tokio::test]
async fn a_dead_manager_comes_back_and_its_sessions_were_kept_in_sight() {
    let manager = MemoryScheduler::new();
    let id = manager.add("RUNNING");
    let daemon = daemon_with(&manager).await;
    let mut client = daemon.client().await;
    client.until_status(id, Status::Running).await;
    manager.cut();
    let asking = Request::context(prod(), ContextRequest::Environments);
    let failure = client.connection.ask(asking).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable);
    until_prod(&mut client, is_lost).await;
    assert_eq!(client.session(id).unwrap().status, Status::Running);
    let failure = client.launch_in(prod(), named("never")).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable);
    client.run("local-one").await;
    manager.restore();
    let newer = manager.add("RUNNING");
    let refresh = Request::refresh(Some(prod()));
    assert_eq!(client.connection.ask(refresh).await, Ok(Reply::Done));
    client.until_status(newer, Status::Running).await;
}

#[tokio::test]
async fn wrong_keys_are_reported_with_what_to_do_and_checked_again_when_a_user_asks() {
    let manager = MemoryScheduler::new();
    manager.add("RUNNING");
    let made = Arc::new(AtomicUsize::new(0));
    let (count, engine) = (made.clone(), manager.clone());
    let factory = EngineFactory::scheduler(move |_| {
        // The first time there is no key at all, the second time a wrong one.
        match count.fetch_add(1, Ordering::SeqCst) {
            0 => Err(denied()),
            _ => Ok(Arc::new(engine.clone())),
        }
    });
    let mut daemon = TestDaemon::closed(settings());
    let context = Context {
        name: prod(),
        ..Context::local()
    };
    daemon.others = vec![ContextSetup::new(context, factory)];
    daemon.start().await;
    let mut client = daemon.client().await;
    until_prod(&mut client, is_lost).await;
    let failure = client.launch_in(prod(), named("never")).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Denied);
    assert_eq!(failure.hint.unwrap(), "look at the keys in contexts.toml");
    assert_eq!(made.load(Ordering::SeqCst), 1, "it is not hammered");
    client.run("local-one").await;
    let refresh = Request::refresh(Some(prod()));
    let failure = client.connection.ask(refresh).await.unwrap_err();
    assert_eq!(
        failure.kind,
        FailureKind::Denied,
        "at once again is too soon"
    );
    assert_eq!(made.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_read_only_context_changes_nothing() {
    let manager = MemoryScheduler::new();
    let id = manager.add("RUNNING");
    let mut daemon = TestDaemon::closed(settings());
    let mut setup = setup("prod", &manager);
    setup.context.read_only = true;
    daemon.others = vec![setup];
    daemon.start().await;
    let mut client = daemon.client().await;
    client.until_status(id, Status::Running).await;
    let terminate = Request::session(key(id), SessionRequest::Terminate { force: false });
    let failure = client.connection.ask(terminate).await.unwrap_err();
    assert_eq!(failure.message(), "context 'prod' is read-only");
    assert_eq!(manager.count(Question::Terminate), 0);
    let detail = Request::session(key(id), SessionRequest::Detail);
    assert!(client.connection.ask(detail).await.is_ok());
}

/// Opens a stream, says hello; the first bytes that come.
async fn open(client: &TestClient, open: StreamOpen) -> Result<Vec<u8>, Failure> {
    let mut stream = client.connection.open(open);
    match stream.recv().await {
        Some(StreamItem::Opened) => {}
        Some(StreamItem::Ended(StreamEnd::Failed { failure })) => return Err(failure),
        other => panic!("{other:?}"),
    }
    let sender = stream.sender();
    sender.send("hello").await.ok();
    match stream.recv().await {
        Some(StreamItem::Data { bytes, .. }) => Ok(bytes.to_vec()),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn streams_go_to_the_engine_of_their_context() {
    let manager = MemoryScheduler::new();
    let (running, queued) = (manager.add("RUNNING"), manager.add("PENDING"));
    let daemon = daemon_with(&manager).await;
    let mut client = daemon.client().await;
    client.until_status(running, Status::Running).await;
    client.until_status(queued, Status::Pending).await;
    let terminal = |id| StreamOpen::Terminal {
        session: key(id),
        tag: "pane".into(),
        columns: 80,
        rows: 24,
        start: workbay::model::shell_start::ShellStart::default(),
    };
    let echo = open(&client, terminal(running)).await.unwrap();
    assert_eq!(echo, b"hello");
    assert_eq!(manager.count(Question::Attach), 1);
    let failure = open(&client, terminal(queued)).await.unwrap_err();
    assert!(
        failure
            .message()
            .as_str()
            .contains("needs a running session"),
        "{failure:?}"
    );
    let dial = StreamOpen::Dial {
        session: key(running),
        service: "ttyd".into(),
        port: None,
    };
    assert_eq!(open(&client, dial).await.unwrap(), b"hello");
    let exec = StreamOpen::Exec {
        session: key(running),
        argv: vec!["ls".into()],
        tty: None,
        kernel: None,
    };
    let failure = open(&client, exec).await.unwrap_err();
    assert!(
        failure
            .message()
            .as_str()
            .contains("a manager runs no command"),
        "{failure:?}"
    );
    let kernel = Some(workbay::model::id::KernelId::from_u128(7));
    let log = |id, follow| StreamOpen::Log {
        session: key(id),
        options: LogOptions {
            follow,
            tail: None,
            kernel,
            timestamps: false,
            before: None,
        },
    };
    let text = open(&client, log(running, false)).await.unwrap();
    assert!(
        String::from_utf8(text).unwrap().contains("000000000007"),
        "its kernel is passed on"
    );
    let failure = open(&client, log(queued, false)).await.unwrap_err();
    assert!(
        failure.message().as_str().contains("hasn't started"),
        "{failure:?}"
    );
    // A reader waits until there is a log to follow.
    let begins = async {
        manager.bring(queued, "RUNNING");
    };
    let (followed, ()) = tokio::join!(open(&client, log(queued, true)), begins);
    followed.unwrap();
}

#[tokio::test]
async fn usage_is_sampled_in_each_context() {
    let manager = MemoryScheduler::new();
    let theirs = manager.add("RUNNING");
    let daemon = daemon_with(&manager).await;
    let mut client = daemon.client().await;
    let ours = client.run("busy-one").await;
    client.until_status(theirs, Status::Running).await;
    daemon.engine.set_usage(ours, Some(500), Bytes::mib(10));
    let usage = Usage::new(
        jiff::Timestamp::UNIX_EPOCH,
        Some(Cpu::from_millis(700)),
        Bytes::mib(20),
    );
    manager.set_usage(theirs, usage);
    let sessions = vec![SessionKey::local(ours), key(theirs)];
    client
        .connection
        .ask(Request::Watch { sessions })
        .await
        .unwrap();
    let is_about = |wanted: SessionKey| {
        move |change: &Change| match change {
            Change::Usage { samples } => samples.iter().any(|(key, _)| *key == wanted),
            _ => false,
        }
    };
    let (mut here, mut there) = (false, false);
    while !(here && there) {
        let change = client.receive().await;
        here |= is_about(SessionKey::local(ours))(&change);
        there |= is_about(key(theirs))(&change);
    }
}
