//! Contexts: engines by name, from `contexts.toml` (the site's and the person's) and from the
//! variables of Backend.AI's own client.
//!
//! A context with a fault is left out and told; the others are there all the same. Secrets are never
//! read here: a [`Source`] says where one lies, and whoever builds the engine resolves it then.

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

/// Where the site's file lies.
pub const SITE_FILE: &str = "/etc/workbay/contexts.toml";

/// The pause between two polls where nothing else is said.
pub const REFRESH: Duration = Duration::from_secs(15);

/// All contexts there are.
#[derive(Clone, Debug)]
pub struct Contexts {
    /// The default one first, then in the order of the configuration; never empty.
    pub list: Vec<ContextEntry>,
    /// The context that is meant where none is named; one of the list.
    pub default: ContextName,
    /// What is wrong; the contexts named here were left out.
    pub problems: Vec<Problem>,
}

/// A context and how its engine is reached.
#[derive(Clone, Debug)]
pub struct ContextEntry {
    pub context: Context,
    pub engine: EngineSpec,
    /// The pause between two polls where the engine tells no events.
    pub refresh: Duration,
    /// Who says that it exists.
    pub origin: Origin,
}

/// What the engine of a context is built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineSpec {
    Docker {
        /// `None` = `engine.endpoint` of the settings, or found by itself.
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
    /// `None` = the one of the user.
    pub domain: Option<String>,
    /// `None` = the first the user belongs to.
    pub project: Option<String>,
    /// A certificate authority besides those of this machine, PEM.
    pub ca_file: Option<PathBuf>,
    /// Everyone's sessions, for administrators.
    pub all_users: bool,
    /// How many `cuda.shares` are one device; no manager tells it.
    pub shares_per_device: Option<u32>,
    /// Plain HTTP to another machine is accepted.
    pub insecure: bool,
}

/// Who we are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credentials {
    /// Requests signed with a key pair; mode `api`.
    Keys { access: Source, secret: Source },
    /// A login at the web server; mode `session`.
    Login { username: Source, password: Source },
}

impl Contexts {
    /// What there is without any configuration.
    #[must_use]
    pub fn local() -> Self {
        Self {
            list: vec![ContextEntry::local()],
            default: ContextName::local(),
            problems: Vec::new(),
        }
    }

    pub fn get(&self, name: ContextName) -> Option<&ContextEntry> {
        self.list.iter().find(|entry| entry.context.name == name)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|entry| entry.context.name.as_str())
    }

    /// The context of this name; the sentence tells the nearest one, or all there are.
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
            || format!("configured: {}", known.join(", ")),
            |near| format!("did you mean '{near}'?"),
        );
        format!("context '{name}' not found ({help})")
    }
}

impl ContextEntry {
    /// This machine's own engine, present by itself.
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

/// Everything is switched off or broken: somebody who asks has to hear where the answer comes from.
fn nothing_left(places: &Places) -> Problem {
    Problem {
        file: places.user.clone(),
        line: 0,
        column: 0,
        message: "all contexts are invalid. workbay uses this machine's own engine".to_owned(),
        help: None,
    }
}

/// Reads the site's file, the person's and the environment. `variable` looks the latter up.
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
    };
    if let Some(name) = files.chosen(&contexts) {
        contexts.default = name;
        // A stable sort: the rest stays in its order.
        contexts
            .list
            .sort_by_key(|entry| entry.context.name != name);
    }
    contexts.problems = files.problems;
    contexts
}
