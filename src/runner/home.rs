//! Changes the owner of the session's home directory: before the first process, if that runs as another user than the
//! one that created it, and after the last one. Runs as root in a separate container while nothing else uses the home.

use std::{io, path::Path, process::ExitCode};

use rustix::{
    fs::{AtFlags, Gid, Uid, chownat},
    io::Errno,
};

use super::complain;
use crate::{
    model::inside,
    tree::{self, WalkStep},
};

/// Changes the owner of the whole home directory to this user and group.
pub(super) fn give(uid: u32, gid: u32) -> ExitCode {
    match give_tree(inside::HOME.as_ref(), (uid, gid)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!(
                "the owner of the home directory can't be changed to {uid}:{gid}: {error}"
            ));
            ExitCode::FAILURE
        }
    }
}

/// Changes the owner of links, not of their targets, and skips file systems that are mounted below.
fn give_tree(path: &Path, owner: (u32, u32)) -> io::Result<()> {
    let (uid, gid) = (Uid::from_raw(owner.0), Gid::from_raw(owner.1));
    tree::visit(path, |entry| {
        let how = AtFlags::SYMLINK_NOFOLLOW;
        match chownat(entry.dir, entry.name, Some(uid), Some(gid), how) {
            Ok(()) | Err(Errno::NOENT) => Ok(WalkStep::Into),
            Err(error) => Err(error.into()),
        }
    })
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::MetadataExt as _};

    use super::*;

    #[test]
    fn links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        fs::create_dir_all(home.join("a")).unwrap();
        let outside = dir.path().join("outside");
        fs::write(&outside, "").unwrap();
        std::os::unix::fs::symlink(&outside, home.join("a/link")).unwrap();
        let mine = fs::metadata(&outside).unwrap();
        let owner = if mine.uid() == 0 {
            (4321, 4321)
        } else {
            (mine.uid(), mine.gid())
        };
        give_tree(&home, owner).unwrap();
        let link = fs::symlink_metadata(home.join("a/link")).unwrap();
        assert_eq!((link.uid(), link.gid()), owner);
        assert_eq!(fs::metadata(&outside).unwrap().uid(), mine.uid());
    }
}
