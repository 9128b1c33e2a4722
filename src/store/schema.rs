//! The tables, step by step. A step that was released is never changed, a new one is added.

use std::path::Path;

use rusqlite::Connection;

use super::StoreError;

const STEPS: &[&str] = &[
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
];

/// Brings the file to the newest layout.
pub(super) fn migrate(db: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let sql = |error: rusqlite::Error| StoreError::sqlite(path, &error);
    db.execute_batch(
        "CREATE TABLE IF NOT EXISTS migrations (
            number     INTEGER PRIMARY KEY,
            applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
        )",
    )
    .map_err(sql)?;
    let found = db
        .query_row("SELECT count(*) FROM migrations", (), |row| {
            row.get::<_, u32>(0)
        })
        .map_err(sql)? as usize;
    if found > STEPS.len() {
        return Err(StoreError::Newer {
            path: path.to_path_buf(),
            found,
            known: STEPS.len(),
        });
    }
    for step in &STEPS[found..] {
        let change = db.transaction().map_err(sql)?;
        change.execute_batch(step).map_err(sql)?;
        change
            .execute("INSERT INTO migrations DEFAULT VALUES", ())
            .map_err(sql)?;
        change.commit().map_err(sql)?;
    }
    Ok(())
}
