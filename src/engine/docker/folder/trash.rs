//! The trash: deleted folders, until they are restored or purged.
//!
//! A folder in the trash is the directory `.trash/TIME.NAME` beside the folders, TIME in milliseconds since 1970. So
//! deleting and restoring are one rename each, and a crash leaves a folder either here or there. A folder that is being
//! purged is `.trash/purge.TIME.NAME`, and a copy that isn't complete `.trash/clone.ID`: what a killed daemon left of
//! them is removed by the next one ([`FolderStore::leftovers`]).

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use rustix::{
    fs::{CWD, FlockOperation, RenameFlags, flock, renameat_with},
    io::Errno,
};

use super::store::{FolderStore, refused};
use crate::{
    engine::{
        api::Result,
        docker::{private_directory::private_directory, quota},
    },
    model::{
        failure::{Failure, FailureKind},
        launch_field::LaunchField,
        text::Clean,
    },
    rules::launch::folders::{TRASH, check_name, check_new_name},
};

const PURGING: &str = "purge.";
pub(super) const CLONING: &str = "clone.";
/// The copy in its directory.
pub(super) const COPY: &str = "copy";
/// The digits of the time in a name.
const DIGITS: usize = 13;

/// A folder in the trash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TrashedFolder {
    /// `TIME.NAME`.
    pub id: String,
    pub name: String,
    pub at: Timestamp,
    pub path: PathBuf,
}

impl TrashedFolder {
    fn read(trash: &Path, id: String) -> Option<Self> {
        let (time, name) = id.split_once('.')?;
        if time.len() != DIGITS || check_name(name).is_err() {
            return None;
        }
        let at = Timestamp::from_millisecond(time.parse().ok()?).ok()?;
        Some(Self {
            name: name.to_owned(),
            at,
            path: trash.join(&id),
            id,
        })
    }
}

impl FolderStore {
    pub(super) fn trash_dir(&self) -> PathBuf {
        self.root.join(TRASH)
    }

    /// Creates the directory of the trash.
    pub(super) fn make_trash(&self) -> Result<PathBuf> {
        let trash = self.trash_dir();
        private_directory(&trash)
            .map_err(|error| self.trouble(tr_sent!("can't be written"), &error))?;
        Ok(trash)
    }

    pub(super) fn trashed(&self) -> Result<Vec<TrashedFolder>> {
        let trash = self.trash_dir();
        let entries = match fs::read_dir(&trash) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.trouble(tr_sent!("can't be read"), &error)),
        };
        let found = entries.filter_map(|entry| {
            let entry = entry.ok()?;
            let is_folder = entry.file_type().ok()?.is_dir();
            let id = entry.file_name().into_string().ok()?;
            is_folder.then(|| TrashedFolder::read(&trash, id))?
        });
        let mut found: Vec<TrashedFolder> = found.collect();
        found.sort_by(|one, other| one.id.cmp(&other.id));
        Ok(found)
    }

    /// The folder in the trash that a word means: an id, or a name, if only one has it.
    pub(super) fn find_trashed(&self, word: &str) -> Result<TrashedFolder> {
        let mut found = self.trashed()?;
        if let Some(at) = found.iter().position(|it| it.id == word) {
            return Ok(found.swap_remove(at));
        }
        found.retain(|it| it.name == word);
        let shown = Clean::new(word);
        match found.len() {
            0 => Err(
                Failure::not_found(tr_sent!("folder '{shown}' isn't in the trash", shown))
                    .about(LaunchField::Folders)
                    .hint(tr_sent!("run `workbay folder ls --trash`")),
            ),
            1 => Ok(found.swap_remove(0)),
            n => Err(refused(
                tr_sent!(
                    "the trash has {n} folders with the name '{shown}'",
                    n,
                    shown
                ),
                Some(tr_sent!(
                    "use the id. `workbay folder ls --trash` lists the ids"
                )),
            )),
        }
    }

    /// Moves a folder to the trash.
    pub(super) fn trash(&self, name: &str, now: Timestamp) -> Result<()> {
        let from = self.own_place(name)?;
        let trash = self.make_trash()?;
        let mut time = now.as_millisecond().max(0);
        loop {
            let to = trash.join(format!("{time:0DIGITS$}.{name}"));
            match Self::move_to(&from, &to) {
                Err(Errno::EXIST) => time += 1,
                Ok(()) => return Ok(()),
                Err(error) => return Err(self.not_moved(name, error)),
            }
        }
    }

    /// Moves a folder out of the trash, and returns its name.
    pub(super) fn restore(&self, word: &str) -> Result<String> {
        let TrashedFolder { name, path, .. } = self.find_trashed(word)?;
        self.check_free(&name)?;
        match Self::move_to(&path, &self.root.join(&name)) {
            Ok(()) => Ok(name),
            Err(Errno::EXIST) => Err(taken(&name).hint(tr_sent!(
                "rename it first: `workbay folder rename {name} NEW-NAME`",
                name
            ))),
            Err(error) => Err(self.not_moved(&name, error)),
        }
    }

    pub(super) fn rename(&self, name: &str, new: &str) -> Result<()> {
        check_new_name(new).map_err(|why| refused(why, None))?;
        let from = self.own_place(name)?;
        if name == new {
            return Ok(());
        }
        self.check_free(new)?;
        match Self::move_to(&from, &self.root.join(new)) {
            Ok(()) => Ok(()),
            Err(Errno::EXIST) => Err(taken(new).hint(tr_sent!("use another name"))),
            Err(error) => Err(self.not_moved(name, error)),
        }
    }

    /// Takes a folder out of the trash for good. What is returned is to be deleted with everything in it.
    pub(super) fn begin_purge(&self, word: &str) -> Result<PathBuf> {
        let TrashedFolder { id, name, path, .. } = self.find_trashed(word)?;
        let purging = self.trash_dir().join(format!("{PURGING}{id}"));
        match Self::move_to(&path, &purging) {
            Ok(()) => Ok(purging),
            Err(error) => Err(self.not_moved(&name, error)),
        }
    }

    /// What killed daemons left: directories that are to be deleted.
    pub(super) fn leftovers(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.trash_dir()) else {
            return Vec::new();
        };
        let left = entries.filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let is_left = name.starts_with(PURGING)
                || (name.starts_with(CLONING) && lock(&entry.path()).is_some());
            is_left.then(|| entry.path())
        });
        left.collect()
    }

    /// Renames a directory in one step that a power loss doesn't undo. Never replaces anything.
    pub(super) fn move_to(from: &Path, to: &Path) -> rustix::io::Result<()> {
        renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?;
        for changed in [from.parent(), to.parent()].into_iter().flatten() {
            // The move is done. That it is stored can't be waited for everywhere.
            let _ = File::open(changed).and_then(|dir| dir.sync_all());
        }
        Ok(())
    }

    fn not_moved(&self, name: &str, error: Errno) -> Failure {
        match error {
            Errno::NOENT => Failure {
                kind: FailureKind::NotFound,
                ..refused(
                    tr_sent!("folder '{name}' doesn't exist any more", name),
                    Some(tr_sent!("run `workbay folder ls`")),
                )
            },
            Errno::BUSY => refused(
                tr_sent!("folder '{name}' is a mount point of this machine", name),
                Some(tr_sent!("unmount it first")),
            ),
            error => self.trouble(tr_sent!("can't be written"), &error.into()),
        }
    }
}

/// Locks an unfinished copy, which its daemon keeps locked as long as it lives.
pub(super) fn lock(path: &Path) -> Option<File> {
    let directory = File::open(path).ok()?;
    flock(&directory, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some(directory)
}

/// Deletes a directory of the trash. An unfinished copy in it can be a file system of its own.
pub(super) fn remove_trashed(path: &Path) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.starts_with(CLONING) {
        quota::remove(&path.join(COPY))?;
    }
    quota::remove(path)
}

fn taken(name: &str) -> Failure {
    refused(tr_sent!("folder '{name}' already exists", name), None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::docker::container::identity::caller;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + second).unwrap()
    }

    fn store() -> (tempfile::TempDir, FolderStore) {
        let dir = tempfile::tempdir().unwrap();
        let store = FolderStore::new(dir.path().join("folders"));
        for name in ["one", "two"] {
            store.make(name, caller()).unwrap();
            fs::write(store.root.join(name).join("file"), name).unwrap();
        }
        (dir, store)
    }

    #[test]
    fn a_folder_goes_to_the_trash_and_back() {
        let (_dir, store) = store();
        store.trash("one", at(0)).unwrap();
        assert_eq!(
            store.names().unwrap(),
            ["two"],
            "the trash isn't listed as a folder"
        );
        assert!(store.place("one").is_err() && store.place(TRASH).is_err());
        let [trashed] = &store.trashed().unwrap()[..] else {
            panic!("{:?}", store.trashed());
        };
        assert_eq!((trashed.name.as_str(), trashed.at), ("one", at(0)));
        assert_eq!(store.restore("one").unwrap(), "one");
        assert_eq!(
            fs::read_to_string(store.root.join("one/file")).unwrap(),
            "one"
        );
        assert!(store.trashed().unwrap().is_empty());
    }

    #[test]
    fn a_name_that_is_taken_stays_as_it_is() {
        let (_dir, store) = store();
        store.trash("one", at(0)).unwrap();
        store.make("one", caller()).unwrap();
        let error = store.restore("one").unwrap_err();
        assert!(
            error.to_string().contains("'one' already exists"),
            "{error}"
        );
        assert!(error.hint.unwrap().as_str().contains("folder rename one"));
        assert!(store.rename("one", "two").is_err());
        assert_eq!(
            fs::read_to_string(store.root.join("two/file")).unwrap(),
            "two"
        );
        assert!(store.rename("one", ".ssh").is_err(), "it is reserved");
        store.rename("one", "three").unwrap();
        assert_eq!(store.names().unwrap(), ["three", "two"]);
        assert_eq!(store.trashed().unwrap().len(), 1);
    }

    #[test]
    fn folders_of_one_name_are_distinguished_by_their_ids() {
        let (_dir, store) = store();
        store.trash("one", at(0)).unwrap();
        store.make("one", caller()).unwrap();
        store.trash("one", at(0)).unwrap();
        let error = store.restore("one").unwrap_err().to_string();
        assert!(error.contains("2 folders"), "{error}");
        let first = store.trashed().unwrap().remove(0);
        store.restore(&first.id).unwrap();
        assert_eq!(
            fs::read_to_string(store.root.join("one/file")).unwrap(),
            "one"
        );
    }

    #[test]
    fn the_longest_name_fits_into_the_trash() {
        let (_dir, store) = store();
        let long = "자".repeat(64);
        store.make(&long, caller()).unwrap();
        store.trash(&long, at(0)).unwrap();
        let purging = store.begin_purge(&long).unwrap();
        assert!(purging.is_dir());
    }

    #[test]
    fn what_a_killed_daemon_left_is_found_and_a_running_copy_is_not() {
        let (_dir, store) = store();
        store.trash("one", at(0)).unwrap();
        store.trash("two", at(1)).unwrap();
        let purging = store.begin_purge("one").unwrap();
        let (dead, alive) = (
            store.trash_dir().join("clone.a"),
            store.trash_dir().join("clone.b"),
        );
        fs::create_dir(&dead).unwrap();
        fs::create_dir(&alive).unwrap();
        let held = lock(&alive).unwrap();
        let mut left = store.leftovers();
        left.sort();
        assert_eq!(left, [dead, purging]);
        drop(held);
        assert_eq!(store.leftovers().len(), 3);
        assert_eq!(store.trashed().unwrap().len(), 1, "two can be restored");
    }

    #[test]
    fn words_that_lead_elsewhere_are_refused() {
        let (_dir, store) = store();
        for bad in ["..", "../folders", "one/..", "", TRASH] {
            assert!(store.trash(bad, at(0)).is_err(), "{bad}");
            assert!(store.rename("one", bad).is_err(), "{bad}");
            assert!(store.restore(bad).is_err() && store.begin_purge(bad).is_err());
        }
        let outside = store.root.parent().unwrap().join("outside");
        fs::create_dir(&outside).unwrap();
        std::os::unix::fs::symlink(&outside, store.root.join("link")).unwrap();
        assert!(store.trash("link", at(0)).is_err());
        assert!(outside.exists());
    }
}
