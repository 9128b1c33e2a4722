//! Figures of sessions that have ended, and of those that were running when the daemon stopped.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Result, Row};

use super::values::to_json;
use crate::model::{
    figures::{Figures, FiguresRecord},
    id::SessionKey,
};

pub(super) fn put(
    db: &Connection,
    session: SessionKey,
    at: Timestamp,
    ended: bool,
    record: &FiguresRecord,
) -> Result<()> {
    db.prepare_cached(
        "INSERT OR REPLACE INTO figures (context, session, at, ended, body)
         VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute((
        session.context.as_str(),
        session.id.to_string(),
        at.as_second(),
        ended,
        to_json(record)?.to_string(),
    ))
    .map(drop)
}

pub(super) fn forget(db: &Connection, session: SessionKey) -> Result<()> {
    db.prepare_cached("DELETE FROM figures WHERE context = ?1 AND session = ?2")?
        .execute((session.context.as_str(), session.id.to_string()))
        .map(drop)
}

pub(super) fn forget_before(db: &Connection, at: Timestamp) -> Result<()> {
    db.prepare_cached("DELETE FROM figures WHERE at < ?1")?
        .execute([at.as_second()])
        .map(drop)
}

/// Returns the stored figures of a session.
pub(super) fn of(db: &Connection, session: SessionKey) -> Result<Option<Figures>> {
    let body: Option<Option<String>> = db
        .prepare_cached("SELECT body FROM figures WHERE context = ?1 AND session = ?2")?
        .query_row((session.context.as_str(), session.id.to_string()), |row| {
            Ok(row.get(0).ok())
        })
        .optional()?;
    Ok(body.flatten().and_then(|body| Some(read(&body)?.figures)))
}

/// Returns the figures of sessions that had not ended.
pub(super) fn unfinished(db: &Connection) -> Result<Vec<(SessionKey, FiguresRecord)>> {
    let mut query = db.prepare("SELECT context, session, body FROM figures WHERE ended = 0")?;
    let rows = query.query_map((), |row: &Row<'_>| Ok(unfinished_of(row)))?;
    let found: Result<Vec<Option<_>>> = rows.collect();
    Ok(found?.into_iter().flatten().collect())
}

fn unfinished_of(row: &Row<'_>) -> Option<(SessionKey, FiguresRecord)> {
    let text = |column| row.get::<_, String>(column).ok();
    let key = SessionKey::new(text(0)?.parse().ok()?, text(1)?.parse().ok()?);
    Some((key, read(&text(2)?)?))
}

/// Reads figures. Unreadable figures count as missing, because nothing else depends on them.
fn read(body: &str) -> Option<FiguresRecord> {
    let record: FiguresRecord = serde_json::from_str(body).ok()?;
    record.is_whole().then_some(record)
}
