//! Folders in containers: which directory is mounted where, and the way to it.

use std::path::{Path, PathBuf};

use bollard::models::Mount;

use super::{
    folders::{Shelf, make_way},
    host, mounts,
};
use crate::{
    engine::{api::Result, error::EngineError},
    model::{environment::EnvironmentSource, inside, spec::LaunchSpec},
};

/// A folder in a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bind {
    folder: String,
    source: PathBuf,
    pub(super) target: PathBuf,
    read_only: bool,
    /// It is mounted without being asked for.
    automatic: bool,
}

impl Bind {
    pub(super) fn mount(&self) -> Mount {
        if self.read_only {
            mounts::read_only(&self.source, &self.target)
        } else {
            mounts::writable(&self.source, &self.target)
        }
    }
}

/// Every folder of a launch, those further out first: the ones that were asked for, and those whose
/// names begin with a dot, which are in every session's home.
pub(super) fn of_spec(spec: &LaunchSpec, shelf: &Shelf) -> Result<Vec<Bind>> {
    let covered = covered(&spec.source);
    let mut binds: Vec<Bind> = Vec::new();
    for mounted in &spec.mounts {
        let target = PathBuf::from(&mounted.target);
        if let Some(dir) = covered.iter().find(|dir| target.starts_with(dir)) {
            return Err(EngineError::Refused(format!(
                "the folder {} cannot be mounted at {}: {} is read-only in this environment; mount \
                 it below {}",
                mounted.folder,
                mounted.target,
                dir.display(),
                inside::HOME
            )));
        }
        binds.push(Bind {
            folder: mounted.folder.clone(),
            source: shelf.find(&mounted.folder)?,
            target,
            read_only: mounted.read_only,
            automatic: false,
        });
    }
    binds.extend(automatic(&binds, shelf)?);
    binds.sort_by_key(|bind| bind.target.components().count());
    Ok(binds)
}

fn automatic(asked: &[Bind], shelf: &Shelf) -> Result<Vec<Bind>> {
    let names = shelf.names()?;
    let all = names.into_iter().filter(|name| name.starts_with('.'));
    let mut found = Vec::new();
    for folder in all {
        let target = Path::new(inside::HOME).join(&folder);
        let taken = |bind: &Bind| bind.folder == folder || bind.target == target;
        if !asked.iter().any(taken) {
            found.push(Bind {
                source: shelf.find(&folder)?,
                folder,
                target,
                read_only: false,
                automatic: true,
            });
        }
    }
    Ok(found)
}

/// Directories that hold this machine's files or ours: nothing can be mounted below them.
fn covered(source: &EnvironmentSource) -> Vec<PathBuf> {
    let mut dirs = vec![PathBuf::from(inside::TOOLBOX)];
    if *source == EnvironmentSource::Host {
        let targets = host::mounts().into_iter().filter_map(|mount| mount.target);
        dirs.extend(targets.map(PathBuf::from));
    }
    dirs
}

/// Makes the places in `home`, or in a folder further out, where the folders come: the engine would
/// make them as root. A folder nobody asked for and that cannot come is left out; the second part says
/// why.
pub(super) fn make_places(
    home: &Path,
    binds: &[Bind],
    owner: (u32, u32),
) -> Result<(Vec<Bind>, Vec<String>)> {
    let mut placed: Vec<Bind> = Vec::new();
    let mut notes = Vec::new();
    for bind in binds {
        let Some((root, below)) = ground(home, &placed, &bind.target) else {
            // Outside of the home the image is the container's own.
            placed.push(bind.clone());
            continue;
        };
        match make_way(&root, &below, owner) {
            Ok(()) => placed.push(bind.clone()),
            Err(error) => {
                let why = format!(
                    "the folder {} cannot be mounted at {}: no directory can be made there ({error})",
                    bind.folder,
                    bind.target.display()
                );
                if !bind.automatic {
                    return Err(EngineError::Refused(format!(
                        "{why}; choose another place for it"
                    )));
                }
                notes.push(format!("warning: {why}"));
            }
        }
    }
    Ok((placed, notes))
}

/// The directory of this machine that a target lies below, and the rest of the way.
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
        // The nearest: the shortest way that is left.
        .min_by_key(|(left, ..)| *left)
        .map(|(_, source, below)| (source.to_owned(), below.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        resources::{Bytes, Cpu},
        spec::Mounted,
    };

    fn me() -> (u32, u32) {
        (
            rustix::process::getuid().as_raw(),
            rustix::process::getgid().as_raw(),
        )
    }

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
    fn what_lies_further_out_is_mounted_first_and_the_way_is_made_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(dir.path().join("folders"));
        let home = dir.path().join("home");
        std::fs::create_dir(&home).unwrap();
        for name in ["data", "ro", ".cache"] {
            shelf.make(name, me()).unwrap();
        }
        let asked = [("data", "/home/work/ro/in/data"), ("ro", "/home/work/ro")];
        let binds = of_spec(&spec(image(), &asked), &shelf).unwrap();
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
        let (placed, notes) = make_places(&home, &binds, me()).unwrap();
        assert_eq!((placed.len(), notes.len()), (3, 0));
        assert!(home.join("ro").is_dir() && home.join(".cache").is_dir());
        assert!(shelf.find("ro").unwrap().join("in/data").is_dir());
        assert!(!home.join("ro/in").exists());
    }

    #[test]
    fn what_is_in_the_way_is_told_and_an_automatic_folder_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(dir.path().join("folders"));
        let home = dir.path().join("home");
        std::fs::create_dir(&home).unwrap();
        std::fs::write(home.join(".bashrc"), "").unwrap();
        shelf.make(".bashrc", me()).unwrap();
        let binds = of_spec(&spec(image(), &[]), &shelf).unwrap();
        let (placed, notes) = make_places(&home, &binds, me()).unwrap();
        assert!(placed.is_empty());
        assert!(notes[0].contains("/home/work/.bashrc"), "{notes:?}");
        let asked = spec(image(), &[(".bashrc", "/home/work/.bashrc")]);
        let binds = of_spec(&asked, &shelf).unwrap();
        let error = make_places(&home, &binds, me()).unwrap_err().to_string();
        assert!(error.contains("choose another place"), "{error}");
    }

    #[test]
    fn nothing_is_mounted_over_read_only_files() {
        let dir = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(dir.path().join("folders"));
        shelf.make("data", me()).unwrap();
        let host = spec(EnvironmentSource::Host, &[("data", "/usr/local/data")]);
        let error = of_spec(&host, &shelf).unwrap_err().to_string();
        assert!(error.contains("/usr is read-only"), "{error}");
        let toolbox = spec(image(), &[("data", "/opt/workbay/x")]);
        assert!(of_spec(&toolbox, &shelf).is_err());
        let fine = spec(image(), &[("data", "/usr/local/data")]);
        assert_eq!(of_spec(&fine, &shelf).unwrap().len(), 1);
        let missing = spec(image(), &[("none", "/home/work/none")]);
        assert!(of_spec(&missing, &shelf).is_err());
    }
}
