//! The catalogue of well-known environments: the one that came with workbay, the site's file and the
//! person's (`environments.toml`), one over the other.
//!
//! An environment of the same name is changed by what the later file says of it, key by key. A file
//! with a fault is left out whole and told.

mod file;

use std::path::Path;

use super::{Problem, document::Document, library, origin::Places};
use crate::model::wellknown::WellKnown;
use file::Drafts;

/// Where the site's file lies.
pub const SITE_FILE: &str = "/etc/workbay/environments.toml";

/// What comes with workbay; what `workbay config print-default --environments` prints.
pub const BUILTIN: &str = include_str!("builtin.toml");

/// What the files say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Environments {
    /// By name.
    pub known: Vec<WellKnown>,
    /// What is wrong; the files named here were left out whole.
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
