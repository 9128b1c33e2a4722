//! Sets the language of this process.

use std::ffi::OsString;

use crate::{
    config::{
        languages,
        layer::{self, Loaded},
        origin::Places,
        paths::Paths,
    },
    locale,
};

/// Chooses the language before anything is shown. Problems are reported when the settings are read for the command.
///
/// The daemon stays English: its texts are stored and are shown to all clients. So does what programs and
/// maintainers read.
pub fn start(arguments: &[OsString]) {
    if is_english(arguments) {
        return;
    }
    let Ok(paths) = Paths::resolve() else {
        return;
    };
    let places = Places {
        site: layer::SITE_FILE.into(),
        user: paths.config_file(),
    };
    let loaded: Loaded = layer::load(&places, variable);
    if let (Some(catalog), _) = languages::load(&loaded, &paths, variable) {
        locale::start(Box::leak(Box::new(catalog)));
    }
}

fn is_english(arguments: &[OsString]) -> bool {
    let own = arguments.iter().take_while(|word| *word != "--");
    let mut options = own.filter_map(|word| word.to_str());
    let is_daemon = arguments.get(1).is_some_and(|word| word == "daemon")
        && arguments.iter().any(|word| word == "run");
    let is_report = |word: &str| word == "--report" || word.starts_with("--report=");
    is_daemon || options.any(|word| word == "--json" || is_report(word))
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_for_programs_and_the_daemon_are_english() {
        let english = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            is_english(&words)
        };
        assert!(english("workbay ls --json"));
        assert!(english("workbay daemon run"));
        assert!(english("workbay doctor --report=x"));
        assert!(!english("workbay ls"));
        assert!(!english("workbay exec s -- tool --json"));
    }
}
