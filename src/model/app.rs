//! The apps of a session: programs in it that serve a port.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::text::Clean;

/// A program of a session that serves a port: a service of its image, an entry of the environment catalog, an installed
/// program that workbay knows, a preopened port, or a port that some program listens on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct App {
    /// The service's name, by which requests name it: `jupyter`. Ports are named by their number.
    pub name: Clean,
    /// The name that users see: `Jupyter Notebook`.
    pub title: Clean,
    pub category: AppCategory,
    pub protocol: AppProtocol,
    /// Ports in the container, the first one is the app's main port. Empty while it doesn't run, if the port is chosen
    /// when it starts.
    #[serde(default)]
    pub ports: Vec<u16>,
    pub source: AppSource,
    pub state: AppState,
    /// The page that is opened first, beginning with `/`.
    #[serde(default = "root")]
    pub path: Clean,
    /// What may be given when it is started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<AppArgument>,
    /// Whether workbay can start and stop it. Otherwise its user starts it inside the session.
    #[serde(default)]
    pub startable: bool,
}

fn root() -> Clean {
    Clean::new("/")
}

/// A value that an app takes when it is started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AppArgument {
    /// The name in requests: `logdir`.
    pub name: Clean,
    /// The label in forms: `Log directory`.
    pub title: Clean,
    #[serde(default)]
    pub default: Clean,
}

/// The headings of the app launcher, in their order.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum AppCategory {
    Utilities,
    Development,
    MachineLearning,
    Desktop,
    Scientific,
    #[default]
    Other,
    /// Ports that the launch opened in advance.
    Preopened,
    /// Ports on which a program was found listening.
    Listening,
}

impl AppCategory {
    pub const ALL: [Self; 8] = [
        Self::Utilities,
        Self::Development,
        Self::MachineLearning,
        Self::Desktop,
        Self::Scientific,
        Self::Other,
        Self::Preopened,
        Self::Listening,
    ];

    /// The heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Utilities => tr!("Utilities"),
            Self::Development => tr!("Development"),
            Self::MachineLearning => tr!("ML tools"),
            Self::Desktop => tr!("Desktop"),
            Self::Scientific => tr!("Scientific"),
            Self::Other => tr!("Other apps"),
            Self::Preopened => tr!("Preopened ports"),
            Self::Listening => tr!("Listening ports"),
        }
    }
}

/// How clients of an app speak to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum AppProtocol {
    #[default]
    Http,
    Tcp,
}

impl AppProtocol {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Tcp => "tcp",
        }
    }
}

/// Why workbay knows an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum AppSource {
    /// The labels of the image, or the engine, name it.
    Image,
    /// The environment catalog names it.
    Catalog,
    /// It is installed in the session.
    Installed,
    Preopened,
    Listening,
}

/// Whether an app runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum AppState {
    #[default]
    Stopped,
    /// It was started, and doesn't answer on its port yet.
    Starting,
    /// It answers on its port.
    Running,
    /// It ended, and nobody stopped it.
    Failed { why: Clean },
    /// The engine doesn't report whether it runs.
    Unknown,
}

impl AppState {
    pub fn word(&self) -> &'static str {
        match self {
            Self::Stopped => tr_in!("app", "stopped"),
            Self::Starting => tr_in!("app", "starting"),
            Self::Running => tr_in!("app", "running"),
            Self::Failed { .. } => tr_in!("app", "failed"),
            Self::Unknown => tr_in!("app", "unknown"),
        }
    }
}

/// A request to start an app.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppStart {
    /// [`App::name`].
    pub app: String,
    /// By [`AppArgument::name`]. Missing ones have their default.
    #[serde(default)]
    pub arguments: BTreeMap<String, String>,
    /// Variables that the app gets in addition to those of the session.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Whether missing arguments and variables are those of the last start. Managers don't know them.
    #[serde(default)]
    pub again: bool,
}

impl AppStart {
    /// Starts an app with its defaults.
    #[must_use]
    pub fn of(app: &str) -> Self {
        Self {
            app: app.to_owned(),
            ..Self::default()
        }
    }

    /// With what was given at the last start.
    #[must_use]
    pub fn with_last(mut self, last: Self) -> Self {
        for (name, value) in last.arguments {
            self.arguments.entry(name).or_insert(value);
        }
        for (name, value) in last.env {
            self.env.entry(name).or_insert(value);
        }
        self
    }
}

/// How an app is opened at the app proxy of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProxyOptions {
    /// The port of the proxy that is tried first.
    pub preferred_port: Option<u16>,
    /// Whether everyone may use the URL, without the cookie of the one who opened it.
    pub public: bool,
    /// Addresses and networks that may use it; empty = all.
    pub allowed: Vec<String>,
}

/// Where the app proxy of a cluster serves an app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProxyUrl {
    /// The URL for a browser. It contains the token of the session.
    pub url: String,
    /// Where programs connect to, for an app that isn't a web page: `proxy.example:10205`.
    pub address: Option<String>,
}

/// The protocol and titles of apps that are known by name: Backend.AI's service names, and those of Debian and PyPI.
struct KnownApp {
    name: &'static str,
    title: &'static str,
    category: AppCategory,
    path: &'static str,
}

const fn known(
    name: &'static str,
    title: &'static str,
    category: AppCategory,
    path: &'static str,
) -> KnownApp {
    KnownApp {
        name,
        title,
        category,
        path,
    }
}

/// In the order of the app launcher.
const KNOWN: &[KnownApp] = {
    use AppCategory::{Desktop, Development, MachineLearning, Scientific, Utilities};
    &[
        known("ttyd", "Console", Utilities, "/"),
        known("sshd", "SSH / SFTP", Utilities, "/"),
        known("filebrowser", "File Browser", Utilities, "/"),
        known("jupyter", "Jupyter Notebook", Development, "/tree"),
        known("jupyterlab", "JupyterLab", Development, "/lab"),
        known("vscode", "Visual Studio Code", Development, "/"),
        known("code-server", "VS Code (code-server)", Development, "/"),
        known("tensorboard", "TensorBoard", MachineLearning, "/"),
        known("digits", "NVIDIA DIGITS", MachineLearning, "/"),
        known("mlflow-ui", "MLflow UI", MachineLearning, "/"),
        known("nniboard", "NNI Board", MachineLearning, "/"),
        known("vnc", "VNC", Desktop, "/"),
        known("vnc-web", "VNC (web)", Desktop, "/"),
        known("novnc", "noVNC", Desktop, "/"),
        known("xrdp", "Remote Desktop", Desktop, "/"),
        known("rstudio", "RStudio", Scientific, "/"),
        known("matlab", "MATLAB", Scientific, "/"),
    ]
};

/// The title, category and first page of an app by its name. Unknown apps keep their name.
pub fn presentation(name: &str) -> (Clean, AppCategory, Clean) {
    match KNOWN.iter().find(|known| known.name == name) {
        Some(known) => (
            Clean::new(known.title),
            known.category,
            Clean::new(known.path),
        ),
        None => (Clean::new(name), AppCategory::Other, root()),
    }
}

/// Sorts apps as the app launcher shows them: by category, known ones in their usual order, the others by name.
pub fn sort(apps: &mut [App]) {
    let place = |name: &str| KNOWN.iter().position(|known| known.name == name);
    apps.sort_by(|one, other| {
        let key = |app: &App| {
            (
                app.category,
                place(app.name.as_str()).unwrap_or(usize::MAX),
                app.ports.first().copied().unwrap_or_default(),
            )
        };
        key(one)
            .cmp(&key(other))
            .then_with(|| one.name.cmp(&other.name))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(name: &str) -> App {
        let (title, category, path) = presentation(name);
        App {
            name: Clean::new(name),
            title,
            category,
            protocol: AppProtocol::Http,
            ports: vec![8888],
            source: AppSource::Image,
            state: AppState::Stopped,
            path,
            arguments: Vec::new(),
            startable: true,
        }
    }

    #[test]
    fn apps_are_in_the_order_of_the_app_launcher() {
        let mut apps = [
            "zeta",
            "tensorboard",
            "jupyterlab",
            "alpha",
            "jupyter",
            "ttyd",
        ]
        .map(app);
        sort(&mut apps);
        let names = apps.each_ref().map(|app| app.name.as_str());
        assert_eq!(
            names,
            [
                "ttyd",
                "jupyter",
                "jupyterlab",
                "tensorboard",
                "alpha",
                "zeta"
            ]
        );
    }

    #[test]
    fn the_table_is_in_the_order_of_the_categories() {
        assert!(KNOWN.is_sorted_by_key(|known| known.category));
        assert!(AppCategory::ALL.is_sorted());
    }
}
