//! Tests the rules that only need the request itself.

use crate::{
    model::spec::Owner,
    rules::launch::{check_words, tests::*},
};

const CASES_OF_BATCH: &[(RequestEdit, LaunchField, &str)] = &[
    (
        |r| r.startup_command = None,
        LaunchField::StartupCommand,
        "needs a command",
    ),
    (
        |r| r.startup_command = Some(" \n".into()),
        LaunchField::StartupCommand,
        "needs a command",
    ),
    (
        |r| r.startup_command = Some("a\0b".into()),
        LaunchField::StartupCommand,
        "NUL byte",
    ),
    (
        |r| r.startup_command = Some("x".repeat(64 * 1024 + 1)),
        LaunchField::StartupCommand,
        "too long",
    ),
    (
        |r| r.starts_at = Some(now().into()),
        LaunchField::StartTime,
        "has passed",
    ),
    (
        |r| r.timeout = Some(Span(0)),
        LaunchField::Timeout,
        "at least 1 second",
    ),
    (
        |r| r.idle_timeout = Some(Span(60)),
        LaunchField::IdleTimeout,
        "can't have an idle timeout",
    ),
];

const CASES: &[(RequestEdit, LaunchField, &str)] = &[
    (
        |r| r.idle_timeout = Some(Span(0)),
        LaunchField::IdleTimeout,
        "at least 1 second",
    ),
    (
        |r| r.lifetime = Some(Span(0)),
        LaunchField::Lifetime,
        "at least 1 second",
    ),
    // The type.
    (
        |r| r.session_type = SessionType::Inference,
        LaunchField::SessionType,
        "only interactive and batch",
    ),
    (
        |r| r.startup_command = Some("make".into()),
        LaunchField::StartupCommand,
        "only a batch session",
    ),
    (
        |r| r.starts_at = Some("+1h".parse().unwrap()),
        LaunchField::StartTime,
        "only a batch session",
    ),
    (
        |r| r.timeout = Some(Span(60)),
        LaunchField::Timeout,
        "only a batch session",
    ),
    // The name: short, long, bad start, bad end, bad middle, taken; of several the longest.
    (
        |r| r.name = Some("abc".into()),
        LaunchField::Name,
        "too short",
    ),
    (
        |r| r.name = Some("x".repeat(65)),
        LaunchField::Name,
        "65 characters",
    ),
    (
        |r| r.name = Some("-abcd".into()),
        LaunchField::Name,
        "begins with '-'",
    ),
    (
        |r| r.name = Some("abcd.".into()),
        LaunchField::Name,
        "ends with '.'",
    ),
    (
        |r| r.name = Some("ab cd".into()),
        LaunchField::Name,
        "' ' isn't allowed in a name",
    ),
    (
        |r| r.name = Some("taken".into()),
        LaunchField::Name,
        "'taken' is taken",
    ),
    (
        |r| {
            r.name = Some("many".into());
            r.count = Some(3);
        },
        LaunchField::Name,
        "'many-2' is taken",
    ),
    (
        |r| {
            r.name = Some("x".repeat(62));
            r.count = Some(10);
        },
        LaunchField::Name,
        "has 65 characters",
    ),
    // Environment and variables.
    (
        |r| {
            r.environment = Some("python".into());
            r.image = Some("python".into());
        },
        LaunchField::Image,
        "exclude each other",
    ),
    (
        |r| r.image = Some("py thon".into()),
        LaunchField::Image,
        "invalid image",
    ),
    (
        |r| r.image = Some("x\u{1b}[2J".into()),
        LaunchField::Image,
        "control character",
    ),
    (
        |r| r.image = Some("Registry/Python".into()),
        LaunchField::Image,
        "lowercase",
    ),
    (
        |r| r.env = BTreeMap::from([("A=B".into(), "x".into())]),
        LaunchField::Variables,
        "invalid variable name 'A=B'",
    ),
    (
        |r| r.env = BTreeMap::from([("A\nB".into(), "x".into())]),
        LaunchField::Variables,
        "invalid variable name",
    ),
    (
        |r| r.image = Some(String::new()),
        LaunchField::Image,
        "invalid image",
    ),
    (
        |r| r.env = BTreeMap::from([("1A".into(), "x".into())]),
        LaunchField::Variables,
        "invalid variable name '1A'",
    ),
    (
        |r| r.env = BTreeMap::from([(String::new(), "x".into())]),
        LaunchField::Variables,
        "invalid variable name",
    ),
    (
        |r| r.env = BTreeMap::from([("STAGE".into(), String::new())]),
        LaunchField::Variables,
        "STAGE has no value. Set one",
    ),
    (
        |r| r.env = BTreeMap::from([("API_TOKEN".into(), String::new())]),
        LaunchField::Variables,
        "Values of secrets aren't stored",
    ),
    (
        |r| r.env = BTreeMap::from([("A".into(), "x\0".into())]),
        LaunchField::Variables,
        "NUL byte",
    ),
    (
        |r| r.bootstrap_script = Some("x".repeat(64 * 1024 + 1)),
        LaunchField::BootstrapScript,
        "too long",
    ),
    // Numbers.
    (|r| r.priority = Some(-1), LaunchField::Priority, "0 to 100"),
    (
        |r| r.priority = Some(101),
        LaunchField::Priority,
        "0 to 100",
    ),
    (
        |r| r.count = Some(0),
        LaunchField::Count,
        "number of sessions must be at least 1",
    ),
    (|r| r.count = Some(101), LaunchField::Count, "(max: 100)"),
    (
        |r| {
            r.count = Some(2);
            r.cluster_size = Some(2);
        },
        LaunchField::Count,
        "only one cluster session",
    ),
    (
        |r| r.cluster_size = Some(0),
        LaunchField::ClusterSize,
        "cluster size must be at least 1",
    ),
    (
        |r| {
            r.agent = Some("i-1".into());
            r.cluster_size = Some(2);
        },
        LaunchField::Agent,
        "a session of one container",
    ),
    // Shared memory is a part of the memory and must be less, so an equal amount is refused too.
    (
        |r| {
            r.mem = Some(gib(1));
            r.shmem = Some(gib(1));
        },
        LaunchField::SharedMemory,
        "must be less",
    ),
    // Ports.
    (
        |r| r.preopen_ports = vec![1023],
        LaunchField::PreopenPorts,
        "1024 to 65535",
    ),
    (
        |r| r.preopen_ports = vec![2200],
        LaunchField::PreopenPorts,
        "reserved",
    ),
    (
        |r| r.preopen_ports = vec![9000, 9001, 9000],
        LaunchField::PreopenPorts,
        "listed twice",
    ),
];

#[test]
fn what_breaks_a_rule_is_reported_at_its_field() {
    for (change, field, words) in CASES {
        fails(&request(*change), *field, words);
    }
    for (change, field, words) in CASES_OF_BATCH {
        fails(&batch(*change), *field, words);
    }
}

#[test]
fn a_name_of_a_list_holds_no_control_character_even_where_the_list_is_unknown() {
    let bad = || Some("x\u{1b}[2J\r\n\0".to_owned());
    let owner = |email: &str, access_key: &str| {
        let (email, access_key) = (email.into(), access_key.into());
        Some(Owner { email, access_key })
    };
    let plain = || request(|_| {});
    let requests = [
        (
            LaunchField::Environment,
            LaunchRequest {
                environment: bad(),
                ..plain()
            },
        ),
        (
            LaunchField::Project,
            LaunchRequest {
                project: bad(),
                ..plain()
            },
        ),
        (
            LaunchField::ResourceGroup,
            LaunchRequest {
                resource_group: bad(),
                ..plain()
            },
        ),
        (
            LaunchField::Preset,
            LaunchRequest {
                preset: bad(),
                ..plain()
            },
        ),
        (
            LaunchField::Agent,
            LaunchRequest {
                agent: bad(),
                ..plain()
            },
        ),
        (
            LaunchField::Owner,
            LaunchRequest {
                owner: owner("a@b.c\r\n", "K"),
                ..plain()
            },
        ),
        (
            LaunchField::Owner,
            LaunchRequest {
                owner: owner("a@b.c", "K\r\n"),
                ..plain()
            },
        ),
        (
            LaunchField::Accelerator,
            LaunchRequest {
                accelerators: [("cuda\n".to_owned(), 1000)].into(),
                ..plain()
            },
        ),
    ];
    for (field, request) in requests {
        let said = check_words(&request, now());
        let about: Vec<_> = said.iter().map(|problem| problem.field).collect();
        assert_eq!(about, [field], "{said:?}");
        assert!(said[0].message.contains("control character"), "{said:?}");
    }
}

#[test]
fn what_keeps_the_rules_is_taken() {
    let good: &[RequestEdit] = &[
        |_| {},
        |r| r.name = Some("abcd".into()),
        |r| r.name = Some("x".repeat(64)),
        |r| {
            r.name = Some("x".repeat(62));
            r.count = Some(9);
        },
        |r| r.environment = Some("python:3.12".into()),
        |r| r.image = Some("registry.local/team/python:3".into()),
        |r| r.env = BTreeMap::from([("_A1".into(), " ".into()), ("API_TOKEN".into(), "x".into())]),
        |r| r.bootstrap_script = Some("x".repeat(64 * 1024)),
        |r| r.priority = Some(0),
        |r| r.priority = Some(100),
        |r| r.count = Some(100),
        |r| r.cluster_size = Some(3),
        |r| r.shmem = Some(Bytes::mib(100)),
        |r| r.preopen_ports = vec![1024, 65535],
        |r| {
            r.owner = Some(Owner {
                email: "a@b.c".into(),
                access_key: "K".into(),
            });
        },
    ];
    for change in good {
        passes(&request(*change));
    }
    let good_batches: &[RequestEdit] = &[
        |_| {},
        |r| r.startup_command = Some("a\nb\n".into()),
        |r| r.starts_at = Some("2026-11-22T10:00:01Z".parse().unwrap()),
        |r| r.timeout = Some(Span(1)),
    ];
    for change in good_batches {
        passes(&batch(*change));
    }
}
