//! Trees for the tests of this module.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};

use rustix::fs::{CWD, Mode, mkdirat};

use super::open;

/// Creates `tree` with nested directories `d`, and returns the path of the deepest.
pub(super) fn deep(tree: &Path, levels: usize) -> PathBuf {
    fs::create_dir_all(tree).unwrap();
    let mut here = open::directory(CWD, tree).unwrap();
    let mut path = tree.to_owned();
    for _ in 0..levels {
        mkdirat(&here, c"d", Mode::from_raw_mode(0o755)).unwrap();
        here = open::directory(&here, c"d").unwrap();
        path.push("d");
    }
    path
}

/// Runs a closure on a stack so small that a recursion of some hundred steps would fail.
pub(super) fn in_a_small_stack(what: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(64 * 1024);
    thread.spawn(what).unwrap().join().unwrap();
}
