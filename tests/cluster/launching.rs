//! What a launch can say, and what the cluster makes of it.

use jiff::SignedDuration;
use workbay::model::{
    capability::Capability,
    launch_field::LaunchField as Field,
    log::LogOptions,
    resources::{Bytes, Cpu},
    session::{BatchResult, ClusterMode, Session},
    span::Span,
    spec::{LaunchRequest, Owner},
    status::Status,
};

use crate::changes::Changes as _;
use crate::{
    batch::batch,
    folder::Made,
    support::{Bench, Ours, by_admin, cores_of_the_node, now, read_log, release, small, too_large},
};

impl Bench {
    /// A batch session that has ended, and what it printed.
    async fn ended(&self, request: LaunchRequest) -> (Session, String) {
        let (ours, _, _) = self.started(request).await;
        let session = self
            .until_session(ours.id(), |session| session.status.is_final())
            .await;
        let log = read_log(&self.engine, ours.id(), LogOptions::default()).await;
        (session, log)
    }

    async fn refused(&self, request: LaunchRequest) -> (Field, String) {
        let failure = self.engine.launch(&request).await.unwrap_err();
        let said = failure.to_string();
        (failure.field.expect(&said), said)
    }
}

#[tokio::test]
async fn a_batch_session_keeps_its_start_time() {
    let bench = Bench::new().await;
    let starts_at = now() + SignedDuration::from_secs(20);
    let request = LaunchRequest {
        starts_at: Some(starts_at.into()),
        timeout: Some(Span(3600)),
        ..batch("date -u +started-at-%s")
    };
    let ours = bench.enqueue(request).await;
    let session = bench
        .until_session(ours.id(), |session| {
            session.starts_at.is_some() && session.placement.queue_position.is_some()
        })
        .await;
    assert_eq!(session.status, Status::Pending);
    assert_eq!(
        session.status_message,
        Some("waiting for its start time".into())
    );
    assert_eq!(
        session.starts_at.unwrap().as_second(),
        starts_at.as_second()
    );
    let timeout = bench.reported_timeout(Span(3600));
    assert_eq!(session.timeout, timeout);
    let session = bench
        .until_long(ours.id(), |session| session.status.is_final())
        .await;
    let log = read_log(&bench.engine, ours.id(), LogOptions::default()).await;
    if session.started_at.is_none() {
        // Rarely a node loses a container in the making.
        eprintln!("it was lost in the making: {session:?}");
        return;
    }
    assert_eq!(session.result, BatchResult::Success, "{session:?}");
    let started = log.split("started-at-").nth(1).unwrap();
    let digits: String = started.chars().take_while(char::is_ascii_digit).collect();
    assert!(digits.parse::<i64>().unwrap() >= starts_at.as_second());
}

#[tokio::test]
async fn a_batch_session_ends_at_its_timeout() {
    let bench = Bench::new().await;
    let request = LaunchRequest {
        timeout: Some(Span(5)),
        ..batch("echo begins; sleep 600; echo too late")
    };
    let (session, log) = bench.ended(request).await;
    assert_eq!(session.result, BatchResult::Failure, "{session:?}");
    assert_eq!(session.timeout, bench.reported_timeout(Span(5)));
    assert!(log.contains("begins") && !log.contains("too late"), "{log}");
}

#[tokio::test]
async fn a_cluster_of_two_on_one_node_knows_its_hosts() {
    let bench = Bench::new().await;
    let request = LaunchRequest {
        cluster_size: Some(2),
        ..batch(
            "hostname; getent hosts sub1; echo hosts=$BACKENDAI_CLUSTER_HOSTS size=$BACKENDAI_CLUSTER_SIZE",
        )
    };
    let (session, log) = bench.ended(request).await;
    assert_eq!(session.result, BatchResult::Success, "{session:?}");
    let hosts: Vec<&str> = session
        .kernels
        .iter()
        .map(|it| it.hostname.as_str())
        .collect();
    assert_eq!(hosts, ["main1", "sub1"]);
    assert_eq!(session.placement.cluster_size, 2);
    assert_eq!(session.placement.cluster_mode, ClusterMode::SingleNode);
    assert_eq!(session.requested_slots.cpu, Cpu::from_millis(2000));
    // The manager names them in any order.
    let named_hosts = ["main1,sub1", "sub1,main1"].map(|hosts| format!("hosts={hosts} size=2"));
    assert!(named_hosts.iter().any(|it| log.contains(it)), "{log}");
    let named = |line: &str| line.split_whitespace().nth(1) == Some("sub1");
    assert!(
        log.lines().any(named),
        "the other is reached by name: {log}"
    );
}

#[tokio::test]
async fn a_cluster_over_several_nodes_waits_where_there_is_one() {
    let bench = Bench::new().await;
    let request = LaunchRequest {
        cpu: Some(cores_of_the_node(&bench).await),
        cluster_size: Some(2),
        cluster_mode: ClusterMode::MultiNode,
        ..small()
    };
    let ours = bench.enqueue(request).await;
    let session = bench.until_reason(&ours).await;
    assert_eq!(session.status, Status::Pending);
    assert_eq!(session.placement.cluster_mode, ClusterMode::MultiNode);
    let why = session.status_message.unwrap();
    assert!(
        why.as_str()
            .starts_with("waiting: not enough resources: missing cpu"),
        "{why}"
    );
    bench.engine.terminate(ours.id(), false).await.unwrap();
    bench.until_status(ours.id(), &Status::Cancelled).await;
}

impl Bench {
    async fn until_reason(&self, ours: &Ours) -> Session {
        let says = |session: &Session| {
            let why = session.status_message.as_ref();
            why.is_some_and(|why| why.as_str().starts_with("waiting"))
        };
        self.until_session(ours.id(), says).await
    }
}

#[tokio::test]
async fn a_new_folder_is_mounted_where_it_was_said_and_as_it_was_said() {
    let bench = Bench::new().await;
    let folder = Made::new(&bench).await;
    let listed = bench.engine.folders().await.unwrap();
    let listed = listed.iter().find(|it| it.name == folder.0.name).unwrap();
    assert_eq!(
        (listed.permission.as_str(), listed.status.as_str()),
        ("rw", "ready")
    );
    let again = bench.engine.create_folder(folder.name()).await.unwrap_err();
    assert_eq!(
        again.to_string(),
        format!("folder '{}' already exists", folder.name())
    );

    // Inside, the mounts themselves show it; the folder belongs to the storage's own user here.
    let mount = |text: &str| vec![format!("{}{text}", folder.name()).parse().unwrap()];
    let seen = |log: &str, place: &str, flag: &str| {
        let is_it = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.get(1) == Some(&place) && words[3].split(',').any(|it| it == flag)
        };
        log.lines().any(is_it)
    };
    let home = format!("/home/work/{}", folder.name());
    for (how, place, flag) in [
        ("", home.as_str(), "rw"),
        (":in/data:ro", "/home/work/in/data", "ro"),
    ] {
        let (session, log) = bench
            .ended(LaunchRequest {
                mounts: mount(how),
                ..batch("cat /proc/mounts")
            })
            .await;
        assert_eq!(session.result, BatchResult::Success, "{log}");
        assert_eq!(session.folders, std::slice::from_ref(&folder.0.name));
        assert!(seen(&log, place, flag), "{place} {flag}: {log}");
    }
}

#[tokio::test]
async fn a_preset_priority_agent_and_ports_are_taken() {
    let bench = Bench::new().await;
    let request = LaunchRequest {
        cpu: Some("64".parse().unwrap()),
        mem: None,
        preset: Some("tiny".to_owned()),
        priority: Some(73),
        agent: Some("i-local".to_owned()),
        preopen_ports: vec![9000, 9001],
        bootstrap_script: Some("true".to_owned()),
        env: [("A_B".to_owned(), "c d".to_owned())].into(),
        ..too_large()
    };
    let ours = bench.enqueue(request).await;
    let session = bench.session(ours.id()).await;
    assert_eq!(
        session.requested_slots.mem,
        Bytes::mib(256),
        "as the preset says"
    );
    assert_eq!(session.requested_slots.cpu.to_string(), "64", "as asked");
    assert_eq!(session.placement.priority, Some(73));
    assert_eq!(session.preopen_ports, [9000, 9001]);
}

#[tokio::test]
async fn refusals_of_the_cluster_name_the_field() {
    let bench = Bench::new().await;
    let taken = bench.enqueue(too_large()).await;
    let name = bench.session(taken.id()).await.name.to_string();
    let named = |mounts: &str| vec![mounts.parse().unwrap()];
    for (request, field, words) in [
        (
            LaunchRequest {
                name: Some(name),
                ..small()
            },
            Field::Name,
            "a session with that name already exists",
        ),
        (
            LaunchRequest {
                image: Some("local/stable/nope:1".to_owned()),
                ..small()
            },
            Field::Image,
            "local/stable/nope:1",
        ),
        (
            LaunchRequest {
                environment: Some("nope".to_owned()),
                ..small()
            },
            Field::Environment,
            "'nope' not found",
        ),
        (
            LaunchRequest {
                resource_group: Some("nogroup".to_owned()),
                ..small()
            },
            Field::ResourceGroup,
            "nogroup",
        ),
        (
            LaunchRequest {
                project: Some("noproject".to_owned()),
                ..small()
            },
            Field::Project,
            "project 'noproject' not found",
        ),
        (
            LaunchRequest {
                preset: Some("nopreset".to_owned()),
                ..small()
            },
            Field::Preset,
            "preset 'nopreset' not found",
        ),
        (
            LaunchRequest {
                mem: Some(Bytes::mib(64)),
                ..small()
            },
            Field::Memory,
            "minimum",
        ),
        (
            LaunchRequest {
                cpu: Some(Cpu::from_millis(500)),
                ..small()
            },
            Field::Cpu,
            "minimum",
        ),
        (
            LaunchRequest {
                // CUDA devices are known here as soon as an agent has had some.
                accelerators: [("rocm.device".to_owned(), 1000)].into(),
                ..small()
            },
            Field::Accelerator,
            "rocm.device",
        ),
        (
            LaunchRequest {
                mounts: named("nofolder"),
                ..small()
            },
            Field::Folders,
            "No such virtual folder",
        ),
        (
            LaunchRequest {
                preopen_ports: vec![7681],
                ..small()
            },
            Field::PreopenPorts,
            "7681",
        ),
        (
            LaunchRequest {
                cluster_size: Some(99),
                ..small()
            },
            Field::ClusterSize,
            "containers",
        ),
    ] {
        if field == Field::Cpu
            && let Ok(taken) = bench.engine.launch(&request).await
        {
            // A manager of 25.15 checks only the image's memory.
            assert!(release().is_none_or(|it| it.starts_with("25.")));
            bench.engine.terminate(taken, true).await.unwrap();
            continue;
        }
        let (found, why) = bench.refused(request).await;
        assert_eq!(found, field, "{why}");
        assert!(why.contains(words), "{field:?}: {why}");
    }
}

#[tokio::test]
async fn only_an_administrator_launches_for_others() {
    let bench = Bench::new().await;
    let owner = Owner {
        email: "user2@lablup.com".to_owned(),
        access_key: "AKIANATWOUSEREXAMPLE".to_owned(),
    };
    let request = LaunchRequest {
        owner: Some(owner.clone()),
        ..too_large()
    };
    let (field, why) = bench.refused(request.clone()).await;
    assert_eq!(field, Field::Owner);
    assert_eq!(
        why,
        "only administrators can launch sessions for other users"
    );
    let capabilities = bench.engine.probe().await.unwrap().capabilities;
    assert_eq!(
        capabilities.why_not(Capability::Owners).unwrap(),
        why.as_str()
    );

    let admin = Bench::with(by_admin()).await;
    if let Some(why) = admin.lack(Capability::Owners) {
        let (field, said) = admin.refused(request).await;
        assert_eq!((field, said), (Field::Owner, why));
        return;
    }
    let choices = admin.engine.find_owner(&owner.email).await.unwrap();
    assert_eq!(choices.access_keys, [owner.access_key.as_str()]);
    assert!(choices.projects.iter().any(|it| *it == *"default"));
    let id = admin.engine.launch(&request).await.unwrap();
    let session = admin.session(id).await;
    admin.engine.terminate(id, true).await.unwrap();
    assert_eq!(session.owner, *owner.email.as_str());
    assert!(
        bench.engine.rows(&[id]).await.unwrap().is_empty(),
        "it is not ours"
    );
    admin.until_status(id, &Status::Cancelled).await;
    // Only the highest administrators learn how many wait.
    let catalogue = admin.engine.catalogue(None).await.unwrap();
    assert!(catalogue.resource_groups[0].waiting.is_some());
}
