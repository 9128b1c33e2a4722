//! Sets the language of this process.

use std::ffi::OsString;

use crate::{
    config::{
        languages,
        layer::{self, Loaded},
        origin::Places,
        paths::Paths,
    },
    locale,
};

/// Chooses the language before anything is shown. Problems are reported when the settings are read for the command.
///
/// The daemon stays English: its texts are stored and are shown to all clients.
pub fn start(arguments: &[OsString]) {
    let is_daemon = arguments.get(1).is_some_and(|word| word == "daemon")
        && arguments.iter().any(|word| word == "run");
    if is_daemon {
        return;
    }
    let Ok(paths) = Paths::resolve() else {
        return;
    };
    let places = Places {
        site: layer::SITE_FILE.into(),
        user: paths.config_file(),
    };
    let loaded: Loaded = layer::load(&places, variable);
    if let (Some(catalog), _) = languages::load(&loaded, &paths, variable) {
        locale::start(Box::leak(Box::new(catalog)));
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
