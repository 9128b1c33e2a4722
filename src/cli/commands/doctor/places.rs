//! Checks the directories in which workbay keeps its files.

use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use rustix::fs::{Access, access, statfs};

use super::{Finding, Level};
use crate::{
    config::paths::Paths,
    model::{resources::Bytes, settings::warning_limit, shared_files},
    space::DiskSpace,
};

/// With less free space, writing soon fails.
const NO_ROOM: Bytes = Bytes::mib(8);

/// The flag of `statfs` for a read-only file system.
const READ_ONLY: i64 = 1;

/// `warn_below` is the setting `[disk] warn-below`, `advice` has the commands that free the most space.
pub fn examine(paths: &Paths, warn_below: Bytes, advice: Option<&str>) -> Vec<Finding> {
    let mut findings = vec![
        directory(tr!("configuration directory"), &paths.config_dir, false),
        directory(tr!("state directory"), &paths.state_dir, true),
        directory(tr!("cache directory"), &paths.cache_dir, false),
        directory(tr!("runtime directory"), &paths.runtime_dir, true),
    ];
    findings.extend(file_system(&paths.state_dir, warn_below, advice));
    findings
}

/// Whether the directory exists, belongs to this user, is private if it must be, and is writable.
fn directory(topic: &'static str, path: &Path, private: bool) -> Finding {
    let shown = path.display();
    let Ok(meta) = fs::metadata(path) else {
        return not_there(topic, path);
    };
    let me = rustix::process::geteuid().as_raw();
    let mode = meta.mode() & 0o777;
    if !meta.is_dir() {
        return Finding::bad(topic, tr!("{shown} isn't a directory", shown))
            .hint(tr!("move {shown} to another place", shown));
    }
    if meta.uid() != me {
        let message = tr!(
            "{shown} must belong to you, but belongs to user {uid}",
            shown,
            uid = meta.uid()
        );
        return Finding::bad(topic, message).hint(format!("sudo chown -R $USER {shown}"));
    }
    if access(path, Access::WRITE_OK).is_err() {
        return Finding::bad(topic, tr!("{shown} isn't writable", shown))
            .hint(format!("chmod u+rwx {shown}"));
    }
    if private && mode & 0o077 != 0 {
        let mode = format!("{mode:03o}");
        let message = tr!(
            "{shown} is accessible to other users (mode {mode})",
            shown,
            mode
        );
        return Finding::warn(topic, message).hint(format!("chmod 700 {shown}"));
    }
    let mode = format!("{mode:03o}");
    Finding::ok(topic, tr!("{shown} (mode {mode})", shown, mode))
}

fn not_there(topic: &'static str, path: &Path) -> Finding {
    let above = nearest(path);
    let shown = path.display();
    if access(&above, Access::WRITE_OK).is_ok() {
        return Finding::ok(topic, tr!("{shown} (created when needed)", shown));
    }
    let message = tr!(
        "{shown} doesn't exist and can't be created: you can't write to {above}",
        shown,
        above = above.display()
    );
    Finding::bad(topic, message).hint(tr!(
        "create {shown}, or set its WORKBAY_…_DIR variable to another directory",
        shown
    ))
}

/// The nearest existing directory above.
fn nearest(path: &Path) -> PathBuf {
    let above = path.ancestors().find(|above| above.exists());
    above.unwrap_or(Path::new("/")).to_path_buf()
}

/// A network file system breaks locks and the database's log. A full one breaks everything.
fn file_system(state: &Path, warn_below: Bytes, advice: Option<&str>) -> Vec<Finding> {
    let place = nearest(state);
    let Ok(facts) = statfs(&place) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    if let Some(name) = shared_files::name_of(facts.f_type as u32) {
        let message = tr!(
            "{place} is on {name}, where locks and databases are slow or unsafe",
            place = place.display(),
            name
        );
        findings.push(
            Finding::warn(tr_later!("state directory"), message).hint(tr!(
                "set WORKBAY_STATE_DIR to a directory on a disk of this machine"
            )),
        );
    }
    let Ok(DiskSpace {
        total: whole,
        free: room,
    }) = DiskSpace::at(&place)
    else {
        return findings;
    };
    let message = tr!("{room} free at {place}", room, place = place.display());
    if facts.f_flags & READ_ONLY != 0 {
        let message = tr!(
            "the disk of {place} is mounted read-only",
            place = place.display()
        );
        findings.push(Finding::bad(tr_later!("disk space"), message).hint(tr!(
            "find the cause with `sudo dmesg | tail`, then sudo mount -o remount,rw \"$(findmnt \
             -no TARGET --target {place})\"",
            place = place.display()
        )));
    }
    findings.push(match little_room(room, whole, warn_below) {
        None => Finding::ok(tr_later!("disk space"), message),
        Some(level) => {
            let find = || {
                tr!("find large files: du -xh --max-depth=2 {place} | sort -h | tail. Home directories \
                     of ended sessions are deleted after [history] keep-days", place = place.display())
            };
            let hint = advice.map_or_else(find, ToOwned::to_owned);
            Finding::new(tr_later!("disk space"), level, message).hint(hint)
        }
    });
    findings
}

/// How serious this amount of free space is, by the same limit as the daemon's notification.
fn little_room(free: Bytes, whole: Bytes, warn_below: Bytes) -> Option<Level> {
    if free < NO_ROOM {
        return Some(Level::Bad);
    }
    (free < warning_limit(warn_below, whole)).then_some(Level::Warn)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_directory_open_to_others_is_reported_with_its_fix() {
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let finding = directory("x", dir.path(), true);
        assert_eq!(finding.level, Level::Warn);
        let hint = finding.hint.unwrap();
        assert_eq!(hint, format!("chmod 700 {}", dir.path().display()).as_str());
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(directory("x", dir.path(), true).level, Level::Ok);
    }

    #[test]
    fn little_room_is_what_the_setting_says() {
        let (gib, disk) = (Bytes(Bytes::GIB), Bytes(100 * Bytes::GIB));
        assert_eq!(little_room(gib, disk, gib), None);
        assert_eq!(little_room(Bytes(gib.0 - 1), disk, gib), Some(Level::Warn));
        assert_eq!(little_room(Bytes::mib(300), gib, gib), None);
        assert_eq!(little_room(Bytes::mib(90), gib, gib), Some(Level::Warn));
        assert_eq!(little_room(Bytes::mib(90), gib, Bytes(0)), None);
        assert_eq!(little_room(Bytes::mib(1), gib, Bytes(0)), Some(Level::Bad));
    }

    #[test]
    fn a_file_in_the_place_of_a_directory_is_bad() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        fs::write(&file, "").unwrap();
        assert_eq!(directory("x", &file, false).level, Level::Bad);
        assert_eq!(
            directory("x", &dir.path().join("new"), false).level,
            Level::Ok
        );
    }
}
