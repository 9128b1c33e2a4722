//! The built-in themes.

use crate::config::library::Builtin;

/// Every file of `themes/`. A test compares it with the directory.
pub const THEMES: &[Builtin] = &[
    Builtin {
        name: "ansi16",
        path: "themes/ansi16.toml",
        embedded: include_str!("../../themes/ansi16.toml"),
    },
    Builtin {
        name: "default-dark",
        path: "themes/default-dark.toml",
        embedded: include_str!("../../themes/default-dark.toml"),
    },
    Builtin {
        name: "default-light",
        path: "themes/default-light.toml",
        embedded: include_str!("../../themes/default-light.toml"),
    },
];
