use super::*;
use crate::model::{
    idle::{Activity, ActivityKind},
    resources::{Bytes, Cpu, ResourceSlots},
    session::SessionType,
    status::Status,
    testing,
};

fn noon() -> Timestamp {
    "2026-03-02T12:00:00Z".parse().unwrap()
}

fn ago(seconds: i64) -> Timestamp {
    Timestamp::from_second(noon().as_second() - seconds).unwrap()
}

/// A running session of 2 CPU, 8 GiB and 1 accelerator, launched three hours ago, used five minutes ago.
fn train() -> Session {
    let mut it = Session {
        status: Status::Running,
        started_at: Some(ago(10_000)),
        created_at: ago(10_800),
        requested_slots: ResourceSlots {
            accelerators: [("cuda.device".to_owned(), 1000)].into(),
            ..ResourceSlots::new(Cpu::from_millis(2000), Bytes(8 * Bytes::GIB))
        },
        owner: "ada@lab".into(),
        activity: Some(Activity {
            at: ago(300),
            kind: ActivityKind::Typed,
            open: 0,
        }),
        ..testing::session(1 << 96, "train-1")
    };
    it.environment.name = "python".into();
    it.environment.version = "3.12".into();
    it.placement.agents = vec!["i-agent01".into()];
    it.placement.project = Some("vision".into());
    it.placement.tag = Some("nightly run".into());
    it
}

fn read(text: &str) -> Result<Filter, FilterError> {
    Filter::read(text, noon(), &TimeZone::UTC)
}

#[track_caller]
fn meets(text: &str, session: &Session) -> bool {
    let accounts = BTreeMap::from([(session.context, Clean::new("ada@lab"))]);
    let env = FilterEnv {
        now: noon(),
        accounts: &accounts,
    };
    read(text).unwrap().holds(session, false, env)
}

#[test]
fn a_colon_means_a_part_and_an_equals_sign_all_of_it() {
    let train = train();
    for text in [
        "name:rain",
        "name:train*",
        "name=train-1",
        "env:python",
        "env=python",
        "env:3.12",
        "status:run",
        "node:agent01",
        "agent:i-*",
        "project:vision",
        "owner:ada",
        "owner:me",
        "tag:nightly",
        "tag:\"nightly run\"",
        "type:interactive",
        "id:00000001",
        "python:3.12",
        "\"status:no\" -x status:running",
    ] {
        let word = text.starts_with('"');
        assert_eq!(meets(text, &train), !word, "{text}");
    }
    for text in [
        "name=train",
        "env=pyth",
        "name:x*",
        "project:v",
        "owner:bob",
    ] {
        let is_part = text == "project:v";
        assert_eq!(meets(text, &train), is_part, "{text}");
    }
}

#[test]
fn amounts_and_times_are_compared() {
    let train = train();
    for text in [
        "gpu>0",
        "gpu=1",
        "gpu:1",
        "cpu>=2",
        "mem>4g",
        "idle<10m",
        "idle>4m",
        "age>2h",
        "age<4h",
        "run-time>2h",
        "created<2h",
        "cpu:2",
    ] {
        assert!(meets(text, &train), "{text}");
    }
    for text in ["gpu>1", "cpu>2", "mem<=4g", "idle>10m", "age>4h", "idle<1m"] {
        assert!(!meets(text, &train), "{text}");
    }
    let mut used = train.clone();
    used.activity = used.activity.map(|it| Activity { open: 1, ..it });
    assert!(meets("idle<1m", &used), "an open command is use");
    used.activity = None;
    assert!(!meets("idle<1d", &used) && meets("-idle<1d", &used));
}

#[test]
fn a_sign_negates_words_and_conditions() {
    let train = train();
    for text in [
        "-name:x*",
        "!env:java",
        "-java",
        "!java",
        "-status:failed",
        "train --",
    ] {
        assert_eq!(meets(text, &train), text != "train --", "{text}");
    }
    for text in ["-train", "!train", "-gpu>0", "!owner:me"] {
        assert!(!meets(text, &train), "{text}");
    }
    // A condition without a value doesn't hold, so its opposite does.
    assert!(!meets("group!=gpu", &train) && meets("-group:gpu", &train));
}

#[test]
fn failed_is_each_end_that_a_program_or_its_start_caused() {
    let failed = testing::ended("self-terminated", Some(3));
    let batch = Session {
        session_type: SessionType::Batch,
        ..failed.clone()
    };
    assert!(meets("status:failed type:batch", &batch));
    assert!(meets("status=failed exit-code=3", &failed) && meets("exit:3", &failed));
    let fine = testing::ended("self-terminated", Some(0));
    assert!(!meets("status:failed", &fine) && meets("status:exited", &fine));
    assert!(!meets(
        "status:failed",
        &testing::ended("user-requested", None)
    ));
}

#[test]
fn an_invalid_term_is_explained() {
    for (text, says) in [
        ("stauts:x", "unknown key 'stauts'. Did you mean 'status'?"),
        ("gibberish=x", "unknown key 'gibberish'. Keys: name, id"),
        ("name>x", "no order. Use : = or !=, for example name:train*"),
        ("mem>lots", "'mem>lots': "),
        ("exit-code=x", "whole number, for example exit-code=1"),
        (
            "created:1d",
            "compare times with > or <, for example created>1d",
        ),
        ("age>soon", "'age>soon': "),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.message.contains(says), "{text}: {error:?}");
        assert!(!error.is_unfinished, "{text}");
    }
    let unfinished = read("train gpu>").unwrap_err();
    assert!(unfinished.is_unfinished, "{unfinished:?}");
    assert_eq!(unfinished.message, "gpu> needs a value, for example gpu>0");
}

#[test]
fn a_cluster_is_asked_for_what_is_looked_for_in_names() {
    for (text, part) in [
        ("train", Some("train")),
        ("train cpu>1", Some("train")),
        ("name=train-* running", Some("train-")),
        ("name:rain", Some("rain")),
        ("-name:rain", None),
        ("train running", None),
        ("!train", None),
        ("", None),
    ] {
        assert_eq!(read(text).unwrap().in_name(), part, "{text}");
    }
}

#[test]
fn the_end_of_a_text_is_completed() {
    let sessions = [train()];
    let candidates = |text: &str| {
        let completion = complete(text, |key| known_values(key, &sessions));
        let begin = &text[..completion.start];
        let all = completion.candidates.into_iter();
        all.map(|it| format!("{begin}{it}")).collect::<Vec<_>>()
    };
    assert_eq!(
        candidates("x -sta"),
        ["x -status:", "x -started>", "x -state:"]
    );
    assert_eq!(candidates("env:py"), ["env:python", "env:python:3.12"]);
    assert_eq!(candidates("tag:n"), ["tag:\"nightly run\""]);
    assert_eq!(candidates("owner:m"), ["owner:me"]);
    assert_eq!(candidates("status:fa"), ["status:failed"]);
    assert!(candidates("gpu>").is_empty() && candidates("env:python ").is_empty());
}
