//! Chooses the shell of a session's terminals: the one in the passwd file, else the first one found. Also chooses the
//! shell that runs commands without a terminal.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

/// Shells in order of preference, for a user without a shell in the passwd file.
const KNOWN: [&str; 4] = ["bash", "zsh", "ash", "sh"];

/// Shells for scripts, in order of preference. Most scripts are written for the first.
const FOR_SCRIPTS: [&str; 3] = ["bash", "sh", "ash"];

/// The number of fields in a line of the passwd file.
const FIELDS: usize = 7;
const HOME: usize = 5;
const SHELL: usize = 6;

/// Where to search for programs that aren't in PATH.
const USUAL_PLACES: &str = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/// Returns the full path of the shell to run, or `None` in an image without a shell.
pub(super) fn choose(uid: u32, path: Option<&str>) -> Option<PathBuf> {
    let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let named = of_passwd(&passwd, uid, SHELL).filter(|shell| is_shell(shell));
    named.or_else(|| first(&KNOWN, path))
}

/// Returns the full path of a program, given its name or path. `None` = not found.
pub(super) fn named(name: &str, path: Option<&str>) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| is_executable(path));
    }
    first(&[name], path)
}

/// The home directory of a user.
pub(super) fn home(uid: u32) -> Option<PathBuf> {
    let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
    of_passwd(&passwd, uid, HOME).filter(|home| home.is_dir())
}

/// The full path of the shell that runs a command or a script.
pub(super) fn for_scripts(path: Option<&str>) -> Option<PathBuf> {
    first(&FOR_SCRIPTS, path)
}

fn first(names: &[&str], path: Option<&str>) -> Option<PathBuf> {
    // A useless PATH must not hide a shell in the usual directories.
    path.and_then(|path| search(names, path))
        .or_else(|| search(names, USUAL_PLACES))
}

fn search(names: &[&str], places: &str) -> Option<PathBuf> {
    names.iter().find_map(|name| find(name, places))
}

/// Returns a field of the passwd line of `uid`, if it isn't empty.
fn of_passwd(passwd: &str, uid: u32, field: usize) -> Option<PathBuf> {
    passwd.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        if fields.len() != FIELDS || fields[2].parse() != Ok(uid) {
            return None;
        }
        (!fields[field].is_empty()).then(|| PathBuf::from(fields[field]))
    })
}

/// Whether this is a shell to work in. `nologin` and `false` are programs, but end at once.
fn is_shell(path: &Path) -> bool {
    let refuses = path
        .file_name()
        .is_some_and(|name| name == "nologin" || name == "false");
    !refuses && is_executable(path)
}

fn find(name: &str, places: &str) -> Option<PathBuf> {
    places
        .split(':')
        .filter(|place| place.starts_with('/'))
        .map(|place| Path::new(place).join(name))
        .find(|candidate| is_executable(candidate))
}

fn is_executable(path: &Path) -> bool {
    path.is_absolute()
        && fs::metadata(path)
            .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_the_user_names_the_shell() {
        let passwd = "root:x:0:0:root:/root:/bin/bash\nbroken line\n\
                      work:x:1000:1000::/home/work:/usr/bin/fish\nnone:x:7:7::/:\n";
        assert_eq!(of_passwd(passwd, 1000, SHELL), Some("/usr/bin/fish".into()));
        assert_eq!(of_passwd(passwd, 1000, HOME), Some("/home/work".into()));
        assert_eq!(of_passwd(passwd, 7, SHELL), None);
        assert_eq!(of_passwd(passwd, 5, SHELL), None);
    }

    #[test]
    fn shells_are_taken_in_their_order_and_only_where_they_can_run() {
        let dir = tempfile::tempdir().unwrap();
        let make = |name: &str, mode: u32| {
            let path = dir.path().join(name);
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path
        };
        let places = dir.path().to_str().unwrap();
        let choose = |path: &str| search(&KNOWN, path);
        assert_eq!(choose(places), None);
        let sh = make("sh", 0o755);
        make("bash", 0o644);
        assert_eq!(choose(places), Some(sh.clone()));
        assert_eq!(for_scripts(Some(places)), Some(sh));
        let zsh = make("zsh", 0o755);
        assert_eq!(choose(places), Some(zsh));
        let bash = make("bash", 0o755);
        assert_eq!(for_scripts(Some(places)), Some(bash));
        assert_eq!(
            first(&["sh"], Some("relative:/nowhere")),
            search(&["sh"], USUAL_PLACES)
        );
    }
}
