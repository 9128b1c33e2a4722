//! Connects the command line with the modules that it must not import. It does nothing else.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use color_eyre::{
    config::{HookBuilder, Theme},
    eyre::WrapErr,
};
use workbay::{
    cli::{self, DaemonMode, Handlers, Start, StoreProblem, StoreSummary},
    config::{
        contexts::{self, ContextEntry, Credentials, EngineSpec, Source},
        machine, user,
    },
    daemon::{self, Beginning, ContextSetup, DaemonOptions, EngineFactory, EngineSetup},
    engine::{
        api::{Containers, Engine},
        backendai::{BackendAiConfig, BackendAiEngine, Login},
        docker::{DockerConfig, DockerEngine},
        manager::Manager,
    },
    model::{
        capability::EngineInfo,
        context::EngineKind,
        failure::Failure,
        id::{ContextName, InstanceId},
    },
    plain, run, runner,
    store::{self, StoreError},
};

fn main() -> ExitCode {
    report_panics();
    cli::main(&Handlers {
        tui: |start| run::main(view(start)),
        plain: plain::main,
        tour: |start, session| {
            run::main(run::Options {
                tour: Some(session),
                ..view(start)
            })
        },
        shell: |start, session, shell| run::shell(view(start), session, shell),
        keys: run::key_tester,
        daemon: run_daemon,
        runner: |arguments| runner::main(arguments),
        probe,
        store: summarize_store,
    })
}

/// Without colors, because panics are also written to the daemon's log. The hooks that restore a terminal run
/// before this one.
fn report_panics() {
    let hooks = HookBuilder::default()
        .theme(Theme::new())
        .display_env_section(false)
        .panic_section("This is a defect in workbay. Please report it with the text above.");
    if let Err(error) = hooks.install() {
        tracing::warn!("panics are reported in the standard form: {error}");
    }
}

/// With several contexts the default is named, because it may have changed since the daemon started.
fn view(start: Start) -> run::Options {
    let several = start.contexts.list.len() > 1;
    let default = several.then(|| start.contexts.default.to_string());
    run::Options {
        paths: start.paths,
        loaded: start.loaded,
        context: start.requested_context.or(default),
        contexts: start.contexts.problems,
        tour: None,
        layout: start.layout,
    }
}

fn summarize_store(database: &Path) -> Result<Option<StoreSummary>, StoreProblem> {
    match store::look(database) {
        Ok(health) => Ok(health.map(|health| StoreSummary {
            layout: health.layout,
            sessions: health.sessions,
            history: health.history,
            unreadable: health.unreadable,
        })),
        Err(error @ StoreError::Corrupt { .. }) => Err(StoreProblem::Broken(error.to_string())),
        Err(error @ StoreError::Newer { .. }) => Err(StoreProblem::Newer(error.to_string())),
        Err(error) => Err(StoreProblem::Other(error.to_string())),
    }
}

fn run_daemon(start: Start, mode: DaemonMode) -> color_eyre::Result<()> {
    let binary = this_program()?;
    let contexts = start.contexts.list.iter();
    let contexts = contexts
        .map(|entry| ContextSetup {
            context: entry.context.clone(),
            refresh: entry.refresh,
            engine: factory(entry.clone(), binary.clone()),
        })
        .collect();
    daemon::run(DaemonOptions {
        paths: start.paths,
        settings: start.loaded.settings,
        owner: user::user_name(),
        contexts,
        beginning: match mode {
            DaemonMode::Foreground => Beginning::Here,
            DaemonMode::Detached => Beginning::Detached,
            DaemonMode::TakeOver => Beginning::TakingOver,
        },
        boot: machine::boot_id(),
        ended: store::ENDED,
        in_memory: store::IN_MEMORY,
        page_limit: None,
    })
}

/// The only place that chooses engines.
fn factory(entry: ContextEntry, binary: PathBuf) -> EngineFactory {
    match entry.kind() {
        EngineKind::Docker => EngineFactory::containers(move |setup| {
            let engine: Arc<dyn Containers> = Arc::new(docker(setup, &entry, binary.clone()));
            Ok(engine)
        }),
        EngineKind::Backendai => EngineFactory::scheduler(move |_setup| {
            let engine: Arc<dyn Manager> = Arc::new(BackendAiEngine::new(backendai(&entry)?));
            Ok(engine)
        }),
    }
}

/// Docker or Podman, for this state database. Each such context is its own instance: two contexts may use the
/// same engine, and must not treat each other's containers as their own.
fn docker(setup: &EngineSetup, entry: &ContextEntry, binary: PathBuf) -> DockerEngine {
    let own = match &entry.engine {
        EngineSpec::Docker { endpoint } => endpoint.clone(),
        EngineSpec::Backendai(_) => None,
    };
    DockerEngine::new(DockerConfig {
        instance: setup.instance.of_context(entry.context.name),
        state_dir: setup.paths.state_dir.clone(),
        toolbox_dir: setup.paths.toolbox_dir(entry.context.name),
        folders_dir: setup.paths.folders_dir(),
        host_paths: setup.settings.folders.host_paths.clone(),
        saved_dir: setup.paths.saved_dir(),
        save_limits: setup.settings.disk.save,
        dotfiles_dir: setup.paths.dotfiles_dir(),
        runtime_dir: setup.paths.runtime_dir.clone(),
        network: setup.settings.resources.network,
        accelerators: setup.settings.resources.accelerators.clone(),
        endpoint: own.or_else(|| setup.settings.engine.endpoint.clone()),
        shell: setup.settings.terminal.shell.clone(),
        binary,
    })
}

/// A manager, with the account of the context. The secrets are read only here, when they are needed.
fn backendai(entry: &ContextEntry) -> Result<BackendAiConfig, Failure> {
    let name = entry.context.name;
    let EngineSpec::Backendai(spec) = &entry.engine else {
        let why = format!("context {name} is of kind {}", entry.kind().word());
        return Err(Failure::unsupported(why));
    };
    Ok(BackendAiConfig {
        context: name,
        endpoint: spec.endpoint.clone(),
        login: login(name, &spec.credentials)?,
        domain: spec.domain.clone(),
        project: spec.project.clone(),
        ca_file: spec.ca_file.clone(),
        all_users: spec.all_users,
        shares_per_device: spec.shares_per_device,
        insecure: spec.insecure,
        clock: now,
    })
}

fn login(context: ContextName, credentials: &Credentials) -> Result<Login, Failure> {
    let fetch = |what: &str, source: &Source| {
        let variable = |name: &str| std::env::var(name).ok();
        source
            .resolve(variable, contexts::PATIENCE)
            .map_err(|error| {
                Failure::denied(format!(
                    "the {what} of context {context} isn't available: {error}"
                ))
                .hint(error.hint)
            })
    };
    Ok(match credentials {
        Credentials::Keys { access, secret } => Login::Api {
            access_key: fetch("access-key", access)?.expose().to_owned(),
            secret_key: fetch("secret-key", secret)?,
        },
        Credentials::Login { username, password } => Login::Session {
            username: fetch("username", username)?.expose().to_owned(),
            password: fetch("password", password)?,
        },
    })
}

#[expect(
    clippy::disallowed_methods,
    reason = "an engine is handed its clock; this is where it comes from"
)]
fn now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

fn this_program() -> color_eyre::Result<PathBuf> {
    std::env::current_exe().wrap_err("the path of the running program is unknown")
}

/// How long an engine may take to answer `doctor`.
const PATIENCE: Duration = Duration::from_secs(30);

/// Asks a context's engine without a daemon. The request creates nothing, so the instance doesn't matter.
fn probe(start: &Start, context: ContextName) -> Result<EngineInfo, Failure> {
    let entry = start.contexts.get(context);
    let entry = entry.ok_or_else(|| Failure::lost(format!("context {context} not found")))?;
    let report = |why: color_eyre::Report| Failure::lost(format!("{why:#}"));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .wrap_err("the event loop can't be started")
        .map_err(report)?;
    let setup = EngineSetup {
        instance: InstanceId::random(),
        paths: start.paths.clone(),
        settings: start.loaded.settings.clone(),
    };
    let binary = this_program().map_err(report)?;
    let engine: Arc<dyn Engine> = match factory(entry.clone(), binary) {
        EngineFactory::Containers(make) => make(&setup)?,
        EngineFactory::Manager(make) => make(&setup)?,
    };
    let probe = async { tokio::time::timeout(PATIENCE, engine.probe()).await };
    match runtime.block_on(probe) {
        Ok(outcome) => outcome,
        Err(_) => {
            let seconds = PATIENCE.as_secs();
            let text = format!("the engine of context {context} hasn't answered within {seconds}s");
            Err(Failure::lost(text).hint("check that the engine runs, then try again"))
        }
    }
}
