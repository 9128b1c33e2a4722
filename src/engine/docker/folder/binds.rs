//! Folders in containers: which directory is mounted where, and the directories above the mount.

use std::path::{Path, PathBuf};

use bollard::models::Mount;

use super::{
    access, mounts,
    store::{FolderStore, create_path, refused},
};
use crate::engine::docker::image::host;
use crate::{
    engine::api::Result,
    model::{environment::EnvironmentSource, inside, own_line, spec::LaunchSpec},
};

/// A folder in a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine::docker) struct Bind {
    folder: String,
    source: PathBuf,
    pub(in crate::engine::docker) target: PathBuf,
    read_only: bool,
    /// Whether it is a host path, whose files keep their owners.
    is_of_machine: bool,
    /// Whether it is an automounted folder.
    automatic: bool,
}

impl Bind {
    /// Lets users of this machine use the folder's files, and what is created there later. Host paths keep their access.
    pub(in crate::engine::docker) fn open_to(&self, users: &[u32]) -> std::io::Result<()> {
        if self.is_of_machine {
            return Ok(());
        }
        access::open_to(&self.source, users)
    }

    pub(in crate::engine::docker) fn mount(&self) -> Mount {
        if self.read_only {
            mounts::read_only(&self.source, &self.target)
        } else {
            mounts::writable(&self.source, &self.target)
        }
    }
}

/// Every folder of a launch, outer folders first. An automounted folder that is gone is left out, and a note in
/// the second part says so.
pub(in crate::engine::docker) fn of_spec(
    spec: &LaunchSpec,
    folder_store: &FolderStore,
) -> Result<(Vec<Bind>, Vec<String>)> {
    let covered = covered(&spec.source);
    let (mut binds, mut notes) = (Vec::new(), Vec::new());
    for mounted in &spec.mounts {
        let target = PathBuf::from(&mounted.target);
        if let Some(dir) = covered.iter().find(|dir| target.starts_with(dir)) {
            let why = tr_sent!(
                "folder {folder} can't be mounted at {target}: {dir} is read-only in this environment",
                folder = mounted.folder,
                target = mounted.target,
                dir = dir.display()
            );
            return Err(refused(why, Some(tr_sent!("mount it below /home/work"))));
        }
        let automatic = mounted.is_automatic();
        match folder_store.place(&mounted.folder) {
            Ok(place) => binds.push(Bind {
                folder: mounted.folder.clone(),
                source: place.path,
                target,
                read_only: mounted.read_only || place.read_only,
                is_of_machine: place.is_of_machine,
                automatic,
            }),
            Err(error) if automatic => notes.push(own_line::warning(error)),
            Err(error) => return Err(error),
        }
    }
    binds.sort_by_key(|bind: &Bind| bind.target.components().count());
    Ok((binds, notes))
}

/// Directories with files of this machine or of workbay: no folder can be mounted inside them.
fn covered(source: &EnvironmentSource) -> Vec<PathBuf> {
    let mut dirs = vec![PathBuf::from(inside::TOOLBOX)];
    if *source == EnvironmentSource::Host {
        let targets = host::mounts().into_iter().filter_map(|mount| mount.target);
        dirs.extend(targets.map(PathBuf::from));
    }
    dirs
}

/// Creates the mount points of folders in `home` or in an outer folder: the engine would create them as root.
/// An automounted folder that can't be mounted is left out, and a note in the second part says why.
pub(in crate::engine::docker) fn make_places(
    home: &Path,
    binds: &[Bind],
    owner: (u32, u32),
) -> Result<(Vec<Bind>, Vec<String>)> {
    let mut placed: Vec<Bind> = Vec::new();
    let mut notes = Vec::new();
    for bind in binds {
        let Some((root, below)) = ground(home, &placed, &bind.target) else {
            // Outside of the home directory, the engine creates mount points in the container's own file system.
            placed.push(bind.clone());
            continue;
        };
        let is_foreign = |it: &Bind| it.is_of_machine && it.read_only && it.source == root;
        let created = if placed.iter().any(is_foreign) && !root.join(&below).is_dir() {
            Err(std::io::Error::other(tr_sent!("its folder is read-only")))
        } else {
            create_path(&root, &below, owner)
        };
        match created {
            Ok(()) => placed.push(bind.clone()),
            Err(error) => {
                let why = tr_sent!(
                    "folder {folder} can't be mounted at {target}: the directory can't be created ({error})",
                    folder = bind.folder,
                    target = bind.target.display(),
                    error
                );
                if !bind.automatic {
                    return Err(refused(why, Some(tr_sent!("choose another path"))));
                }
                notes.push(own_line::warning(why));
            }
        }
    }
    Ok((placed, notes))
}

/// The directory of this machine that contains the target, and the rest of the path.
fn ground(home: &Path, placed: &[Bind], target: &Path) -> Option<(PathBuf, PathBuf)> {
    let outer = placed
        .iter()
        .map(|bind| (bind.target.as_path(), bind.source.as_path()));
    std::iter::once((Path::new(inside::HOME), home))
        .chain(outer)
        .filter_map(|(place, source)| {
            let below = target.strip_prefix(place).ok()?;
            Some((below.components().count(), source, below))
        })
        // The nearest directory leaves the shortest path.
        .min_by_key(|(left, ..)| *left)
        .map(|(_, source, below)| (source.to_owned(), below.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::docker::container::identity::caller;
    use crate::model::{
        resources::{Bytes, Cpu},
        spec::Mounted,
    };

    fn spec(source: EnvironmentSource, mounts: &[(&str, &str)]) -> LaunchSpec {
        LaunchSpec {
            mounts: mounts
                .iter()
                .map(|(folder, target)| Mounted {
                    folder: (*folder).to_owned(),
                    target: (*target).to_owned(),
                    read_only: *folder == "ro",
                })
                .collect(),
            ..LaunchSpec::new(
                source,
                "x:1".into(),
                Cpu::from_millis(500),
                Bytes::mib(64),
                Bytes::mib(16),
            )
        }
    }

    fn image() -> EnvironmentSource {
        EnvironmentSource::Image {
            reference: "x:1".into(),
        }
    }

    #[test]
    fn outer_mounts_come_first_and_the_inner_paths_are_created_in_them() {
        let dir = tempfile::tempdir().unwrap();
        let folder_store = FolderStore::new(dir.path().join("folders"));
        let home = dir.path().join("home");
        std::fs::create_dir(&home).unwrap();
        for name in ["data", "ro", ".cache"] {
            folder_store.make(name, caller()).unwrap();
        }
        let asked = [
            ("data", "/home/work/ro/in/data"),
            ("ro", "/home/work/ro"),
            (".cache", "/home/work/.cache"),
            (".gone", "/home/work/.gone"),
        ];
        let (binds, notes) = of_spec(&spec(image(), &asked), &folder_store).unwrap();
        assert!(notes[0].contains("'.gone'"), "{notes:?}");
        let targets: Vec<&str> = binds.iter().map(|b| b.target.to_str().unwrap()).collect();
        assert_eq!(
            targets,
            [
                "/home/work/ro",
                "/home/work/.cache",
                "/home/work/ro/in/data"
            ]
        );
        assert_eq!(binds[0].mount().read_only, Some(true));
        let (placed, notes) = make_places(&home, &binds, caller()).unwrap();
        assert_eq!((placed.len(), notes.len()), (3, 0));
        assert!(home.join("ro").is_dir() && home.join(".cache").is_dir());
        assert!(folder_store.find("ro").unwrap().join("in/data").is_dir());
        assert!(!home.join("ro/in").exists());
    }

    #[test]
    fn what_is_in_the_way_is_reported_and_an_automatic_folder_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let folder_store = FolderStore::new(dir.path().join("folders"));
        let home = dir.path().join("home");
        std::fs::create_dir(&home).unwrap();
        std::fs::write(home.join(".bashrc"), "").unwrap();
        // An earlier version created folders with reserved names.
        std::fs::create_dir_all(dir.path().join("folders/.bashrc")).unwrap();
        folder_store.make("data", caller()).unwrap();
        let asked = spec(image(), &[(".bashrc", "/home/work/.bashrc")]);
        let (binds, _) = of_spec(&asked, &folder_store).unwrap();
        let (placed, notes) = make_places(&home, &binds, caller()).unwrap();
        assert!(placed.is_empty());
        assert!(notes[0].contains("/home/work/.bashrc"), "{notes:?}");
        let asked = spec(image(), &[("data", "/home/work/.bashrc")]);
        let (binds, _) = of_spec(&asked, &folder_store).unwrap();
        let error = make_places(&home, &binds, caller())
            .unwrap_err()
            .to_string();
        assert!(error.contains("the directory can't be created"), "{error}");
    }

    #[test]
    fn nothing_is_mounted_over_read_only_files() {
        let dir = tempfile::tempdir().unwrap();
        let folder_store = FolderStore::new(dir.path().join("folders"));
        folder_store.make("data", caller()).unwrap();
        let host = spec(EnvironmentSource::Host, &[("data", "/usr/local/data")]);
        let error = of_spec(&host, &folder_store).unwrap_err().to_string();
        assert!(error.contains("/usr is read-only"), "{error}");
        let toolbox = spec(image(), &[("data", "/opt/workbay/x")]);
        assert!(of_spec(&toolbox, &folder_store).is_err());
        let fine = spec(image(), &[("data", "/usr/local/data")]);
        assert_eq!(of_spec(&fine, &folder_store).unwrap().0.len(), 1);
        let missing = spec(image(), &[("none", "/home/work/none")]);
        assert!(of_spec(&missing, &folder_store).is_err());
    }
}
