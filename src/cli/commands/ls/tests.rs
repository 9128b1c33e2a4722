use std::collections::BTreeMap;

use jiff::{Timestamp, tz::TimeZone};

use super::{
    column::{Column, usual},
    names,
    order::Sort,
};
use crate::model::{
    id::ContextName,
    resources::{Bytes, Cpu, ResourceSlots},
    session::Session,
    status::Status,
    testing,
};
use crate::rules::filter::{Filter, FilterEnv};

fn noon() -> Timestamp {
    "2026-03-02T12:00:00Z".parse().unwrap()
}

fn ago(seconds: i64) -> Timestamp {
    Timestamp::from_second(noon().as_second() - seconds).unwrap()
}

/// A running session of 1 CPU and 1 GiB, launched an hour ago.
fn session(number: u128, name: &str) -> Session {
    let mut it = Session {
        status: Status::Running,
        started_at: Some(ago(3000)),
        requested_slots: ResourceSlots::new(Cpu::from_millis(1000), Bytes::mib(1024)),
        created_at: ago(3600),
        ..testing::session(number << 96, name)
    };
    it.environment.name = "python".into();
    it.environment.version = "3.12".into();
    it
}

fn ended(number: u128, name: &str, exit_code: i64) -> Session {
    let ended = testing::ended("self-terminated", Some(exit_code));
    Session {
        status: ended.status,
        status_info: ended.status_info,
        terminated_at: Some(ago(60)),
        kernels: ended.kernels,
        ..session(number, name)
    }
}

#[track_caller]
fn meets(text: &str, session: &Session) -> bool {
    let env = FilterEnv {
        now: noon(),
        accounts: &BTreeMap::new(),
    };
    let filter = Filter::read(text, noon(), &TimeZone::UTC).unwrap();
    filter.holds(session, false, env)
}

fn names(sessions: &[Session]) -> Vec<&str> {
    sessions.iter().map(|it| it.name.as_str()).collect()
}

#[test]
fn conditions_are_on_columns_and_all_of_them_hold() {
    let train = session(0xab, "train-1");
    for text in [
        "name=train-1",
        "name=TRAIN-*",
        "name=*ain*1",
        "name!=other",
        "id=000000ab",
        "status=running",
        "environment=python",
        "environment=python:3.12",
        "cpu=1",
        "cpu>=0.5 mem<2g mem>512m",
        "run-time>45m run-time<1h",
        "created>2h",
        "created<2026-03-02T11:30",
        "type=interactive context=local",
    ] {
        assert!(meets(text, &train), "{text}");
    }
    for text in [
        "name=train",
        "name=train-*2",
        "name!=train-1",
        "status!=running",
        "cpu>1",
        "mem>=2g",
        "created>30m",
        "exit-code=0",
        "exit-code<1",
        // It has no value, so it differs from none.
        "exit-code!=0",
        "result!=exited",
        "group!=gpu",
        "ended>1d",
        "status=running name=other",
    ] {
        assert!(!meets(text, &train), "{text}");
    }
}

#[test]
fn an_end_is_a_word_a_reason_or_a_code() {
    let failed = ended(1, "job-3", 7);
    for text in [
        "exit 7",
        "result=exited",
        "result='exit 7'",
        "result=exit 7",
        "exit-code=7",
        "exit-code!=0",
        "ended>2m",
    ] {
        assert!(meets(&text.replace('\'', "\""), &failed), "{text}");
    }
    for text in ["exit 3", "result=failed", "exit-code>7", "!exit"] {
        assert!(!meets(text, &failed), "{text}");
    }
}

#[test]
fn a_word_is_a_part_and_with_a_mark_not_a_part() {
    let train = session(1, "train");
    assert!(meets("rai RUNNING python !pending", &train));
    assert!(!meets("!train", &train) && !meets("train other", &train));
}

#[test]
fn sessions_are_sorted_both_ways_and_those_without_a_value_are_last() {
    let mut big = session(1, "big");
    big.requested_slots.cpu = Cpu::from_millis(8000);
    let mut all = vec![
        session(2, "job-10"),
        big,
        session(3, "job-2"),
        ended(4, "done", 3),
    ];
    let mut sorted = |text: &str| {
        let sort: Sort = text.parse().unwrap();
        assert_eq!(sort.to_string().parse(), Ok(sort));
        sort.sort(&mut all, false, noon());
        names(&all).join(" ")
    };
    assert_eq!(sorted("name"), "big done job-2 job-10");
    assert_eq!(sorted("name:desc"), "job-10 job-2 done big");
    assert!(sorted("cpu").starts_with("big"));
    assert!(sorted("cpu:asc").ends_with("big"));
    for text in ["exit-code", "exit-code:desc", "ended", "result:desc"] {
        assert!(sorted(text).starts_with("done"), "{text}");
    }
    for (text, says) in [
        ("size", "unknown column. Columns: name, id"),
        ("cpu:up", "cpu:asc or cpu:desc"),
    ] {
        assert!(text.parse::<Sort>().unwrap_err().contains(says), "{text}");
    }
}

#[test]
fn the_usual_columns_are_those_that_differ() {
    let has = |sessions: &[Session], column| usual(sessions, false).contains(&column);
    let mut all = vec![session(1, "a"), session(2, "b")];
    for column in [
        Column::Result,
        Column::Owner,
        Column::Accelerators,
        Column::Context,
    ] {
        assert!(!has(&all, column), "{column:?}");
    }
    all[0].requested_slots.accelerators = [("cuda.device".to_owned(), 1000)].into();
    all[1].owner = "b@x".into();
    all.push(ended(3, "c", 0));
    for column in [
        Column::Result,
        Column::Owner,
        Column::Agent,
        Column::Accelerators,
    ] {
        assert!(has(&all, column), "{column:?}");
    }
    assert!(usual(&all, true).contains(&Column::Context));
}

#[test]
fn a_name_is_printed_where_it_means_the_session() {
    let older = Session {
        created_at: ago(7200),
        ..ended(3, "train", 1)
    };
    let known = [session(1, "train"), older.clone(), ended(4, "done", 0)];
    let context = Some(ContextName::local());
    let printed = names::of(&known, &known, context);
    assert_eq!(
        printed,
        ["train".to_owned(), older.id.to_string(), "done".to_owned()]
    );
    assert_eq!(names::of(&known[..1], &known, None), ["local/train"]);
}
