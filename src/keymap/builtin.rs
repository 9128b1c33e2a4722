//! The built-in keymaps.

use crate::config::library::Builtin;

/// Every file of `keymaps/`. A test compares it with the directory.
pub const KEYMAPS: &[Builtin] = &[
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
        name: "vim",
        path: "keymaps/vim.toml",
        embedded: include_str!("../../keymaps/vim.toml"),
    },
];
