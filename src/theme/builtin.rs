//! The themes that come with workbay.

use crate::config::library::Builtin;

/// Every file of `themes/` (a test compares the directory).
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
