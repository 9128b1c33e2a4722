//! Resource groups, presets, limits, accelerators, idle checks and the network of this machine, from
//! `resources.toml` (system-wide and the user's).
//!
//! A file with a fault is left out completely and reported. Both files are merged: the user's groups, presets
//! and accelerators replace those with the same name, and the tighter of two limits counts.

mod file;
mod idle;
mod merge;
mod network;
mod rules;

use std::path::PathBuf;

use super::{
    Problem,
    origin::{Origin, Places},
};
use crate::model::policy::ResourceRules;

/// The path of the system-wide file.
pub const SITE_FILE: &str = "/etc/workbay/resources.toml";

/// An annotated example, which `workbay config print-default --resources` prints.
pub const EXAMPLE: &str = include_str!("example.toml");

/// The content of both files.
#[derive(Clone, Debug, PartialEq)]
pub struct Resources {
    pub rules: ResourceRules,
    /// All set keys: the key (`group.gpu`, `limits.cpu`), its value as TOML, its origin.
    pub set: Vec<(String, String, Origin)>,
    /// The problems found.
    pub problems: Vec<Problem>,
    /// The files that were left out completely.
    pub ignored_files: Vec<PathBuf>,
}

/// Reads both files.
pub fn load(places: &Places) -> Resources {
    let mut problems = Vec::new();
    let mut read = |path| file::read(path, &mut problems);
    let (site, user) = (read(&places.site), read(&places.user));
    let ignored_files = problems.iter().map(|it| it.file.clone()).collect();
    let mut resources = merge::merge(site, user);
    resources.ignored_files = ignored_files;
    problems.append(&mut resources.problems);
    resources.problems = problems;
    resources
}
