//! The database layout, as a list of migration steps. A released step is never changed. Changes are new steps.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::{StoreError, keep};

pub(super) const STEPS: &[&str] = &[
    "
    CREATE TABLE meta (
        key   TEXT PRIMARY KEY,
        value TEXT NOT NULL
    ) WITHOUT ROWID;

    CREATE TABLE sessions (
        id            TEXT PRIMARY KEY,
        name          TEXT NOT NULL,
        status        TEXT NOT NULL,
        created_at    TEXT NOT NULL,
        terminated_at TEXT,
        body          TEXT NOT NULL
    );

    CREATE TABLE kernels (
        id            TEXT PRIMARY KEY,
        session       TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        place         INTEGER NOT NULL,
        hostname      TEXT NOT NULL,
        status        TEXT NOT NULL,
        container_id  TEXT,
        exit_code     INTEGER,
        oom_killed    INTEGER NOT NULL,
        started_at    TEXT,
        terminated_at TEXT
    );
    CREATE INDEX kernels_of_session ON kernels (session, place);

    CREATE TABLE history (
        number      INTEGER PRIMARY KEY,
        session     TEXT NOT NULL,
        at          TEXT NOT NULL,
        phase       TEXT NOT NULL,
        from_status TEXT,
        to_status   TEXT NOT NULL,
        result      TEXT NOT NULL,
        message     TEXT
    );
    CREATE INDEX history_of_session ON history (session, number);

    CREATE TABLE audit (
        number  INTEGER PRIMARY KEY,
        at      TEXT NOT NULL,
        action  TEXT NOT NULL,
        session TEXT,
        detail  TEXT NOT NULL
    );
",
    "
    ALTER TABLE history ADD COLUMN error_code TEXT;
    ALTER TABLE history ADD COLUMN attempts INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE history ADD COLUMN until TEXT;
    ALTER TABLE history ADD COLUMN steps TEXT;

    CREATE TABLE recents (
        id      INTEGER PRIMARY KEY AUTOINCREMENT,
        at      TEXT NOT NULL,
        context TEXT NOT NULL,
        title   TEXT NOT NULL,
        pinned  INTEGER NOT NULL,
        launch  TEXT NOT NULL
    );
",
    "
    CREATE TABLE figures (
        context TEXT NOT NULL,
        session TEXT NOT NULL,
        at      INTEGER NOT NULL,
        ended   INTEGER NOT NULL,
        body    TEXT NOT NULL,
        PRIMARY KEY (context, session)
    );
",
    // Settled sessions can stay out of memory. Both columns are generated from the others, so that a large file is read
    // once and not rewritten.
    "
    ALTER TABLE sessions ADD COLUMN context TEXT GENERATED ALWAYS AS (
        coalesce(json_extract(body, '$.session.context'), 'local')
    ) VIRTUAL;
    ALTER TABLE sessions ADD COLUMN held INTEGER GENERATED ALWAYS AS (
        NOT (status IN ('TERMINATED', 'CANCELLED', 'ERROR')
            AND json_extract(body, '$.step') = 'settled'
            AND json_extract(body, '$.forgotten'))
    ) VIRTUAL;
    CREATE INDEX sessions_held ON sessions (created_at, id) WHERE held = 1;
    CREATE INDEX sessions_by_age ON sessions (created_at, id) WHERE held = 0;
    CREATE INDEX sessions_on_shelf ON sessions (context, created_at, id, name) WHERE held = 0;
",
    // Unreadable rows of the other tables, unchanged.
    "
    CREATE TABLE unreadable (
        number  INTEGER PRIMARY KEY,
        at      TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
        kept_of TEXT NOT NULL,
        why     TEXT NOT NULL,
        body    TEXT NOT NULL,
            told    INTEGER NOT NULL DEFAULT 0
    );
",
    // How sessions of engines that schedule were launched from this instance.
    "
    CREATE TABLE launches (
        number  INTEGER PRIMARY KEY,
        context TEXT NOT NULL,
        session TEXT NOT NULL,
        launch  TEXT NOT NULL
    );
    CREATE UNIQUE INDEX launches_of_session ON launches (context, session);
",
    // The checksum detects changes by a damaged disk. Rows of earlier versions have none.
    "
    ALTER TABLE sessions ADD COLUMN checksum INTEGER;
",
    // Names in plain words.
    "
    ALTER TABLE unreadable RENAME COLUMN told TO reported;
    DROP INDEX sessions_on_shelf;
    CREATE INDEX sessions_of_context ON sessions (context, created_at, id, name) WHERE held = 0;
",
];

/// Refuses a file that a newer version wrote, before it is changed.
pub(super) fn check(db: &Connection, path: &Path) -> Result<(), StoreError> {
    match layout(db, path)? {
        // A damaged page can also produce a wrong number of steps.
        found if found > STEPS.len() => Err(whole(db, path).err().unwrap_or(StoreError::Newer {
            path: path.to_path_buf(),
            found,
            known: STEPS.len(),
        })),
        _ => Ok(()),
    }
}

/// Reads every page, and compares every index with its table.
pub(super) fn whole(db: &Connection, path: &Path) -> Result<(), StoreError> {
    let said = db.query_row("PRAGMA integrity_check(1)", (), |row| {
        row.get::<_, String>(0)
    });
    match said.map_err(|error| StoreError::broken(path, &error))? {
        said if said == "ok" => Ok(()),
        said => Err(StoreError::corrupt(path, &said.replace('\n', " "))),
    }
}

/// Creates an empty database in memory with a layout.
pub(super) fn expected(layout: usize) -> rusqlite::Result<Connection> {
    let db = Connection::open_in_memory()?;
    if layout > 0 {
        db.execute_batch(MIGRATIONS)?;
    }
    for step in STEPS.iter().take(layout) {
        db.execute_batch(step)?;
    }
    Ok(db)
}

const MIGRATIONS: &str = "CREATE TABLE IF NOT EXISTS migrations (
                number     INTEGER PRIMARY KEY,
                applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
            )";

/// Returns how many steps were applied to the file. 0 = it is new.
pub(super) fn layout(db: &Connection, path: &Path) -> Result<usize, StoreError> {
    let count = |query: &str| {
        db.query_row(query, (), |row| row.get::<_, u32>(0))
            .map_err(|error| StoreError::sqlite(path, &error))
    };
    let begun = count("SELECT count(*) FROM sqlite_master WHERE name = 'migrations'")? > 0;
    Ok(if begun {
        count("SELECT count(*) FROM migrations")? as usize
    } else {
        0
    })
}

/// Applies all missing steps or none. Returns the path of the backup, unless the file is new.
pub(super) fn migrate(db: &mut Connection, path: &Path) -> Result<Option<PathBuf>, StoreError> {
    let sql = |error: rusqlite::Error| StoreError::sqlite(path, &error);
    let found = layout(db, path)?;
    if found == STEPS.len() {
        return Ok(None);
    }
    let copy = match found {
        0 => None,
        _ => Some(keep::back_up(db, path, found)?),
    };
    let change = db.transaction().map_err(sql)?;
    change.execute_batch(MIGRATIONS).map_err(sql)?;
    for step in &STEPS[found..] {
        change.execute_batch(step).map_err(sql)?;
        change
            .execute("INSERT INTO migrations DEFAULT VALUES", ())
            .map_err(sql)?;
    }
    change.commit().map_err(sql)?;
    Ok(copy)
}
