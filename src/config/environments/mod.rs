//! The environment catalog: the built-in environments, the system-wide file and the user's file
//! (`environments.toml`), each merged over the one before.
//!
//! A later file changes an environment with the same name key by key. A file with a fault is left out
//! completely and reported.

mod apps;
mod file;

use std::path::Path;

use super::{Problem, document::Document, library, origin::Places};
use crate::model::wellknown::WellKnown;
use file::Drafts;

/// The path of the system-wide file.
pub const SITE_FILE: &str = "/etc/workbay/environments.toml";

/// The built-in catalog, which `workbay config print-default --environments` prints.
pub const BUILTIN: &str = include_str!("builtin.toml");

/// The content of all files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Environments {
    /// By name.
    pub known: Vec<WellKnown>,
    /// The problems found. The files named here were left out completely.
    pub problems: Vec<Problem>,
}

/// Reads the built-in catalogue and both files.
pub fn load(places: &Places) -> Environments {
    let mut drafts = Drafts::default();
    let mut problems = Vec::new();
    let builtin = Document::parse(Path::new("builtin.toml"), BUILTIN);
    let files = [&places.site, &places.user].into_iter();
    let all = [builtin]
        .into_iter()
        .chain(files.filter_map(|path| library::read_if_any(path).transpose()));
    for document in all {
        let outcome = document
            .map_err(|problem| vec![problem])
            .and_then(|document| drafts.with(&document));
        match outcome {
            Ok(with) => drafts = with,
            Err(found) => problems.extend(found),
        }
    }
    Environments {
        known: drafts.finished(),
        problems,
    }
}
