//! Removes toolboxes that are no longer needed.

use std::{collections::HashSet, fs, io, path::Path, time::Duration};

/// The minimum age difference to the newest toolbox: another daemon may be about to use an older one.
const KEEP: Duration = Duration::from_secs(24 * 60 * 60);

/// Removes toolboxes (also unfinished ones) in `parent` that are much older than `current` and whose keys
/// aren't in `in_use`, the keys written on containers. What can't be removed is retried next time.
pub(super) fn prune(parent: &Path, current: &Path, in_use: &HashSet<String>) -> io::Result<()> {
    let newest = fs::metadata(current)?.modified()?;
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| is_ours(name)) else {
            continue;
        };
        let age = newest.duration_since(entry.metadata()?.modified()?);
        if entry.path() != current && !in_use.contains(name) && age.is_ok_and(|age| age > KEEP) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

fn is_ours(name: &str) -> bool {
    let key = name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    key || name.starts_with(super::MAKING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_old_unused_toolboxes_go() {
        let dir = tempfile::tempdir().unwrap();
        let make = |name: &str, old: bool| {
            let path = dir.path().join(name);
            fs::create_dir(&path).unwrap();
            let now = fs::metadata(&path).unwrap().modified().unwrap();
            let when = if old { now - 2 * KEEP } else { now };
            fs::File::open(&path).unwrap().set_modified(when).unwrap();
            path
        };
        let current = make("00000000000000aa", false);
        let used = make("00000000000000bb", true);
        let young = make("00000000000000cc", false);
        let unused = make("00000000000000dd", true);
        let half = make(".making-x", true);
        let stranger = make("photos", true);
        let in_use = HashSet::from(["00000000000000bb".to_owned()]);
        prune(dir.path(), &current, &in_use).unwrap();
        for kept in [&current, &used, &young, &stranger] {
            assert!(kept.exists(), "{}", kept.display());
        }
        for gone in [&unused, &half] {
            assert!(!gone.exists(), "{}", gone.display());
        }
    }
}
