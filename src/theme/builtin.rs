//! The built-in themes.

use crate::config::library::Builtin;

macro_rules! themes {
    ($($name:literal)+) => {
        /// Every file of `themes/`. A test compares it with the directory.
        pub const THEMES: &[Builtin] = &[$(Builtin {
            name: $name,
            path: concat!("themes/", $name, ".toml"),
            embedded: include_str!(concat!("../../themes/", $name, ".toml")),
        }),+];
    };
}

themes! {
    "ansi16"
    "catppuccin-latte"
    "catppuccin-mocha"
    "colorblind-dark"
    "colorblind-light"
    "default-dark"
    "default-light"
    "dracula"
    "gruvbox-dark"
    "gruvbox-light"
    "high-contrast-dark"
    "high-contrast-light"
    "nord"
    "one-dark"
    "rose-pine-dawn"
    "rose-pine"
    "solarized-dark"
    "solarized-light"
    "tokyo-night"
}
