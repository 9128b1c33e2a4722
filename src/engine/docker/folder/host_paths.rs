//! Directories of this machine that the system-wide configuration opens to sessions (`[folders] host-paths`).
//!
//! The configured path is trusted. What is in it may belong to any user, so a directory that `*` stands for is opened
//! without following a link.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags, accessat, openat};

use super::store::{FolderPlace, refused};
use crate::{
    engine::{api::Result, docker::container::identity::caller},
    model::settings::HostPath,
    rules::launch::folders::check_name,
};

/// How many directories `*` stands for at most.
const MOST: usize = 1000;

/// All folders that exist now, with their names. The first of several with one name counts.
pub(super) fn list(host_paths: &[HostPath]) -> Vec<(String, FolderPlace)> {
    let mut found: Vec<(String, FolderPlace)> = Vec::new();
    for allowed in host_paths {
        for name in names(allowed) {
            if found.iter().any(|(known, _)| *known == name) {
                continue;
            }
            if let Ok(Some(place)) = find_in(allowed, &name) {
                found.push((name, place));
            }
        }
    }
    found
}

/// The folder of this name. A link in place of its directory is an error.
pub(super) fn find(host_paths: &[HostPath], name: &str) -> Result<Option<FolderPlace>> {
    for allowed in host_paths {
        if let Some(place) = find_in(allowed, name)? {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

/// Whether a host path can have this name. Names with a dot would be mounted into every session.
fn is_name(name: &str) -> bool {
    check_name(name).is_ok() && !name.starts_with('.')
}

fn own_name(allowed: &HostPath) -> Option<&str> {
    allowed.path.file_name()?.to_str().filter(|it| is_name(it))
}

fn names(allowed: &HostPath) -> Vec<String> {
    if !allowed.each {
        return own_name(allowed).map(str::to_owned).into_iter().collect();
    }
    let Ok(entries) = fs::read_dir(&allowed.path) else {
        return Vec::new();
    };
    let names = entries.filter_map(|entry| {
        let entry = entry.ok()?;
        let is_directory = entry.file_type().ok()?.is_dir();
        let name = entry.file_name().into_string().ok()?;
        (is_directory && is_name(&name)).then_some(name)
    });
    let mut names: Vec<String> = names.take(MOST).collect();
    names.sort_unstable();
    names
}

fn find_in(allowed: &HostPath, name: &str) -> Result<Option<FolderPlace>> {
    if !is_name(name) || (!allowed.each && own_name(allowed) != Some(name)) {
        return Ok(None);
    }
    let Ok(configured) = fs::canonicalize(&allowed.path) else {
        return Ok(None);
    };
    let path = if allowed.each {
        configured.join(name)
    } else {
        configured
    };
    let Ok(meta) = fs::symlink_metadata(&path) else {
        return Ok(None);
    };
    if meta.is_symlink() {
        let why = tr_sent!(
            "folder '{name}' can't be mounted: {path} is a link",
            name,
            path = path.display()
        );
        return Err(refused(
            why,
            Some(tr_sent!(
                "mount the directory that it leads to, if it is a folder"
            )),
        ));
    }
    if !meta.is_dir() || !is_readable(&path) {
        return Ok(None);
    }
    Ok(Some(FolderPlace {
        read_only: allowed.read_only || !is_writable(&path),
        path,
        is_of_machine: true,
    }))
}

/// Opens it once without following a link: the check above doesn't hold for long.
fn is_readable(path: &PathBuf) -> bool {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(CWD, path, flags, Mode::empty()).is_ok()
}

/// Whether sessions could write there. Sessions of root run as another user, so then it isn't known.
fn is_writable(path: &Path) -> bool {
    caller().0 == 0 || accessat(CWD, path, Access::WRITE_OK, AtFlags::empty()).is_ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn allowed(text: String) -> HostPath {
        text.parse().unwrap()
    }

    #[test]
    fn each_directory_is_a_folder_and_links_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (data, outside) = (dir.path().join("data"), dir.path().join("outside"));
        for path in [
            "data/one",
            "data/two",
            "data/.snapshot",
            "outside",
            "scratch",
        ] {
            fs::create_dir_all(dir.path().join(path)).unwrap();
        }
        fs::write(data.join("file"), "").unwrap();
        symlink(&outside, data.join("link")).unwrap();
        let rules = [
            allowed(format!("{}/*:ro", data.display())),
            allowed(format!("{}/scratch", dir.path().display())),
            allowed(format!("{}/none", dir.path().display())),
        ];
        let found = list(&rules);
        let shown: Vec<(&str, bool)> = found
            .iter()
            .map(|(name, place)| (name.as_str(), place.read_only))
            .collect();
        assert_eq!(shown, [("one", true), ("two", true), ("scratch", false)]);
        let error = find(&rules, "link").unwrap_err().to_string();
        assert!(error.contains("is a link"), "{error}");
        for missing in ["file", ".snapshot", "..", "data", "outside", "none"] {
            assert_eq!(find(&rules, missing).unwrap(), None, "{missing}");
        }
        let one = find(&rules, "one").unwrap().unwrap();
        assert_eq!(one.path, fs::canonicalize(data.join("one")).unwrap());
        assert!(one.is_of_machine);
    }

    #[test]
    fn paths_are_read_and_printed() {
        for text in ["/data/*:ro", "/scratch", "/a/b"] {
            assert_eq!(allowed(text.to_owned()).to_string(), text);
        }
        assert_eq!(allowed("/scratch:rw".to_owned()).to_string(), "/scratch");
        for bad in ["data", "/", "/*", "/a/*/b", "/a/../b", "/a*", "", "/a:b"] {
            assert!(bad.parse::<HostPath>().is_err(), "{bad} was taken");
        }
    }
}
