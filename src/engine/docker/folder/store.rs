//! Folders that survive sessions: directories of this machine that belong to the session's user.

use std::{
    collections::BTreeMap,
    fs, io,
    os::unix::fs::DirBuilderExt as _,
    path::{Component, Path, PathBuf},
};

use super::host_paths;
use crate::{
    engine::{
        api::Result,
        docker::{
            container::identity::{caller, give},
            quota,
        },
    },
    model::{
        failure::{Failure, FailureKind},
        launch_field::LaunchField,
        settings::HostPath,
    },
    rules::launch::folders::{TRASH, check_name, check_new_name},
};

/// The directory of all folders of the user, and the host paths of this machine.
#[derive(Clone, Debug)]
pub(in crate::engine::docker) struct FolderStore {
    pub(super) root: PathBuf,
    host_paths: Vec<HostPath>,
}

/// A folder's directory on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine::docker) struct FolderPlace {
    pub(in crate::engine::docker) path: PathBuf,
    pub(in crate::engine::docker) read_only: bool,
    /// Whether it is a host path, which workbay neither creates nor deletes.
    pub(in crate::engine::docker) is_of_machine: bool,
}

impl FolderStore {
    pub(in crate::engine::docker) fn new(root: PathBuf) -> Self {
        Self {
            root,
            host_paths: Vec::new(),
        }
    }

    #[must_use]
    pub(in crate::engine::docker) fn with_host_paths(mut self, host_paths: Vec<HostPath>) -> Self {
        self.host_paths = host_paths;
        self
    }

    /// All folders by name: the user's own, and the host paths whose name no folder of the user has.
    pub(super) fn places(&self) -> Result<BTreeMap<String, FolderPlace>> {
        let mut places: BTreeMap<String, FolderPlace> =
            host_paths::list(&self.host_paths).into_iter().collect();
        for name in self.names()? {
            let place = self.own(&name);
            places.insert(name, place);
        }
        Ok(places)
    }

    /// The folder of this name, if it exists.
    pub(in crate::engine::docker) fn place(&self, name: &str) -> Result<FolderPlace> {
        check_name(name).map_err(|why| refused(why, None))?;
        let own = self.own(name);
        let there =
            name != TRASH && fs::symlink_metadata(&own.path).is_ok_and(|meta| meta.is_dir());
        if there {
            return Ok(own);
        }
        if let Some(found) = host_paths::find(&self.host_paths, name)? {
            return Ok(found);
        }
        let why = tr_sent!(
            "folder '{name}' not found in {root}",
            name,
            root = self.root.display()
        );
        let error = refused(
            why,
            Some(tr_sent!(
                "run `workbay folder create`, or launch without the folder"
            )),
        );
        Err(Failure {
            kind: FailureKind::NotFound,
            ..error
        })
    }

    /// The directory of a folder that may be changed.
    pub(in crate::engine::docker) fn writable(&self, name: &str) -> Result<PathBuf> {
        let place = self.place(name)?;
        if !place.read_only {
            return Ok(place.path);
        }
        let text = tr_sent!("folder '{name}' is read-only", name);
        Err(Failure::refused(text).hint(tr_sent!(
            "[folders] host-paths in the system-wide configuration says so"
        )))
    }

    fn own(&self, name: &str) -> FolderPlace {
        FolderPlace {
            path: self.root.join(name),
            read_only: false,
            is_of_machine: false,
        }
    }

    /// A folder of the user, which can be renamed and deleted.
    pub(super) fn own_place(&self, name: &str) -> Result<PathBuf> {
        let place = self.place(name)?;
        if place.is_of_machine {
            let what = tr_sent!(
                "folder '{name}' is a directory of this machine ({path})",
                name,
                path = place.path.display()
            );
            return Err(refused(
                what,
                Some(tr_sent!(
                    "ask the administrator of this machine to change it"
                )),
            ));
        }
        Ok(place.path)
    }

    /// The folders' names in order; entries whose name isn't valid for a folder are ignored.
    pub(in crate::engine::docker) fn names(&self) -> Result<Vec<String>> {
        let entries = match fs::read_dir(&self.root) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.trouble(tr_sent!("can't be read"), &error)),
        };
        let mut names: Vec<String> = entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let name = entry.file_name().into_string().ok()?;
                let folder =
                    entry.file_type().ok()?.is_dir() && check_name(&name).is_ok() && name != TRASH;
                folder.then_some(name)
            })
            .collect();
        names.sort_unstable();
        Ok(names)
    }

    /// Fails if a host path has the name, which a folder of the user would hide.
    pub(super) fn check_free(&self, name: &str) -> Result<()> {
        match host_paths::find(&self.host_paths, name)? {
            None => Ok(()),
            Some(place) => {
                let path = place.path.display();
                let why = tr_sent!(
                    "the folder '{name}' of this machine has this name ({path})",
                    name,
                    path
                );
                Err(refused(why, Some(tr_sent!("use another name"))))
            }
        }
    }

    pub(in crate::engine::docker) fn make(&self, name: &str, owner: (u32, u32)) -> Result<()> {
        check_new_name(name).map_err(|why| refused(why, None))?;
        self.check_free(name)?;
        let place = self.root.join(name);
        let mut private = fs::DirBuilder::new();
        private.mode(0o700);
        private
            .recursive(true)
            .create(&self.root)
            .map_err(|error| self.trouble(tr_sent!("can't be created"), &error))?;
        match quota::create(&place) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let why = tr_sent!("folder '{name}' already exists", name);
                return Err(refused(why, Some(tr_sent!("use another name"))));
            }
            Err(error) => return Err(self.trouble(tr_sent!("can't be written"), &error)),
        }
        give(&place, owner).map_err(|error| {
            let _ = fs::remove_dir(&place);
            self.trouble(
                tr_sent!("can't be given to the user of the sessions"),
                &error,
            )
        })
    }

    /// The directory of an existing folder.
    #[cfg(test)]
    pub(super) fn find(&self, name: &str) -> Result<PathBuf> {
        self.place(name).map(|it| it.path)
    }

    pub(super) fn trouble(&self, what: &str, error: &io::Error) -> Failure {
        Failure::internal(tr_sent!(
            "the directory of folders {root} {what}: {error}. Check its owner and the free space",
            root = self.root.display(),
            what,
            error
        ))
    }
}

/// The error for a launch or a new folder with an invalid folder setting.
pub(in crate::engine::docker) fn refused(why: String, hint: Option<&str>) -> Failure {
    Failure::refused(why)
        .about(LaunchField::Folders)
        .maybe_hint(hint.map(str::to_owned))
}

/// Creates the missing directories of `below` in `root`, for `owner`. Anything else in the path is an error, even
/// a link: sessions write here, and a link may lead anywhere.
pub(in crate::engine::docker) fn create_path(
    root: &Path,
    below: &Path,
    owner: (u32, u32),
) -> io::Result<()> {
    use rustix::fs::{CWD, Mode, OFlags, fchown, mkdirat, openat};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let (uid, gid) = owner;
    let mut here = openat(CWD, root, flags, Mode::empty())?;
    for part in below.components() {
        let Component::Normal(name) = part else {
            return Err(io::Error::other(tr_sent!("the path contains ..")));
        };
        let next = match openat(&here, name, flags, Mode::empty()) {
            Err(rustix::io::Errno::NOENT) => {
                mkdirat(&here, name, Mode::from_raw_mode(0o755))?;
                let made = openat(&here, name, flags, Mode::empty())?;
                if caller() != owner {
                    let (uid, gid) = (
                        rustix::fs::Uid::from_raw(uid),
                        rustix::fs::Gid::from_raw(gid),
                    );
                    fchown(&made, Some(uid), Some(gid))?;
                }
                made
            }
            other => other?,
        };
        here = next;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_made_listed_and_found() {
        let dir = tempfile::tempdir().unwrap();
        let folder_store = FolderStore::new(dir.path().join("data/folders"));
        assert!(folder_store.names().unwrap().is_empty());
        folder_store.make("two", caller()).unwrap();
        folder_store.make("one", caller()).unwrap();
        fs::write(dir.path().join("data/folders/file"), "").unwrap();
        std::os::unix::fs::symlink("/etc", dir.path().join("data/folders/link")).unwrap();
        assert_eq!(folder_store.names().unwrap(), ["one", "two"]);
        assert!(folder_store.find("one").unwrap().is_dir());
        let taken = folder_store.make("one", caller()).unwrap_err().to_string();
        assert!(taken.contains("'one' already exists"), "{taken}");
        for bad in ["../x", "", "a/b"] {
            assert!(folder_store.make(bad, caller()).is_err(), "{bad} was taken");
            assert!(folder_store.find(bad).is_err(), "{bad} was found");
        }
        for missing in ["none", "link", "file"] {
            let error = folder_store.find(missing).unwrap_err().to_string();
            assert!(error.contains("not found"), "{error}");
        }
    }

    #[test]
    fn a_way_is_made_and_never_over_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (inner, outer) = (dir.path().join("in"), dir.path().join("out"));
        fs::create_dir(&inner).unwrap();
        fs::create_dir(&outer).unwrap();
        create_path(&inner, Path::new("a/b/c"), caller()).unwrap();
        create_path(&inner, Path::new("a/b/c"), caller()).unwrap();
        assert!(inner.join("a/b/c").is_dir());
        std::os::unix::fs::symlink(&outer, inner.join("link")).unwrap();
        assert!(create_path(&inner, Path::new("link/x"), caller()).is_err());
        assert!(!outer.join("x").exists());
        fs::write(inner.join("file"), "").unwrap();
        assert!(create_path(&inner, Path::new("file"), caller()).is_err());
        assert!(create_path(&inner, Path::new("../out/x"), caller()).is_err());
        assert!(!outer.join("x").exists());
    }
}
