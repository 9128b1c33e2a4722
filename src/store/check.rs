//! Checks that a file matches its layout, because SQLite reads a damaged definition of a table as another one.

use std::{
    collections::BTreeMap,
    path::Path,
    thread::{self, JoinHandle},
};

use rusqlite::{Connection, OpenFlags};

use super::{
    ENDED, StoreError, figures, file, finished, launches, recents, row_values, schema,
    unreadable::{self, Unreadable},
};

/// The table name and the definition of each item in the schema, by kind and name.
type Definitions = BTreeMap<(String, String), (String, String)>;

/// Reports a damaged file if a table, index or column is changed, unknown or missing (except for an index).
pub(super) fn definitions(db: &Connection, path: &Path, layout: usize) -> Result<(), StoreError> {
    let sql = |error: rusqlite::Error| StoreError::broken(path, &error);
    let there = read(db).map_err(sql)?;
    let expected = schema::expected(layout)
        .and_then(|db| read(&db))
        .map_err(sql)?;
    // A missing index only makes queries slower.
    let missing = expected.iter().find(|(key, definition)| {
        there
            .get(*key)
            .map_or(key.0 != "index", |it| it != *definition)
    });
    let unknown = there.iter().find(|(key, _)| !expected.contains_key(*key));
    match missing.or(unknown) {
        None => Ok(()),
        Some(((kind, name), _)) => {
            let why = tr_sent!("its {kind} {name} was changed", kind, name);
            Err(StoreError::corrupt(path, &why))
        }
    }
}

fn read(db: &Connection) -> rusqlite::Result<Definitions> {
    let mut query = db.prepare("SELECT type, name, tbl_name, sql FROM sqlite_master")?;
    let rows = query.query_map((), |row| {
        let sql: Option<String> = row.get(3)?;
        let words = sql.unwrap_or_default();
        let words: Vec<&str> = words.split_whitespace().collect();
        Ok(((row.get(0)?, row.get(1)?), (row.get(2)?, words.join(" "))))
    })?;
    let found: rusqlite::Result<Definitions> = rows.collect();
    let mut found = found?;
    // SQLite creates and removes the tables of its query planner.
    found.retain(|(_, name), _| !name.starts_with("sqlite_stat"));
    Ok(found)
}

/// Reads what the daemon reads when it starts. Rows that it would set aside don't count as errors.
pub(super) fn loads(db: &Connection, path: &Path) -> Result<(), StoreError> {
    let mut bad: Vec<Unreadable> = Vec::new();
    let loaded = row_values::read_meta(db)
        .and_then(|()| finished::load(db, ENDED, &mut bad))
        .and_then(|loaded| finished::left(db, &loaded))
        .and_then(|_| figures::unfinished(db))
        .and_then(|_| launches::mounts(db))
        .and_then(|_| recents::all(db, &mut bad));
    match loaded {
        Err(error) if !unreadable::is_no_json(&error) => Err(StoreError::broken(path, &error)),
        _ => Ok(()),
    }
}

/// A check of the indexes for reading sessions that runs beside other reads, because it takes as long as all of
/// that when there are many sessions.
pub(super) struct IndexCheck(Option<JoinHandle<rusqlite::Result<bool>>>);

impl IndexCheck {
    pub(super) fn begin(path: &Path) -> Self {
        let path = path.to_path_buf();
        let check = thread::Builder::new().name("store-check".to_owned());
        // If the thread can't start, the check counts as failed, and is made by the caller.
        Self(check.spawn(move || has_each_once(&read_only(&path)?)).ok())
    }

    /// Whether the indexes contain each session once. `false` if the check itself failed.
    pub(super) fn passed(self) -> bool {
        let checked = self.0.map(JoinHandle::join);
        matches!(checked, Some(Ok(Ok(true))))
    }
}

fn read_only(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(file::BUSY)?;
    db.pragma_update(None, "cell_size_check", true)?;
    Ok(db)
}

/// Checks that the indexes for reading sessions contain each session once. Rebuilds damaged indexes, and returns
/// whether that was necessary.
pub(super) fn indexes(db: &Connection, path: &Path) -> Result<bool, StoreError> {
    let agree = |db: &Connection| {
        let found = unreadable::without(db, |db, _| has_each_once(db));
        found.map_err(|error| StoreError::broken(path, &error))
    };
    if agree(db)? {
        return Ok(false);
    }
    unreadable::without(db, |db, bad| {
        db.execute_batch("REINDEX sessions")?;
        finished::undecided(db, bad)
    })
    .map_err(|error| StoreError::broken(path, &error))?;
    if agree(db)? {
        return Ok(true);
    }
    Err(StoreError::corrupt(
        path,
        &tr_sent!("an index doesn't match its table"),
    ))
}

fn has_each_once(db: &Connection) -> rusqlite::Result<bool> {
    let all: u32 = db.query_row("SELECT count(*) FROM sessions", (), |row| row.get(0))?;
    let mut query = db.prepare(
        "SELECT rowid FROM sessions WHERE held = 1 UNION ALL
         SELECT rowid FROM sessions WHERE held = 0",
    )?;
    let mut rows = query.query(())?;
    // A sorted list is several times faster than a set for the 100,000 sessions of a year.
    let mut found: Vec<i64> = Vec::with_capacity(all as usize);
    while let Some(row) = rows.next()? {
        found.push(row.get(0)?);
    }
    found.sort_unstable();
    let repeats = found.windows(2).any(|pair| pair[0] == pair[1]);
    Ok(!repeats && found.len() == all as usize)
}
