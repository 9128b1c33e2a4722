//! Backs up the file before a change of its layout, and sets a damaged file aside.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use rusqlite::Connection;

use super::StoreError;

/// How many backups are kept. The oldest are removed.
const BACKUPS: usize = 3;
/// Suffixes of the files that SQLite keeps beside the database.
const SIDES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Copies the file, whose layout is `layout`, into `backup/` beside it, in case the change of the layout fails.
/// Without space for the copy this fails and the layout isn't changed.
pub(super) fn back_up(db: &Connection, path: &Path, layout: usize) -> Result<PathBuf, StoreError> {
    let sql = |error: rusqlite::Error| StoreError::sqlite(path, &error);
    let directory = beside(path, "backup")?;
    let time = time(db).map_err(sql)?;
    let copy = free(
        &directory,
        &format!("{}.{time}.layout-{layout}", name(path)),
    );
    if let Err(error) = db.execute("VACUUM INTO ?1", [copy.to_string_lossy()]) {
        // Each attempt would leave a partial copy that takes up the missing space.
        let _ = fs::remove_file(&copy);
        return Err(sql(error));
    }
    let kept = fs::set_permissions(&copy, fs::Permissions::from_mode(0o600))
        .and_then(|()| prune(&directory, &name(path)));
    kept.map_err(|error| StoreError::io(path, &error))?;
    Ok(copy)
}

/// Removes all but the newest backups.
fn prune(directory: &Path, name: &str) -> io::Result<()> {
    let mut copies = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(name) {
            copies.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    copies.sort();
    let old = copies.len().saturating_sub(BACKUPS);
    let mut old = copies.iter().take(old);
    old.try_for_each(|(_, copy)| fs::remove_file(copy))
}

/// Moves a damaged file (and the files that SQLite keeps beside it) into `aside/` beside it.
pub(super) fn set_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let failed = |error: io::Error| StoreError::io(path, &error);
    let directory = beside(path, "aside")?;
    let time = Connection::open_in_memory()
        .and_then(|db| time(&db))
        .map_err(|error| StoreError::sqlite(path, &error))?;
    let aside = free(&directory, &format!("{}.corrupt-{time}", name(path)));
    // The database is moved last. Otherwise an interrupted attempt could leave files that SQLite takes for those of
    // the new database.
    for suffix in SIDES {
        let side = with(path, suffix);
        if side.exists() {
            fs::rename(&side, with(&aside, suffix)).map_err(failed)?;
        }
    }
    fs::rename(path, &aside).map_err(failed)?;
    // The mark has no purpose without the file.
    let _ = fs::remove_file(mark(path));
    Ok(aside)
}

/// Marks the file as damaged after an error while it was in use. The next opening might not read the damaged part.
pub(super) fn mark_broken(path: &Path, why: &str) -> io::Result<()> {
    fs::write(mark(path), why)
}

/// Returns why the file was marked as damaged, if it was.
pub(super) fn marked(path: &Path) -> Option<String> {
    let why = fs::read_to_string(mark(path)).ok()?;
    if !path.exists() {
        // The mark belongs to a file that was set aside, and must not apply to the new one.
        let _ = fs::remove_file(mark(path));
        return None;
    }
    Some(why)
}

/// Marks that the file was lost, until the sessions on the engine are in the new one.
pub(super) fn mark_incomplete(path: &Path) -> PathBuf {
    let mark = with(path, ".incomplete");
    if let Err(error) = fs::write(&mark, "") {
        tracing::warn!(%error, "if the daemon restarts before the engine answers, it doesn't know \
                                that sessions are missing");
    }
    mark
}

/// Returns the mark if the file was just lost, or if the engine hasn't been read since an earlier loss.
pub(super) fn incomplete(path: &Path, lost: bool) -> Option<PathBuf> {
    if lost {
        return Some(mark_incomplete(path));
    }
    let mark = with(path, ".incomplete");
    mark.exists().then_some(mark)
}

fn mark(path: &Path) -> PathBuf {
    with(path, ".broken")
}

/// Creates a private directory with this name beside the file.
fn beside(path: &Path, directory: &str) -> Result<PathBuf, StoreError> {
    let directory = path.with_file_name(directory);
    let made = fs::create_dir_all(&directory)
        .and_then(|()| fs::set_permissions(&directory, fs::Permissions::from_mode(0o700)));
    made.map_err(|error| StoreError::io(path, &error))?;
    Ok(directory)
}

/// Returns an unused path. The name alone may be taken, because its time is in whole seconds.
fn free(directory: &Path, name: &str) -> PathBuf {
    let mut place = directory.join(name);
    let mut number = 1;
    while place.exists() {
        number += 1;
        place = directory.join(format!("{name}-{number}"));
    }
    place
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn with(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Returns the current time in a form for file names.
fn time(db: &Connection) -> rusqlite::Result<String> {
    db.query_row("SELECT strftime('%Y%m%dT%H%M%SZ', 'now')", (), |row| {
        row.get(0)
    })
}
