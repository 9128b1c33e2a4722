//! Files that inherit from one another by name: themes and keymaps.
//!
//! A name is looked up in the user's directory first, then in the built-in files. A user's file may inherit
//! from the built-in file with the same name.

use std::{
    borrow::Cow,
    fs,
    path::{Path, PathBuf},
};

use super::{
    Problem, config_file,
    document::{Document, DocumentFault},
};
use crate::{locale, model::nearest::nearest};

/// As many names fit into a message.
const FEW: usize = 8;

/// A built-in file.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    pub name: &'static str,
    /// Its path in the source tree, `themes/ansi16.toml`.
    pub path: &'static str,
    /// Its text when workbay was built.
    pub embedded: &'static str,
}

impl Builtin {
    /// The text. A debug build reads it from the source tree if that exists, so that a change shows without
    /// building.
    pub fn text(&self) -> Cow<'static, str> {
        if cfg!(debug_assertions) {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(self.path);
            if let Ok(text) = fs::read_to_string(file) {
                return Cow::Owned(text);
            }
        }
        Cow::Borrowed(self.embedded)
    }
}

/// Where to find files of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Library<'a> {
    /// `theme` or `keymap`, for messages.
    pub kind: &'static str,
    /// The directory of the user's own files, `NAME.toml`.
    pub dir: Option<&'a Path>,
    pub builtin: &'static [Builtin],
}

/// Where a file of a library comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FileOrigin {
    User,
    Builtin,
}

impl Library<'_> {
    /// All names, sorted, and whether each is a user's file. Such a file hides the built-in file with the same name.
    pub fn names(&self) -> Vec<(String, bool)> {
        let own = self.own_names().into_iter();
        let mut names: Vec<(String, bool)> = own.map(|name| (name, true)).collect();
        for builtin in self.builtin {
            if !names.iter().any(|(name, _)| name == builtin.name) {
                names.push((builtin.name.to_owned(), false));
            }
        }
        names.sort();
        names
    }

    fn own_names(&self) -> Vec<String> {
        let Some(entries) = self.dir.and_then(|dir| fs::read_dir(dir).ok()) else {
            return Vec::new();
        };
        entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == "toml"))
            .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
            .collect()
    }

    /// The file of this name and all files that it inherits from, the oldest ancestor first.
    pub fn chain(&self, name: &str) -> Result<Vec<Document>, Problem> {
        match self.open(name, true) {
            Some(found) => self.with_ancestors(name, found?),
            None => Err(self.missing(name)),
        }
    }

    /// A file outside of the library, and all files that it inherits from.
    pub fn chain_of(&self, document: Document) -> Result<Vec<Document>, Problem> {
        let stem = document.file().file_stem().and_then(|stem| stem.to_str());
        let name = stem.unwrap_or_default().to_owned();
        self.with_ancestors(&name, (document, FileOrigin::User))
    }

    fn with_ancestors(
        &self,
        name: &str,
        (mut document, mut origin): (Document, FileOrigin),
    ) -> Result<Vec<Document>, Problem> {
        let mut seen = vec![(name.to_owned(), origin)];
        let mut chain = Vec::new();
        while let Some(parent) = document.get("inherits") {
            let at = parent.at;
            let parent = parent
                .text()
                .map_err(|fault| document.problem(fault))?
                .to_owned();
            let myself = seen.last().is_some_and(|(name, _)| *name == parent);
            let own = origin == FileOrigin::User && !myself;
            let Some(next) = self.open(&parent, own) else {
                return Err(document.problem(self.unknown(at, &parent)));
            };
            let (next, next_origin) = next?;
            if seen.contains(&(parent.clone(), next_origin)) {
                let mut path: Vec<&str> = seen.iter().map(|(name, _)| name.as_str()).collect();
                path.push(&parent);
                let message = tr!("inherits from itself: {path}", path = path.join(" -> "));
                return Err(document.problem(DocumentFault::new(at, message)));
            }
            seen.push((parent, next_origin));
            origin = next_origin;
            chain.push(std::mem::replace(&mut document, next));
        }
        chain.push(document);
        chain.reverse();
        Ok(chain)
    }

    /// `None` if the file doesn't exist in the library.
    fn open(&self, name: &str, own: bool) -> Option<Result<(Document, FileOrigin), Problem>> {
        let own = self.own_path(name).filter(|_| own);
        if let Some(found) = own.and_then(|path| read_if_any(&path).transpose()) {
            return Some(found.map(|document| (document, FileOrigin::User)));
        }
        let builtin = self.builtin.iter().find(|builtin| builtin.name == name)?;
        let document = Document::parse(Path::new(builtin.path), &builtin.text());
        Some(document.map(|document| (document, FileOrigin::Builtin)))
    }

    /// `None` for a name whose path would be outside of the directory.
    fn own_path(&self, name: &str) -> Option<PathBuf> {
        let plain = !name.is_empty() && !name.contains('/') && !name.starts_with('.');
        plain.then(|| self.dir.map(|dir| dir.join(format!("{name}.toml"))))?
    }

    fn unknown(&self, at: usize, name: &str) -> DocumentFault {
        let names = self.names();
        DocumentFault::unknown(
            at,
            self.kind,
            name,
            names.iter().map(|(name, _)| name.as_str()),
        )
    }

    fn missing(&self, name: &str) -> Problem {
        let names = self.names();
        let names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
        let help = match nearest(name, &names) {
            Some(near) => tr!("did you mean '{near}'?", near),
            None if names.len() <= FEW => tr!("use one of {names}", names = names.join(", ")),
            None => tr!(
                "run `workbay themes`, which lists every {kind}",
                kind = locale::text(self.kind)
            ),
        };
        Problem {
            file: self
                .own_path(name)
                .unwrap_or_else(|| PathBuf::from(self.kind)),
            line: 0,
            column: 0,
            message: tr!(
                "{kind} '{name}' not found",
                kind = locale::text(self.kind),
                name
            ),
            help: Some(help),
        }
    }
}

/// Reads a TOML file. An unreadable file is one problem for the whole file.
pub fn read(path: &Path) -> Result<Document, Problem> {
    read_if_any(path)?.ok_or_else(|| Problem {
        file: path.to_path_buf(),
        line: 0,
        column: 0,
        message: tr!("can't be read: the file doesn't exist").to_owned(),
        help: None,
    })
}

/// Like [`read`], but returns `None` if the file doesn't exist.
pub fn read_if_any(path: &Path) -> Result<Option<Document>, Problem> {
    let text = config_file::text(path)?;
    text.map(|text| Document::parse(path, &text)).transpose()
}
