//! The directories and files of workbay on this machine.
//!
//! A variable can move each directory (`WORKBAY_CONFIG_DIR`, `WORKBAY_STATE_DIR`, `WORKBAY_DATA_DIR`,
//! `WORKBAY_CACHE_DIR`, `WORKBAY_RUNTIME_DIR`). Otherwise XDG decides. Each machine has its own state
//! directory, because several machines often share a home directory.

use std::{
    ffi::OsString,
    fmt, fs,
    path::{Path, PathBuf},
};

use directories::ProjectDirs;

use crate::model::id::ContextName;

/// Why the directories can't be determined.
#[derive(Debug)]
pub enum PathsError {
    NoHome,
    NotAbsolute {
        variable: &'static str,
        value: String,
    },
}

impl fmt::Display for PathsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHome => f.write_str(tr!(
                "this user has no home directory. Set HOME, or WORKBAY_CONFIG_DIR, WORKBAY_STATE_DIR, WORKBAY_DATA_DIR and WORKBAY_CACHE_DIR"
            )),
            Self::NotAbsolute { variable, value } => f.write_str(&tr!(
                "{variable} is '{value}'. Set it to the absolute path of a directory",
                variable,
                value
            )),
        }
    }
}

impl std::error::Error for PathsError {}

/// The base directories. `state_dir` is already the directory of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    pub config_dir: PathBuf,
    pub state_dir: PathBuf,
    pub data_dir: PathBuf,
    pub cache_dir: PathBuf,
    pub runtime_dir: PathBuf,
}

impl Paths {
    /// Uses the environment and the id of this machine.
    pub fn resolve() -> Result<Self, PathsError> {
        Self::from_environment(&|name| std::env::var_os(name), &machine_id())
    }

    /// Like [`Self::resolve`], with the given environment and machine id.
    pub fn from_environment(
        variable: &dyn Fn(&str) -> Option<OsString>,
        machine: &str,
    ) -> Result<Self, PathsError> {
        let project = ProjectDirs::from("", "", "workbay");
        let project = project.as_ref();
        let asked = |name| chosen(variable, name);
        let state = asked("WORKBAY_STATE_DIR")?;
        let runtime = asked("WORKBAY_RUNTIME_DIR")?;
        let standard = |dir: Option<&Path>| dir.map(Path::to_path_buf).ok_or(PathsError::NoHome);
        // A separate state directory means a separate daemon, which needs a separate socket.
        let runtime = match (runtime, &state) {
            (Some(dir), _) => dir,
            (None, Some(state)) => state.join("run"),
            (None, None) => project
                .and_then(ProjectDirs::runtime_dir)
                .map_or_else(fallback_runtime, Path::to_path_buf),
        };
        // The folders that its sessions mount are separate too.
        let moved = state.clone();
        let state = match state {
            Some(dir) => dir,
            None => standard(project.and_then(ProjectDirs::state_dir))?,
        };
        Ok(Self {
            config_dir: match asked("WORKBAY_CONFIG_DIR")? {
                Some(dir) => dir,
                None => standard(project.map(ProjectDirs::config_dir))?,
            },
            data_dir: match (asked("WORKBAY_DATA_DIR")?, moved) {
                (Some(dir), _) => dir,
                (None, Some(state)) => state.join("data"),
                (None, None) => standard(project.map(ProjectDirs::data_dir))?,
            },
            state_dir: state.join(machine),
            cache_dir: match asked("WORKBAY_CACHE_DIR")? {
                Some(dir) => dir,
                None => standard(project.map(ProjectDirs::cache_dir))?,
            },
            runtime_dir: runtime,
        })
    }

    /// All directories below one root, for tests and experiments.
    #[must_use]
    pub fn below(root: &Path) -> Self {
        Self {
            config_dir: root.join("config"),
            state_dir: root.join("state"),
            data_dir: root.join("data"),
            cache_dir: root.join("cache"),
            runtime_dir: root.join("run"),
        }
    }

    /// The daemon's Unix socket.
    pub fn socket(&self) -> PathBuf {
        self.runtime_dir.join("daemon.sock")
    }

    pub fn database(&self) -> PathBuf {
        self.state_dir.join("workbay.db")
    }

    /// The lock file that the daemon holds while it runs. It identifies the daemon.
    pub fn lock(&self) -> PathBuf {
        self.state_dir.join("daemon.lock")
    }

    pub fn daemon_log(&self) -> PathBuf {
        self.state_dir.join("daemon.log")
    }

    pub fn tui_log(&self) -> PathBuf {
        self.state_dir.join("tui.log")
    }

    /// Home directories and saved logs, with one directory per session.
    pub fn sessions_dir(&self) -> PathBuf {
        self.state_dir.join("sessions")
    }

    /// tmux and its files, mounted read-only into every session of a context. Each context has its own
    /// directory, because an engine knows only which toolboxes its own containers use.
    pub fn toolbox_dir(&self, context: ContextName) -> PathBuf {
        let all = self.state_dir.join("toolbox");
        if context == ContextName::local() {
            return all;
        }
        all.join("of").join(context.as_str())
    }

    /// The folders that sessions mount, with one directory per folder.
    pub fn folders_dir(&self) -> PathBuf {
        self.data_dir.join("folders")
    }

    /// The private keys of forwards and of SSH.
    pub fn keys_dir(&self) -> PathBuf {
        self.state_dir.join("keys")
    }

    /// Copies from terminals that were too long for the clipboard.
    pub fn copies_dir(&self) -> PathBuf {
        self.data_dir.join("copies")
    }

    /// Recordings of terminals.
    pub fn recordings_dir(&self) -> PathBuf {
        self.data_dir.join("recordings")
    }

    /// Saved layouts of panes.
    pub fn layouts_dir(&self) -> PathBuf {
        self.state_dir.join("layouts")
    }

    /// Files that stop hooks of sessions saved.
    pub fn saved_dir(&self) -> PathBuf {
        self.data_dir.join("saved")
    }

    /// Files that are copied into the home directory of every new session.
    pub fn dotfiles_dir(&self) -> PathBuf {
        self.config_dir.join("dotfiles")
    }

    pub fn themes_dir(&self) -> PathBuf {
        self.config_dir.join("themes")
    }

    pub fn keymaps_dir(&self) -> PathBuf {
        self.config_dir.join("keymaps")
    }

    /// The user's translations, one `.po` file for each language.
    pub fn locales_dir(&self) -> PathBuf {
        self.config_dir.join("locales")
    }

    pub fn config_file(&self) -> PathBuf {
        self.config_dir.join("config.toml")
    }

    pub fn contexts_file(&self) -> PathBuf {
        self.config_dir.join("contexts.toml")
    }

    /// The file with resource groups, presets and limits.
    pub fn resources_file(&self) -> PathBuf {
        self.config_dir.join("resources.toml")
    }

    /// The user's environment catalog.
    pub fn environments_file(&self) -> PathBuf {
        self.config_dir.join("environments.toml")
    }
}

fn chosen(
    variable: &dyn Fn(&str) -> Option<OsString>,
    name: &'static str,
) -> Result<Option<PathBuf>, PathsError> {
    let Some(value) = variable(name).filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let path = PathBuf::from(value);
    if path.is_absolute() {
        return Ok(Some(path));
    }
    Err(PathsError::NotAbsolute {
        variable: name,
        value: path.display().to_string(),
    })
}

/// Without XDG_RUNTIME_DIR (a cron job, `su`): a directory of this user in the temporary directory.
fn fallback_runtime() -> PathBuf {
    let user = rustix::process::getuid().as_raw();
    std::env::temp_dir().join(format!("workbay-{user}"))
}

/// The machine id of systemd or D-Bus, otherwise the host name.
fn machine_id() -> String {
    ["/etc/machine-id", "/var/lib/dbus/machine-id"]
        .into_iter()
        .filter_map(|file| fs::read_to_string(file).ok())
        .map(|text| text.trim().to_owned())
        .find(|id| !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric()))
        .unwrap_or_else(host_name)
}

fn host_name() -> String {
    let name = rustix::system::uname();
    let name = name.nodename().to_string_lossy();
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(variables: &[(&str, &str)]) -> Result<Paths, PathsError> {
        let lookup = |name: &str| {
            variables
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| OsString::from(value))
        };
        Paths::from_environment(&lookup, "m1")
    }

    #[test]
    fn variables_name_the_directory_itself_and_state_is_split_by_machine() {
        let paths = resolve(&[
            ("WORKBAY_CONFIG_DIR", "/c"),
            ("WORKBAY_STATE_DIR", "/s"),
            ("WORKBAY_DATA_DIR", "/d"),
            ("WORKBAY_CACHE_DIR", "/k"),
            ("WORKBAY_RUNTIME_DIR", "/r"),
        ])
        .unwrap();
        assert_eq!(paths.config_file(), Path::new("/c/config.toml"));
        assert_eq!(paths.database(), Path::new("/s/m1/workbay.db"));
        assert_eq!(paths.cache_dir, Path::new("/k"));
        assert_eq!(paths.folders_dir(), Path::new("/d/folders"));
        assert_eq!(paths.socket(), Path::new("/r/daemon.sock"));
        // Another engine may still use a toolbox that one engine no longer needs.
        let toolbox = |name| paths.toolbox_dir(ContextName::new(name).unwrap());
        assert_eq!(toolbox("local"), Path::new("/s/m1/toolbox"));
        assert_eq!(toolbox("far"), Path::new("/s/m1/toolbox/of/far"));
    }

    #[test]
    fn a_state_directory_of_its_own_brings_a_socket_of_its_own() {
        let paths = resolve(&[
            ("WORKBAY_CONFIG_DIR", "/c"),
            ("WORKBAY_STATE_DIR", "/s"),
            ("WORKBAY_CACHE_DIR", "/k"),
        ])
        .unwrap();
        assert_eq!(paths.socket(), Path::new("/s/run/daemon.sock"));
        assert_eq!(paths.folders_dir(), Path::new("/s/data/folders"));
    }

    #[test]
    fn a_relative_directory_is_refused_by_name() {
        let error = resolve(&[("WORKBAY_STATE_DIR", "here")]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "WORKBAY_STATE_DIR is 'here'. Set it to the absolute path of a directory"
        );
    }
}
