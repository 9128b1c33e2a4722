//! The home directories of sessions on this machine: `<sessions>/<id>/work` is the session's /home/work;
//! `sub1` and so on beside it belong to the other containers of a cluster.

use std::{
    fs, io,
    io::Write as _,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use super::{dotfiles, limit, skeleton};
use crate::{
    engine::{
        api::Result,
        docker::{
            container::{identity::give, planned::hostname},
            private_directory::private_directory,
            quota,
        },
    },
    model::{
        failure::Failure,
        id::{KernelId, SessionId},
        inside, own_line,
        resources::Bytes,
    },
    tree,
};

/// The directories that contain every session's files.
#[derive(Clone, Debug)]
pub(in crate::engine::docker) struct Scratches {
    root: PathBuf,
    /// Home directories that couldn't be removed, in a directory per session, beside the sessions.
    quarantine: PathBuf,
    dotfiles: PathBuf,
}

/// A created home directory.
pub(in crate::engine::docker) struct CreatedHome {
    pub(in crate::engine::docker) path: PathBuf,
    /// Notes for the user.
    pub(in crate::engine::docker) notes: Vec<String>,
}

/// The name of the directory beside the home directories that a container shares with this process.
const SHARED: &str = "run";

/// The name of a home directory; an unfinished one has a dot before it.
pub(in crate::engine::docker) fn dir_name(place: u32) -> String {
    match place {
        0 => "work".to_owned(),
        sub => hostname(sub),
    }
}

impl Scratches {
    pub(in crate::engine::docker) fn new(root: PathBuf, dotfiles: PathBuf) -> Self {
        let quarantine = root.with_file_name("quarantine");
        Self {
            root,
            quarantine,
            dotfiles,
        }
    }

    /// The directory of everything that is kept of a session.
    pub(in crate::engine::docker) fn of(&self, session: SessionId) -> PathBuf {
        self.root.join(session.to_string())
    }

    /// The session's home directory on this machine.
    pub(in crate::engine::docker) fn home(&self, session: SessionId) -> PathBuf {
        self.home_at(session, 0)
    }

    /// The directory that the session's main container shares with this process.
    pub(in crate::engine::docker) fn shared(&self, session: SessionId) -> PathBuf {
        self.of(session).join(SHARED)
    }

    fn home_at(&self, session: SessionId, place: u32) -> PathBuf {
        self.of(session).join(dir_name(place))
    }

    /// The saved log of an ended session's main container.
    pub(in crate::engine::docker) fn log(&self, session: SessionId) -> PathBuf {
        self.of(session).join("log")
    }

    /// The saved log of one container.
    pub(in crate::engine::docker) fn log_of(
        &self,
        session: SessionId,
        kernel: KernelId,
    ) -> PathBuf {
        self.of(session).join(format!("log.{kernel}"))
    }

    /// Creates the home directory of one of the session's containers with its first files, accessible only to
    /// `owner`. Doesn't change an existing home directory.
    pub(in crate::engine::docker) fn make(
        &self,
        session: SessionId,
        place: u32,
        owner: (u32, u32),
        (bootstrap, disk): (Option<&str>, Option<Bytes>),
    ) -> Result<CreatedHome> {
        let path = self.home_at(session, place);
        if path.is_dir() {
            let notes = limit::reapply(&path, disk).into_iter().collect();
            return Ok(CreatedHome { path, notes });
        }
        // Fills it under another name: the next attempt would take an unfinished home directory for a complete one.
        let half = self.of(session).join(format!(".{}", dir_name(place)));
        let made = quota::remove(&half)
            .and_then(|()| self.fill(&half, owner, (bootstrap, disk)))
            .and_then(|notes| fs::rename(&half, &path).map(|()| notes));
        let notes = made.map_err(|error| {
            let _ = quota::remove(&half);
            let _ = fs::remove_dir(self.of(session));
            Failure::internal(tr_sent!(
                "the session's home directory can't be created at {path}: {error}. Check its \
                 permissions and the free space",
                path = path.display(),
                error
            ))
        })?;
        Ok(CreatedHome { path, notes })
    }

    fn fill(
        &self,
        home: &Path,
        owner: (u32, u32),
        (bootstrap, disk): (Option<&str>, Option<Bytes>),
    ) -> io::Result<Vec<String>> {
        let mut notes = limit::create(home, disk)?;
        for (name, contents) in skeleton::FILES {
            let file = home.join(name);
            fs::write(&file, contents)?;
            give(&file, owner)?;
        }
        if let Err(why) = dotfiles::copy(&self.dotfiles, home, owner) {
            notes.push(own_line::warning(why));
        }
        if let Some(script) = bootstrap {
            write_script(&home.join(inside::BOOTSTRAP), script, owner)?;
        }
        give(home, owner)?;
        Ok(notes)
    }

    /// The existing home directories of all its containers, including those that couldn't be removed.
    pub(in crate::engine::docker) fn homes(&self, session: SessionId) -> Vec<PathBuf> {
        let places = [self.of(session), self.quarantined(session)];
        let found = places.iter().filter_map(|dir| homes(dir).ok());
        found.flatten().collect()
    }

    /// The existing home directory of its main container, also one that couldn't be removed.
    pub(in crate::engine::docker) fn main_home(&self, session: SessionId) -> Option<PathBuf> {
        let homes = [self.of(session), self.quarantined(session)];
        let homes = homes.map(|dir| dir.join(dir_name(0)));
        homes.into_iter().find(|home| home.is_dir())
    }

    fn quarantined(&self, session: SessionId) -> PathBuf {
        self.quarantine.join(session.to_string())
    }

    /// Removes the home directories; saved logs are kept.
    pub(in crate::engine::docker) fn discard(&self, session: SessionId) -> Result<()> {
        let dir = self.of(session);
        self.give_back(session)
            .map_err(|error| trouble(&dir, &error))?;
        for home in homes(&dir).map_err(|error| trouble(&dir, &error))? {
            quota::remove(&home).map_err(|error| trouble(&home, &error))?;
        }
        let shared = self.shared(session);
        tree::remove(&shared).map_err(|error| trouble(&shared, &error))?;
        // It is empty now unless it contains a log.
        let _ = fs::remove_dir(dir);
        Ok(())
    }

    /// Removes everything that is kept of the session.
    pub(in crate::engine::docker) fn forget(&self, session: SessionId) -> Result<()> {
        let places = [self.of(session), self.quarantined(session)];
        let tried = places.map(|dir| remove_session(&dir).map_err(|error| trouble(&dir, &error)));
        // Both are removed before the first error is returned.
        tried.into_iter().collect::<Result<Vec<()>>>()?;
        let _ = fs::remove_dir(&self.quarantine);
        Ok(())
    }

    /// Moves what couldn't be removed of a session to the quarantine, so that an incomplete home directory isn't
    /// taken for a complete one. Returns the error for the user, with the path.
    pub(in crate::engine::docker) fn set_aside(
        &self,
        session: SessionId,
        why: &Failure,
    ) -> Failure {
        let (dir, aside) = (self.of(session), self.quarantined(session));
        let moved = private_directory(&self.quarantine).and_then(|()| fs::rename(&dir, &aside));
        if let Err(error) = moved
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%session, %error, "a directory can't be moved to quarantine");
        }
        let place = if aside.exists() { aside } else { dir };
        // Both continue the sentence that names the session.
        let what = tr_sent!("The files it left can't be deleted: {why}", why);
        let hint = tr_sent!(
            "Delete {place}, with sudo if its files belong to another user. workbay also retries \
             automatically",
            place = place.display()
        );
        Failure::refused(what).hint(hint)
    }
}

/// Removes a session's directory, also if a home directory in it is a volume of its own.
fn remove_session(dir: &Path) -> io::Result<()> {
    // What can't be listed is left to the removal of the directory, which says why.
    let homes = homes(dir).unwrap_or_default();
    let removed: Vec<io::Result<()>> = homes.iter().map(|home| quota::remove(home)).collect();
    // The rest is removed before the first error is returned.
    let rest = tree::remove(dir);
    removed.into_iter().chain([rest]).collect()
}

/// Everything in a session's directory except its logs and what it shares with this process.
pub(in crate::engine::docker) fn homes(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let is_log = name == "log" || name.to_string_lossy().starts_with("log.");
        if !is_log && name != SHARED {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// Replaces a dotfile of the same name with the user's script.
fn write_script(path: &Path, script: &str, owner: (u32, u32)) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o700)
        .open(path)?;
    file.write_all(script.as_bytes())?;
    give(path, owner)
}

fn trouble(path: &Path, error: &io::Error) -> Failure {
    Failure::internal(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    use super::*;
    use crate::engine::docker::container::identity::caller;
    use crate::model::{failure::FailureKind, text::Clean};

    fn scratches(dir: &Path) -> Scratches {
        Scratches::new(dir.join("sessions"), dir.join("dotfiles"))
    }

    #[test]
    fn a_home_is_private_and_begins_with_its_files() {
        let dir = tempfile::tempdir().unwrap();
        let scratches = scratches(dir.path());
        let session = SessionId::from_u128(5);
        let home = scratches
            .make(session, 0, caller(), (None, None))
            .unwrap()
            .path;
        assert_eq!(fs::metadata(&home).unwrap().mode() & 0o777, 0o700);
        assert!(
            fs::read_to_string(home.join(".bashrc"))
                .unwrap()
                .contains("BACKENDAI_SESSION_NAME")
        );
        fs::write(home.join("mine"), "x").unwrap();
        scratches.make(session, 0, caller(), (None, None)).unwrap();
        assert!(
            home.join("mine").exists(),
            "an existing home was overwritten"
        );
    }

    #[test]
    fn a_home_has_the_users_files_and_the_script() {
        let dir = tempfile::tempdir().unwrap();
        let scratches = scratches(dir.path());
        fs::create_dir(dir.path().join("dotfiles")).unwrap();
        fs::write(dir.path().join("dotfiles/.vimrc"), "mine").unwrap();
        fs::write(dir.path().join("dotfiles/bootstrap.sh"), "theirs").unwrap();
        let session = SessionId::from_u128(8);
        let home = scratches
            .make(session, 2, caller(), (Some("echo hi"), None))
            .unwrap();
        assert!(home.path.ends_with("sub2") && home.notes.is_empty());
        let read = |name: &str| fs::read_to_string(home.path.join(name)).unwrap();
        assert_eq!(
            (read(".vimrc"), read("bootstrap.sh")),
            ("mine".into(), "echo hi".into())
        );
        let mode = fs::metadata(home.path.join("bootstrap.sh")).unwrap().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn a_stubborn_tree_is_removed_and_links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let outside = dir.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("precious"), "x").unwrap();
        let scratches = scratches(dir.path());
        let session = SessionId::from_u128(6);
        let home = scratches
            .make(session, 0, caller(), (None, None))
            .unwrap()
            .path;
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
    fn what_cannot_be_removed_is_set_aside_and_removed_later() {
        let dir = tempfile::tempdir().unwrap();
        let scratches = scratches(dir.path());
        let session = SessionId::from_u128(9);
        let home = scratches
            .make(session, 0, caller(), (None, None))
            .unwrap()
            .path;
        fs::write(home.join("large"), "x").unwrap();
        let why = Failure::internal("busy");
        let reported = scratches.set_aside(session, &why).to_string();
        assert_eq!(reported, "The files it left can't be deleted: busy");
        assert!(!scratches.of(session).exists());
        let aside = scratches.quarantined(session);
        assert!(aside.join("work/large").exists());
        assert_eq!(scratches.homes(session), [aside.join("work")]);
        // Again, with nothing left to move.
        let failure = scratches.set_aside(session, &why);
        assert_eq!(failure.kind, FailureKind::Refused, "{failure:?}");
        let hint = failure.hint.map(Clean::into_string);
        assert!(hint.unwrap().contains(aside.to_str().unwrap()));
        scratches.forget(session).unwrap();
        assert!(!scratches.quarantine.exists());
        scratches.forget(session).unwrap();
    }

    #[test]
    fn discarding_the_homes_keeps_the_logs() {
        let dir = tempfile::tempdir().unwrap();
        let scratches = scratches(dir.path());
        let session = SessionId::from_u128(7);
        let main = scratches.make(session, 0, caller(), (None, None)).unwrap();
        let sub = scratches.make(session, 1, caller(), (None, None)).unwrap();
        let of_sub = scratches.log_of(session, KernelId::from_u128(1));
        fs::write(scratches.log(session), "said").unwrap();
        fs::create_dir(scratches.shared(session)).unwrap();
        assert_eq!(scratches.homes(session).len(), 2);
        fs::write(&of_sub, "said").unwrap();
        scratches.discard(session).unwrap();
        assert!(!main.path.exists() && !sub.path.exists());
        assert!(!scratches.shared(session).exists());
        assert!(scratches.log(session).exists() && of_sub.exists());
        scratches.forget(session).unwrap();
        scratches.discard(session).unwrap();
    }
}
