//! The SQLite file: opening it, keeping a broken one aside, writing.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use rusqlite::Connection;

use super::{Opened, StoreError, StoreOptions, figures, recents, rows, schema};
use crate::model::{
    figures::Figures,
    history::HistoryEntry,
    id::{InstanceId, SessionId, SessionKey},
    recent::{Recent, RecentEdit, RecentId},
    record::Write,
    text::Clean,
};

/// Prepared statements kept; more than there are.
const STATEMENTS: usize = 32;

pub(super) struct StoreFile {
    db: Connection,
    path: PathBuf,
}

impl StoreFile {
    pub(super) fn open(options: &StoreOptions) -> Result<(Self, Opened), StoreError> {
        let path = &options.database;
        let mut notes = Vec::new();
        let opened = match Self::open_once(options) {
            Err(error) if error.is_corrupt() => {
                let aside = keep_aside(path)?;
                notes.push(Clean::new(&format!(
                    "{} was broken ({error}); it is kept as {} and a new one was begun from what \
                     the engine tells",
                    path.display(),
                    aside.display()
                )));
                Self::open_once(options)
            }
            other => other,
        };
        opened.map(|(file, mut opened)| {
            opened.notes = notes;
            (file, opened)
        })
    }

    fn open_once(options: &StoreOptions) -> Result<(Self, Opened), StoreError> {
        let path = &options.database;
        let sql = |error: rusqlite::Error| StoreError::sqlite(path, &error);
        make_private_directory(path)?;
        let mut db = Connection::open(path).map_err(sql)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))
            .map_err(|error| StoreError::other(path, &error))?;
        db.set_prepared_statement_cache_capacity(STATEMENTS);
        set_up(&db, path, options.page_limit).map_err(sql)?;
        schema::migrate(&mut db, path)?;
        let instance = instance(&db, options)?;
        let records = rows::load(&db).map_err(sql)?;
        let figures = figures::unfinished(&db).map_err(sql)?;
        let opened = Opened {
            instance,
            records,
            figures,
            notes: Vec::new(),
        };
        let path = path.clone();
        Ok((Self { db, path }, opened))
    }

    pub(super) fn write(&mut self, writes: &[Write]) -> Result<(), StoreError> {
        let sql = |error: rusqlite::Error| StoreError::sqlite(&self.path, &error);
        let change = self.db.transaction().map_err(sql)?;
        for write in writes {
            rows::put(&change, write).map_err(sql)?;
        }
        change.commit().map_err(sql)
    }

    pub(super) fn recents(&self) -> Result<Vec<Recent>, StoreError> {
        recents::all(&self.db).map_err(|error| StoreError::sqlite(&self.path, &error))
    }

    pub(super) fn edit_recent(
        &self,
        id: RecentId,
        edit: &RecentEdit,
    ) -> Result<Vec<Recent>, StoreError> {
        recents::edit(&self.db, id, edit)
            .map_err(|error| StoreError::sqlite(&self.path, &error))?;
        self.recents()
    }

    pub(super) fn figures(&self, session: SessionKey) -> Result<Option<Figures>, StoreError> {
        figures::of(&self.db, session).map_err(|error| StoreError::sqlite(&self.path, &error))
    }

    pub(super) fn history(&self, session: SessionId) -> Result<Vec<HistoryEntry>, StoreError> {
        rows::history(&self.db, session).map_err(|error| StoreError::sqlite(&self.path, &error))
    }
}

/// A process that is killed loses nothing in either mode; WAL is faster but breaks on network file
/// systems.
fn set_up(db: &Connection, path: &Path, page_limit: Option<u32>) -> rusqlite::Result<()> {
    let (journal, synchronous) = if on_network(path) {
        ("DELETE", "FULL")
    } else {
        ("WAL", "NORMAL")
    };
    db.busy_timeout(std::time::Duration::from_secs(5))?;
    db.query_row(&format!("PRAGMA journal_mode = {journal}"), (), |_| Ok(()))?;
    db.pragma_update(None, "synchronous", synchronous)?;
    db.pragma_update(None, "foreign_keys", true)?;
    if let Some(pages) = page_limit {
        db.query_row(&format!("PRAGMA max_page_count = {pages}"), (), |_| Ok(()))?;
    }
    Ok(())
}

/// Whether the file lies on a file system that several machines share.
fn on_network(path: &Path) -> bool {
    /// NFS, SMB, CIFS, SMB2, Coda, AFS, Ceph, Lustre, GPFS, BeeGFS, FUSE (sshfs among them), 9P.
    const NETWORK: [u32; 12] = [
        0x6969,
        0x517b,
        0xff53_4d42,
        0xfe53_4d42,
        0x7375_7245,
        0x5346_414f,
        0x00c3_6400,
        0x0bd0_0bd0,
        0x4750_4653,
        0x1983_0326,
        0x6573_5546,
        0x0102_1997,
    ];
    let directory = path.parent().unwrap_or(path);
    rustix::fs::statfs(directory).is_ok_and(|fs| NETWORK.contains(&(fs.f_type as u32)))
}

fn make_private_directory(path: &Path) -> Result<(), StoreError> {
    let directory = path.parent().unwrap_or(path);
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::StorageFull => StoreError::Full(path.to_path_buf()),
        std::io::ErrorKind::PermissionDenied => StoreError::Forbidden(path.to_path_buf()),
        _ => StoreError::other(path, &error),
    };
    if directory.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(directory).map_err(failed)?;
    fs::set_permissions(directory, fs::Permissions::from_mode(0o700)).map_err(failed)
}

/// The instance's id: from the database, else from the file beside it, else a new one. Both are
/// brought into agreement.
fn instance(db: &Connection, options: &StoreOptions) -> Result<InstanceId, StoreError> {
    let file = &options.instance_file;
    let stored = rows::instance(db)
        .map_err(|error| StoreError::sqlite(&options.database, &error))?
        .and_then(|text| text.parse().ok());
    let beside = fs::read_to_string(file)
        .ok()
        .and_then(|text| text.trim().parse().ok());
    let instance = stored.or(beside).unwrap_or_else(InstanceId::random);
    if beside != Some(instance) {
        let new = file.with_extension("new");
        fs::write(&new, format!("{instance}\n"))
            .and_then(|()| fs::rename(&new, file))
            .map_err(|error| StoreError::other(file, &error))?;
    }
    if stored != Some(instance) {
        rows::set_instance(db, &instance.to_string())
            .map_err(|error| StoreError::sqlite(&options.database, &error))?;
    }
    Ok(instance)
}

/// Renames a broken file (and what SQLite keeps beside it) to the first free `.corrupt-<n>`.
fn keep_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let with = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let mut number = 1;
    let aside = loop {
        let aside = with(&format!(".corrupt-{number}"));
        if !aside.exists() {
            break aside;
        }
        number += 1;
    };
    fs::rename(path, &aside).map_err(|error| StoreError::other(path, &error))?;
    for suffix in ["-wal", "-shm", "-journal"] {
        let side = with(suffix);
        if side.exists() {
            let mut kept = aside.as_os_str().to_owned();
            kept.push(suffix);
            fs::rename(&side, PathBuf::from(kept))
                .map_err(|error| StoreError::other(&side, &error))?;
        }
    }
    Ok(aside)
}
