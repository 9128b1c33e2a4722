//! Ends the threads of the previous program before the upgrade, which would stop them at any point. It waits
//! for file work, for example copying a home directory or saving a log.

use std::time::Duration;

use tokio::runtime::Runtime;

use crate::{
    daemon::clock,
    model::notice::{Level, Notice},
};

/// Shuts down the runtime after its blocking work. Returns `false` if that took too long.
#[must_use]
pub fn shut_down(runtime: Runtime, patience: Duration) -> bool {
    tracing::info!(
        seconds = patience.as_secs(),
        "waiting for work on files before the newer program starts (at most)"
    );
    let began = clock::instant();
    runtime.shutdown_timeout(patience);
    let took = began.elapsed();
    tracing::info!(milliseconds = took.as_millis(), "waited");
    took < patience
}

/// The notification about interrupted file work.
pub fn unfinished(patience: Duration) -> Notice {
    let text = tr_sent!(
        "work on files took longer than {patience}s during an upgrade of the daemon and was interrupted. \
         If a session's home directory or log is incomplete, see daemon.log",
        patience = patience.as_secs()
    );
    tracing::warn!(text);
    Notice::message(clock::now(), Level::Warning, text.as_str())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn runtime() -> Runtime {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap()
    }

    #[test]
    fn work_on_files_comes_to_its_end_before_the_newer_program() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("written");
        let runtime = runtime();
        // A task of the runtime ends first and signals that the shutdown has begun.
        let (ends, ending) = mpsc::channel::<()>();
        runtime.spawn(async move {
            let _ends = ends;
            std::future::pending::<()>().await;
        });
        let (begun_in, begun) = mpsc::channel();
        let written = file.clone();
        runtime.spawn_blocking(move || {
            begun_in.send(()).unwrap();
            assert!(ending.recv().is_err());
            std::fs::write(&written, "all of it").unwrap();
        });
        begun.recv().unwrap();
        assert!(shut_down(runtime, Duration::from_secs(600)));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "all of it");
    }

    #[test]
    fn work_that_does_not_end_is_not_waited_for_for_ever() {
        let runtime = runtime();
        let (stop, stopped) = mpsc::channel::<()>();
        let (begun_in, begun) = mpsc::channel();
        runtime.spawn_blocking(move || {
            begun_in.send(()).unwrap();
            let _ = stopped.recv();
        });
        begun.recv().unwrap();
        assert!(!shut_down(runtime, Duration::from_millis(20)));
        drop(stop);
        let notice = unfinished(Duration::from_secs(10));
        assert!(notice.text.as_str().contains("longer than 10s"));
    }
}
