//! The homes of sessions on this machine: `<sessions>/<id>/work`, the session's /home/work.

use std::{
    fs, io,
    os::unix::fs::{DirBuilderExt as _, PermissionsExt as _, chown},
    path::{Path, PathBuf},
};

use super::skeleton;
use crate::{
    engine::{api::Result, error::EngineError},
    model::id::SessionId,
};

/// Where every session's files lie.
#[derive(Clone, Debug)]
pub(super) struct Scratches {
    root: PathBuf,
}

impl Scratches {
    pub(super) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// The directory of all that is kept of a session.
    fn of(&self, session: SessionId) -> PathBuf {
        self.root.join(session.to_string())
    }

    /// The session's home on this machine.
    pub(super) fn home(&self, session: SessionId) -> PathBuf {
        self.of(session).join("work")
    }

    /// Where the log of an ended session is kept.
    pub(super) fn log(&self, session: SessionId) -> PathBuf {
        self.of(session).join("log")
    }

    /// Makes the home with its first files, for the user `owner` alone. A home that is there stays as
    /// it is.
    pub(super) fn make(&self, session: SessionId, owner: (u32, u32)) -> Result<PathBuf> {
        let home = self.home(session);
        if home.is_dir() {
            return Ok(home);
        }
        self.fill(session, owner).map_err(|error| {
            // Half a home would be taken for a whole one next time.
            let _ = remove_tree(&self.of(session));
            EngineError::Host(format!(
                "the session's home cannot be made at {}: {error}; see that the directory can be \
                 written and its disk is not full",
                home.display()
            ))
        })?;
        Ok(home)
    }

    fn fill(&self, session: SessionId, owner: (u32, u32)) -> io::Result<()> {
        let private = |path: &Path| {
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(path)
        };
        private(&self.of(session))?;
        let home = self.home(session);
        private(&home)?;
        for (name, contents) in skeleton::FILES {
            let file = home.join(name);
            fs::write(&file, contents)?;
            give(&file, owner)?;
        }
        give(&home, owner)
    }

    /// Removes the home; a saved log stays.
    pub(super) fn discard(&self, session: SessionId) -> Result<()> {
        let home = self.home(session);
        remove_tree(&home).map_err(|error| trouble(&home, &error))?;
        // Empty now unless a log is kept there.
        let _ = fs::remove_dir(self.of(session));
        Ok(())
    }

    /// Removes everything that is kept of the session.
    pub(super) fn forget(&self, session: SessionId) -> Result<()> {
        let dir = self.of(session);
        remove_tree(&dir).map_err(|error| trouble(&dir, &error))
    }
}

fn trouble(path: &Path, error: &io::Error) -> EngineError {
    EngineError::Host(format!(
        "{} cannot be removed: {error}; remove it by hand, with sudo if its files are another user's",
        path.display()
    ))
}

/// Hands a file to the session's user; needed (and allowed) only where the caller is root.
fn give(path: &Path, (uid, gid): (u32, u32)) -> io::Result<()> {
    let me = (
        rustix::process::getuid().as_raw(),
        rustix::process::getgid().as_raw(),
    );
    if me == (uid, gid) {
        return Ok(());
    }
    chown(path, Some(uid), Some(gid))
}

/// Removes a directory whatever the modes in it; what is not there is removed already.
fn remove_tree(path: &Path) -> io::Result<()> {
    let done = |result: io::Result<()>| match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    };
    if done(fs::remove_dir_all(path)).is_ok() {
        return Ok(());
    }
    // A directory its owner may not write to holds the rest back.
    open_up(path)?;
    done(fs::remove_dir_all(path))
}

fn open_up(path: &Path) -> io::Result<()> {
    // Links are not followed: they may lead anywhere.
    if !fs::symlink_metadata(path)?.is_dir() {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(path)? {
        open_up(&entry?.path())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    fn me() -> (u32, u32) {
        (
            rustix::process::getuid().as_raw(),
            rustix::process::getgid().as_raw(),
        )
    }

    #[test]
    fn a_home_is_private_and_begins_with_its_files() {
        let dir = tempfile::tempdir().unwrap();
        let scratches = Scratches::new(dir.path().join("sessions"));
        let session = SessionId::from_u128(5);
        let home = scratches.make(session, me()).unwrap();
        assert_eq!(fs::metadata(&home).unwrap().mode() & 0o777, 0o700);
        assert!(
            fs::read_to_string(home.join(".bashrc"))
                .unwrap()
                .contains("BACKENDAI_SESSION_NAME")
        );
        fs::write(home.join("mine"), "x").unwrap();
        scratches.make(session, me()).unwrap();
        assert!(
            home.join("mine").exists(),
            "an existing home was overwritten"
        );
    }

    #[test]
    fn a_stubborn_tree_is_removed_and_links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let outside = dir.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("precious"), "x").unwrap();
        let scratches = Scratches::new(dir.path().join("sessions"));
        let session = SessionId::from_u128(6);
        let home = scratches.make(session, me()).unwrap();
        std::os::unix::fs::symlink(&outside, home.join("link")).unwrap();
        fs::create_dir(home.join("locked")).unwrap();
        fs::write(home.join("locked/file"), "x").unwrap();
        fs::set_permissions(home.join("locked"), fs::Permissions::from_mode(0o000)).unwrap();
        scratches.forget(session).unwrap();
        assert!(!home.exists());
        assert!(outside.join("precious").exists());
        scratches.forget(session).unwrap();
    }

    #[test]
    fn discarding_a_home_keeps_the_log() {
        let dir = tempfile::tempdir().unwrap();
        let scratches = Scratches::new(dir.path().join("sessions"));
        let session = SessionId::from_u128(7);
        scratches.make(session, me()).unwrap();
        fs::write(scratches.log(session), "said").unwrap();
        scratches.discard(session).unwrap();
        assert!(scratches.log(session).exists());
    }
}
