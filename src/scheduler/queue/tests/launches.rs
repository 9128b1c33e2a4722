//! The results of launches, and which field a refusal names.

use super::{MIB_64, cpus, full_by, named, settings};
use crate::{
    model::{
        catalogue::{Catalogue, Preset},
        folder::Folder,
        launch_field::LaunchField,
        policy::AcceleratorRules,
        request::{ContextRequest, SessionRequest},
        resources::{Bytes, Cpu, ResourceSlots},
        session::SessionType,
        span::Span,
        spec::{LaunchRequest, Mounted},
        status::Status,
        text::Clean,
    },
    scheduler::{
        fact::SchedulerRequest,
        tests::play::{Play, at},
    },
    state_machine::Answer,
};

fn preset(name: &str, millis: u64, mem: Bytes) -> Preset {
    Preset::new(name, ResourceSlots::new(Cpu::from_millis(millis), mem))
}

fn catalogue(play: &mut Play) -> Catalogue {
    let ticket = play.ask(SchedulerRequest::Context(ContextRequest::Catalogue {
        project: None,
        refresh: false,
    }));
    play.work_off();
    match &play.answered[&ticket] {
        Ok(Answer::Catalogue(catalogue)) => catalogue.as_ref().clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn launches_keep_their_order_though_surveys_are_answered_in_another() {
    let mut play = Play::with(settings(|_| ()));
    for number in 1..=5 {
        play.launch_with(cpus(&format!("job-{number}"), 2000));
    }
    assert_eq!(play.orders.len(), 5, "each launch has its survey");
    play.carry_out(2, None);
    play.carry_out(3, None);
    play.work_off();
    let names = play
        .launched
        .iter()
        .map(|id| play.session(*id).name.clone());
    let names: Vec<Clean> = names.collect();
    assert_eq!(
        names,
        ["job-1", "job-2", "job-3", "job-4", "job-5"].map(Clean::new)
    );
    let running = play.launched[..2].iter().map(|id| play.status(*id));
    assert!(running.eq([Status::Running, Status::Running]));
    play.check_rest();
}

#[test]
fn a_launch_is_filled_by_preset_settings_and_rules() {
    let mut play = Play::with(settings(|rules| {
        rules.presets = vec![preset("small", 500, Bytes::mib(128))];
    }));
    play.folders = ["data", ".cache"]
        .map(|name| Folder::own(name, "local"))
        .to_vec();
    play.ask(SchedulerRequest::Context(ContextRequest::Environments));
    play.work_off();
    let id = play.comes(LaunchRequest {
        preset: Some("small".into()),
        mounts: vec!["data:in:ro".parse().unwrap()],
        cluster_size: Some(3),
        preopen_ports: vec![9000],
        ..named("filled")
    });
    let record = &play.stored[&id];
    assert_eq!(
        record.spec.slots(),
        ResourceSlots::new(Cpu::from_millis(500), Bytes::mib(128))
    );
    assert_eq!(record.spec.shmem, Bytes::mib(16));
    let mounted = |folder: &str, target: &str, read_only| Mounted {
        folder: folder.into(),
        target: target.into(),
        read_only,
    };
    assert_eq!(
        record.spec.mounts,
        [
            mounted(".cache", "/home/work/.cache", false),
            mounted("data", "/home/work/in", true),
        ]
    );
    let session = play.session(id);
    assert_eq!(session.requested_slots.cpu, Cpu::from_millis(1500));
    let hosts: Vec<_> = session
        .kernels
        .iter()
        .map(|it| it.hostname.as_str())
        .collect();
    assert_eq!(hosts, ["main1", "sub1", "sub2"]);
    assert_eq!(session.placement.cluster_size, 3);
    assert_eq!(session.placement.priority, Some(10));
    assert_eq!(session.preopen_ports, [9000]);
    let folders: Vec<_> = session.folders.iter().map(Clean::as_str).collect();
    assert_eq!(folders, [".cache", "data"]);
}

#[test]
fn what_nobody_asked_for_is_never_too_much() {
    let mut play = Play::with(settings(|rules| {
        rules.limits.per_container.mem = Some(Bytes::mib(32));
        rules.limits.total.cpu = Some(Cpu::from_millis(250));
    }));
    let id = play.comes(named("modest"));
    let spec = &play.stored[&id].spec;
    assert_eq!((spec.mem, spec.shmem), (Bytes::mib(32), Bytes::mib(16)));
    assert_eq!(spec.cpu, Cpu::from_millis(250));
    let refusal = play.refused(LaunchRequest {
        mem: Some(MIB_64),
        ..named("greedy")
    });
    assert_eq!(refusal.field, Some(LaunchField::Memory));
}

#[test]
fn a_launch_is_pending_first() {
    let mut play = Play::new();
    let ticket = play.launch();
    play.work_off();
    match &play.answered[&ticket] {
        Ok(Answer::Launched(session)) => assert_eq!(session.status, Status::Pending),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_can_never_be_is_refused_at_its_field() {
    let mut play = Play::with(settings(|rules| {
        rules.limits.containers_per_session = Some(2);
        rules.limits.per_container.mem = Some(Bytes::mib(512));
        rules.limits.preopen_ports = Some(1);
        rules.presets = vec![preset("huge", 64_000, MIB_64)];
    }));
    play.comes(named("taken"));
    let cases: [(LaunchRequest, LaunchField, &str); 12] = [
        (named("taken"), LaunchField::Name, "taken by a session"),
        (cpus("fine", 5000), LaunchField::Cpu, "max: 4"),
        (
            LaunchRequest {
                mem: Some(Bytes::mib(600)),
                ..named("fine")
            },
            LaunchField::Memory,
            "max: 512 MiB",
        ),
        (
            LaunchRequest {
                shmem: Some(MIB_64),
                ..named("fine")
            },
            LaunchField::SharedMemory,
            "must be less",
        ),
        (
            LaunchRequest {
                cluster_size: Some(3),
                ..named("fine")
            },
            LaunchField::ClusterSize,
            "max: 2",
        ),
        (
            LaunchRequest {
                cluster_size: Some(2),
                ..cpus("fine", 3000)
            },
            LaunchField::ClusterSize,
            "4 in total",
        ),
        (
            LaunchRequest {
                preset: Some("huge".into()),
                ..named("fine")
            },
            LaunchField::Preset,
            "more CPU than the limit (4)",
        ),
        (
            LaunchRequest {
                resource_group: Some("gpu".into()),
                ..named("fine")
            },
            LaunchField::ResourceGroup,
            "available: default",
        ),
        (
            LaunchRequest {
                accelerators: [("cuda.device".to_owned(), 1000)].into(),
                ..named("fine")
            },
            LaunchField::Accelerator,
            "accelerator cuda.device not found. Available: none",
        ),
        (
            LaunchRequest {
                mounts: vec!["data".parse().unwrap()],
                ..named("fine")
            },
            LaunchField::Folders,
            "folder 'data' not found",
        ),
        (
            LaunchRequest {
                preopen_ports: vec![9000, 9001],
                ..named("fine")
            },
            LaunchField::PreopenPorts,
            "max: 1",
        ),
        (
            LaunchRequest {
                session_type: SessionType::Batch,
                startup_command: Some("true".into()),
                starts_at: Some(at(0).into()),
                ..named("fine")
            },
            LaunchField::StartTime,
            "has passed",
        ),
    ];
    for (request, field, words) in cases {
        let refusal = play.refused(request.clone());
        assert_eq!(refusal.field, Some(field), "{refusal:?}");
        assert!(refusal.message().as_str().contains(words), "{refusal:?}");
    }
    let unknown = play.refused(LaunchRequest {
        environment: Some("nope".into()),
        ..named("fine")
    });
    assert_eq!(unknown.field, Some(LaunchField::Environment));
    assert_eq!(play.launched.len(), 1);
}

#[test]
fn no_more_may_wait_than_the_limits_say() {
    let mut play = full_by(|rules| rules.limits.pending_sessions = Some(1));
    play.comes(named("waits"));
    let refusal = play.refused(named("too-many"));
    assert!(
        refusal
            .message()
            .as_str()
            .contains("the queue is full: 1 waiting (max: 1)"),
        "{refusal:?}"
    );
    play.terminate(play.launched[0]);
    play.terminate(play.launched[1]);
    play.comes(named("begins"));
}

#[test]
fn a_launcher_learns_all_it_may_choose_from() {
    let mut settings = settings(|rules| {
        rules.presets = vec![preset("small", 500, MIB_64), preset("whole", 4000, MIB_64)];
        rules.limits.total.cpu = Some(Cpu::from_millis(3000));
        rules.limits.concurrent_sessions = Some(9);
        let shares = AcceleratorRules {
            amount: None,
            quantum: Some(500),
            shares_per_device: Some(5),
        };
        rules.accelerators.insert("cuda.shares".into(), shares);
    });
    settings.launch.cpu = Cpu::from_millis(2000);
    let mut info = crate::scheduler::tests::play::info();
    info.accelerators.insert("cuda.device".into(), 2000);
    let mut play = Play::on(settings, info);
    play.folders = vec![Folder::own("data", "local")];
    play.begin();
    play.comes(named("runs"));
    play.comes(named("waits"));
    let offer = catalogue(&mut play);
    let [group] = offer.resource_groups.as_slice() else {
        panic!("one group");
    };
    assert_eq!(group.waiting, Some(1));
    assert_eq!(group.using.cpu, Cpu::from_millis(2000));
    assert_eq!(group.remaining.cpu, Cpu::from_millis(2000));
    let all = group.capacity.as_ref().unwrap();
    assert_eq!(
        (all.cpu, all.mem),
        (Cpu::from_millis(4000), Bytes(Bytes::GIB))
    );
    assert_eq!(all.accelerators["cuda.shares"], 10_000);
    assert_eq!(offer.limits.remaining.cpu, Some(Cpu::from_millis(1000)));
    let fits: Vec<_> = offer.presets.iter().map(|it| it.allocatable).collect();
    assert_eq!(fits, [Some(true), Some(false)]);
    assert_eq!(offer.policy.concurrent_sessions, Some(1));
    assert_eq!(offer.quanta["cuda.shares"], 500);
    let kinds: Vec<_> = offer
        .accelerators
        .iter()
        .map(|kind| (kind.slot.as_str(), kind.unit.as_str(), kind.note.as_ref()))
        .collect();
    let note = "5 fGPU = 1 GPU; counted only on this engine: devices aren't isolated".into();
    assert_eq!(
        kinds,
        [
            ("cuda.device", "GPU", None),
            ("cuda.shares", "fGPU", Some(&note)),
        ]
    );
    assert_eq!(offer.folders.len(), 1);
}

#[test]
fn a_session_can_be_launched_again_as_it_was() {
    let mut play = Play::new();
    let request = LaunchRequest {
        env: [("API_TOKEN".to_owned(), "hush".to_owned())].into(),
        idle_timeout: Some(Span(86_400)),
        lifetime: Some(Span(604_800)),
        ..cpus("again", 500)
    };
    let session = play.comes(request.clone());
    let again = |play: &mut Play| {
        let ticket = play.ask(SchedulerRequest::session(session, SessionRequest::Again));
        match &play.answered[&ticket] {
            Ok(Answer::Again(recalled)) => recalled.launch.clone(),
            other => panic!("{other:?}"),
        }
    };
    let blank = LaunchRequest {
        env: [("API_TOKEN".to_owned(), String::new())].into(),
        secret_names: ["API_TOKEN".to_owned()].into(),
        ..request
    };
    assert_eq!(
        again(&mut play),
        LaunchRequest {
            name: None,
            ..blank.clone()
        }
    );
    play.terminate(session);
    assert_eq!(again(&mut play), blank);

    let mut record = play.stored[&session].clone();
    record.request = None;
    play.stored.insert(session, record);
    play.restart();
    play.work_off();
    let rebuilt = again(&mut play);
    assert_eq!(rebuilt.cpu, blank.cpu);
    assert_eq!(rebuilt.env, blank.env);
    assert_eq!(rebuilt.secret_names, blank.secret_names);
    assert_eq!(rebuilt.name, blank.name);
    let limits = (rebuilt.idle_timeout, rebuilt.lifetime);
    assert_eq!(limits, (blank.idle_timeout, blank.lifetime));
}
