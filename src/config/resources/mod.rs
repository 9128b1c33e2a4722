//! Resource groups, presets, limits, accelerators, idle checks and the network of this machine, from `resources.toml` (the
//! site's and the person's).
//!
//! A file with a fault is left out whole and told. Of both files one set of rules is made: a group, a
//! preset or an accelerator of the same name is the person's, of two limits the tighter one counts.

mod file;
mod idle;
mod merge;
mod network;
mod rules;

use super::{
    Problem,
    origin::{Origin, Places},
};
use crate::model::policy::ResourceRules;

/// Where the site's file lies.
pub const SITE_FILE: &str = "/etc/workbay/resources.toml";

/// An annotated example; what `workbay config print-default --resources` prints.
pub const EXAMPLE: &str = include_str!("example.toml");

/// What the files say.
#[derive(Clone, Debug, PartialEq)]
pub struct Resources {
    pub rules: ResourceRules,
    /// What is set: `group.gpu`, `limits.cpu`; its value as TOML writes it; who set it.
    pub set: Vec<(String, String, Origin)>,
    /// What is wrong; the files named here were left out whole.
    pub problems: Vec<Problem>,
}

/// Reads both files.
pub fn load(places: &Places) -> Resources {
    let mut problems = Vec::new();
    let mut read = |path| file::read(path, &mut problems);
    let (site, user) = (read(&places.site), read(&places.user));
    let mut resources = merge::merge(site, user);
    problems.append(&mut resources.problems);
    resources.problems = problems;
    resources
}
