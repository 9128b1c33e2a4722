//! The catalogue of environments: what comes with workbay, the site's file and the user's over it.

use workbay::{
    config::environments::{self, Environments},
    model::{resources::Bytes, wellknown::WellKnown},
};

use crate::places;

fn load(site: &str, user: &str) -> Environments {
    let (_dir, places) = places(site, user);
    environments::load(&places)
}

fn find<'a>(all: &'a Environments, name: &str) -> Option<&'a WellKnown> {
    all.known.iter().find(|known| known.name == *name)
}

/// `version from`, of each.
fn images(known: &WellKnown) -> Vec<String> {
    let versions = known.versions.iter();
    versions
        .map(|it| format!("{} {}", it.name, it.from))
        .collect()
}

#[test]
fn what_comes_with_workbay_is_whole() {
    let all = load("", "");
    assert_eq!(all.problems, []);
    for name in [
        "python", "jupyter", "pytorch", "rstudio", "ubuntu", "busybox",
    ] {
        let known = find(&all, name).unwrap_or_else(|| panic!("{name} is not known"));
        assert!(
            !known.about.is_empty() && !known.versions.is_empty(),
            "{name}"
        );
        let default =
            |version: &workbay::model::wellknown::KnownVersion| version.name == known.default;
        assert!(known.versions.iter().any(default), "{name}");
    }
    let jupyter = find(&all, "jupyter").unwrap();
    assert_eq!(jupyter.services[0].ports, [8888]);
}

#[test]
fn later_files_go_over_earlier_ones_key_by_key() {
    let site = "[environment.python]\nabout = \"Ours\"\nmem = \"2g\"\n\
                [environment.tool]\nimage = \"r.example/tool:3\"\n";
    let user = "[environment.python]\nversions = [\"3.9\"]\ndefault = \"3.9\"\n\
                [environment.fedora]\nhide = true\n";
    let all = load(site, user);
    assert_eq!(all.problems, []);
    let python = find(&all, "python").unwrap();
    assert_eq!(python.about, "Ours");
    assert_eq!(python.minimum.mem, Bytes(2 * Bytes::GIB));
    assert_eq!(images(python), ["3.9 docker.io/library/python:3.9"]);
    assert_eq!(images(find(&all, "tool").unwrap()), ["3 r.example/tool:3"]);
    assert!(find(&all, "fedora").is_none());
    assert_eq!(
        python.image_of("python"),
        Some("docker.io/library/python:3.9")
    );
    assert_eq!(python.image_of("python:3.8"), None);
}

#[test]
fn a_broken_file_is_left_out_whole_and_the_others_count() {
    let site = "[environment.tool]\nimage = \"r.example/tool:3\"\n";
    let user = "[environment.mine]\nimage = \"a/b\"\n[environment.tool]\nabot = \"x\"\n";
    let all = load(site, user);
    assert_eq!(all.problems.len(), 1, "{:?}", all.problems);
    assert_eq!(all.problems[0].line, 4);
    assert!(find(&all, "mine").is_none() && find(&all, "tool").is_some());
}

#[test]
fn a_mirror_is_pulled_from_and_its_images_are_known() {
    let all = load("[mirrors]\n\"docker.io\" = \"mirror.example/hub\"\n", "");
    let python = find(&all, "python").unwrap();
    let version = &python.versions[0];
    assert_eq!(version.from, "mirror.example/hub/library/python:3.13");
    assert_eq!(version.image, "docker.io/library/python:3.13");
    let jupyter = find(&all, "jupyter").unwrap();
    assert!(jupyter.versions[0].from.starts_with("quay.io/"));
}
