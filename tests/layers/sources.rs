//! The sources of the program, each with the paths that it names.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use proc_macro2::TokenStream;

use super::paths;

pub struct SourceFile {
    /// Relative to `src/`.
    pub file: PathBuf,
    /// The directory or file in `src/` that it belongs to.
    pub module: String,
    /// What it names. A path through `super` that leads to the root of the crate begins with `crate`.
    pub paths: Vec<Vec<String>>,
}

/// The module in `src/` that a path leads into.
pub fn module_of_path(path: &[String]) -> Option<&str> {
    match path {
        [root, module, ..] if root == "crate" || root == "workbay" => Some(module),
        _ => None,
    }
}

/// All sources that are compiled into the program: files of tests are left out.
pub fn sources() -> &'static [SourceFile] {
    static SOURCES: OnceLock<Vec<SourceFile>> = OnceLock::new();
    SOURCES.get_or_init(read)
}

fn read() -> Vec<SourceFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    let mut directories = vec![root.clone()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).expect("src is readable") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let text = fs::read_to_string(&path).expect("a source is readable");
                let code: TokenStream = text.parse().expect("a source is Rust");
                files.push((path, code));
            }
        }
    }
    assert!(files.len() > 20, "the sources were not found");
    files.sort_by(|(a, _), (b, _)| a.cmp(b));
    let tests = files_of_tests(&files);
    let of_program = files
        .into_iter()
        .filter(|(file, _)| !tests.iter().any(|it| is_of(file, it)));
    of_program
        .map(|(file, code)| {
            let file = file.strip_prefix(&root).expect("below src").to_owned();
            source(file, code)
        })
        .collect()
}

fn source(file: PathBuf, code: TokenStream) -> SourceFile {
    let depth = module_path(&file).components().count();
    let mut paths = paths::paths(code);
    for path in &mut paths {
        let ups = path.iter().take_while(|it| *it == "super").count();
        if ups > 0 && ups >= depth {
            path.splice(..ups, ["crate".to_owned()]);
        }
    }
    let first = module_path(&file)
        .components()
        .next()
        .map(|it| it.as_os_str().to_owned());
    let module = first.expect("a path").to_string_lossy().into_owned();
    SourceFile {
        file,
        module,
        paths,
    }
}

/// `a/b.rs` and `a/b/mod.rs` are both the module `a/b`.
fn module_path(file: &Path) -> PathBuf {
    if file.ends_with("mod.rs") {
        file.with_file_name("")
    } else {
        file.with_extension("")
    }
}

/// The modules, as paths without an extension, that are compiled for tests only.
fn files_of_tests(files: &[(PathBuf, TokenStream)]) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for (file, code) in files {
        let is_root = file.ends_with("src/lib.rs") || file.ends_with("src/main.rs");
        let home = if is_root {
            file.with_file_name("")
        } else {
            module_path(file)
        };
        let modules = paths::test_modules(code.clone());
        found.extend(modules.iter().map(|name| home.join(name)));
    }
    found
}

/// Whether a file is this module or inside it.
fn is_of(file: &Path, module: &Path) -> bool {
    module_path(file).starts_with(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_through_super_to_the_root_is_an_import() {
        let code = "use super::{super::store::Row, mirror::Mirror};";
        let source = source("app/logs/mod.rs".into(), code.parse().expect("code"));
        let named: Vec<_> = source
            .paths
            .iter()
            .filter_map(|it| module_of_path(it))
            .collect();
        assert_eq!((source.module.as_str(), named), ("app", vec!["store"]));
    }

    #[test]
    fn files_of_tests_are_left_out() {
        let is_of_tests =
            |it: &SourceFile| it.file.ends_with("tests.rs") || it.file.ends_with("testing.rs");
        assert!(!sources().iter().any(is_of_tests));
        assert!(
            sources()
                .iter()
                .any(|it| it.file.ends_with("app/app/mod.rs"))
        );
    }
}
