//! `workbay context`: lists and selects engines by name. It shows where a secret is stored, never the secret.

mod login;
mod preference;

use clap::Subcommand;
use serde::Serialize;
use url::Url;

use crate::{
    cli::{
        Start,
        args::Json,
        choice::Choice,
        commands::{RunCommand, daemon, events::engine_line},
        fail::{Fail, Outcome, code},
        find,
        invocation::Invocation,
        output::{self, Cell},
    },
    config::contexts::{ContextEntry, Credentials, EngineSpec},
    model::{
        address,
        capability::EngineState,
        context::{Context, EngineKind},
        id::ContextName,
        text::Clean,
    },
    protocol::message::Snapshot,
};

#[derive(Debug, Subcommand)]
pub enum ContextCommand {
    /// List contexts and whether their engines are connected
    Ls(Json),
    /// Show the settings of a context, without secrets
    Show {
        /// Name of the context
        name: String,
        #[command(flatten)]
        format: Json,
    },
    /// Log in with a one-time password, if the login of the context needs one
    #[command(
        after_help = "Reads the one-time password from the terminal or from standard input. Contexts with mode = \"session\" log in by \
        user name and password; if the account has two factors, the manager also asks for this code."
    )]
    Login {
        /// Name of the context
        name: String,
    },
    /// Make a context the default in your contexts.toml
    Use {
        /// Name of the context
        name: String,
    },
}

impl RunCommand for ContextCommand {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        match self {
            Self::Ls(format) => ls(start, format.json),
            Self::Show { name, format } => show(start, &name, format.json),
            Self::Login { name } => login::log_in(start, &name),
            Self::Use { name } => make_default(start, &name),
        }
    }
}

/// A context in the output of `info`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Configured {
    pub name: ContextName,
    pub kind: EngineKind,
    pub endpoint: Option<Clean>,
    /// Whether it is used when no context is named.
    pub default: bool,
    pub read_only: bool,
    pub accent: Option<Clean>,
    /// `default` (built-in), `site`, `user`, `environment`.
    pub origin: &'static str,
    /// The origin in words, with file and line.
    pub from: String,
}

/// A context in the output of `context ls`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Listed {
    #[serde(flatten)]
    configured: Configured,
    /// The state that the daemon reports. `null` when no daemon runs, or when it doesn't know this context
    /// yet.
    engine: Option<EngineState>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ContextJson {
    #[serde(flatten)]
    listed: Listed,
    /// The other fields of the configuration. For a secret, where it is stored.
    fields: Vec<(&'static str, String)>,
    totals: Option<[u64; 3]>,
}

/// The configured contexts, the default one first.
pub fn configured(start: &Start) -> Vec<Configured> {
    let default = Choice::of(start)
        .configured()
        .unwrap_or(start.contexts.default);
    let list = start.contexts.list.iter();
    list.map(|entry| one(entry, default)).collect()
}

fn one(entry: &ContextEntry, default: ContextName) -> Configured {
    let context = &entry.context;
    Configured {
        name: context.name,
        kind: context.kind,
        endpoint: context.endpoint.clone(),
        default: context.name == default,
        read_only: context.read_only,
        accent: context.accent.clone(),
        origin: entry.origin.word(),
        from: entry.origin.to_string(),
    }
}

/// A context that only the daemon knows, from its environment or an older file.
fn only_there(context: &Context) -> Configured {
    Configured {
        name: context.name,
        kind: context.kind,
        endpoint: context.endpoint.clone(),
        default: false,
        read_only: context.read_only,
        accent: context.accent.clone(),
        origin: "daemon",
        from: tr!("only known to the running daemon; `workbay daemon stop` removes it").to_owned(),
    }
}

fn list(start: &Start, snapshot: Option<&Snapshot>) -> Vec<Listed> {
    let engine = |name| {
        let state = snapshot.and_then(|snapshot| find::state(snapshot, name));
        state.map(|state| state.engine.clone())
    };
    let mut all: Vec<Listed> = configured(start)
        .into_iter()
        .map(|configured| Listed {
            engine: engine(configured.name),
            configured,
        })
        .collect();
    for state in snapshot.iter().flat_map(|snapshot| &snapshot.contexts) {
        if start.contexts.get(state.context.name).is_none() {
            all.push(Listed {
                configured: only_there(&state.context),
                engine: Some(state.engine.clone()),
            });
        }
    }
    all
}

fn ls(start: &Start, json: bool) -> Outcome {
    let snapshot = daemon::snapshot_if_running(&start.paths);
    let all = list(start, snapshot.as_ref());
    if json {
        output::json(&all)?;
        return Ok(0);
    }
    let runs = snapshot.is_some();
    let rows: Vec<Vec<Cell>> = all.iter().map(|listed| row(listed, runs)).collect();
    let head = [
        "",
        tr_later!("NAME"),
        tr_later!("KIND"),
        tr_later!("ENDPOINT"),
        tr_later!("STATE"),
    ];
    output::print(&output::table(&head, &rows, false))?;
    Ok(0)
}

fn row(listed: &Listed, daemon_runs: bool) -> Vec<Cell> {
    let Configured {
        name,
        kind,
        endpoint,
        default,
        ..
    } = &listed.configured;
    let endpoint = endpoint
        .as_ref()
        .map_or(tr!("found automatically"), Clean::as_str);
    vec![
        if *default { "*" } else { "" }.into(),
        name.as_str().into(),
        kind.word().into(),
        endpoint.into(),
        state(listed.engine.as_ref(), daemon_runs).into(),
    ]
}

fn state(engine: Option<&EngineState>, daemon_runs: bool) -> String {
    match (engine, daemon_runs) {
        (Some(EngineState::Connected { info }), _) => {
            let (kind, version) = (&info.kind, &info.version);
            match &info.user {
                Some(user) => tr!(
                    "connected, {kind} {version} as {user}",
                    kind,
                    version,
                    user = user.email
                ),
                None => tr!("connected, {kind} {version}", kind, version),
            }
        }
        (Some(other), _) => engine_line(other),
        (None, true) => tr!("not known to the daemon yet: run `workbay daemon stop`").to_owned(),
        (None, false) => "-".to_owned(),
    }
}

fn show(start: &Start, name: &str, json: bool) -> Outcome {
    let snapshot = daemon::snapshot_if_running(&start.paths);
    let all = list(start, snapshot.as_ref());
    let found = all
        .into_iter()
        .find(|listed| listed.configured.name.as_str() == name);
    let Some(listed) = found else {
        let why = start.contexts.named(name).err().unwrap_or_default();
        return Err(Fail::new(code::NOT_FOUND, why));
    };
    let context = listed.configured.name;
    let runs = snapshot.is_some();
    let reported = snapshot
        .as_ref()
        .and_then(|snapshot| find::state(snapshot, context));
    let shown = ContextJson {
        fields: start.contexts.get(context).map(fields).unwrap_or_default(),
        totals: reported.and_then(|state| state.totals),
        listed,
    };
    if json {
        output::json(&shown)?;
    } else {
        output::print(&text(&shown, runs))?;
    }
    Ok(0)
}

/// The fields of the configuration that not every context has.
pub fn fields(entry: &ContextEntry) -> Vec<(&'static str, String)> {
    let EngineSpec::Backendai(spec) = &entry.engine else {
        return Vec::new();
    };
    let mut fields = match &spec.credentials {
        Credentials::Keys { access, secret } => vec![
            ("mode", "api".to_owned()),
            ("access-key", access.to_string()),
            ("secret-key", secret.to_string()),
        ],
        Credentials::Login { username, password } => vec![
            ("mode", "session".to_owned()),
            ("username", username.to_string()),
            ("password", password.to_string()),
        ],
    };
    let path = spec.ca_file.as_ref().map(|path| path.display().to_string());
    let words = [
        ("domain", spec.domain.clone()),
        ("project", spec.project.clone()),
        ("ca-file", path),
    ];
    fields.extend(words.into_iter().filter_map(|(k, v)| Some((k, v?))));
    if spec.all_users {
        fields.push(("all-users", "true".to_owned()));
    }
    let shares = spec.shares_per_device.map(|count| count.to_string());
    fields.extend(shares.map(|count| ("shares-per-device", count)));
    if spec.insecure {
        fields.push(("insecure", "true".to_owned()));
    }
    if Url::parse(&spec.endpoint).is_ok_and(|url| address::is_unencrypted(&url)) {
        let text = tr!("not encrypted: others on the network can read requests, logs and shells");
        fields.push(("warning", text.to_owned()));
    }
    fields.push(("refresh", format!("{}s", entry.refresh.as_secs())));
    fields
}

fn text(shown: &ContextJson, daemon_runs: bool) -> String {
    let Listed { configured, engine } = &shown.listed;
    let endpoint = configured.endpoint.as_ref();
    let endpoint = endpoint.map_or(tr!("found automatically"), Clean::as_str);
    let mut fields = vec![
        ("name", configured.name.to_string()),
        ("kind", configured.kind.word().to_owned()),
        ("endpoint", endpoint.to_owned()),
    ];
    fields.extend(shown.fields.clone());
    if configured.read_only {
        fields.push(("read-only", "true".to_owned()));
    }
    fields.extend(
        configured
            .accent
            .as_ref()
            .map(|a| ("accent", a.to_string())),
    );
    fields.push(("default", configured.default.to_string()));
    fields.push(("from", configured.from.clone()));
    fields.push(("state", state(engine.as_ref(), daemon_runs)));
    if let Some(EngineState::Lost {
        hint: Some(hint), ..
    }) = engine
    {
        fields.push(("fix", hint.to_string()));
    }
    if let Some([running, finished, others]) = shown.totals {
        // The tab Running also has sessions that wait.
        let text = tr!(
            "{running} in Running, {finished} in Finished, {others} in Others",
            running,
            finished,
            others
        );
        fields.push(("sessions", text));
    }
    output::fields(&fields)
}

/// `context use NAME`.
fn make_default(start: &Start, name: &str) -> Outcome {
    let context = start
        .contexts
        .named(name)
        .map_err(|why| Fail::new(code::NOT_FOUND, why))?;
    preference::write(&start.paths.contexts_file(), context)?;
    if let Some(requested) = &start.requested_context {
        output::remark(&tr!(
            "workbay: --context or WORKBAY_CONTEXT currently overrides the default with {requested}",
            requested = Clean::new(requested)
        ));
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::contexts::{BackendaiSpec, Source};

    #[test]
    fn plain_http_to_another_machine_is_shown_with_a_warning() {
        let warned = |endpoint: &str| {
            let plain = || Source::Plain("x".to_owned());
            let spec = BackendaiSpec {
                endpoint: endpoint.to_owned(),
                credentials: Credentials::Keys {
                    access: plain(),
                    secret: plain(),
                },
                domain: None,
                project: None,
                ca_file: None,
                all_users: false,
                shares_per_device: None,
                insecure: true,
            };
            let entry = ContextEntry {
                engine: EngineSpec::Backendai(Box::new(spec)),
                ..ContextEntry::local()
            };
            let fields = fields(&entry);
            assert!(fields.contains(&("insecure", "true".to_owned())));
            fields.iter().any(|(name, _)| *name == "warning")
        };
        assert!(warned("http://10.0.0.5:8091"));
        assert!(!warned("http://127.0.0.1:8091"));
        assert!(!warned("https://far.example.com"));
    }
}
