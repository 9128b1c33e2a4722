//! Opens the doors between the command line and the rooms it may not enter. Nothing else.

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use color_eyre::eyre::WrapErr;
use workbay::{
    cli::{self, Doors, NoEngine, Start},
    config::person,
    daemon::{self, ContextSeat, DaemonOptions, EngineFactory, EngineSeat},
    engine::{
        api::Engine,
        docker::{DockerConfig, DockerEngine},
        error::EngineError,
    },
    model::{capability::EngineInfo, context::Context, id::InstanceId},
    run, runner,
};

fn main() -> ExitCode {
    cli::main(&Doors {
        tui: |start| run::main(view(start)),
        shell: |start, session| run::shell(view(start), session),
        daemon: be_daemon,
        runner: |arguments| runner::main(arguments),
        probe,
    })
}

fn view(start: Start) -> run::Options {
    run::Options {
        paths: start.paths,
        loaded: start.loaded,
    }
}

fn be_daemon(start: Start, detached: bool) -> color_eyre::Result<()> {
    let binary = this_program()?;
    let engine = EngineFactory::containers(move |seat| Ok(Arc::new(docker(seat, binary.clone()))));
    daemon::run(DaemonOptions {
        paths: start.paths,
        settings: start.loaded.settings,
        owner: person::user_name(),
        contexts: vec![ContextSeat::new(Context::local(), engine)],
        detached,
        page_limit: None,
    })
}

/// The engine for this store.
fn docker(seat: &EngineSeat, binary: PathBuf) -> DockerEngine {
    DockerEngine::new(DockerConfig {
        instance: seat.instance,
        state_dir: seat.paths.state_dir.clone(),
        toolbox_dir: seat.paths.toolbox_dir(),
        endpoint: seat.settings.engine.endpoint.clone(),
        binary,
    })
}

fn this_program() -> color_eyre::Result<PathBuf> {
    std::env::current_exe().wrap_err("the path of the running program is not known")
}

/// Asks the engine without a daemon. Nothing is made there, so the instance does not matter.
fn probe(start: &Start) -> Result<EngineInfo, NoEngine> {
    let plain = |why: color_eyre::Report| NoEngine {
        why: format!("{why:#}").into(),
        mend: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .wrap_err("the event loop cannot be started")
        .map_err(plain)?;
    let seat = EngineSeat {
        instance: InstanceId::random(),
        paths: start.paths.clone(),
        settings: start.loaded.settings.clone(),
    };
    let engine = docker(&seat, this_program().map_err(plain)?);
    runtime.block_on(engine.probe()).map_err(|error| NoEngine {
        why: error.to_string().into(),
        mend: match error {
            EngineError::Unreachable { mend, .. } => mend.map(Into::into),
            _ => None,
        },
    })
}
