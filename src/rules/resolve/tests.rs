//! Tests which environment a word means.

use crate::model::{environment::ImageFacts, text::Clean};
use crate::rules::resolve::*;

const ID: &str = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn image(text: &str) -> Environment {
    let (name, tag) = text.rsplit_once(':').unwrap();
    Environment {
        name: Clean::new(name),
        version: Clean::new(tag),
        source: EnvironmentSource::Image {
            reference: text.to_owned(),
        },
        size: None,
        unavailable: None,
        absent: false,
        facts: ImageFacts {
            digests: vec![ID.to_owned(), format!("{name}@sha256:feed")],
            ..ImageFacts::default()
        },
    }
}

fn all() -> Vec<Environment> {
    let host = Environment {
        source: EnvironmentSource::Host,
        ..image("host:debian-12")
    };
    let images = [
        "busybox:1.35",
        "busybox:latest",
        "docker.io/library/alpine:3.19",
        "localhost/mine:latest",
        "localhost:5000/team/python:3.12",
        "localhost:5000/team/python:3.11",
        "registry.local/stable/r:4@x86_64",
    ];
    [vec![host], images.map(image).to_vec()].concat()
}

fn label(found: Option<&Environment>) -> Option<String> {
    found.map(Environment::label)
}

#[test]
fn an_image_is_found_as_the_engine_would_find_it() {
    let all = all();
    for (asked, found) in [
        ("busybox", "busybox:latest"),
        (" busybox:latest ", "busybox:latest"),
        ("docker.io/busybox", "busybox:latest"),
        ("docker.io/library/busybox:1.35", "busybox:1.35"),
        ("index.docker.io/library/busybox:1.35", "busybox:1.35"),
        ("alpine:3.19", "docker.io/library/alpine:3.19"),
        // This one has no `latest`, so the newest version is found.
        ("alpine", "docker.io/library/alpine:3.19"),
        (
            "localhost:5000/team/python",
            "localhost:5000/team/python:3.12",
        ),
        ("mine", "localhost/mine:latest"),
        ("busybox@sha256:feed", "busybox:1.35"),
        ("busybox:1.35@sha256:feed", "busybox:1.35"),
        ("docker.io/library/busybox@sha256:feed", "busybox:1.35"),
        ("0123456789ab", "busybox:1.35"),
        (ID, "busybox:1.35"),
        (
            "registry.local/stable/r:4",
            "registry.local/stable/r:4@x86_64",
        ),
    ] {
        assert_eq!(
            label(find_image(&all, asked)).as_deref(),
            Some(found),
            "{asked}"
        );
    }
    for missing in [
        "",
        "host",
        "busybox:1.36",
        "team/busybox",
        "python:3.12",
        "team/python:3.12",
        "localhost:5000/team/python:3.9",
        "localhost/busybox",
        "busybox@sha256:beef",
        "alpine@sha256:",
        "0123456789",
        "0123456789ac",
        "registry.local/stable/r:4@aarch64",
    ] {
        assert_eq!(label(find_image(&all, missing)), None, "{missing}");
    }
}

#[test]
fn an_environment_is_found_by_its_name_too() {
    let all = all();
    for (asked, found) in [
        ("host", "host:debian-12"),
        ("host:debian-12", "host:debian-12"),
        ("busybox", "busybox:1.35"),
        ("docker.io/library/busybox", "busybox:latest"),
        ("python", "localhost:5000/team/python:3.12"),
        ("team/python:3.11", "localhost:5000/team/python:3.11"),
    ] {
        assert_eq!(label(find(&all, asked)).as_deref(), Some(found), "{asked}");
    }
    for missing in ["hsot", "ython", "python:3.9", "hos"] {
        assert_eq!(label(find(&all, missing)), None, "{missing}");
    }
    let two = [image("a/python:1"), image("b/python:1")];
    assert_eq!(label(find(&two, "python")), None, "it may be either");
}

#[test]
fn a_near_miss_names_what_was_meant() {
    let all = all();
    let image = |asked| nearest_image(&all, asked);
    assert_eq!(image("busibox:latest").as_deref(), Some("busybox:latest"));
    assert_eq!(image("busybox:1.36").as_deref(), Some("busybox:1.35"));
    assert_eq!(
        image("python:3.9").as_deref(),
        Some("localhost:5000/team/python:3.12")
    );
    assert_eq!(image("zzzzzzzzzzzzzz"), None);
    let environment = |asked| nearest_environment(&all, asked);
    assert_eq!(environment("hsot").as_deref(), Some("host"));
    assert_eq!(environment("busybox:1.3").as_deref(), Some("busybox:1.35"));
}

fn absent(text: &str, known_as: &str) -> Environment {
    let (name, version) = known_as.split_once(':').unwrap();
    let mut absent = Environment {
        name: Clean::new(name),
        version: Clean::new(version),
        absent: true,
        ..image(text)
    };
    absent.facts.known_as = Some(Clean::new(known_as));
    absent.facts.digests.clear();
    absent
}

#[test]
fn what_is_here_goes_before_what_would_have_to_be_pulled() {
    let mut notebook = image("quay.io/jupyter/scipy-notebook:2024");
    notebook.facts.known_as = Some("jupyter:2024".into());
    let all = [
        image("localhost:5000/team/python:3.12"),
        notebook,
        absent("docker.io/library/python:3.13", "python:3.13"),
        absent("docker.io/library/python:3.12", "python:3.12"),
        absent("quay.io/jupyter/scipy-notebook:2025", "jupyter:2025"),
    ];
    for (asked, found) in [
        ("python", "localhost:5000/team/python:3.12"),
        ("python:3.13", "python:3.13"),
        ("jupyter", "quay.io/jupyter/scipy-notebook:2024"),
        ("jupyter:2024", "quay.io/jupyter/scipy-notebook:2024"),
        ("jupyter:2025", "jupyter:2025"),
    ] {
        assert_eq!(label(find(&all, asked)).as_deref(), Some(found), "{asked}");
    }
    let by_image = |asked| label(find_image(&all, asked));
    assert_eq!(by_image("python:3.13").as_deref(), Some("python:3.13"));
    // The word means `latest`, which the catalog doesn't have.
    assert_eq!(by_image("python"), None);
}
