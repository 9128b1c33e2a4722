//! Tests that the choices of a launch exist and that the engine supports them.

use crate::{
    model::{session::ClusterMode, spec::Owner},
    rules::launch::tests::*,
};

fn mounts(words: &[&str]) -> Vec<crate::model::spec::FolderMount> {
    words.iter().map(|word| word.parse().unwrap()).collect()
}

const CASES: &[(RequestEdit, LaunchField, &str)] = &[
    (
        |r| r.project = Some("other".into()),
        LaunchField::Project,
        "project 'other' not found (available: research)",
    ),
    (
        |r| r.resource_group = Some("gpus".into()),
        LaunchField::ResourceGroup,
        "resource group 'gpus' not found (available: default, gpu)",
    ),
    (
        |r| r.preset = Some("tiny".into()),
        LaunchField::Preset,
        "preset 'tiny' not found (available: huge, small, train)",
    ),
    (
        |r| r.preset = Some("huge".into()),
        LaunchField::Preset,
        "isn't available: more CPU than the limit",
    ),
    (
        |r| {
            r.preset = Some("train".into());
            r.resource_group = Some("default".into());
        },
        LaunchField::Preset,
        "is only for group gpu",
    ),
    (
        |r| r.agent = Some("i-9".into()),
        LaunchField::Agent,
        "agent 'i-9' not found (available: i-1, i-2)",
    ),
    (
        |r| r.agent = Some("i-2".into()),
        LaunchField::Agent,
        "agent 'i-2' accepts no sessions now",
    ),
    (
        |r| {
            r.agent = Some("i-1".into());
            r.resource_group = Some("gpu".into());
        },
        LaunchField::Agent,
        "agent 'i-1' belongs to resource group default",
    ),
    (
        |r| r.mounts = mounts(&["nowhere"]),
        LaunchField::Folders,
        "folder 'nowhere' not found",
    ),
    (
        |r| r.mounts = mounts(&["lib"]),
        LaunchField::Folders,
        "can only be mounted read-only",
    ),
    (
        |r| r.mounts = mounts(&["data:a b"]),
        LaunchField::Folders,
        "isn't allowed in a path",
    ),
    (
        |r| r.mounts = mounts(&["data:../up"]),
        LaunchField::Folders,
        "Don't use the parts . and ..",
    ),
    (
        |r| r.mounts = mounts(&["data:in", "data:out"]),
        LaunchField::Folders,
        "mounted twice",
    ),
    (
        |r| r.mounts = mounts(&["data:in", "lib:/home/work/in/:ro"]),
        LaunchField::Folders,
        "another folder is mounted at /home/work/in",
    ),
    (
        |r| r.mounts = mounts(&["data:.cache"]),
        LaunchField::Folders,
        "another folder is mounted at /home/work/.cache",
    ),
    (
        |r| r.mounts = mounts(&["data:/etc"]),
        LaunchField::Folders,
        "system directory",
    ),
    (
        |r| r.preopen_ports = vec![8888],
        LaunchField::PreopenPorts,
        "a service port of this environment",
    ),
    (
        |r| r.preopen_ports = vec![9000, 9001, 9002, 9003],
        LaunchField::PreopenPorts,
        "max: 3",
    ),
];

#[test]
fn what_is_not_there_is_reported_at_its_field() {
    for (change, field, words) in CASES {
        fails(&request(*change), *field, words);
    }
}

#[test]
fn what_is_there_is_taken() {
    let good: &[RequestEdit] = &[
        |r| r.project = Some("research".into()),
        |r| r.resource_group = Some("gpu".into()),
        |r| r.preset = Some("small".into()),
        |r| {
            r.preset = Some("train".into());
            r.resource_group = Some("gpu".into());
        },
        // A preset of one group selects that group automatically.
        |r| r.preset = Some("train".into()),
        |r| r.agent = Some("i-1".into()),
        |r| r.mounts = mounts(&["data:in", "lib:/srv/lib:ro"]),
        |r| r.preopen_ports = vec![9000, 9001, 9002],
    ];
    for change in good {
        passes(&request(*change));
    }
}

#[test]
fn a_folder_that_mounts_itself_is_not_mounted_again() {
    let found = found(&request(|r| r.mounts = mounts(&[".cache"])));
    assert!(
        found[0]
            .1
            .contains("folder .cache is mounted automatically. Remove it from the launch"),
        "{found:?}"
    );
}

#[test]
fn a_longer_time_than_the_limit_is_refused_wherever_the_limit_is_set() {
    let mut offer = offer();
    offer.idle.session_lifetime = Some(Span(7200));
    let ground = Ground {
        offer: Some(&offer),
        ..Ground::at(now())
    };
    let asked = request(|r| r.lifetime = Some(Span(3 * 3600)));
    let why = "3h is too long. The limit is 2h".to_owned();
    let found = reported(check(&asked, &ground));
    assert_eq!(found, [(LaunchField::Lifetime, why)]);
}

#[test]
fn amounts_by_hand_where_only_presets_are_allowed() {
    let mut offer = offer();
    offer.presets_only = true;
    let ground = Ground {
        offer: Some(&offer),
        ..Ground::at(now())
    };
    let by_hand: [RequestEdit; 3] = [
        |_| {},
        |r| r.cpu = Some(cores(1)),
        |r| {
            r.preset = Some("small".into());
            r.mem = Some(gib(3));
        },
    ];
    let why =
        "custom resources aren't allowed on this engine. Choose a preset (huge, small, train)"
            .to_owned();
    for change in by_hand {
        let found = reported(check(&request(change), &ground));
        assert_eq!(found, [(LaunchField::Preset, why.clone())]);
    }
    // The preset's own amounts, when typed, don't count as custom amounts.
    let by_preset: [RequestEdit; 2] = [
        |r| r.preset = Some("small".into()),
        |r| {
            r.preset = Some("small".into());
            r.cpu = Some(cores(1));
            r.mem = Some(gib(2));
        },
    ];
    for change in by_preset {
        assert_eq!(reported(check(&request(change), &ground)), []);
    }
}

#[test]
fn what_the_engine_cannot_do_is_reported_with_its_reason() {
    let capabilities = unable();
    let ground = Ground {
        capabilities: Some(&capabilities),
        ..Ground::at(now())
    };
    let cases: &[(RequestEdit, LaunchField)] = &[
        (
            |r| {
                r.cluster_mode = ClusterMode::MultiNode;
                r.cluster_size = Some(2);
            },
            LaunchField::ClusterMode,
        ),
        (|r| r.agent = Some("i-1".into()), LaunchField::Agent),
        (|r| r.owner = Some(Owner::default()), LaunchField::Owner),
        (|r| r.mounts = mounts(&["data"]), LaunchField::Folders),
    ];
    for (change, field) in cases {
        let found = reported(check(&request(*change), &ground));
        assert_eq!(found, [(*field, "this engine cannot".to_owned())]);
    }
    // A cluster mode that doesn't exist is refused for one container, too.
    let alone = request(|r| r.cluster_mode = ClusterMode::MultiNode);
    let found = reported(check(&alone, &ground));
    let why = "this engine cannot".to_owned();
    assert_eq!(found, [(LaunchField::ClusterMode, why)]);
}
