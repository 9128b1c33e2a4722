//! The quota of a folder, as an attribute of its directory: so it stays with the folder when that is renamed, moved to the
//! trash or restored.

use std::{io, path::Path};

use rustix::{
    fs::{XattrFlags, getxattr, removexattr, setxattr},
    io::Errno,
};

use super::enforce;
use crate::{
    engine::api::Result,
    model::{failure::Failure, resources::Bytes},
};

/// Sessions can't change this one. Only root can set it.
const TRUSTED: &str = "trusted.workbay.quota";
const USER: &str = "user.workbay.quota";
/// The word after the limit, if the file system enforces it.
const ENFORCED: &str = "enforced";

/// The quota of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine::docker) struct Quota {
    pub most: Bytes,
    /// Whether the file system enforces it. Otherwise it is measured.
    pub is_enforced: bool,
}

/// The quota of a directory, if it has one.
pub(in crate::engine::docker) fn read(path: &Path) -> Option<Quota> {
    let mut buffer = [0; 64];
    let length = [TRUSTED, USER]
        .into_iter()
        .find_map(|name| getxattr(path, name, &mut buffer[..]).ok())?;
    let text = std::str::from_utf8(&buffer[..length]).ok()?;
    let (most, rest) = text.split_once(' ').unwrap_or((text, ""));
    Some(Quota {
        most: Bytes(most.parse().ok()?),
        is_enforced: rest == ENFORCED,
    })
}

/// Sets or removes the quota of a directory. Where the file system can't enforce it, it is measured.
pub(in crate::engine::docker) fn set(path: &Path, most: Option<Bytes>) -> Result<()> {
    let Some(most) = most else {
        // Without an attribute of the file system's own limit, nothing is left of the quota.
        let _ = enforce(path, None);
        return remove(path).map_err(|error| trouble(path, error));
    };
    let before = read(path);
    let enforced = enforce(path, Some(most));
    if let Err(why) = &enforced {
        tracing::info!(%why, path = %path.display(), "a quota is only measured");
    }
    let word = if enforced.is_ok() {
        ENFORCED
    } else {
        "measured"
    };
    let text = format!("{} {word}", most.0);
    write(path, text.as_bytes()).map_err(|error| {
        let _ = enforce(path, before.map(|it| it.most));
        trouble(path, error)
    })
}

fn write(path: &Path, text: &[u8]) -> rustix::io::Result<()> {
    match setxattr(path, TRUSTED, text, XattrFlags::empty()) {
        Err(Errno::PERM | Errno::ACCESS | Errno::OPNOTSUPP) => {
            setxattr(path, USER, text, XattrFlags::empty())
        }
        other => other,
    }
}

fn remove(path: &Path) -> rustix::io::Result<()> {
    for name in [TRUSTED, USER] {
        match removexattr(path, name) {
            Ok(()) | Err(Errno::NODATA | Errno::OPNOTSUPP) => {}
            // Only root has the trusted one.
            Err(Errno::PERM | Errno::ACCESS) if name == TRUSTED => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn trouble(path: &Path, error: Errno) -> Failure {
    let path = path.display();
    if error == Errno::OPNOTSUPP {
        let text = tr_sent!(
            "the file system at {path} can't store a quota (no extended attributes)",
            path
        );
        return Failure::refused(text).hint(tr_sent!("use a folder on another file system"));
    }
    let error = io::Error::from(error);
    Failure::refused(tr_sent!(
        "the quota of {path} can't be stored: {error}",
        path,
        error
    ))
    .hint(tr_sent!("check the owner of the folder and the free space"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quota_stays_with_its_folder() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (dir.path().join("one"), dir.path().join("two"));
        std::fs::create_dir(&one).unwrap();
        assert_eq!(read(&one), None);
        set(&one, None).unwrap();
        set(&one, Some(Bytes::mib(5))).unwrap();
        std::fs::rename(&one, &two).unwrap();
        assert_eq!(read(&two).unwrap().most, Bytes::mib(5));
        set(&two, Some(Bytes::mib(7))).unwrap();
        assert_eq!(read(&two).unwrap().most, Bytes::mib(7));
        set(&two, None).unwrap();
        assert_eq!(read(&two), None);
    }

    #[test]
    fn what_a_session_wrote_there_is_no_quota_unless_it_is_a_number() {
        let dir = tempfile::tempdir().unwrap();
        for text in ["", "x", "-1", "5g", &"9".repeat(60)] {
            setxattr(dir.path(), USER, text.as_bytes(), XattrFlags::empty()).unwrap();
            assert_eq!(read(dir.path()), None, "{text}");
        }
    }
}
