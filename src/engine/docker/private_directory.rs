//! Directories that only this user can access.

use std::{fs, io, os::unix::fs::DirBuilderExt as _, path::Path};

/// Creates the directory and its missing parents.
pub(super) fn private_directory(path: &Path) -> io::Result<()> {
    let mut dir = fs::DirBuilder::new();
    dir.recursive(true).mode(0o700).create(path)
}
