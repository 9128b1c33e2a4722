//! Libraries that an image loads into every program (`LD_PRELOAD`).
//!
//! They are built for the image's own C library. The bundled tools bring another one, in which such a library may
//! fail to load, and then the tool wouldn't start. So the container's environment has them under other names, and
//! this module restores them for programs of the image.

use std::{env, process::Command};

use crate::model::inside::PRELOADS;

/// Restores the image's libraries for a program of the image.
pub(super) fn give(command: &mut Command) {
    for (name, value) in held() {
        command.env(name, value);
    }
    for (_, elsewhere) in PRELOADS {
        command.env_remove(elsewhere);
    }
}

/// Returns tmux commands that restore the libraries for all windows.
pub(super) fn to_windows() -> Vec<String> {
    let mut words = Vec::new();
    for (name, value) in held() {
        words.extend(["set-environment", "-g", name, &value, ";"].map(str::to_owned));
    }
    for (_, elsewhere) in PRELOADS {
        words.extend(["set-environment", "-gu", elsewhere, ";"].map(str::to_owned));
    }
    words
}

/// Returns tmux options that keep the libraries out of a window that starts with a bundled program.
pub(super) fn not_to_window() -> Vec<String> {
    let mut words = Vec::new();
    for (name, elsewhere) in PRELOADS {
        if let Some(value) = env::var(elsewhere).ok().filter(|it| !it.is_empty()) {
            let both = [format!("{name}="), format!("{elsewhere}={value}")];
            words.extend(both.into_iter().flat_map(|one| ["-e".to_owned(), one]));
        }
    }
    words
}

fn held() -> impl Iterator<Item = (&'static str, String)> {
    PRELOADS
        .into_iter()
        .filter_map(|(name, elsewhere)| Some((name, env::var(elsewhere).ok()?)))
}
