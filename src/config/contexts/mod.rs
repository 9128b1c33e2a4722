//! Contexts: engines by name, from `contexts.toml` (system-wide and the user's) and from the variables of
//! Backend.AI's own client.
//!
//! A context with a fault is left out and reported, and the others still work. Secrets are never read here: a
//! [`Source`] says where a secret is stored, and the code that builds the engine resolves it.

mod address;
mod draft;
mod fields;
mod official;
mod path;
mod resolve;
mod source;

use std::{path::PathBuf, time::Duration};

pub use self::{
    resolve::{NoSecret, PATIENCE},
    source::Source,
};
use super::{
    Problem,
    origin::{Origin, Places},
};
use crate::model::{
    context::{Context, EngineKind},
    id::ContextName,
    nearest::nearest,
};

/// The path of the system-wide file.
pub const SITE_FILE: &str = "/etc/workbay/contexts.toml";

/// The default pause between two polls.
pub const REFRESH: Duration = Duration::from_secs(15);

/// All contexts.
#[derive(Clone, Debug)]
pub struct Contexts {
    /// The default context first, then in the order of the configuration. Never empty.
    pub list: Vec<ContextEntry>,
    /// The context to use if none is named. It is in the list.
    pub default: ContextName,
    /// The problems found. The contexts named here were left out.
    pub problems: Vec<Problem>,
    /// The files with problems that were left out completely.
    pub ignored_files: Vec<PathBuf>,
}

/// A context and how its engine is reached.
#[derive(Clone, Debug)]
pub struct ContextEntry {
    pub context: Context,
    pub engine: EngineSpec,
    /// The pause between two polls if the engine doesn't report events.
    pub refresh: Duration,
    /// Where the context is defined.
    pub origin: Origin,
}

/// What the engine of a context is built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineSpec {
    Docker {
        /// `None` = `engine.endpoint` of the settings, or detected automatically.
        endpoint: Option<String>,
    },
    Backendai(Box<BackendaiSpec>),
}

/// How a Backend.AI manager is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackendaiSpec {
    /// `https://host[:port][/path]`, without a slash at the end.
    pub endpoint: String,
    pub credentials: Credentials,
    /// `None` = the user's domain.
    pub domain: Option<String>,
    /// `None` = the first project of the user.
    pub project: Option<String>,
    /// An additional certificate authority, as PEM.
    pub ca_file: Option<PathBuf>,
    /// Show the sessions of all users, for administrators.
    pub all_users: bool,
    /// How many `cuda.shares` are one device. The manager doesn't report it.
    pub shares_per_device: Option<u32>,
    /// Plain HTTP to another machine is accepted.
    pub insecure: bool,
}

/// How workbay logs in to the manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credentials {
    /// Signs requests with a key pair (mode `api`).
    Keys { access: Source, secret: Source },
    /// Logs in at the web server (mode `session`).
    Login { username: Source, password: Source },
}

impl Contexts {
    /// The contexts without any configuration.
    #[must_use]
    pub fn local() -> Self {
        Self {
            list: vec![ContextEntry::local()],
            default: ContextName::local(),
            problems: Vec::new(),
            ignored_files: Vec::new(),
        }
    }

    pub fn get(&self, name: ContextName) -> Option<&ContextEntry> {
        self.list.iter().find(|entry| entry.context.name == name)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|entry| entry.context.name.as_str())
    }

    /// The context of this name. The error suggests the nearest name or lists all names.
    pub fn named(&self, name: &str) -> Result<ContextName, String> {
        if let Some(entry) = self
            .list
            .iter()
            .find(|entry| entry.context.name.as_str() == name)
        {
            return Ok(entry.context.name);
        }
        Err(self.unknown(name))
    }

    fn unknown(&self, name: &str) -> String {
        let known: Vec<&str> = self.names().collect();
        let help = nearest(name, &known).map_or_else(
            || tr!("configured: {known}", known = known.join(", ")),
            |near| tr!("did you mean '{near}'?", near),
        );
        tr!("context '{name}' not found ({help})", name, help)
    }
}

impl ContextEntry {
    /// This machine's own engine, which needs no configuration.
    #[must_use]
    pub fn local() -> Self {
        Self {
            context: Context::local(),
            engine: EngineSpec::Docker { endpoint: None },
            refresh: REFRESH,
            origin: Origin::Default,
        }
    }

    pub fn kind(&self) -> EngineKind {
        self.context.kind
    }
}

/// Reports that every context is disabled or invalid, so that it is clear why the local context is used.
fn nothing_left(places: &Places) -> Problem {
    Problem {
        file: places.user.clone(),
        line: 0,
        column: 0,
        message: tr!("all contexts are invalid. workbay uses this machine's own engine").to_owned(),
        help: None,
    }
}

/// Reads the system-wide file, the user's file and the environment. `variable` returns the value of an
/// environment variable.
pub fn load(places: &Places, variable: impl Fn(&str) -> Option<String>) -> Contexts {
    let variable = |name: &str| variable(name).filter(|text| !text.is_empty());
    let mut files = draft::Files::read(places);
    let mut found = fields::entries(&mut files, &variable);
    if !files.mentions(ContextName::local()) {
        found.insert(0, ContextEntry::local());
    }
    official::add(&mut found, &mut files.problems, &variable);
    if found.is_empty() {
        files.problems.push(nothing_left(places));
        found.push(ContextEntry::local());
    }
    let mut contexts = Contexts {
        default: found
            .first()
            .map_or(ContextName::local(), |entry| entry.context.name),
        list: found,
        problems: Vec::new(),
        ignored_files: files.ignored_files.clone(),
    };
    if let Some(name) = files.chosen(&contexts) {
        contexts.default = name;
        // The sort is stable, so the other contexts keep their order.
        contexts
            .list
            .sort_by_key(|entry| entry.context.name != name);
    }
    contexts.problems = files.problems;
    contexts
}
