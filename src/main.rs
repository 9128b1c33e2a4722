//! Opens the doors between the command line and the rooms it may not enter. Nothing else.

use std::process::ExitCode;

use color_eyre::eyre::{WrapErr, eyre};
use workbay::{
    cli::{self, Doors, NoEngine, Start},
    engine::{
        api::Engine,
        docker::{DockerConfig, DockerEngine},
        error::EngineError,
    },
    model::{capability::EngineInfo, id::InstanceId},
    run, runner,
};

fn main() -> ExitCode {
    cli::main(&Doors {
        tui: |start| run::main(view(start)),
        shell: |start, session| run::shell(view(start), session),
        daemon: |_, _| Err(eyre!("the daemon is not in this build")),
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

/// The engine of these settings, for this store.
fn docker(start: &Start, instance: InstanceId) -> color_eyre::Result<DockerEngine> {
    Ok(DockerEngine::new(DockerConfig {
        instance,
        state_dir: start.paths.state_dir.clone(),
        toolbox_dir: start.paths.toolbox_dir(),
        endpoint: start.loaded.settings.engine.endpoint.clone(),
        binary: std::env::current_exe().wrap_err("the running program has no path")?,
    }))
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
        .wrap_err("no runtime")
        .map_err(plain)?;
    let engine = docker(start, InstanceId::random()).map_err(plain)?;
    runtime.block_on(engine.probe()).map_err(|error| NoEngine {
        why: error.to_string().into(),
        mend: match error {
            EngineError::Unreachable { mend, .. } => mend.map(Into::into),
            _ => None,
        },
    })
}
