//! What a user wrote for a release is accepted by every later one, without a message.

use std::{fs, path::Path, path::PathBuf};

use jiff::{Timestamp, tz::TimeZone};
use workbay::{
    config::{contexts, layer, origin::Places, recipe, resources},
    keymap::Keymap,
    theme::{ColorDepth, Theme},
};

/// One directory a release.
fn releases() -> Vec<PathBuf> {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kept");
    let entries = fs::read_dir(kept).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn only(user: PathBuf) -> Places {
    let site = user.with_file_name("no-site-file");
    Places { site, user }
}

#[test]
fn the_configuration_of_every_release_is_still_taken() {
    let releases = releases();
    assert!(!releases.is_empty());
    for release in releases {
        let config = release.join("config");
        let loaded = layer::load(&only(config.join("config.toml")), |_| None);
        assert_eq!(loaded.problems, [], "{}", release.display());
        assert_ne!(loaded.settings, layer::defaults().settings);
        let contexts = contexts::load(&only(config.join("contexts.toml")), |_| None);
        assert_eq!(contexts.problems, [], "{}", release.display());
        assert_eq!(contexts.names().collect::<Vec<_>>(), ["local", "prod"]);
        let rules = resources::load(&only(config.join("resources.toml")));
        assert_eq!(rules.problems, [], "{}", release.display());
        assert_eq!(rules.rules.presets.len(), 1);
        let themes = config.join("themes");
        let (theme, problems) = Theme::load("mine", Some(&themes), ColorDepth::TrueColor);
        assert_eq!(problems, [], "{}", release.display());
        assert_ne!(theme, Theme::default());
        let keymaps = config.join("keymaps");
        let (keymap, problems) = Keymap::load("mine", Some(&keymaps));
        assert_eq!(problems, [], "{}", release.display());
        assert_ne!(keymap, Keymap::default());
        let recipe = release.join("recipes/train.toml");
        let request = recipe::read(&recipe, Timestamp::UNIX_EPOCH, &TimeZone::UTC).unwrap();
        assert_eq!(request.name.as_deref(), Some("train"));
    }
}
