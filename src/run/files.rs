//! Writes new files for the user, and never overwrites an existing one.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::config::saving::{create, private_directory};

/// Names tried before giving up.
const TRIES: u32 = 1000;

/// Writes a new file. If the file exists, adds `-1`, `-2` … to the name. Returns its absolute path, or an
/// error sentence.
pub fn save(path: &Path, contents: &[u8]) -> Result<PathBuf, String> {
    save_with(path, |file| file.write_all(contents))
}

/// Like [`save()`], with the contents that `write` writes.
pub fn save_with(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<PathBuf, String> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let failure = |error: &io::Error| {
        tr!(
            "{path} can't be written: {error}. Start workbay in a directory that you can write to",
            path = path.display(),
            error
        )
    };
    for number in 0..TRIES {
        let candidate = numbered(&path, number);
        match create(&candidate) {
            Ok(mut file) => {
                let written = write(&mut file).and_then(|()| file.sync_all());
                return match written {
                    Ok(()) => Ok(candidate),
                    Err(error) => {
                        // A partial file is of no use.
                        let _ = std::fs::remove_file(&candidate);
                        Err(failure(&error))
                    }
                };
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failure(&error)),
        }
    }
    Err(failure(&io::ErrorKind::AlreadyExists.into()))
}

/// Like [`save()`], in a directory that only the user can read. Creates the directory if it doesn't exist.
pub fn save_private(path: &Path, contents: &[u8]) -> Result<PathBuf, String> {
    if let Some(parent) = path.parent() {
        let made = private_directory(parent);
        made.map_err(|error| {
            tr!(
                "the directory {parent} can't be created: {error}",
                parent = parent.display(),
                error
            )
        })?;
    }
    save(path, contents)
}

fn numbered(path: &Path, number: u32) -> PathBuf {
    if number == 0 {
        return path.to_path_buf();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = match path.extension() {
        Some(extension) => format!("{stem}-{number}.{}", extension.to_string_lossy()),
        None => format!("{stem}-{number}"),
    };
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_file_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x-log.txt");
        assert_eq!(save(&path, b"one").unwrap(), path);
        assert_eq!(save(&path, b"two").unwrap(), dir.path().join("x-log-1.txt"));
        assert_eq!(
            save(&path, b"three").unwrap(),
            dir.path().join("x-log-2.txt")
        );
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        let private = dir.path().join("of/ours/copy.txt");
        assert_eq!(save_private(&private, b"one").unwrap(), private);
        let mode = std::fs::metadata(dir.path().join("of/ours")).unwrap();
        assert_eq!(
            std::os::unix::fs::PermissionsExt::mode(&mode.permissions()) & 0o777,
            0o700
        );
        let missing = dir.path().join("no/such/dir.txt");
        assert!(
            save(&missing, b"x")
                .unwrap_err()
                .contains("no/such/dir.txt")
        );
    }
}
