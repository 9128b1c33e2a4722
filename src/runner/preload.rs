//! Libraries that an image loads into every program (`LD_PRELOAD`).
//!
//! They are made for the image's own C library. The toolbox's programs bring another one, in which such a
//! library may not load at all, and then the program would not start. So the container's variables hold them
//! under another name, and programs of the image are given them here.

use std::{env, process::Command};

use crate::model::inside::PRELOADS;

/// Gives a program of the image what the image loads into it.
pub(super) fn give(command: &mut Command) {
    for (name, value) in held() {
        command.env(name, value);
    }
    for (_, elsewhere) in PRELOADS {
        command.env_remove(elsewhere);
    }
}

/// tmux commands by which it gives them to all windows.
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

/// Options of a tmux command for a window that begins with a program of the toolbox.
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
