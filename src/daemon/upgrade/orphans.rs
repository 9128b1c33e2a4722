//! Reaps the children of the previous program of this process: their exits are reported to this process, but
//! no code of the new program waits for them.

use std::fs;

use rustix::process::{Pid, WaitOptions, waitpid};
use tokio::signal::unix::{SignalKind, signal};

/// Waits for the current children by their process ids; children that are started later belong to their own
/// starters. Call this before starting any process.
pub fn reap() {
    let mut children = children();
    let Ok(mut ended) = signal(SignalKind::child()) else {
        return;
    };
    tokio::spawn(async move {
        loop {
            children.retain(|child| matches!(waitpid(Some(*child), WaitOptions::NOHANG), Ok(None)));
            if children.is_empty() {
                return;
            }
            ended.recv().await;
        }
    });
}

/// The children of all threads: the threads that started them are gone, and their children were assigned to
/// another thread.
fn children() -> Vec<Pid> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten();
    let lists = threads.filter_map(|thread| {
        let list = thread.ok()?.path().join("children");
        fs::read_to_string(list).ok()
    });
    let numbers: Vec<i32> = lists
        .flat_map(|list| {
            let numbers = list.split_whitespace().map(str::parse);
            numbers.filter_map(Result::ok).collect::<Vec<_>>()
        })
        .collect();
    numbers.into_iter().filter_map(Pid::from_raw).collect()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_child_is_found() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let pid = Pid::from_raw(child.id().cast_signed()).unwrap();
        let found = children();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(found.contains(&pid), "{found:?}");
    }
}
