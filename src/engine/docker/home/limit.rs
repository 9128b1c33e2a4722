//! The limit of a home directory (`--disk`).

use std::{io, path::Path};

use crate::{
    engine::docker::{private_directory::private_directory, quota},
    model::{own_line, resources::Bytes},
};

/// Creates a private directory with its limit, if it has one. Returns lines for the log of the session.
pub(super) fn create(home: &Path, most: Option<Bytes>) -> io::Result<Vec<String>> {
    let Some(most) = most else {
        private_directory(home)?;
        return Ok(Vec::new());
    };
    quota::create(home)?;
    Ok(vec![apply(home, most)])
}

/// The same for a home directory that exists, for example that of an earlier session, whose limit doesn't count any more.
pub(super) fn reapply(home: &Path, most: Option<Bytes>) -> Option<String> {
    match most {
        Some(most) => Some(apply(home, most)),
        None => {
            // Where limits are only measured, there is none to remove.
            let _ = quota::enforce(home, None);
            None
        }
    }
}

/// Limits a home directory. Returns a line for the log of the session.
fn apply(home: &Path, most: Bytes) -> String {
    match quota::enforce(home, Some(most)) {
        Ok(()) => own_line::disk_enforced(most),
        Err(why) => own_line::disk_measured(most, why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_says_whether_the_limit_is_enforced() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("session/work");
        let notes = create(&home, Some(Bytes::mib(20))).unwrap();
        assert!(home.is_dir());
        let why = quota::why_measured(&home);
        let expected = match why {
            Some(why) => format!("disk         20 MiB (measured, not enforced: {why})"),
            None => "disk         20 MiB (enforced by the file system)".to_owned(),
        };
        assert_eq!(notes, [expected]);
        let other = dir.path().join("session/sub1");
        assert!(create(&other, None).unwrap().is_empty());
        assert!(other.is_dir());
    }
}
