//! Writes the user's files privately and completely or not at all. All code that writes one uses this file.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

/// Creates or replaces a file and creates missing directories. Only its owner can access a new file. An
/// existing file keeps its mode. After a failure or a crash the old file is unchanged.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let directory = parent(path);
    private_directory(&directory)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let new = directory.join(name);
    let written = create(&new)
        .and_then(|file| fill(file, text, fs::metadata(path).ok()))
        .and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        // An incomplete file is useless. Only the write error is reported.
        let _ = fs::remove_file(&new);
    }
    written?;
    File::open(&directory)?.sync_all()
}

/// Creates a file that only its owner can access. Fails if the file exists.
pub fn make(path: &Path, text: &str) -> io::Result<()> {
    let file = create(path)?;
    let written = fill(file, text, None);
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}

/// Creates a directory, and its missing parents, that only this user can access.
pub fn private_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Creates an empty file that only its owner can access. Fails if the file exists.
pub fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

fn fill(mut file: File, text: &str, like: Option<fs::Metadata>) -> io::Result<()> {
    if let Some(meta) = like {
        file.set_permissions(meta.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
        Some(parent) => parent.to_path_buf(),
        None => PathBuf::from("/"),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn new_files_are_private_and_old_ones_keep_their_mode() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/file.toml");
        replace(&path, "one").unwrap();
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        replace(&path, "two").unwrap();
        assert_eq!(mode(&path), 0o640);
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        let names = fs::read_dir(path.parent().unwrap()).unwrap();
        assert_eq!(names.count(), 1, "nothing is left beside it");
        assert!(make(&path, "three").is_err());
        let new = dir.path().join("new");
        make(&new, "x").unwrap();
        assert_eq!(mode(&new), 0o600);
    }
}
