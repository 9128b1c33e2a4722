//! Settings, themes and keymaps from files: `valid/` has what must be accepted without a problem,
//! `invalid/` one fault a file with the exact message beside it (`NAME.expected`).
//!
//! The beginning of a file's name says what it is: `settings-`, `theme-`, `keymap-`,
//! `contexts-`, `environments-`, `resources-`, `recipe-`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what cannot go on here stops"
)]

mod contexts;
mod docs;
mod environments;
mod errors;
mod fixes;
mod kept;
mod layers;
mod reference;
mod resources;
mod texts;
mod wording;

use std::{
    fs,
    path::{Path, PathBuf},
};

use jiff::{Timestamp, tz::TimeZone};
use workbay::{
    config::{
        Problem, contexts as reader, environments as catalogue, layer, origin::Places, recipe,
        resources as rules,
    },
    keymap::Keymap,
    model::policy::ResourceRules,
    theme::{ColorDepth, Theme},
};

/// The site's file and the user's with these texts, for as long as the directory is kept.
fn places(site: &str, user: &str) -> (tempfile::TempDir, Places) {
    let dir = tempfile::tempdir().unwrap();
    let places = Places {
        site: dir.path().join("site.toml"),
        user: dir.path().join("user.toml"),
    };
    fs::write(&places.site, site).unwrap();
    fs::write(&places.user, user).unwrap();
    (dir, places)
}

fn files(folder: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/config")
        .join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .collect();
    files.sort();
    assert!(files.len() > 5, "the files of {folder} were not found");
    files
}

fn name(file: &Path) -> &str {
    file.file_stem().unwrap().to_str().unwrap()
}

/// What reading the file finds wrong; a broken file must leave the defaults in force.
fn read(file: &Path) -> Vec<Problem> {
    let (problems, is_default) = outcome(file);
    assert!(
        problems.is_empty() || is_default,
        "{}: a part of a broken file is in force",
        name(file)
    );
    problems
}

/// What reading the file finds wrong.
fn problems(file: &Path) -> Vec<Problem> {
    outcome(file).0
}

/// What reading the file finds wrong, and whether only defaults are in force.
fn outcome(file: &Path) -> (Vec<Problem>, bool) {
    let (name, dir) = (name(file), file.parent().unwrap());
    match name.split_once('-').unwrap().0 {
        "settings" => {
            let places = Places {
                site: dir.join("no-site-file"),
                user: file.to_path_buf(),
            };
            let loaded = layer::load(&places, |_| None);
            let is_default = loaded.settings == layer::defaults().settings;
            (loaded.problems, is_default)
        }
        "theme" => {
            let (theme, problems) = Theme::load(name, Some(dir), ColorDepth::TrueColor);
            (problems, theme == Theme::default())
        }
        "keymap" => {
            let (keymap, problems) = Keymap::load(name, Some(dir));
            (problems, keymap == Keymap::default())
        }
        "contexts" => {
            let places = Places {
                site: dir.join("no-site-file"),
                user: file.to_path_buf(),
            };
            let home = |name: &str| (name == "HOME").then(|| "/home/ada".into());
            let contexts = reader::load(&places, home);
            // The broken one is left out, the others are not.
            let text = fs::read_to_string(file).unwrap();
            let names: Vec<&str> = contexts.names().collect();
            let others = if text.contains("[contexts.good]") {
                names == ["local", "good"]
            } else {
                names == ["local"]
            };
            (contexts.problems, others)
        }
        "resources" => {
            let places = Places {
                site: dir.join("no-site-file"),
                user: file.to_path_buf(),
            };
            let read = rules::load(&places);
            (read.problems, read.rules == ResourceRules::default())
        }
        "environments" => {
            let places = Places {
                site: dir.join("no-site-file"),
                user: file.to_path_buf(),
            };
            let read = catalogue::load(&places);
            let builtin = catalogue::load(&Places {
                user: dir.join("no-file"),
                ..places
            });
            (read.problems, read.known == builtin.known)
        }
        // There is no other launch to fall back to.
        "recipe" => {
            let read = recipe::read(file, Timestamp::UNIX_EPOCH, &TimeZone::UTC);
            (read.err().unwrap_or_default(), true)
        }
        kind => panic!("no test knows files of the kind '{kind}'"),
    }
}

/// As printed, without the directory.
fn shown(file: &Path, problems: &[Problem]) -> String {
    let dir = format!("{}/", file.parent().unwrap().display());
    problems
        .iter()
        .map(|problem| format!("{problem}\n").replace(&dir, ""))
        .collect()
}

#[test]
fn valid_files_are_taken_without_a_word() {
    for file in files("valid") {
        let problems = read(&file);
        assert_eq!(shown(&file, &problems), "", "{}", name(&file));
    }
}

#[test]
fn each_fault_is_reported_with_place_and_help() {
    let write = std::env::var_os("WORKBAY_WRITE_EXPECTED").is_some();
    for file in files("invalid") {
        let found = shown(&file, &read(&file));
        let beside = file.with_extension("expected");
        if write {
            fs::write(&beside, &found).unwrap();
        }
        let expected = fs::read_to_string(&beside)
            .unwrap_or_else(|_| panic!("{} is missing", beside.display()));
        assert_eq!(found, expected, "{}", name(&file));
        assert_eq!(
            found.lines().count(),
            1,
            "{}: one fault a file",
            name(&file)
        );
    }
}
