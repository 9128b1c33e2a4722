//! The texts of the chosen language: the embedded ones, and those of the user's `locales/LANG.po`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{Problem, layer::Loaded, paths::Paths};
use crate::locale::{self, Catalog, Wanted, embedded};

/// Reads the texts that the settings or the locale ask for. No catalog: English.
pub fn load(
    loaded: &Loaded,
    paths: &Paths,
    variable: impl Fn(&str) -> Option<String>,
) -> (Option<Catalog>, Vec<Problem>) {
    let ui = &loaded.settings.ui;
    let unicode = ui.unicode.unwrap_or_else(|| locale::is_utf8(&variable));
    let (codes, is_asked) = match locale::wanted(&ui.language, unicode, &variable) {
        Wanted::English(_) => return (None, Vec::new()),
        Wanted::Language { codes, is_asked } => (codes, is_asked),
    };
    let dir = paths.locales_dir();
    let mut catalog = codes.iter().find_map(|code| embedded::catalog(code));
    let mut problems = Vec::new();
    // The more exact file comes last, because later texts replace earlier ones.
    for code in codes.iter().rev() {
        let file = dir.join(format!("{code}.po"));
        match fs::read_to_string(&file) {
            Ok(text) => {
                let catalog = catalog.get_or_insert_with(|| Catalog::new(code));
                problems.extend(add(catalog, &file, &text));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => problems.push(unreadable(file, &error)),
        }
    }
    if catalog.is_none() && is_asked && problems.is_empty() {
        let wanted = codes.join("' or '");
        let help = tr!(
            "use one of {names}, or add {dir}",
            names = names(&dir).join(", "),
            dir = dir.join(format!("{}.po", codes[0])).display()
        );
        let message = tr!("no texts in the language '{wanted}'", wanted);
        problems.push(loaded.blame("ui.language", message, Some(help)));
    }
    (catalog, problems)
}

/// Adds the texts of a file, and returns its mistakes.
pub fn add(catalog: &mut Catalog, file: &Path, text: &str) -> Vec<Problem> {
    let mistakes = catalog.add(text).into_iter();
    let problems = mistakes.map(|mistake| Problem {
        file: file.to_path_buf(),
        line: mistake.line,
        column: 1,
        message: mistake.message,
        help: mistake.help,
    });
    problems.collect()
}

/// A file that exists and can't be read as text.
pub fn unreadable(file: PathBuf, error: &io::Error) -> Problem {
    let help =
        (error.kind() == io::ErrorKind::InvalidData).then(|| tr!("save it as UTF-8").to_owned());
    Problem {
        file,
        line: 0,
        column: 0,
        message: tr!("the translations can't be read: {error}", error),
        help,
    }
}

/// The values of `ui.language`.
pub fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = ["auto", "en"].into_iter().map(str::to_owned).collect();
    names.extend(embedded::LANGUAGES.map(str::to_owned));
    let files = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut own: Vec<String> = files
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some(name.strip_suffix(".po")?.to_owned())
        })
        .filter(|name| !names.contains(name))
        .collect();
    own.sort();
    names.extend(own);
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::layer;

    fn loaded(language: &str) -> Loaded {
        let mut loaded = layer::defaults();
        language.clone_into(&mut loaded.settings.ui.language);
        loaded
    }

    fn with(root: &Path, language: &str, lang: &'static str) -> (Option<Catalog>, Vec<Problem>) {
        let paths = Paths::below(root);
        load(&loaded(language), &paths, |name| {
            (name == "LANG").then(|| lang.to_owned())
        })
    }

    #[test]
    fn the_locale_chooses_an_embedded_language() {
        let root = tempfile::tempdir().unwrap();
        let (catalog, problems) = with(root.path(), "auto", "ko_KR.UTF-8");
        assert_eq!(problems, []);
        assert_eq!(catalog.unwrap().language(), "ko");
        assert!(with(root.path(), "auto", "C.UTF-8").0.is_none());
        assert!(with(root.path(), "auto", "ko_KR.EUC-KR").0.is_none());
        let (catalog, problems) = with(root.path(), "auto", "xx_YY.UTF-8");
        assert!(catalog.is_none() && problems.is_empty());
    }

    #[test]
    fn a_language_without_texts_is_a_problem_of_the_setting() {
        let root = tempfile::tempdir().unwrap();
        let (catalog, problems) = with(root.path(), "xx", "C.UTF-8");
        assert!(catalog.is_none());
        assert_eq!(problems[0].message, "no texts in the language 'xx'");
        let help = problems[0].help.as_deref().unwrap();
        assert!(
            help.starts_with("use one of auto, en, ko, or add "),
            "{help}"
        );
    }

    #[test]
    fn a_file_adds_a_language_and_overrides_single_texts() {
        let root = tempfile::tempdir().unwrap();
        let dir = Paths::below(root.path()).locales_dir();
        fs::create_dir_all(&dir).unwrap();
        let text = "msgid \"help\"\nmsgstr \"aide\"\n\nmsgid \"quit\"\nmsgstr \"{x}\"\n";
        for name in ["fr.po", "ko.po"] {
            fs::write(dir.join(name), text).unwrap();
        }
        fs::write(dir.join("de.po"), [0xff, 0xfe]).unwrap();
        assert_eq!(names(&dir), ["auto", "en", "ko", "de", "fr"]);
        for language in ["fr", "ko"] {
            let (catalog, problems) = with(root.path(), language, "C.UTF-8");
            let catalog = catalog.unwrap();
            assert_eq!(catalog.get("help"), Some("aide"));
            assert_ne!(catalog.get("quit"), Some("{x}"));
            let shown = problems[0].to_string();
            let place = format!("{language}.po:4:1: the placeholders");
            assert!(problems.len() == 1 && shown.contains(&place), "{shown}");
        }
        let (catalog, problems) = with(root.path(), "de", "C.UTF-8");
        assert!(catalog.is_none());
        let shown = problems[0].to_string();
        assert!(shown.ends_with("(save it as UTF-8)"), "{shown}");
    }
}
