//! Tests the amounts: minima of the environment, maxima of container, user and group, steps, clusters.

use crate::{
    model::ports,
    rules::launch::{check::warnings, folders, tests::*},
};

fn shares(amount: u64) -> BTreeMap<String, u64> {
    BTreeMap::from([("cuda.shares".to_owned(), amount)])
}

const CASES: &[(RequestEdit, LaunchField, &str)] = &[
    (
        |r| r.cpu = Some(Cpu::from_millis(500)),
        LaunchField::Cpu,
        "isn't enough for this environment (min: 1)",
    ),
    (
        |r| r.cpu = Some(Cpu::from_millis(1_250)),
        LaunchField::Cpu,
        "must be a multiple of 0.5",
    ),
    (
        |r| r.cpu = Some(cores(5)),
        LaunchField::Cpu,
        "above the limit (max: 4)",
    ),
    // The image's 512 MiB and its automatic shared memory.
    (
        |r| r.mem = Some(Bytes::mib(575)),
        LaunchField::Memory,
        "isn't enough for this environment (min: 576 MiB)",
    ),
    (
        |r| r.mem = Some(gib(9)),
        LaunchField::Memory,
        "(max: 8 GiB)",
    ),
    (
        |r| r.shmem = Some(gib(3)),
        LaunchField::SharedMemory,
        "(max: 2 GiB)",
    ),
    // A preset's memory counts where none is given.
    (
        |r| {
            r.preset = Some("small".into());
            r.shmem = Some(gib(2));
        },
        LaunchField::SharedMemory,
        "must be less than the memory",
    ),
    (
        |r| {
            r.resource_group = Some("gpu".into());
            r.accelerators = shares(750);
        },
        LaunchField::Accelerator,
        "must be a multiple of 0.5",
    ),
    (
        |r| {
            r.resource_group = Some("gpu".into());
            r.accelerators = shares(3_500);
        },
        LaunchField::Accelerator,
        "(max: 3)",
    ),
    // Without a group, the launch goes to the group `default`.
    (
        |r| r.accelerators = shares(500),
        LaunchField::Accelerator,
        "group default has no fGPU (cuda.shares)",
    ),
    (
        |r| {
            r.resource_group = Some("default".into());
            r.accelerators = shares(500);
        },
        LaunchField::Accelerator,
        "group default has no fGPU (cuda.shares)",
    ),
    (
        |r| r.accelerators = BTreeMap::from([("tpu.device".to_owned(), 1_000)]),
        LaunchField::Accelerator,
        "accelerator tpu.device not found. Available: cuda.shares, cuda.device",
    ),
    // A cluster session can't have fractions, and the message says that the cluster is the reason.
    (
        |r| {
            r.resource_group = Some("gpu".into());
            r.cluster_size = Some(2);
            r.accelerators = shares(500);
        },
        LaunchField::Accelerator,
        "fGPU (cuda.shares) must be whole in a cluster session. Use 1, 2 or more",
    ),
    (
        |r| r.cluster_size = Some(4),
        LaunchField::ClusterSize,
        "above the limit of your resource policy (max: 3)",
    ),
    // Each container fits, but all of them together never do.
    (
        |r| {
            r.resource_group = Some("default".into());
            r.cluster_size = Some(3);
            r.cpu = Some(cores(3));
        },
        LaunchField::ClusterSize,
        "3 containers need more CPU than the limit (6 in total)",
    ),
    (
        |r| {
            r.resource_group = Some("gpu".into());
            r.cluster_size = Some(3);
            r.preset = Some("train".into());
        },
        LaunchField::ClusterSize,
        "3 containers need more CPU than the limit (4 in total)",
    ),
];

#[test]
fn what_cannot_be_had_is_reported_at_its_field() {
    for (change, field, words) in CASES {
        fails(&request(*change), *field, words);
    }
}

#[test]
fn what_can_be_had_is_taken() {
    let good: &[RequestEdit] = &[
        |r| r.cpu = Some(Cpu::from_millis(1_500)),
        |r| r.cpu = Some(cores(4)),
        |r| r.mem = Some(Bytes::mib(576)),
        |r| r.mem = Some(gib(8)),
        |r| {
            r.mem = Some(gib(4));
            r.shmem = Some(gib(2));
        },
        |r| {
            r.resource_group = Some("gpu".into());
            r.accelerators = shares(2_500);
        },
        // An amount of zero is always available.
        |r| r.accelerators = BTreeMap::from([("cuda.shares".to_owned(), 0)]),
        |r| {
            r.resource_group = Some("gpu".into());
            r.cluster_size = Some(2);
            r.accelerators = shares(2_000);
        },
        |r| {
            r.resource_group = Some("default".into());
            r.cluster_size = Some(2);
            r.cpu = Some(cores(3));
        },
    ];
    for change in good {
        passes(&request(*change));
    }
}

#[test]
fn an_environment_that_needs_an_accelerator_or_cannot_use_one() {
    let offer = offer();
    let mut needs = environment();
    needs.facts.minimum.accelerators = shares(1_000);
    let mut other = environment();
    other.facts.accelerators = vec!["rocm".into()];
    let said = |environment: &Environment, change: RequestEdit| {
        let ground = Ground {
            environment: Some(environment),
            offer: Some(&offer),
            ..Ground::at(now())
        };
        reported(check(&request(change), &ground))
    };
    let none: RequestEdit = |r| r.resource_group = Some("gpu".into());
    let enough: RequestEdit = |r| {
        r.resource_group = Some("gpu".into());
        r.accelerators = shares(1_000);
    };
    let by_preset: RequestEdit = |r| {
        r.resource_group = Some("gpu".into());
        r.preset = Some("train".into());
    };
    let short = said(&needs, none);
    assert_eq!(
        short[0].1,
        "the environment needs 1 fGPU (cuda.shares) or more"
    );
    assert_eq!(said(&needs, enough), []);
    assert_eq!(said(&needs, by_preset), []);
    let small = said(&needs, |r| r.preset = Some("small".into()));
    assert!(small[0].1.contains("needs 1 fGPU"), "{small:?}");
    let unfit = said(&other, enough);
    assert_eq!(unfit[0].1, "the environment can't use fGPU (cuda.shares)");
}

#[test]
fn warnings_forbid_nothing() {
    let mut offer = offer();
    offer.resource_groups.truncate(1);
    offer.resource_groups[0].remaining = slots(1, 1, 0);
    let ground = Ground {
        offer: Some(&offer),
        ..Ground::at(now())
    };
    let said = |change: RequestEdit| {
        let request = request(change);
        assert_eq!(reported(check(&request, &ground)), []);
        reported(warnings(&request, &ground))
    };
    let fields = |found: Vec<(LaunchField, String)>| -> Vec<LaunchField> {
        found.into_iter().map(|(field, _)| field).collect()
    };
    assert_eq!(fields(said(|_| {})), [LaunchField::Folders]);
    let nothing = said(|r| {
        r.mounts = vec!["data".parse().unwrap()];
        r.cpu = Some(cores(1));
        r.mem = Some(gib(1));
        r.shmem = Some(Bytes::mib(341));
    });
    assert_eq!(nothing, []);
    let all = said(|r| {
        r.cpu = Some(cores(2));
        r.mem = Some(gib(2));
        r.shmem = Some(gib(1));
    });
    assert_eq!(
        fields(all),
        [
            LaunchField::SharedMemory,
            LaunchField::Cpu,
            LaunchField::Memory,
            LaunchField::Folders
        ]
    );
}

#[test]
fn hostile_words_leave_no_escape_in_a_sentence() {
    let bad = "\u{1b}[2Jx\u{202e}";
    let mut request = LaunchRequest {
        name: Some(bad.into()),
        image: Some(format!("{bad} ")),
        project: Some(bad.into()),
        resource_group: Some(bad.into()),
        preset: Some(bad.into()),
        agent: Some(bad.into()),
        ..LaunchRequest::default()
    };
    request.env.insert(bad.into(), "x".into());
    request.accelerators.insert(bad.into(), 1_000);
    let sentences = found(&request);
    assert!(sentences.len() >= 7, "{sentences:?}");
    for (field, sentence) in sentences {
        let hidden = |c: char| c.is_control() || c == '\u{202e}';
        assert!(!sentence.contains(hidden), "{field:?}: {sentence:?}");
    }
    assert!(folders::check_path(bad).is_err() && ports::read(bad).is_err());
}
