//! Tests that damaged configuration files and recipes are read without a panic.

use std::path::{Path, PathBuf};

use jiff::{Timestamp, tz::TimeZone};

use super::{contexts, environments, layer, origin::Places, recipe, resources};
use crate::fuzz::{bounded, parser};

/// A configuration directory that contains the present input as the file `name`.
struct Home {
    dir: tempfile::TempDir,
    name: &'static str,
}

impl Home {
    fn new(name: &'static str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self { dir, name }
    }

    fn places(&self, bytes: &[u8]) -> Places {
        std::fs::write(self.dir.path().join(self.name), bytes).unwrap();
        Places {
            site: PathBuf::from("/nonexistent/config.toml"),
            user: self.dir.path().join("config.toml"),
        }
    }
}

#[test]
fn fuzz_config() {
    let home = Home::new("config.toml");
    parser("config", &[layer::DEFAULT.as_bytes()], |bytes, _| {
        let places = home.places(bytes);
        bounded(bytes, &layer::load(&places, |_| None).problems);
    });
}

#[test]
fn fuzz_contexts() {
    let home = Home::new("config.toml");
    parser("contexts", &[], |bytes, _| {
        let places = home.places(bytes);
        bounded(bytes, &contexts::load(&places, |_| None));
    });
}

#[test]
fn fuzz_resources() {
    let home = Home::new("resources.toml");
    parser("resources", &[], |bytes, _| {
        bounded(bytes, &resources::load(&home.places(bytes)));
    });
}

#[test]
fn fuzz_environments() {
    let home = Home::new("environments.toml");
    parser("environments", &[], |bytes, _| {
        bounded(bytes, &environments::load(&home.places(bytes)));
    });
}

#[test]
fn fuzz_recipes() {
    let (now, zone) = (Timestamp::UNIX_EPOCH, TimeZone::UTC);
    let file = Path::new("recipe.toml");
    parser("recipes", &[], |bytes, _| {
        let text = String::from_utf8_lossy(bytes);
        let read = recipe::parse(file, &text, now, &zone);
        bounded(bytes, &read);
        if let Ok(request) = read {
            let written = recipe::write(&request);
            let again = recipe::parse(file, &written, now, &zone);
            let again = again.unwrap_or_else(|problems| panic!("{written}: {problems:?}"));
            assert_eq!(recipe::write(&again), written);
        }
    });
}
