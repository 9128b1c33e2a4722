//! Open forwards, so that the next daemon opens them again.

use rusqlite::{Connection, Result};

use super::values::to_json;
use crate::model::forward::{Forward, ForwardId};

pub(super) fn put(db: &Connection, forward: &Forward) -> Result<()> {
    db.prepare_cached("INSERT OR REPLACE INTO forwards (id, body) VALUES (?1, ?2)")?
        .execute((forward.id.cast_signed(), to_json(forward)?.to_string()))
        .map(drop)
}

pub(super) fn forget(db: &Connection, id: ForwardId) -> Result<()> {
    db.prepare_cached("DELETE FROM forwards WHERE id = ?1")?
        .execute([id.cast_signed()])
        .map(drop)
}

/// Returns all forwards, oldest first. An unreadable one counts as closed.
pub(super) fn all(db: &Connection) -> Result<Vec<Forward>> {
    let mut query = db.prepare("SELECT body FROM forwards ORDER BY id")?;
    let rows = query.query_map((), |row| Ok(row.get::<_, String>(0).ok()))?;
    let bodies: Result<Vec<Option<String>>> = rows.collect();
    let bodies = bodies?.into_iter().flatten();
    Ok(bodies
        .filter_map(|body| serde_json::from_str(&body).ok())
        .collect())
}
