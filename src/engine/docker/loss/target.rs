//! The new directory of a rescue, which gets its name when it is complete.

use std::{
    fs, io,
    os::fd::{AsRawFd as _, OwnedFd},
    path::Path,
    process,
};

use rustix::{
    fs::{
        AtFlags, CWD, Gid, Mode, OFlags, RenameFlags, Uid, fchmod, fchown, fstat, mkdirat, openat,
        renameat, renameat_with, statat, syncfs,
    },
    io::Errno,
};

use crate::{
    engine::api::Result,
    model::{
        failure::Failure,
        files::FilePath,
        text::{Clean, io_reason},
    },
    tree,
};

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// The name of an unfinished directory, with the id of the process that writes it between these.
const PART: (&str, &str) = (".rescue-", ".part");

/// Removes the unfinished directories that a daemon left in folders.
pub(in crate::engine::docker) fn remove_unfinished(folders: &Path) {
    let own = format!("{}{}-", PART.0, process::id());
    let entries = |dir: &Path| fs::read_dir(dir).into_iter().flatten().flatten();
    for folder in entries(folders).filter(|it| it.file_type().is_ok_and(|kind| kind.is_dir())) {
        for entry in entries(&folder.path()) {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_part = name.starts_with(PART.0) && name.ends_with(PART.1);
            if is_part
                && !name.starts_with(&own)
                && let Err(error) = tree::remove(&entry.path())
            {
                tracing::warn!(%error, "a partial rescue can't be removed");
            }
        }
    }
}

/// The unfinished directory; it is removed when this is dropped.
pub(super) struct Target {
    /// The folder, which contains the unfinished directory.
    root: OwnedFd,
    parent: OwnedFd,
    /// Its name while it isn't finished.
    part: String,
    name: FilePath,
    /// The name of the folder.
    folder: Clean,
    pub(super) made: OwnedFd,
    pub(super) owner: Option<(u32, u32)>,
    is_finished: bool,
}

impl Target {
    pub(super) fn create(folder: &Path, directory: &FilePath) -> Result<Self> {
        let shown = folder.file_name().unwrap_or_default().to_string_lossy();
        let shown = Clean::new(&shown);
        let trouble = |error: Errno| cannot(&shown, directory, &error.into());
        let Some(name) = directory.name() else {
            return Err(
                Failure::usage(tr_sent!("name a new directory of the folder"))
                    .hint(tr_sent!("use FOLDER/DIRECTORY, for example data/rescued")),
            );
        };
        let root = openat(CWD, folder, DIRECTORY, Mode::empty()).map_err(trouble)?;
        let mut parent = openat(&root, c".", DIRECTORY, Mode::empty()).map_err(trouble)?;
        let stat = fstat(&root).map_err(trouble)?;
        let me = rustix::process::geteuid().as_raw();
        let owner = (me == 0).then_some((stat.st_uid, stat.st_gid));
        let above = directory.parent().unwrap_or_default();
        for part in above.as_path() {
            parent = subdirectory(&parent, part, owner).map_err(trouble)?;
        }
        match statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => {}
            Ok(_) => return Err(taken(directory)),
            Err(error) => return Err(trouble(error)),
        }
        let part = format!(
            "{}{}-{}{}",
            PART.0,
            process::id(),
            uuid::Uuid::new_v4().simple(),
            PART.1
        );
        mkdirat(&root, part.as_str(), Mode::from_raw_mode(0o700)).map_err(trouble)?;
        let made = openat(&root, part.as_str(), DIRECTORY, Mode::empty()).map_err(trouble)?;
        Ok(Self {
            root,
            parent,
            part,
            name: directory.clone(),
            folder: shown,
            made,
            owner,
            is_finished: false,
        })
    }

    pub(super) fn trouble(&self, error: &io::Error) -> Failure {
        cannot(&self.folder, &self.name, error)
    }

    /// Stores everything on the disk, then gives the directory its name.
    pub(super) fn finish(mut self) -> Result<()> {
        let done = self.publish();
        self.is_finished = done.is_ok();
        match done {
            Err(Errno::EXIST) => Err(taken(&self.name)),
            other => other.map_err(|error| self.trouble(&error.into())),
        }
    }

    fn publish(&self) -> rustix::io::Result<()> {
        let Some(name) = self.name.name() else {
            return Err(Errno::INVAL);
        };
        if let Some((uid, gid)) = self.owner {
            fchown(
                &self.made,
                Some(Uid::from_raw(uid)),
                Some(Gid::from_raw(gid)),
            )?;
        }
        fchmod(&self.made, Mode::from_raw_mode(0o755))?;
        syncfs(&self.made)?;
        let flags = RenameFlags::NOREPLACE;
        match renameat_with(&self.root, self.part.as_str(), &self.parent, name, flags) {
            // The file system doesn't know the flag. An empty directory of this name would be replaced, nothing else.
            Err(Errno::INVAL | Errno::NOSYS) => {
                renameat(&self.root, self.part.as_str(), &self.parent, name)?;
            }
            other => other?,
        }
        syncfs(&self.parent)
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if self.is_finished {
            return;
        }
        // The folder's path may lead elsewhere by now, so the removal begins at the open directory.
        let path = format!("/proc/self/fd/{}/{}", self.root.as_raw_fd(), self.part);
        if let Err(error) = tree::remove(path.as_ref()) {
            tracing::warn!(%error, "a partial rescue can't be removed");
        }
    }
}

fn subdirectory(
    at: &OwnedFd,
    name: &std::ffi::OsStr,
    owner: Option<(u32, u32)>,
) -> rustix::io::Result<OwnedFd> {
    match openat(at, name, DIRECTORY, Mode::empty()) {
        Err(Errno::NOENT) => {
            mkdirat(at, name, Mode::from_raw_mode(0o755))?;
            let made = openat(at, name, DIRECTORY, Mode::empty())?;
            if let Some((uid, gid)) = owner {
                fchown(&made, Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)))?;
            }
            Ok(made)
        }
        other => other,
    }
}

fn taken(directory: &FilePath) -> Failure {
    Failure::refused(tr_sent!(
        "'{directory}' already exists in the folder",
        directory
    ))
    .hint(tr_sent!("name another directory: FOLDER/DIRECTORY"))
}

fn cannot(folder: &Clean, directory: &FilePath, error: &io::Error) -> Failure {
    let why = io_reason(error);
    let full = matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    );
    let hint = if full {
        tr_sent!(
            "free some space, or use another folder. Nothing was copied, and the session is unchanged"
        )
    } else {
        tr_sent!(
            "check the folder, then try again. Nothing was copied, and the session is unchanged"
        )
    };
    Failure::reported(tr_sent!(
        "the files can't be copied to {folder}/{directory}: {why}",
        folder,
        directory,
        why
    ))
    .hint(hint)
}
