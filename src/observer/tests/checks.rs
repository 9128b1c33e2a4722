//! Launches are checked against what is known. Also tests folders and owners.

use jiff::SignedDuration;

use super::{
    super::fact::{Fact, ObserverRequest},
    Play, at, fault, info,
};
use crate::{
    model::{
        capability::{Capability, EngineInfo, EngineState},
        catalogue::{Agent, Preset, ResourceGroup},
        failure::FailureKind,
        folder::{Folder, FolderChange, FolderRequest},
        launch_field::LaunchField,
        request::ContextRequest,
        resources::{Bytes, Cpu, ResourceSlots},
        session::SessionType,
        span::Span,
        spec::LaunchRequest,
        start_time::StartAt,
    },
    state_machine::Answer,
};

fn ask(request: LaunchRequest) -> ObserverRequest {
    ObserverRequest::Launch(Box::new(request))
}

fn with_folder(name: &str) -> ObserverRequest {
    ask(LaunchRequest {
        mounts: vec![name.parse().unwrap()],
        ..LaunchRequest::default()
    })
}

fn with_cpu(cores: u64) -> ObserverRequest {
    ask(LaunchRequest {
        cpu: Some(Cpu::from_millis(cores * 1000)),
        ..LaunchRequest::default()
    })
}

fn group(cores: u64) -> ResourceGroup {
    let all = ResourceSlots::new(Cpu::from_millis(cores * 1000), Bytes(1 << 40));
    ResourceGroup {
        name: "default".into(),
        using: ResourceSlots::default(),
        remaining: ResourceSlots::default(),
        waiting: None,
        capacity: Some(all),
        free: None,
        free_by_agent: None,
    }
}

/// Starts with a group of `cores` CPU and a known catalog.
fn offering(cores: u64) -> Play {
    let mut play = Play::watched(0);
    play.offer.resource_groups = vec![group(cores)];
    play.ask(ObserverRequest::Context(ContextRequest::Catalogue {
        project: None,
        refresh: false,
    }));
    play.work_off();
    play
}

impl Play {
    fn refused_at(&self, ticket: u64) -> (FailureKind, LaunchField) {
        let failure = self.failed(ticket);
        (failure.kind, failure.field.unwrap())
    }
}

#[test]
fn what_is_wrong_without_any_context_is_refused_at_once() {
    let mut play = Play::watched(0);
    let past = LaunchRequest {
        session_type: SessionType::Batch,
        startup_command: Some("make".to_owned()),
        starts_at: Some(at(0).into()),
        ..LaunchRequest::default()
    };
    let ticket = play.ask(ask(past));
    assert_eq!(
        play.refused_at(ticket),
        (FailureKind::Usage, LaunchField::StartTime)
    );
    assert_eq!(play.audits, 0);
    assert_eq!(
        play.requests_of("launch") + play.requests_of("catalogue"),
        0
    );
}

#[test]
fn what_cannot_be_known_is_left_to_the_engine() {
    let mut play = Play::watched(0);
    let ticket = play.ask(with_folder("anywhere"));
    play.carry_out(0, Some(FailureKind::Failed));
    play.work_off();
    assert!(matches!(play.answers[&ticket], Ok(Answer::Launched(_))));
    assert_eq!(play.requests_of("catalogue"), 1);
}

#[test]
fn of_what_nothing_is_known_it_is_read_first() {
    let mut play = Play::watched(0);
    play.offer.resource_groups = vec![group(4)];
    // One reading decides several launches.
    let refused = [play.ask(with_cpu(8)), play.ask(with_cpu(5))];
    let fits = play.ask(with_cpu(4));
    assert_eq!(play.requests_of("launch"), 0);
    play.work_off();
    for ticket in refused {
        let expected = (FailureKind::Usage, LaunchField::Cpu);
        assert_eq!(play.refused_at(ticket), expected);
    }
    assert!(matches!(play.answers[&fits], Ok(Answer::Launched(_))));
    assert_eq!((play.requests_of("catalogue"), play.audits), (1, 1));
}

#[test]
fn an_agent_that_is_not_there_is_refused_with_the_nearest_name() {
    let agent = |id: &str| Agent {
        id: id.into(),
        status: "ALIVE".into(),
        resource_group: "default".into(),
        schedulable: true,
        available: ResourceSlots::default(),
        occupied: ResourceSlots::default(),
        architecture: "x86_64".into(),
    };
    let own = LaunchRequest {
        agent: Some("i-gpu2".to_owned()),
        ..LaunchRequest::default()
    };
    let for_another = LaunchRequest {
        owner: Some("x@example.com/KEY".parse().unwrap()),
        ..own.clone()
    };
    for request in [own, for_another] {
        let mut play = Play::watched(0);
        play.offer.resource_groups = vec![group(4)];
        play.offer.agents = vec![agent("i-gpu1"), agent("i-cpu")];
        let ticket = play.ask(ask(request));
        play.work_off();
        assert_eq!(play.refused_at(ticket).1, LaunchField::Agent);
        assert_eq!(
            play.failed(ticket).message(),
            "agent 'i-gpu2' not found (available: i-gpu1, i-cpu). Did you mean i-gpu1?"
        );
    }
}

#[test]
fn a_launch_that_cannot_be_is_refused_beside_its_field() {
    let mut play = offering(4);
    let ticket = play.ask(with_cpu(8));
    assert_eq!(
        play.refused_at(ticket),
        (FailureKind::Usage, LaunchField::Cpu)
    );
    assert_eq!(
        play.failed(ticket).message(),
        "8 CPU is above the limit (max: 4)"
    );
    let ticket = play.ask(with_cpu(4));
    play.work_off();
    assert!(matches!(play.answers[&ticket], Ok(Answer::Launched(_))));
}

#[test]
fn a_project_is_known_by_its_name_too() {
    let mut play = Play::watched(0);
    play.offer.resource_groups = vec![group(4)];
    play.offer.project = Some("lab".into());
    play.ask(ObserverRequest::Context(ContextRequest::Catalogue {
        project: None,
        refresh: false,
    }));
    play.work_off();
    // The catalog of another project is read first.
    for (project, readings) in [("lab", 1), ("elsewhere", 2)] {
        let ticket = play.ask(ask(LaunchRequest {
            project: Some(project.to_owned()),
            cpu: Some(Cpu::from_millis(8000)),
            ..LaunchRequest::default()
        }));
        play.work_off();
        assert!(play.answers[&ticket].is_err(), "{project}");
        assert_eq!(play.requests_of("catalogue"), readings, "{project}");
    }
}

#[test]
fn nothing_is_refused_for_what_may_be_over() {
    let mut play = offering(4);
    play.pass(30);
    // An agent was added meanwhile.
    play.offer.resource_groups = vec![group(8)];
    let ticket = play.ask(with_cpu(8));
    assert_eq!(play.requests_of("launch"), 0, "it is looked again first");
    play.work_off();
    assert!(matches!(play.answers[&ticket], Ok(Answer::Launched(_))));
    assert_eq!((play.requests_of("catalogue"), play.audits), (2, 1));
    // A larger launch is still impossible.
    play.pass(30);
    let ticket = play.ask(with_cpu(9));
    play.work_off();
    assert_eq!(play.refused_at(ticket).1, LaunchField::Cpu);
    assert_eq!(play.requests_of("launch"), 1);
}

#[test]
fn where_it_cannot_be_looked_again_the_engine_decides() {
    let mut play = offering(4);
    play.pass(30);
    let ticket = play.ask(with_cpu(8));
    play.carry_out(0, Some(FailureKind::Failed));
    play.work_off();
    assert!(matches!(play.answers[&ticket], Ok(Answer::Launched(_))));
    // A catalog with gaps isn't conclusive.
    let mut play = Play::watched(0);
    play.offer.resource_groups = vec![group(4)];
    play.offer.project = Some("lab".into());
    play.ask(ObserverRequest::Context(ContextRequest::Catalogue {
        project: None,
        refresh: false,
    }));
    play.pass(30);
    play.offer.gaps = vec![("agents".into(), "hidden".into())];
    let ticket = play.ask(ask(LaunchRequest {
        project: Some("lab".to_owned()),
        cpu: Some(Cpu::from_millis(8000)),
        ..LaunchRequest::default()
    }));
    play.work_off();
    assert!(matches!(play.answers[&ticket], Ok(Answer::Launched(_))));
    // Without a connection, the engine can't decide either.
    let mut play = offering(4);
    play.pass(30);
    let ticket = play.ask(with_cpu(8));
    play.lose();
    assert_eq!(play.failed(ticket).kind, FailureKind::Unreachable);
}

#[test]
fn a_preset_counts_with_its_amounts() {
    let mut play = Play::watched(0);
    play.offer.resource_groups = vec![group(4)];
    play.offer.presets = [("fits", 2), ("huge", 64)]
        .map(|(name, cores)| {
            let slots = ResourceSlots::new(Cpu::from_millis(cores * 1000), Bytes(1 << 30));
            Preset::new(name, slots)
        })
        .into();
    play.ask(ObserverRequest::Context(ContextRequest::Catalogue {
        project: None,
        refresh: false,
    }));
    play.work_off();
    let named = |name: &str| {
        ask(LaunchRequest {
            preset: Some(name.to_owned()),
            ..LaunchRequest::default()
        })
    };
    let huge = play.ask(named("huge"));
    assert_eq!(play.refused_at(huge).1, LaunchField::Preset);
    let missing = play.ask(named("none"));
    assert_eq!(play.refused_at(missing).1, LaunchField::Preset);
    let fits = play.ask(named("fits"));
    play.work_off();
    assert!(matches!(play.answers[&fits], Ok(Answer::Launched(_))));
}

#[test]
fn the_engine_says_which_field_it_does_not_like() {
    let mut play = Play::watched(0);
    let ticket = play.ask(with_folder("gone"));
    play.carry_out(0, Some(FailureKind::Failed));
    play.refuse(0, LaunchField::Folders);
    assert_eq!(
        play.refused_at(ticket),
        (FailureKind::Refused, LaunchField::Folders)
    );
}

#[test]
fn the_terms_of_a_batch_session_are_shown_though_the_engine_keeps_them_to_itself() {
    let mut play = Play::watched(0);
    let starts = at(3600) + SignedDuration::from_millis(play.now);
    play.ask(ask(LaunchRequest {
        session_type: SessionType::Batch,
        startup_command: Some("make".to_owned()),
        starts_at: Some(StartAt::After(Span(3600))),
        timeout: Some(Span(60)),
        ..LaunchRequest::default()
    }));
    play.settle();
    let id = *play.there.keys().next().unwrap();
    for status in ["PENDING", "RUNNING", "TERMINATED"] {
        play.set(id, status);
        play.event(id);
        play.settle();
        let shown = &play.mirror[&id];
        assert_eq!(shown.status.word(), status);
        assert_eq!(
            (shown.starts_at, shown.timeout),
            (Some(starts), Some(Span(60)))
        );
    }
}

#[test]
fn a_request_about_folders_is_admitted_and_its_change_is_known_at_once() {
    let mut play = offering(4);
    let missing = play.ask(with_folder("results"));
    assert_eq!(play.refused_at(missing).1, LaunchField::Folders);
    let create = |name: &str| ObserverRequest::Context(ContextRequest::create_folder(name));
    let ticket = play.ask(create("results"));
    assert!(play.admitted.contains(&ticket));
    assert_eq!(play.audits, 1);
    play.report(Fact::FoldersChanged(FolderChange {
        gone: None,
        new: Some(Box::new(Folder::own("results", "local"))),
    }));
    play.offer.folders.push(Folder::own("results", "local"));
    let mounted = play.ask(with_folder("results"));
    play.work_off();
    assert!(matches!(play.answers[&mounted], Ok(Answer::Launched(_))));
    for bad in ["no spaces", ".ssh", ".."] {
        let ticket = play.ask(create(bad));
        assert_eq!(play.refused_at(ticket).1, LaunchField::Folders, "{bad}");
    }
    let list = FolderRequest::List {
        trash: false,
        measure: false,
    };
    let ticket = play.ask(ObserverRequest::Context(list.into()));
    assert!(play.admitted.contains(&ticket));
    assert_eq!(play.audits, 2, "only the launch is a change");
    play.report(Fact::FoldersChanged(FolderChange {
        gone: Some("results".to_owned()),
        new: None,
    }));
    play.offer.folders.clear();
    let gone = play.ask(with_folder("results"));
    assert_eq!(play.refused_at(gone).1, LaunchField::Folders);
}

#[test]
fn a_query_is_admitted_while_the_engine_is_connected_and_able() {
    let find = || ObserverRequest::Admit {
        needs: Some(Capability::Owners),
    };
    let mut play = Play::watched(0);
    let ticket = play.ask(find());
    assert!(play.admitted.contains(&ticket));

    let mut play = Play::with(0);
    play.orders.clear();
    let early = play.ask(find());
    let mut poor: EngineInfo = info();
    poor.capabilities.missing = vec![(Capability::Owners, "not for you".into())];
    let connection = 1;
    play.report(Fact::Connected {
        connection,
        info: poor,
    });
    assert_eq!(play.failed(early).message(), "not for you");
    let other = play.ask(ObserverRequest::Admit { needs: None });
    assert!(play.admitted.contains(&other) && play.admitted.len() == 1);
}

#[test]
fn a_query_that_finds_no_engine_disconnects() {
    let mut play = Play::watched(0);
    let lost = |connection| Fact::QueryFailed {
        connection,
        failure: fault(FailureKind::Unreachable),
    };
    let is_connected =
        |play: &Play| matches!(play.observer.engine(), EngineState::Connected { .. });
    // A query of an earlier connection says nothing about this one.
    play.report(lost(play.connection - 1));
    play.report(Fact::QueryFailed {
        connection: play.connection,
        failure: fault(FailureKind::Failed),
    });
    assert!(is_connected(&play));
    play.report(lost(play.connection));
    assert!(!is_connected(&play));
}
