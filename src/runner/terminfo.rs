//! Chooses the TERM of programs in the session's tmux.

use std::path::{Path, PathBuf};

use crate::model::inside;

/// The TERM inside tmux, and whether the image needs our descriptions for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InnerTerm {
    pub(super) name: &'static str,
    /// The image has no description of `name`, so programs use ours.
    pub(super) ours: bool,
}

/// Returns the directories where ncurses in the image searches for descriptions.
pub(super) fn places(terminfo: Option<&str>, home: Option<&str>) -> Vec<PathBuf> {
    let own = terminfo.map(PathBuf::from);
    let personal = home.map(|home| Path::new(home).join(".terminfo"));
    let fixed = [
        "/etc/terminfo",
        "/lib/terminfo",
        "/usr/share/terminfo",
        "/usr/lib/terminfo",
    ];
    own.into_iter()
        .chain(personal)
        .chain(fixed.iter().map(PathBuf::from))
        .collect()
}

/// Chooses `tmux-256color` if the image has its description, else `screen-256color`.
pub(super) fn choose(places: &[PathBuf]) -> InnerTerm {
    for name in ["tmux-256color", "screen-256color"] {
        if places.iter().any(|place| knows(place, name)) {
            return InnerTerm { name, ours: false };
        }
    }
    InnerTerm {
        name: "screen-256color",
        ours: true,
    }
}

/// The directory of the bundled descriptions.
pub(super) fn ours() -> PathBuf {
    Path::new(inside::TOOLBOX).join("share/terminfo")
}

/// Whether a directory has the description. Its subdirectory is named after the first letter or its hexadecimal code.
fn knows(place: &Path, name: &str) -> bool {
    let Some(first) = name.bytes().next() else {
        return false;
    };
    place
        .join(char::from(first).to_string())
        .join(name)
        .is_file()
        || place.join(format!("{first:x}")).join(name).is_file()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_image_decides_and_ours_helps_out() {
        let dir = tempfile::tempdir().unwrap();
        let places = vec![dir.path().to_owned()];
        assert!(choose(&places).ours);
        fs::create_dir(dir.path().join("73")).unwrap();
        fs::write(dir.path().join("73/screen-256color"), "").unwrap();
        let screen = InnerTerm {
            name: "screen-256color",
            ours: false,
        };
        assert_eq!(choose(&places), screen);
        fs::create_dir(dir.path().join("t")).unwrap();
        fs::write(dir.path().join("t/tmux-256color"), "").unwrap();
        let tmux = InnerTerm {
            name: "tmux-256color",
            ours: false,
        };
        assert_eq!(choose(&places), tmux);
    }
}
