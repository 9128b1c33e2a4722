//! Several sessions in one launch, recent launches, relaunches.

use std::fs;

use workbay::{
    model::{
        failure::{Failure, FailureKind},
        id::{ContextName, SessionKey},
        launch_field::LaunchField,
        recent::{Recent, RecentEdit, RecentId},
        request::SessionRequest,
        resources::{Bytes, Cpu, ResourceSlots},
        session::{Session, SessionType},
        spec::LaunchRequest,
        status::Status,
    },
    protocol::message::{Reply, Request},
};

use crate::{
    batch::{batch, small},
    managers::{daemon_with, is_up, key, prod, until_prod},
    support::{Call, MemoryScheduler, TestClient, TestDaemon, eventually, test_daemon::named},
};

async fn launch(
    client: &TestClient,
    context: ContextName,
    request: LaunchRequest,
) -> Result<(Vec<Session>, Option<Failure>), Failure> {
    let launch = Box::new(request);
    match client
        .connection
        .ask(Request::Launch { context, launch })
        .await?
    {
        Reply::Launched { sessions, failure } => Ok((sessions, failure)),
        other => panic!("nothing launched but {other:?}"),
    }
}

async fn recents(client: &TestClient) -> Vec<Recent> {
    match client.connection.ask(Request::Recents).await {
        Ok(Reply::Recents { entries }) => entries,
        other => panic!("no recents but {other:?}"),
    }
}

async fn edit(client: &TestClient, id: RecentId, edit: RecentEdit) -> Result<Vec<Recent>, Failure> {
    match client
        .connection
        .ask(Request::EditRecent { id, edit })
        .await?
    {
        Reply::Recents { entries } => Ok(entries),
        other => panic!("no recents but {other:?}"),
    }
}

async fn again(client: &TestClient, session: SessionKey) -> LaunchRequest {
    match client
        .connection
        .ask(Request::session(session, SessionRequest::Again))
        .await
    {
        Ok(Reply::Again { launch, .. }) => *launch,
        other => panic!("no launch but {other:?}"),
    }
}

fn copies(name: &str, count: u32) -> LaunchRequest {
    LaunchRequest {
        count: Some(count),
        ..small(name)
    }
}

fn names(sessions: &[Session]) -> Vec<&str> {
    sessions
        .iter()
        .map(|session| session.name.as_str())
        .collect()
}

#[tokio::test]
async fn copies_are_made_in_one_go_and_remembered_once() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let (made, failure) = launch(&client, ContextName::local(), copies("sweep", 3))
        .await
        .unwrap();
    assert_eq!(failure, None);
    assert_eq!(names(&made), ["sweep-1", "sweep-2", "sweep-3"]);
    for session in &made {
        client.until_status(session.id, Status::Running).await;
    }
    assert_eq!(daemon.engine.containers().len(), 3);
    let kept = recents(&client).await;
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].title, "sweep");
    let mut expected = copies("sweep", 3);
    expected.environment = Some("host".to_owned());
    assert_eq!(kept[0].launch, expected);
    assert_eq!(kept[0].context, ContextName::local());
}

#[tokio::test]
async fn copies_without_a_name_share_a_generated_one() {
    let daemon = TestDaemon::open().await;
    let client = daemon.client().await;
    let mut request = copies("", 2);
    request.name = None;
    let (made, _) = launch(&client, ContextName::local(), request.clone())
        .await
        .unwrap();
    let base = made[0].name.as_str().strip_suffix("-1").unwrap();
    assert_eq!(made[1].name, format!("{base}-2").as_str());
    assert!(base.ends_with("-session"), "{base}");
    let kept = recents(&client).await;
    assert_eq!(kept[0].title, base);
    request.environment = Some("host".to_owned());
    assert_eq!(
        kept[0].launch, request,
        "as it was asked for, with its environment"
    );
}

#[tokio::test]
async fn copies_are_checked_as_a_whole_before_the_first_is_made() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let taken = client.launch(small("taken-2")).await.unwrap();
    client.until_status(taken.id, Status::Running).await;
    let surveys = daemon.engine.count(Call::List);
    let long = "n".repeat(63);
    let mut sized = copies("sized", 2);
    sized.cluster_size = Some(2);
    for (request, field, says) in [
        (copies("taken", 3), LaunchField::Name, "'taken-2' is taken"),
        (copies(&long, 2), LaunchField::Name, "has 65 characters"),
        (copies("none", 0), LaunchField::Count, "at least 1"),
        (copies("many", 101), LaunchField::Count, "max: 100"),
        (sized, LaunchField::Count, "only one cluster session"),
    ] {
        let failure = launch(&client, ContextName::local(), request)
            .await
            .unwrap_err();
        assert_eq!(failure.field, Some(field), "{failure:?}");
        assert_eq!(failure.kind, FailureKind::Usage);
        assert!(failure.message().as_str().contains(says), "{failure:?}");
    }
    assert_eq!(
        daemon.engine.count(Call::List),
        surveys,
        "nothing was begun"
    );
    assert_eq!(recents(&client).await.len(), 1);
}

#[tokio::test]
async fn what_could_be_made_is_reported_beside_what_could_not() {
    let manager = MemoryScheduler::new();
    let daemon = daemon_with(&manager).await;
    let mut client = daemon.client().await;
    until_prod(&mut client, is_up).await;
    let error = Failure::refused("you have 30 sessions already");
    manager.fail_next(crate::support::scheduler::Question::Launch, error.clone());
    let (made, failure) = launch(&client, prod(), copies("partly", 2)).await.unwrap();
    assert_eq!(made.len(), 1);
    let failure = failure.unwrap();
    assert_eq!(failure.message(), "you have 30 sessions already");
    assert_eq!(recents(&client).await.len(), 1);

    for _ in 0..2 {
        manager.fail_next(crate::support::scheduler::Question::Launch, error.clone());
    }
    let failure = launch(&client, prod(), copies("nothing", 2))
        .await
        .unwrap_err();
    assert_eq!(failure.message(), "you have 30 sessions already");
    assert_eq!(
        recents(&client).await.len(),
        1,
        "what came to nothing is forgotten"
    );
}

#[tokio::test]
async fn a_face_that_left_meanwhile_has_launched_all_the_same() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let leaving = daemon.client().await;
    client.until_connected().await;
    daemon.engine.hold(Call::List);
    let lists = daemon.engine.count(Call::List);
    let (context, request) = (ContextName::local(), Box::new(small("orphan")));
    let connection = leaving.connection.clone();
    let asking = tokio::spawn(async move {
        let ask = Request::Launch {
            context,
            launch: request,
        };
        connection.ask(ask).await
    });
    eventually("it is being checked", || {
        daemon.engine.count(Call::List) > lists
    })
    .await;
    asking.abort();
    drop(leaving);
    // A word of the TUI that stays comes after the other has gone.
    recents(&client).await;
    daemon.engine.release(Call::List);
    client
        .until_received(|change| {
            matches!(change, workbay::model::change::Change::Session { session }
            if session.status == Status::Running)
        })
        .await;
    assert_eq!(recents(&client).await[0].title, "orphan");
}

#[tokio::test]
async fn five_are_remembered_and_those_that_are_pinned() {
    let mut daemon = TestDaemon::open().await;
    let client = daemon.client().await;
    for number in 0..7 {
        let request = small(&format!("number-{number}"));
        launch(&client, ContextName::local(), request)
            .await
            .unwrap();
        if number == 0 {
            let first = recents(&client).await[0].id;
            edit(&client, first, RecentEdit::Pin { pinned: true })
                .await
                .unwrap();
        }
    }
    let titles = |kept: &[Recent]| {
        let titles = kept.iter().map(|recent| recent.title.to_string());
        titles.collect::<Vec<_>>()
    };
    let kept = recents(&client).await;
    let wanted = [
        "number-0", "number-6", "number-5", "number-4", "number-3", "number-2",
    ];
    assert_eq!(titles(&kept), wanted);

    let rename = |title: &str| RecentEdit::Rename {
        title: title.to_owned(),
    };
    let renamed = edit(&client, kept[1].id, rename("my training"))
        .await
        .unwrap();
    assert_eq!(titles(&renamed)[1], "my training");
    for bad in ["", " \u{1b}[2J ", &"n".repeat(65)] {
        let failure = edit(&client, kept[1].id, rename(bad)).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Usage, "{bad:?}");
    }
    let left = edit(&client, kept[0].id, RecentEdit::Remove).await.unwrap();
    assert_eq!(left.len(), 5);
    let same = edit(&client, kept[0].id, RecentEdit::Remove).await.unwrap();
    assert_eq!(same, left, "one that is not there is left alone");

    drop(client);
    daemon.restart().await;
    let client = daemon.client().await;
    assert_eq!(recents(&client).await, left);
}

#[tokio::test]
async fn no_secret_is_kept_anywhere() {
    let mut daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let mut request = small("secretive");
    request.env.insert("API_TOKEN".into(), "hush-hush".into());
    request.env.insert("STAGE".into(), "test".into());
    let secrets = [
        ("DB_PASS", "hush-hush"),
        ("DATABASE_URL", "postgres://u:hush-hush@db/x"),
        ("SESSION_COOKIE", "hush-hush"),
        ("OPENAI_APIKEY", "hush-hush"),
        ("GITHUB_PAT", "hush-hush"),
        ("SENTRY_DSN", "hush-hush"),
        ("OPAQUE", "ghp_hushhush16C7e42F292c6912E7710c838347"),
        ("MARKED_BY_THE_CLIENT", "hush-hush"),
    ];
    request.secret_names.insert("MARKED_BY_THE_CLIENT".into());
    for (name, value) in secrets {
        request.env.insert(name.into(), value.into());
    }
    let made = client.launch(request).await.unwrap();
    client.until_status(made.id, Status::Running).await;
    let kept = &recents(&client).await[0].launch;
    assert_eq!(kept.env["API_TOKEN"], "");
    assert_eq!(kept.env["STAGE"], "test");
    for (name, _) in secrets {
        assert!(kept.env[name].is_empty() && kept.is_secret(name), "{name}");
    }
    let relaunch = again(&client, SessionKey::local(made.id)).await;
    assert_eq!(relaunch.env["API_TOKEN"], "");
    let mut secret = small("refused-one");
    secret.env.insert("API_TOKEN".into(), "hush-hush".into());
    secret.mem = Some(Bytes(1));
    client.launch(secret).await.unwrap_err();
    let container = daemon.engine.containers().remove(0);
    assert!(!serde_json::to_string(&container).unwrap().contains("hush"));
    assert!(!format!("{:?}", client.received).contains("hush"));
    drop(client);
    daemon.stop().await;
    let mut stack = vec![daemon.root.path().to_path_buf()];
    let mut files = 0;
    while let Some(path) = stack.pop() {
        if path.is_dir() {
            stack.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if path.is_file() {
            files += 1;
            let bytes = fs::read(&path).unwrap();
            let found = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
            let found = found(b"hush-hush") || found(b"ghp_hushhush");
            assert!(!found, "a secret is in {}", path.display());
        }
    }
    assert!(files >= 2, "store and log were looked at");
}

#[tokio::test]
async fn a_session_is_launched_again_as_it_was() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let mut asked = batch("repeated", "exit 3");
    asked.priority = Some(70);
    asked.env.insert("STAGE".into(), "test".into());
    let made = client.launch(asked.clone()).await.unwrap();
    client.until_status(made.id, Status::Terminated).await;
    let request = again(&client, SessionKey::local(made.id)).await;
    assert_eq!(request, asked);
    let once_more = client.launch(request).await.unwrap();
    assert_ne!(once_more.id, made.id);
    assert_eq!(once_more.name, made.name);
    client.until_status(once_more.id, Status::Terminated).await;

    // While it runs, its name is taken.
    let running = client.run("busy-one").await;
    let request = again(&client, SessionKey::local(running)).await;
    assert_eq!(request.name, None);
    let nobody = SessionKey::local(workbay::model::id::SessionId::from_u128(1));
    let failure = client
        .connection
        .ask(Request::session(nobody, SessionRequest::Again))
        .await;
    assert_eq!(failure.unwrap_err().kind, FailureKind::NotFound);
}

#[tokio::test]
async fn a_session_of_a_manager_reports_how_it_was_launched() {
    let manager = MemoryScheduler::new();
    let id = manager.add("RUNNING");
    manager.edit(id, |session| {
        session.session_type = SessionType::Batch;
        session.startup_command = Some("make".into());
        session.requested_slots = ResourceSlots::new(Cpu::from_millis(4000), Bytes::mib(2048));
        session.folders = vec!["data".into()];
        session.placement.cluster_size = 2;
        session.placement.resource_group = Some("gpu".into());
    });
    let daemon = daemon_with(&manager).await;
    let mut client = daemon.client().await;
    until_prod(&mut client, is_up).await;
    let request = again(&client, key(id)).await;
    assert_eq!(request.name, None);
    assert_eq!(request.startup_command.as_deref(), Some("make"));
    assert_eq!(request.cpu, Some(Cpu::from_millis(2000)));
    assert_eq!(request.mem, Some(Bytes::mib(1024)));
    assert_eq!(request.cluster_size, Some(2));
    assert_eq!(request.resource_group.as_deref(), Some("gpu"));
    assert_eq!(request.mounts, ["data".parse().unwrap()]);

    manager.vanish(id);
    let session = key(id);
    let gone = client
        .connection
        .ask(Request::session(session, SessionRequest::Again))
        .await;
    assert_eq!(gone.unwrap_err().kind, FailureKind::NotFound);
}

#[tokio::test]
async fn a_launch_is_remembered_with_the_name_it_got() {
    let daemon = TestDaemon::open().await;
    let client = daemon.client().await;
    let request = LaunchRequest {
        name: None,
        ..small("")
    };
    let made = client.launch(request).await.unwrap();
    let kept = recents(&client).await;
    assert_eq!(kept[0].title, made.name);
    assert_eq!(kept[0].launch.name, None);
    client.launch(named("a b")).await.unwrap_err();
    assert_eq!(
        recents(&client).await.len(),
        1,
        "what was refused is not kept"
    );
}
