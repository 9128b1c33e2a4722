//! The background process, one for each user. It owns the engines, the state database and the socket, and
//! keeps running without clients.
//!
//! [`run`] is the process, [`serve`] the same inside another one (tests). Both build one loop
//! ([`main_loop`]) around the pure state machines of the contexts. [`context`] carries out their commands;
//! [`connection`] talks to clients.

mod apps;
mod clock;
mod connection;
mod context;
pub mod fault;
mod files;
mod folders;
mod images;
mod losses;
mod main_loop;
mod notifications;
mod options;
mod process;
mod sampling;
mod starting;
mod storage;
mod upgrade;

use std::{io::Write as _, path::Path, sync::Arc, time::Duration};

use color_eyre::eyre::{Context, Result, ensure};
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::{Notify, mpsc},
};
use tokio_util::sync::CancellationToken;

pub use connection::socket::SocketError;
pub use options::{Beginning, ContextSetup, DaemonOptions, EngineFactory, EngineSetup};
pub use process::lock::LockError;

use self::upgrade::{Failed, Handover, Inherited, Memory, Successor};
use crate::{
    config::paths::Paths,
    model::text::Clean,
    protocol::{lock_record::LockRecord, reader::Budget, version::version},
    store::{Opened, Store, StoreOptions},
};
use apps::AppsSetup;
use connection::{
    admission::Admission,
    server_state::{Identity, ServerState},
    socket::Socket,
};
use main_loop::core::{Core, CoreParts, Inputs};
use notifications::hooks::Hooks;
use process::lock::Lock;
use starting::Account;
use storage::{disk_space::Space, kept_homes::KeptHomes, preload::Preload};

/// The number of messages that can wait for the loop.
const WAITING: usize = 256;
/// Memory for partly received messages of all clients together.
const PARTIAL_FRAMES: usize = 4 * 1024 * 1024;

/// How long the daemon waits for running file work before it becomes a newer program. Clients that connect
/// meanwhile wait twice as long.
const LAST_FILES: Duration = Duration::from_secs(5);

/// Controls a daemon that serves.
#[derive(Clone, Debug, Default)]
pub struct Controls {
    /// Ends the daemon cleanly. Sessions keep running.
    pub stop: CancellationToken,
    /// A user or a signal stopped the daemon: it doesn't become a newer program.
    pub for_good: CancellationToken,
    /// Checks the socket now.
    pub remake_socket: Arc<Notify>,
    /// The socket is bound, and the lock file contains its path.
    pub ready: CancellationToken,
}

impl Controls {
    /// Stops the daemon for good.
    fn end(&self) {
        self.for_good.cancel();
        self.stop.cancel();
    }
}

/// Runs the daemon until a signal or a client stops it. Errors are whole sentences.
pub fn run(options: DaemonOptions) -> Result<()> {
    let detached = options.beginning == Beginning::Detached;
    if detached {
        // This fails only for a process that already leads a group. Such a process has no terminal to leave:
        // it is a job of a shell, which is fine.
        let _ = rustix::process::setsid();
    }
    match live(options) {
        Err(error) if detached && is_held(&error) => Ok(()),
        Err(error) if detached => {
            // The client that started the daemon reads stderr. Nothing else may follow this sentence.
            let _ = writeln!(std::io::stderr(), "{}", sentence(&error));
            tracing::error!(error = sentence(&error), "cannot run");
            let _ = quiet_stderr(Path::new("/dev/null"));
            Err(error)
        }
        result => result,
    }
}

/// Whether another daemon was faster. The client that started this one finds the other.
fn is_held(error: &color_eyre::Report) -> bool {
    matches!(error.downcast_ref(), Some(LockError::Held(_)))
}

fn sentence(error: &color_eyre::Report) -> String {
    let chain: Vec<String> = error.chain().map(ToString::to_string).collect();
    chain.join(": ")
}

fn live(options: DaemonOptions) -> Result<()> {
    deny_others_to_write();
    let (lock, inherited) = match options.beginning {
        Beginning::TakingOver => {
            let (lock, inherited) = inherit(&options)?;
            (lock, Some(inherited))
        }
        Beginning::Here | Beginning::Detached => (Lock::take(&options.paths.lock())?, None),
    };
    let log = options.paths.daemon_log();
    process::logging::begin(&log)
        .wrap_err_with(|| tr_sent!("{path} can't be written", path = log.display()))?;
    process::rlimits::take_open_files();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .thread_name("workbay")
        .build()
        .wrap_err(tr_sent!("the daemon's threads can't be started"))?;
    let detached = options.beginning == Beginning::Detached;
    let ended = runtime.block_on(async {
        let controls = Controls::default();
        handle_signals(&controls)?;
        if inherited.is_some() {
            upgrade::reap();
        }
        if detached {
            let ready = controls.ready.clone();
            tokio::spawn(async move {
                ready.cancelled().await;
                if let Err(error) = quiet_stderr(&log) {
                    tracing::warn!(%error, "stderr stays open");
                }
            });
        }
        let successor = Successor::new(&controls);
        let serving = serve_locked(options, controls, lock, inherited, Some(successor));
        // A task of the runtime is cheaper to wake than this thread, which is outside of it.
        match tokio::spawn(serving).await {
            Ok(ended) => ended,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(error) => Err(error.into()),
            },
        }
    });
    let Some(mut handover) = ended? else {
        // A hanging call to the engine must not delay the end.
        runtime.shutdown_background();
        return Ok(());
    };
    if !upgrade::shut_down(runtime, LAST_FILES) {
        handover.notify(upgrade::unfinished(LAST_FILES));
    }
    Err(handover.go()).wrap_err(tr_sent!(
        "the daemon can't start the newer program or restart itself"
    ))
}

/// Files that the daemon creates can't be written by others, regardless of the caller's umask. Private files
/// have a mode of their own; programs for sessions must stay readable.
fn deny_others_to_write() {
    use rustix::{fs::Mode, process::umask};
    let before = umask(Mode::from_raw_mode(0o077));
    umask(before | Mode::from_raw_mode(0o022));
}

/// Takes over the lock and the state of the previous program of this process.
fn inherit(options: &DaemonOptions) -> Result<(Lock, Inherited)> {
    let taken =
        Inherited::take().wrap_err(tr_sent!("the previous daemon's state can't be taken over"))?;
    let (lock, rest) = taken;
    Ok((Lock::inherit(lock, &options.paths.lock()), rest))
}

/// Redirects stdout and stderr to this file.
fn quiet_stderr(path: &Path) -> std::io::Result<()> {
    let file = process::logging::append(path)?;
    rustix::stdio::dup2_stdout(&file)?;
    rustix::stdio::dup2_stderr(&file)?;
    Ok(())
}

/// TERM and INT stop the daemon, USR1 checks the socket, and HUP (a closed terminal) is ignored.
fn handle_signals(controls: &Controls) -> Result<()> {
    let heed = |kind| signal(kind).wrap_err(tr_sent!("signals can't be received"));
    let mut terminate = heed(SignalKind::terminate())?;
    let mut interrupt = heed(SignalKind::interrupt())?;
    let mut remake = heed(SignalKind::user_defined1())?;
    let mut hangup = heed(SignalKind::hangup())?;
    let controls = controls.clone();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = terminate.recv() => break,
                _ = interrupt.recv() => break,
                _ = remake.recv() => controls.remake_socket.notify_one(),
                _ = hangup.recv() => {}
            }
        }
        tracing::info!("ended by a signal");
        controls.end();
    });
    Ok(())
}

/// Serves inside the running runtime until `controls.stop`.
pub async fn serve(options: DaemonOptions, controls: Controls) -> Result<()> {
    let lock = Lock::take(&options.paths.lock())?;
    let ended = serve_locked(options, controls, lock, None, None).await;
    ended.map(drop)
}

/// Serves with a lock that is already taken. Returns the state for the next program if the daemon is to be
/// upgraded.
async fn serve_locked(
    options: DaemonOptions,
    controls: Controls,
    mut lock: Lock,
    inherited: Option<Inherited>,
    successor: Option<Successor>,
) -> Result<Option<Handover>> {
    let DaemonOptions {
        paths,
        settings,
        owner,
        contexts,
        page_limit,
        ended,
        in_memory,
        boot,
        ..
    } = options;
    ensure!(
        !contexts.is_empty(),
        tr_sent!("no context is configured. Add one to contexts.toml")
    );
    let store_options = StoreOptions {
        ended,
        page_limit,
        secrets: settings.launch.secrets.clone(),
        ..StoreOptions::new(paths.database())
    };
    let (store, mut opened) = Store::open(&store_options)?;
    report_opening(&opened);
    let setup = EngineSetup {
        instance: opened.instance,
        paths: paths.clone(),
        settings,
    };
    let (socket, memory) = listen(&paths, inherited).await?;
    let mut notes = std::mem::take(&mut opened.notes);
    notes.extend(memory.failed.as_ref().map(Failed::message));
    let identity = Arc::new(Identity {
        socket: paths.socket(),
        instance: opened.instance,
        started_at: clock::now(),
    });
    lock.announce(&LockRecord {
        pid: std::process::id(),
        version: version().to_owned(),
        socket: paths.socket().display().to_string(),
        started_at: identity.started_at,
    })?;
    controls.ready.cancel();
    tracing::info!(pid = std::process::id(), instance = %opened.instance, version = version(), "ready");
    let (inbound_in, inbound) = mpsc::channel(WAITING);
    let hooks = Hooks::new(&setup.settings.hooks, inbound_in.clone());
    let server_state = ServerState {
        inbound: inbound_in,
        identity: identity.clone(),
        successor: successor.clone(),
        failed: memory.failed,
        admission: Admission::default(),
        keys: paths.keys_dir(),
        apps: setup.settings.apps.clone(),
        budget: Budget::new(PARTIAL_FRAMES),
    };
    let apps = AppsSetup {
        settings: setup.settings.apps.clone(),
        keys: paths.keys_dir(),
        inbound: server_state.inbound.clone(),
        stored: std::mem::take(&mut opened.forwards),
    };
    let history = &setup.settings.history;
    let figures_kept = sampling::figures::kept_for(history.keep_days);
    let (kept_homes, keep_days) = (KeptHomes::new(history.keep_space), history.keep_days);
    let disk = &setup.settings.disk;
    let space = Space::new(&paths.state_dir, disk.warn_below);
    let launch_reserve = disk.launch_reserve;
    let account = Account {
        owner: Clean::new(&owner),
        boot: boot.map(|boot| Clean::new(&boot)),
    };
    let (contexts, samples) = starting::runners(contexts, &setup, &account, &mut opened);
    let mut core = Core::new(CoreParts {
        contexts,
        store: store.clone(),
        figures_kept,
        keep_days,
        identity,
        controls: controls.clone(),
        notes,
        notifications: memory.notifications,
        hooks,
        space,
        kept_homes,
        launch_reserve,
        preload: Preload::new(in_memory),
        apps,
        incomplete: opened.incomplete.clone(),
    });
    core.take_secrets(memory.secrets);
    let inputs = Inputs { inbound, samples };
    let socket_path = paths.socket();
    let remake = controls.remake_socket.clone();
    let server =
        connection::server::serve(socket, &socket_path, server_state, controls.stop, remake);
    let (memory, socket) = tokio::join!(core.run(inputs), server);
    store.close().await;
    tracing::info!("ended");
    let program = successor.and_then(|successor| successor.program());
    match (program, socket) {
        (Some(program), Some(socket)) => Handover::new(program, &lock, socket, memory)
            .map(Some)
            .wrap_err(tr_sent!("the daemon can't be upgraded")),
        _ => Ok(None),
    }
}

fn report_opening(opened: &Opened) {
    for note in &opened.notes {
        tracing::warn!(%note);
    }
    if let Some(copy) = &opened.copy {
        tracing::info!(copy = %copy.display(), "the state database was upgraded");
    }
}

/// Opens the socket, and returns what the previous program of this process remembered.
async fn listen(paths: &Paths, inherited: Option<Inherited>) -> Result<(Socket, Memory)> {
    let path = paths.socket();
    let Some(Inherited { listener, memory }) = inherited else {
        return Ok((Socket::bind(&path).await?, Memory::default()));
    };
    let socket = Socket::inherit(listener, &path, memory.socket);
    Ok((
        socket.wrap_err(tr_sent!("the socket can't be taken over"))?,
        memory,
    ))
}
