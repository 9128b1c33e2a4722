//! A launch request as the user makes it, and the checked launch that follows from it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    str::FromStr,
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    app_definition::AppDefinition,
    environment::{EnvironmentSource, SessionUser},
    id::SessionId,
    idle::IdleRules,
    inside,
    resources::{Bytes, Cpu, ResourceSlots},
    service::Service,
    session::{ClusterMode, SessionType},
    span::Span,
    start_time::StartAt,
    stop_hook::StopHook,
};

/// The default priority, on a scale of 0 to 100.
pub const PRIORITY: i32 = 10;

/// A launch request before it is checked. The daemon fills missing values from its settings (`[launch]`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LaunchRequest {
    /// Empty = a generated name.
    pub name: Option<String>,
    /// `host`, `busybox`, `busybox:1.35`; `None` together with `image: None` = the default.
    pub environment: Option<String>,
    /// The reference of a manual image, instead of `environment`.
    pub image: Option<String>,
    pub session_type: SessionType,
    pub cpu: Option<Cpu>,
    pub mem: Option<Bytes>,
    /// `None` = calculated by the rule for automatic shared memory.
    pub shmem: Option<Bytes>,
    /// The most that the session may write to its own storage; `None` = no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk: Option<Bytes>,
    pub env: BTreeMap<String, String>,
    /// The names in `env` whose values are secret. An empty value wasn't stored and must be given again.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub secret_names: BTreeSet<String>,
    /// Accelerators by slot name, in thousandths.
    pub accelerators: BTreeMap<String, u64>,
    /// The name of a project; `None` = the context's own.
    pub project: Option<String>,
    /// `None` = the engine picks.
    pub resource_group: Option<String>,
    /// The name of a preset, which supplies the amounts that aren't given.
    pub preset: Option<String>,
    /// What a batch session runs.
    pub startup_command: Option<String>,
    /// The earliest time at which a batch session starts.
    pub starts_at: Option<StartAt>,
    /// A batch session that runs longer is stopped and counts as failed.
    pub timeout: Option<Span>,
    pub mounts: Vec<FolderMount>,
    pub preopen_ports: Vec<u16>,
    /// 0 to 100, the highest first; `None` = 10.
    pub priority: Option<i32>,
    pub cluster_mode: ClusterMode,
    /// The number of containers of the session; `None` = 1.
    pub cluster_size: Option<u32>,
    /// The number of identical sessions, named `NAME-1` … `NAME-n`; `None` = 1.
    pub count: Option<u32>,
    /// The agent that it must run on; `None` = the engine picks.
    pub agent: Option<String>,
    /// The owner of the session, where an administrator launches it for another user; `None` = the caller.
    pub owner: Option<Owner>,
    /// A script that runs in each container before its services.
    pub bootstrap_script: Option<String>,
    /// What runs in the session before it is terminated.
    #[serde(alias = "last_will", skip_serializing_if = "Option::is_none")]
    pub stop_hook: Option<StopHook>,
    /// The time without use after which it is reclaimed, if that is shorter than the system-wide rule.
    pub idle_timeout: Option<Span>,
    /// The longest that it may live, within the system-wide limit.
    pub lifetime: Option<Span>,
    /// The ended session whose home directory this session takes over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home_of: Option<SessionId>,
    /// The key of this one request, see [`super::launch::key`]. Recipes and recent launches don't contain it,
    /// and engines that schedule don't support it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// A folder to mount. Parsed from and printed as `NAME`, `NAME:PATH`, `NAME:ro`, `NAME:PATH:ro`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FolderMount {
    pub folder: String,
    /// The path in the container; `None` = `/home/work/NAME`. A relative path is below `/home/work`.
    pub path: Option<String>,
    pub read_only: bool,
}

/// Another user that a session is launched for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Owner {
    pub email: String,
    /// One of the user's keys; empty = the user's only key.
    pub access_key: String,
}

impl LaunchRequest {
    /// Whether a variable is secret.
    pub fn is_secret(&self, name: &str) -> bool {
        self.secret_names.contains(name)
    }

    /// The number of requested sessions.
    pub fn copies(&self) -> u32 {
        self.count.unwrap_or(1)
    }

    /// The number of containers of each session.
    pub fn containers(&self) -> u32 {
        self.cluster_size.unwrap_or(1)
    }
}

impl FromStr for FolderMount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (text, read_only) = match (text.strip_suffix(":ro"), text.strip_suffix(":rw")) {
            (Some(rest), _) => (rest, true),
            (None, Some(rest)) => (rest, false),
            (None, None) => (text, false),
        };
        let (folder, path) = match text.split_once(':') {
            Some((folder, path)) => (folder, Some(path.to_owned())),
            None => (text, None),
        };
        if folder.is_empty() {
            return Err(tr!(
                "invalid folder mount '{typed}'. Use NAME, NAME:PATH or NAME:PATH:ro",
                typed = super::text::Clean::new(text)
            ));
        }
        Ok(Self {
            folder: folder.to_owned(),
            path: path.filter(|path| !path.is_empty()),
            read_only,
        })
    }
}

impl FromStr for Owner {
    type Err = String;

    /// `EMAIL` or `EMAIL/KEY`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (email, key) = match text.rsplit_once('/') {
            Some((_, "")) => ("", ""),
            Some((email, key)) => (email, key),
            None => (text, ""),
        };
        if !email.contains('@') {
            let text = super::text::Clean::new(text);
            return Err(tr!(
                "invalid owner '{text}'. Use EMAIL or EMAIL/ACCESS-KEY",
                text
            ));
        }
        Ok(Self {
            email: email.to_owned(),
            access_key: key.to_owned(),
        })
    }
}

/// Prints the format that `from_str` parses.
impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.email)?;
        if self.access_key.is_empty() {
            return Ok(());
        }
        write!(f, "/{}", self.access_key)
    }
}

impl fmt::Display for FolderMount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.folder)?;
        if let Some(path) = &self.path {
            write!(f, ":{path}")?;
        }
        let path = self
            .path
            .as_deref()
            .and_then(|path| path.rsplit(':').next());
        match (self.read_only, path) {
            (true, _) => f.write_str(":ro"),
            // Without `:rw`, the path would be parsed as the mode.
            (false, Some("ro" | "rw")) => f.write_str(":rw"),
            (false, _) => Ok(()),
        }
    }
}

/// A launch after checking, with all values decided. It is stored on every container, so a field added later
/// needs a default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchSpec {
    pub source: EnvironmentSource,
    pub environment_label: String,
    pub session_type: SessionType,
    /// `cpu`, `mem`, `shmem` and `accelerators` are the amounts of each container.
    pub cpu: Cpu,
    pub mem: Bytes,
    pub shmem: Bytes,
    /// The most that each container may write to its home directory; `None` = no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk: Option<Bytes>,
    /// The variables whose values aren't secret.
    pub env: BTreeMap<String, String>,
    /// Names of the secret variables. Their values are only in the daemon's memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secret_names: Vec<String>,
    /// Thousandths by slot name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub accelerators: BTreeMap<String, u64>,
    #[serde(default = "default_group")]
    pub resource_group: String,
    #[serde(default = "default_priority")]
    pub priority: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub startup_command: Option<String>,
    /// An absolute time, also where the start was requested as a duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Span>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mounts: Vec<Mounted>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub preopen_ports: Vec<u16>,
    /// The services of the image, as far as they were known at the launch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub services: Vec<Service>,
    /// The apps that the environment catalog defines for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apps: Vec<AppDefinition>,
    #[serde(default, skip_serializing_if = "SessionUser::is_ours")]
    pub user: SessionUser,
    /// The number of containers; 1 = no cluster.
    #[serde(default = "one")]
    pub cluster_size: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bootstrap_script: Option<String>,
    #[serde(default, alias = "last_will", skip_serializing_if = "Option::is_none")]
    pub stop_hook: Option<StopHook>,
    /// The rules of the launch and its preset. The system-wide rules apply as well.
    #[serde(default, skip_serializing_if = "IdleRules::is_empty")]
    pub idle: IdleRules,
    /// The session whose home directory it takes over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home_of: Option<SessionId>,
}

impl FolderMount {
    /// The absolute path in the container, without doubled or trailing slashes.
    #[must_use]
    pub fn target(&self) -> String {
        let path = self.path.as_deref().map(str::trim).unwrap_or_default();
        let path = match path {
            "" => format!("{}/{}", inside::HOME, self.folder),
            path if path.starts_with('/') => path.to_owned(),
            path => format!("{}/{path}", inside::HOME),
        };
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        format!("/{}", parts.join("/"))
    }
}

/// A folder and its absolute path in the container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Mounted {
    pub folder: String,
    pub target: String,
    pub read_only: bool,
}

/// `data at /home/work/in (read-only)`.
impl fmt::Display for Mounted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { folder, target, .. } = self;
        f.write_str(&if self.read_only {
            tr!("{folder} at {target} (read-only)", folder, target)
        } else {
            tr!("{folder} at {target}", folder, target)
        })
    }
}

impl From<&FolderMount> for Mounted {
    fn from(mount: &FolderMount) -> Self {
        Self {
            folder: mount.folder.clone(),
            target: mount.target(),
            read_only: mount.read_only,
        }
    }
}

impl Mounted {
    /// Whether it is automounted: every home directory has these folders, so they can't be requested.
    #[must_use]
    pub fn is_automatic(&self) -> bool {
        self.folder.starts_with('.')
    }
}

/// The name of the resource group that exists by default.
pub const DEFAULT_GROUP: &str = "default";

fn default_group() -> String {
    DEFAULT_GROUP.to_owned()
}

fn default_priority() -> i32 {
    PRIORITY
}

fn one() -> u32 {
    1
}

impl LaunchSpec {
    /// Creates an interactive launch of one container with these amounts and defaults for all other fields.
    #[must_use]
    pub fn new(
        source: EnvironmentSource,
        environment_label: String,
        cpu: Cpu,
        mem: Bytes,
        shmem: Bytes,
    ) -> Self {
        Self {
            source,
            environment_label,
            session_type: SessionType::Interactive,
            cpu,
            mem,
            shmem,
            disk: None,
            env: BTreeMap::new(),
            secret_names: Vec::new(),
            accelerators: BTreeMap::new(),
            resource_group: default_group(),
            priority: PRIORITY,
            startup_command: None,
            starts_at: None,
            timeout: None,
            mounts: Vec::new(),
            preopen_ports: Vec::new(),
            services: Vec::new(),
            apps: Vec::new(),
            user: SessionUser::Work,
            cluster_size: 1,
            bootstrap_script: None,
            stop_hook: None,
            idle: IdleRules::default(),
            home_of: None,
        }
    }

    /// What one container uses.
    pub fn slots(&self) -> ResourceSlots {
        ResourceSlots {
            cpu: self.cpu,
            mem: self.mem,
            accelerators: self.accelerators.clone(),
        }
    }

    /// What all containers together use.
    pub fn total_slots(&self) -> ResourceSlots {
        self.slots().times(self.cluster_size)
    }
}

/// The rule for an environment variable's name: `^[a-zA-Z_][a-zA-Z0-9_]*$`.
pub fn check_variable_name(name: &str) -> Result<(), String> {
    let mut chars = name.chars();
    let head = chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if head && chars.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Ok(());
    }
    Err(tr!(
        "invalid variable name '{name}'. Use letters, digits and _, with no digit first",
        name = super::text::Clean::new(name)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_that_was_kept_before_starts_could_be_relative_is_still_read() {
        let kept = r#"{"session_type":"batch","startup_command":"make",
                       "starts_at":"2026-11-22T09:30:00Z"}"#;
        let request: LaunchRequest = serde_json::from_str(kept).unwrap();
        let at: Timestamp = "2026-11-22T09:30:00Z".parse().unwrap();
        assert_eq!(request.starts_at, Some(StartAt::At(at)));
        assert_eq!(request.session_type, SessionType::Batch);
    }

    #[test]
    fn owners_read_and_print() {
        for text in ["ada@example.com", "ada@example.com/AKIA1"] {
            let owner: Owner = text.parse().unwrap();
            assert_eq!(owner.to_string(), text);
        }
        for bad in ["", "ada", "ada@example.com/", "/AKIA1", "ada/AKIA1"] {
            assert!(bad.parse::<Owner>().is_err(), "{bad} was taken");
        }
    }

    #[test]
    fn mounts_read_and_print() {
        for text in ["data", "data:in", "data:/srv/in", "data:ro", "data:in:ro"] {
            let mount: FolderMount = text.parse().unwrap();
            assert_eq!(
                (mount.folder.as_str(), mount.to_string()),
                ("data", text.to_owned())
            );
        }
        assert!("data:ro".parse::<FolderMount>().unwrap().read_only);
        assert_eq!("d:rw".parse::<FolderMount>().unwrap().to_string(), "d");
        assert!(":x".parse::<FolderMount>().is_err());
        for path in ["ro", "rw", "in"] {
            for read_only in [false, true] {
                let mount = FolderMount {
                    folder: "data".to_owned(),
                    path: Some(path.to_owned()),
                    read_only,
                };
                assert_eq!(mount.to_string().parse(), Ok(mount));
            }
        }
    }
}
