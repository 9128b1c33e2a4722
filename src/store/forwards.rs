//! Open forwards, so that the next daemon opens them again. There are few, so each is an entry of `meta`.

use rusqlite::{Connection, Result};

use super::values::to_json;
use crate::model::forward::{Forward, ForwardId};

fn key(id: ForwardId) -> String {
    // Padded, so that the keys are in the order of the numbers.
    format!("forward {id:020}")
}

pub(super) fn put(db: &Connection, forward: &Forward) -> Result<()> {
    db.prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)")?
        .execute((key(forward.id), to_json(forward)?.to_string()))
        .map(drop)
}

pub(super) fn forget(db: &Connection, id: ForwardId) -> Result<()> {
    db.prepare_cached("DELETE FROM meta WHERE key = ?1")?
        .execute([key(id)])
        .map(drop)
}

/// Returns all forwards, oldest first. An unreadable one counts as closed.
pub(super) fn all(db: &Connection) -> Result<Vec<Forward>> {
    let mut query = db.prepare("SELECT value FROM meta WHERE key GLOB 'forward *' ORDER BY key")?;
    let rows = query.query_map((), |row| Ok(row.get::<_, String>(0).ok()))?;
    let bodies: Result<Vec<Option<String>>> = rows.collect();
    let bodies = bodies?.into_iter().flatten();
    Ok(bodies
        .filter_map(|body| serde_json::from_str(&body).ok())
        .collect())
}
