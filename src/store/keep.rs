//! Copies of the file: of one that is brought to another layout, and of one that is broken.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use rusqlite::Connection;

use super::StoreError;

/// Copies made before a change of the layout that are kept; the oldest go.
const BACKUPS: usize = 3;
/// What SQLite keeps beside the file.
const SIDES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Copies the file, whose layout is `layout`, into `backup/` beside it: the next step of its layout may
/// be the one that goes wrong. Without room for the copy nothing is changed.
pub(super) fn back_up(db: &Connection, path: &Path, layout: usize) -> Result<PathBuf, StoreError> {
    let sql = |error: rusqlite::Error| StoreError::sqlite(path, &error);
    let directory = beside(path, "backup")?;
    let time = time(db).map_err(sql)?;
    let copy = free(
        &directory,
        &format!("{}.{time}.layout-{layout}", name(path)),
    );
    if let Err(error) = db.execute("VACUUM INTO ?1", [copy.to_string_lossy()]) {
        // Half a copy would take the room that is missing, once more at each attempt.
        let _ = fs::remove_file(&copy);
        return Err(sql(error));
    }
    let kept = fs::set_permissions(&copy, fs::Permissions::from_mode(0o600))
        .and_then(|()| prune(&directory, &name(path)));
    kept.map_err(|error| StoreError::io(path, &error))?;
    Ok(copy)
}

/// The newest stay.
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

/// Moves a broken file (and what SQLite keeps beside it) into `aside/` beside it.
pub(super) fn set_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let failed = |error: io::Error| StoreError::io(path, &error);
    let directory = beside(path, "aside")?;
    let time = Connection::open_in_memory()
        .and_then(|db| time(&db))
        .map_err(|error| StoreError::sqlite(path, &error))?;
    let aside = free(&directory, &format!("{}.corrupt-{time}", name(path)));
    // The file goes last: what is left of an attempt that broke off must not be taken for a part of the
    // new one.
    for suffix in SIDES {
        let side = with(path, suffix);
        if side.exists() {
            fs::rename(&side, with(&aside, suffix)).map_err(failed)?;
        }
    }
    fs::rename(path, &aside).map_err(failed)?;
    // Without the file there is nothing to be marked.
    let _ = fs::remove_file(mark(path));
    Ok(aside)
}

/// Notes that the file was found broken while it was in use, so that the next opening does not take it
/// for whole: what is broken may lie where an opening does not look.
pub(super) fn mark_broken(path: &Path, why: &str) -> io::Result<()> {
    fs::write(mark(path), why)
}

/// Why the file was marked as broken.
pub(super) fn marked(path: &Path) -> Option<String> {
    let why = fs::read_to_string(mark(path)).ok()?;
    if !path.exists() {
        // Of a file that was set aside: the next one must not be taken for it.
        let _ = fs::remove_file(mark(path));
        return None;
    }
    Some(why)
}

/// Notes that the file was lost and begun again, until what runs on the engine is in it.
pub(super) fn mark_incomplete(path: &Path) -> PathBuf {
    let mark = with(path, ".incomplete");
    if let Err(error) = fs::write(&mark, "") {
        tracing::warn!(%error, "if the daemon restarts before the engine answers, it doesn't know \
                                that sessions are missing");
    }
    mark
}

/// The mark, where the file was lost just now or the engine has not been read since.
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

/// A private directory of that name.
fn beside(path: &Path, directory: &str) -> Result<PathBuf, StoreError> {
    let directory = path.with_file_name(directory);
    let made = fs::create_dir_all(&directory)
        .and_then(|()| fs::set_permissions(&directory, fs::Permissions::from_mode(0o700)));
    made.map_err(|error| StoreError::io(path, &error))?;
    Ok(directory)
}

/// A name that nothing has yet: two things may happen within a second.
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

/// Now, as a part of a file's name.
fn time(db: &Connection) -> rusqlite::Result<String> {
    db.query_row("SELECT strftime('%Y%m%dT%H%M%SZ', 'now')", (), |row| {
        row.get(0)
    })
}
