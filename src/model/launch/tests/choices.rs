//! What is chosen from must be there, and the engine must be able to do it.

use super::{
    super::super::{session::ClusterMode, spec::Owner},
    *,
};

fn mounts(words: &[&str]) -> Vec<super::super::super::spec::FolderMount> {
    words.iter().map(|word| word.parse().unwrap()).collect()
}

const CASES: &[(Change, LaunchField, &str)] = &[
    (
        |r| r.project = Some("other".into()),
        LaunchField::Project,
        "no project 'other': there is research",
    ),
    (
        |r| r.resource_group = Some("gpus".into()),
        LaunchField::ResourceGroup,
        "no resource group 'gpus': there are default, gpu",
    ),
    (
        |r| r.preset = Some("tiny".into()),
        LaunchField::Preset,
        "no preset 'tiny': there are huge, small, train",
    ),
    (
        |r| r.preset = Some("huge".into()),
        LaunchField::Preset,
        "cannot be had: more CPU than can be had here",
    ),
    (
        |r| {
            r.preset = Some("train".into());
            r.resource_group = Some("default".into());
        },
        LaunchField::Preset,
        "for the group gpu only",
    ),
    (
        |r| r.agent = Some("i-9".into()),
        LaunchField::Agent,
        "no agent 'i-9': there is i-1",
    ),
    (
        |r| r.mounts = mounts(&["nowhere"]),
        LaunchField::Folders,
        "no folder 'nowhere'",
    ),
    (
        |r| r.mounts = mounts(&["lib"]),
        LaunchField::Folders,
        "read-only only",
    ),
    (
        |r| r.mounts = mounts(&["data:a b"]),
        LaunchField::Folders,
        "cannot be in a path",
    ),
    (
        |r| r.mounts = mounts(&["data:../up"]),
        LaunchField::Folders,
        "must not climb",
    ),
    (
        |r| r.mounts = mounts(&["data:in", "data:out"]),
        LaunchField::Folders,
        "mounted twice",
    ),
    (
        |r| r.mounts = mounts(&["data:in", "lib:/home/work/in/:ro"]),
        LaunchField::Folders,
        "something else is mounted at /home/work/in",
    ),
    (
        |r| r.mounts = mounts(&["data:.cache"]),
        LaunchField::Folders,
        "something else is mounted at /home/work/.cache",
    ),
    (
        |r| r.mounts = mounts(&["data:/etc"]),
        LaunchField::Folders,
        "directory of the system",
    ),
    (
        |r| r.preopen_ports = vec![8888],
        LaunchField::PreopenPorts,
        "a service of this environment",
    ),
    (
        |r| r.preopen_ports = vec![9000, 9001, 9002, 9003],
        LaunchField::PreopenPorts,
        "3 at most",
    ),
];

#[test]
fn what_is_not_there_is_told_at_its_field() {
    for (change, field, words) in CASES {
        fails(&request(*change), *field, words);
    }
}

#[test]
fn what_is_there_is_taken() {
    let good: &[Change] = &[
        |r| r.project = Some("research".into()),
        |r| r.resource_group = Some("gpu".into()),
        |r| r.preset = Some("small".into()),
        |r| {
            r.preset = Some("train".into());
            r.resource_group = Some("gpu".into());
        },
        // A preset of one group only goes there by itself.
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
            .contains("the folder .cache is mounted by itself"),
        "{found:?}"
    );
}

#[test]
fn amounts_by_hand_where_only_presets_are_allowed() {
    let mut offer = offer();
    offer.presets_only = true;
    let ground = Ground {
        offer: Some(&offer),
        ..Ground::at(now())
    };
    let by_hand: [Change; 3] = [
        |_| {},
        |r| r.cpu = Some(cores(1)),
        |r| {
            r.preset = Some("small".into());
            r.mem = Some(gib(3));
        },
    ];
    let why =
        "amounts by hand are not allowed here: choose a preset (huge, small, train)".to_owned();
    for change in by_hand {
        let found = told(check(&request(change), &ground));
        assert_eq!(found, [(LaunchField::Preset, why.clone())]);
    }
    // The preset's own amounts, written out, are no others.
    let by_preset: [Change; 2] = [
        |r| r.preset = Some("small".into()),
        |r| {
            r.preset = Some("small".into());
            r.cpu = Some(cores(1));
            r.mem = Some(gib(2));
        },
    ];
    for change in by_preset {
        assert_eq!(told(check(&request(change), &ground)), []);
    }
}

#[test]
fn what_the_engine_cannot_do_is_told_with_its_reason() {
    let capabilities = unable();
    let ground = Ground {
        capabilities: Some(&capabilities),
        ..Ground::at(now())
    };
    let cases: &[(Change, LaunchField)] = &[
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
        let found = told(check(&request(*change), &ground));
        assert_eq!(found, [(*field, "this engine cannot".to_owned())]);
    }
    // Of one container it does not matter where the others would lie.
    let alone = request(|r| r.cluster_mode = ClusterMode::MultiNode);
    assert_eq!(told(check(&alone, &ground)), []);
}
