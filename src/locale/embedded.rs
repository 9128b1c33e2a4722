//! The languages that the program brings.

use std::sync::OnceLock;

use super::Catalog;

/// All texts, for translators. A test writes it.
pub const TEMPLATE: &str = include_str!("workbay.pot");

/// The files of Korean by area, so that two changes rarely touch the same file. Name and text.
pub const KOREAN: &[(&str, &str)] = &[
    ("view.po", include_str!("ko/view.po")),
    ("panels.po", include_str!("ko/panels.po")),
    ("launcher.po", include_str!("ko/launcher.po")),
    ("app.po", include_str!("ko/app.po")),
    ("app_panels.po", include_str!("ko/app_panels.po")),
    ("app_launcher.po", include_str!("ko/app_launcher.po")),
    ("action.po", include_str!("ko/action.po")),
    ("run.po", include_str!("ko/run.po")),
    ("rules.po", include_str!("ko/rules.po")),
    ("model.po", include_str!("ko/model.po")),
    ("config.po", include_str!("ko/config.po")),
    ("plain.po", include_str!("ko/plain.po")),
    ("cli.po", include_str!("ko/cli.po")),
    ("daemon.po", include_str!("ko/daemon.po")),
    ("engine.po", include_str!("ko/engine.po")),
    (
        "engine_backendai.po",
        include_str!("ko/engine_backendai.po"),
    ),
    ("engine_docker.po", include_str!("ko/engine_docker.po")),
    ("files.po", include_str!("ko/files.po")),
    ("gateway.po", include_str!("ko/gateway.po")),
    ("runner.po", include_str!("ko/runner.po")),
    ("store.po", include_str!("ko/store.po")),
    ("help.po", include_str!("ko/help.po")),
];

/// The codes of the languages, besides English.
pub const LANGUAGES: [&str; 1] = ["ko"];

/// The texts of a language, `None` if it isn't embedded.
#[must_use]
pub fn catalog(language: &str) -> Option<Catalog> {
    let files = match language {
        "ko" => KOREAN,
        _ => return None,
    };
    let mut catalog = Catalog::new(language);
    for (_, file) in files {
        // A test checks that there are no mistakes.
        let _ = catalog.add(file);
    }
    Some(catalog)
}

/// Korean, for tests and for browsers that ask for it.
pub fn korean() -> &'static Catalog {
    static KOREAN: OnceLock<Catalog> = OnceLock::new();
    KOREAN.get_or_init(|| catalog("ko").unwrap_or_else(|| Catalog::new("ko")))
}
