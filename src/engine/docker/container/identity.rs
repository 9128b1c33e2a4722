//! The user that sessions run as.

use std::{io, os::unix::fs::chown, path::Path};

use crate::engine::docker::connect::quirks::UserMapping;

/// The owner of a session's files and processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine::docker) struct Identity {
    /// uid and gid on this machine.
    pub(in crate::engine::docker) owner: (u32, u32),
    /// uid and gid inside.
    pub(in crate::engine::docker) inside: (u32, u32),
    pub(in crate::engine::docker) userns: Option<&'static str>,
}

impl Identity {
    /// The caller's identity; sessions of root run as 1000:1000.
    pub(in crate::engine::docker) fn of_caller(mapping: UserMapping) -> Self {
        Self::of(caller(), mapping)
    }

    /// uid and gid of home directories on this machine.
    pub(in crate::engine::docker) fn owner_of_homes() -> (u32, u32) {
        Self::of_caller(UserMapping::None).owner
    }

    fn of(me: (u32, u32), mapping: UserMapping) -> Self {
        let owner = if me.0 == 0 { (1000, 1000) } else { me };
        let (inside, userns) = match mapping {
            UserMapping::None => (owner, None),
            UserMapping::RootIsCaller => ((0, 0), None),
            UserMapping::KeepId => (owner, Some("keep-id")),
            UserMapping::Remapped => (owner, Some("host")),
        };
        Self {
            owner,
            inside,
            userns,
        }
    }
}

/// uid and gid of this process.
pub(in crate::engine::docker) fn caller() -> (u32, u32) {
    (
        rustix::process::getuid().as_raw(),
        rustix::process::getgid().as_raw(),
    )
}

/// Gives a file to the session's user; needed (and allowed) only if the caller is root.
pub(in crate::engine::docker) fn give(path: &Path, (uid, gid): (u32, u32)) -> io::Result<()> {
    if caller() == (uid, gid) {
        return Ok(());
    }
    chown(path, Some(uid), Some(gid))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_never_runs_sessions_and_mapped_engines_are_reported() {
        let of = Identity::of;
        assert_eq!(of((0, 0), UserMapping::None).inside, (1000, 1000));
        assert_eq!(of((501, 20), UserMapping::None).inside, (501, 20));
        let rootless = of((501, 20), UserMapping::RootIsCaller);
        assert_eq!((rootless.inside, rootless.owner), ((0, 0), (501, 20)));
        assert_eq!(of((501, 20), UserMapping::KeepId).userns, Some("keep-id"));
        assert_eq!(of((501, 20), UserMapping::Remapped).userns, Some("host"));
    }
}
