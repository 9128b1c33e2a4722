//! How sessions of engines that schedule were launched, because such an engine doesn't report all of it.

use rusqlite::{Connection, OptionalExtension, Result, Row};

use super::values::to_json;
use crate::model::{
    id::SessionKey,
    record::Mounts,
    spec::{FolderMount, LaunchRequest},
};

/// How many launches are kept. The oldest are removed.
const KEPT: u32 = 5_000;

pub(super) fn put(db: &Connection, session: SessionKey, launch: &LaunchRequest) -> Result<()> {
    db.prepare_cached(
        "INSERT OR REPLACE INTO launches (context, session, launch) VALUES (?1, ?2, ?3)",
    )?
    .execute((
        session.context.as_str(),
        session.id.to_string(),
        to_json(launch)?.to_string(),
    ))?;
    db.prepare_cached(
        "DELETE FROM launches WHERE number <= (SELECT max(number) FROM launches) - ?1",
    )?
    .execute([KEPT])
    .map(drop)
}

/// Returns how a session was launched. An unreadable launch counts as missing.
pub(super) fn of(db: &Connection, session: SessionKey) -> Result<Option<LaunchRequest>> {
    let body: Option<Option<String>> = db
        .prepare_cached("SELECT launch FROM launches WHERE context = ?1 AND session = ?2")?
        .query_row((session.context.as_str(), session.id.to_string()), |row| {
            Ok(row.get(0).ok())
        })
        .optional()?;
    Ok(body
        .flatten()
        .and_then(|body| serde_json::from_str(&body).ok()))
}

/// Returns the folder mounts of all sessions that have any.
pub(super) fn mounts(db: &Connection) -> Result<Vec<Mounts>> {
    let mut query = db.prepare(
        "SELECT context, session, launch FROM launches WHERE instr(launch, '\"mounts\":[{') > 0",
    )?;
    let rows = query.query_map((), |row| Ok(mounts_of(row)))?;
    let found: Result<Vec<Option<_>>> = rows.collect();
    Ok(found?.into_iter().flatten().collect())
}

fn mounts_of(row: &Row<'_>) -> Option<(SessionKey, Vec<FolderMount>)> {
    let text = |column| row.get::<_, String>(column).ok();
    let key = SessionKey::new(text(0)?.parse().ok()?, text(1)?.parse().ok()?);
    let launch: LaunchRequest = serde_json::from_str(&text(2)?).ok()?;
    Some((key, launch.mounts))
}
