//! The keymaps that come with workbay.

use crate::config::library::Builtin;

/// Every file of `keymaps/` (a test compares the directory).
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
