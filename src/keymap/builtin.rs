//! The built-in keymaps.

use crate::config::library::Builtin;

/// Every file of `keymaps/`. A test compares it with the directory.
pub const KEYMAPS: &[Builtin] = &[
    Builtin {
        name: "arrows",
        path: "keymaps/arrows.toml",
        embedded: include_str!("../../keymaps/arrows.toml"),
    },
    Builtin {
        name: "default",
        path: "keymaps/default.toml",
        embedded: include_str!("../../keymaps/default.toml"),
    },
    Builtin {
        name: "emacs",
        path: "keymaps/emacs.toml",
        embedded: include_str!("../../keymaps/emacs.toml"),
    },
    Builtin {
        name: "k9s",
        path: "keymaps/k9s.toml",
        embedded: include_str!("../../keymaps/k9s.toml"),
    },
    Builtin {
        name: "vim",
        path: "keymaps/vim.toml",
        embedded: include_str!("../../keymaps/vim.toml"),
    },
];
