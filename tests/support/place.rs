//! A daemon that is a process of its own: this test binary once more, running [`be_the_daemon`] on an
//! engine whose state is in a file.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};

use tempfile::TempDir;
use workbay::{
    client::{ConnectOptions, Starter},
    config::paths::Paths,
    daemon::{self, Beginning, ContextSetup, DaemonOptions, EngineFactory},
    model::context::Context,
    protocol::lock_record::{self, Holder},
    store,
};

use super::{
    MemoryEngine, TestClient, eventually,
    test_daemon::{PATIENCE, settings},
    world::World,
};

const ROOT: &str = "WORKBAY_TEST_ROOT";

/// To be called by an ignored test of its own, whose name [`DaemonDirectories::new`] gets.
pub fn be_the_daemon() {
    let root = PathBuf::from(std::env::var_os(ROOT).expect("started by a test"));
    let world = world_file(&root);
    let mut settings = settings();
    settings.history.keep_days = 0;
    let factory = EngineFactory::containers(move |_| Ok(Arc::new(MemoryEngine::kept_in(&world))));
    let options = DaemonOptions {
        paths: Paths::below(&root),
        settings,
        owner: "tester".into(),
        contexts: vec![ContextSetup::new(Context::local(), factory)],
        beginning: Beginning::Detached,
        boot: None,
        ended: store::ENDED,
        in_memory: store::IN_MEMORY,
        page_limit: None,
    };
    daemon::run(options).unwrap();
}

fn world_file(root: &Path) -> PathBuf {
    root.join("world.json")
}

/// The directories of such a daemon.
pub struct DaemonDirectories {
    root: TempDir,
    /// The test that is the daemon.
    daemon: &'static str,
}
impl DaemonDirectories {
    pub fn new(daemon: &'static str) -> Self {
        Self {
            root: tempfile::tempdir().unwrap(),
            daemon,
        }
    }

    pub fn paths(&self) -> Paths {
        Paths::below(self.root.path())
    }

    pub fn world(&self) -> World {
        World::read(&world_file(self.root.path()))
    }

    /// What happens on the engine while no daemon runs.
    pub fn change_world(&self, change: impl FnOnce(&mut World)) {
        assert_eq!(self.pid(), None, "a daemon keeps a world of its own");
        let mut world = self.world();
        change(&mut world);
        world.save();
    }

    /// Connects, starting a daemon that dies at `fault` if none runs.
    pub fn options(&self, fault: &str) -> ConnectOptions {
        let arguments = [self.daemon, "--exact", "--ignored"];
        let environment = [
            (OsString::from(ROOT), self.root.path().into()),
            ("WORKBAY_FAULT".into(), fault.into()),
        ];
        ConnectOptions {
            paths: self.paths(),
            starter: Some(Starter {
                program: std::env::current_exe().unwrap(),
                arguments: arguments.map(OsString::from).into(),
                environment: environment.into(),
            }),
            patience: PATIENCE,
        }
    }

    pub async fn client(&self) -> TestClient {
        TestClient::connect(&self.options("")).await
    }

    pub fn pid(&self) -> Option<i32> {
        match lock_record::holder(&self.paths().lock()).unwrap() {
            Holder::Daemon(lock_record) => {
                lock_record.map(|lock_record| lock_record.pid.cast_signed())
            }
            Holder::Nobody => None,
        }
    }

    pub fn kill(&self) {
        let pid = self.pid().and_then(rustix::process::Pid::from_raw).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }

    pub async fn until_dead(&self) {
        eventually("the daemon is dead", || {
            lock_record::holder(&self.paths().lock()).unwrap() == Holder::Nobody
        })
        .await;
    }
}

impl Drop for DaemonDirectories {
    /// A test that failed half-way leaves no daemon behind.
    fn drop(&mut self) {
        if self.pid().is_some() {
            self.kill();
        }
    }
}
