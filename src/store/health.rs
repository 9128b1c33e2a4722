//! Examines the file without using it as the store.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::{StoreError, check, schema, unreadable};
use crate::model::text::Clean;

/// The contents and the state of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// The number of layout steps in the file, and the number that this program knows.
    pub layout: usize,
    pub known: usize,
    pub sessions: u64,
    pub history: u64,
    /// The number of rows that were set aside as unreadable, and a description of the newest.
    pub unreadable: Option<(u64, Clean)>,
}

/// Reads the file without changing it. `None` = there is no database yet. Reads every page, which takes about a second
/// for some hundreds of megabytes.
pub fn look(path: &Path) -> Result<Option<Health>, StoreError> {
    if !path.exists() {
        return Ok(None);
    }
    let sql = |error: rusqlite::Error| StoreError::sqlite(path, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags).map_err(sql)?;
    let count = |what: &str| {
        let query = format!("SELECT count(*) FROM {what}");
        db.query_row(&query, (), |row| row.get::<_, u32>(0))
            .map_err(sql)
    };
    schema::check(&db, path)?;
    let layout = schema::layout(&db, path)?;
    if layout == 0 {
        return Ok(None);
    }
    let known = schema::STEPS.len();
    schema::whole(&db, path)?;
    check::definitions(&db, path, layout)?;
    if layout == known {
        check::loads(&db, path)?;
    }
    Ok(Some(Health {
        layout,
        known,
        sessions: count("sessions")?.into(),
        history: count("history")?.into(),
        unreadable: unreadable::newest(&db).map_err(sql)?,
    }))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{
        super::{Store, StoreOptions},
        *,
    };

    fn begun(dir: &Path) -> std::path::PathBuf {
        let path = dir.join("workbay.db");
        drop(Store::open(&StoreOptions::new(path.clone())).unwrap());
        path
    }

    #[test]
    fn it_is_reported_without_being_touched() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(look(&dir.path().join("none.db")), Ok(None));
        let path = begun(dir.path());
        let health = look(&path).unwrap().unwrap();
        assert_eq!((health.sessions, health.layout), (0, health.known));

        let db = Connection::open(&path).unwrap();
        db.execute("INSERT INTO migrations DEFAULT VALUES", ())
            .unwrap();
        drop(db);
        assert!(matches!(look(&path), Err(StoreError::Newer { .. })));

        let broken = dir.path().join("broken.db");
        fs::write(&broken, "this isn't a database".repeat(100)).unwrap();
        assert!(matches!(look(&broken), Err(StoreError::Corrupt { .. })));
        let kept = fs::read_to_string(&broken).unwrap();
        assert!(kept.starts_with("this isn't a database"));
    }
}
