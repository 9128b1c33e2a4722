//! The user's own files for new home directories, from a directory of the configuration.

use std::{
    fs, io,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
};

use crate::engine::docker::container::identity::give;
use crate::model::resources::Bytes;

/// More than this isn't settings but data, which belongs in a folder.
const MOST: Bytes = Bytes(16 * Bytes::MIB);

/// Copies all of `from` over the home directory `into`, for `owner`; keeps permissions and links. The error is a
/// message for the user. Does nothing if the directory doesn't exist.
pub(in crate::engine::docker) fn copy(
    from: &Path,
    into: &Path,
    owner: (u32, u32),
) -> Result<(), String> {
    if !from.is_dir() {
        return Ok(());
    }
    let reported = |error: io::Error| {
        tr_sent!(
            "not all dotfiles of {from} were copied: {error}",
            from = from.display(),
            error
        )
    };
    let all = below(from).map_err(reported)?;
    let size = all.iter().map(|one| one.size).sum();
    if Bytes(size) > MOST {
        return Err(tr_sent!(
            "the dotfiles of {from} weren't copied: {size} is too large (max: {most}). Store large files \
             in a folder",
            from = from.display(),
            size = Bytes(size),
            most = MOST
        ));
    }
    for one in &all {
        place(
            &from.join(&one.path),
            &into.join(&one.path),
            one.kind,
            owner,
        )
        .map_err(|error| {
            tr_sent!(
                "the dotfile {path} and the following ones weren't copied: {error}",
                path = one.path.display(),
                error
            )
        })?;
    }
    Ok(())
}

struct DotfileEntry {
    path: PathBuf,
    kind: DotfileKind,
    size: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DotfileKind {
    Directory,
    File,
    Link,
}

/// Everything in a directory, directories before their contents. Sockets and devices are left out.
fn below(root: &Path) -> io::Result<Vec<DotfileEntry>> {
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(dir) = waiting.pop() {
        for entry in fs::read_dir(root.join(&dir))? {
            let entry = entry?;
            let (path, meta) = (dir.join(entry.file_name()), entry.metadata()?);
            let kind = match meta.file_type() {
                kind if kind.is_dir() => DotfileKind::Directory,
                kind if kind.is_symlink() => DotfileKind::Link,
                kind if kind.is_file() => DotfileKind::File,
                _ => continue,
            };
            if kind == DotfileKind::Directory {
                waiting.push(path.clone());
            }
            let size = if kind == DotfileKind::File {
                meta.len()
            } else {
                0
            };
            found.push(DotfileEntry { path, kind, size });
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn place(from: &Path, to: &Path, kind: DotfileKind, owner: (u32, u32)) -> io::Result<()> {
    let there = fs::symlink_metadata(to).ok();
    if there.is_some_and(|meta| kind != DotfileKind::Directory || !meta.is_dir()) {
        fs::remove_file(to)?;
    }
    match kind {
        DotfileKind::Link => {
            symlink(fs::read_link(from)?, to)?;
            return std::os::unix::fs::lchown(to, Some(owner.0), Some(owner.1));
        }
        DotfileKind::File => drop(fs::copy(from, to)?),
        DotfileKind::Directory if to.is_dir() => {}
        DotfileKind::Directory => fs::create_dir(to)?,
    }
    let mode = fs::metadata(from)?.permissions().mode() & 0o777;
    // The owner must be able to fill a directory, and so must this process.
    let mode = if kind == DotfileKind::Directory {
        mode | 0o700
    } else {
        mode
    };
    fs::set_permissions(to, fs::Permissions::from_mode(mode))?;
    give(to, owner)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;
    use crate::engine::docker::container::identity::caller;

    #[test]
    fn files_links_and_permissions_come_along() {
        let dir = tempfile::tempdir().unwrap();
        let (from, home) = (dir.path().join("dotfiles"), dir.path().join("home"));
        fs::create_dir_all(from.join(".config/deep")).unwrap();
        fs::create_dir(&home).unwrap();
        assert_eq!(copy(&dir.path().join("none"), &home, caller()), Ok(()));
        fs::write(home.join(".bashrc"), "ours").unwrap();
        fs::write(from.join(".bashrc"), "mine").unwrap();
        fs::write(from.join(".config/deep/secret"), "x").unwrap();
        fs::set_permissions(
            from.join(".config/deep/secret"),
            fs::Permissions::from_mode(0o600),
        )
        .unwrap();
        fs::write(from.join("run"), "x").unwrap();
        fs::set_permissions(from.join("run"), fs::Permissions::from_mode(0o4755)).unwrap();
        symlink("nowhere/else", from.join(".link")).unwrap();
        copy(&from, &home, caller()).unwrap();
        assert_eq!(fs::read_to_string(home.join(".bashrc")).unwrap(), "mine");
        let mode = |name: &str| fs::metadata(home.join(name)).unwrap().mode() & 0o7777;
        assert_eq!(mode(".config/deep/secret"), 0o600);
        assert_eq!(mode("run"), 0o755);
        assert_eq!(
            fs::read_link(home.join(".link")).unwrap(),
            Path::new("nowhere/else")
        );
        // Again, over the existing files.
        copy(&from, &home, caller()).unwrap();
    }

    #[test]
    fn too_much_is_refused_whole() {
        let dir = tempfile::tempdir().unwrap();
        let (from, home) = (dir.path().join("dotfiles"), dir.path().join("home"));
        fs::create_dir(&from).unwrap();
        fs::create_dir(&home).unwrap();
        fs::write(from.join("small"), "x").unwrap();
        let large = fs::File::create(from.join("large")).unwrap();
        large.set_len(MOST.0).unwrap();
        let error = copy(&from, &home, caller()).unwrap_err();
        assert!(error.contains("max: 16 MiB"), "{error}");
        assert!(!home.join("small").exists());
        large.set_len(MOST.0 - 1).unwrap();
        copy(&from, &home, caller()).unwrap();
    }
}
