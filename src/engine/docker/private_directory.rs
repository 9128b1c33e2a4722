//! Directories for this person alone.

use std::{fs, io, os::unix::fs::DirBuilderExt as _, path::Path};

/// It is there, and what is missing above it.
pub(super) fn private_directory(path: &Path) -> io::Result<()> {
    let mut dir = fs::DirBuilder::new();
    dir.recursive(true).mode(0o700).create(path)
}
