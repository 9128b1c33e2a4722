//! Finished sessions: only the newest are in the daemon's memory. The others are read from the file on request. A
//! session is finished when it has ended and workbay has nothing left to do for it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rusqlite::{Connection, Result, params};

use super::{
    row_values,
    unreadable::{Table, Unreadable, sorted},
    values::parsed,
};
use crate::model::{
    id::{ContextName, SessionId},
    record::SessionRecord,
    session::Session,
};

/// A position in the order of age.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    created_at: String,
    id: String,
}

impl Mark {
    pub fn of(session: &Session) -> Self {
        Self::at(session.created_at, session.id)
    }

    fn at(created_at: Timestamp, id: SessionId) -> Self {
        Self {
            created_at: created_at.to_string(),
            id: id.to_string(),
        }
    }
}

/// The mark before which sessions were left in the file, and the number of these sessions by context.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unloaded {
    pub before: Option<Mark>,
    pub counts: BTreeMap<ContextName, u64>,
}

/// Loads the unfinished sessions and the newest `ended` finished ones, oldest first. Returns what stays in the file.
pub(super) fn load(
    db: &Connection,
    ended: u32,
    bad: &mut Vec<Unreadable>,
) -> Result<(Vec<SessionRecord>, Unloaded)> {
    let mut records = row_values::records(db, "WHERE held = 1 ORDER BY created_at, id", (), bad)?;
    let finished = row_values::records(
        db,
        "WHERE held = 0 ORDER BY created_at DESC, id DESC LIMIT ?1",
        [ended],
        bad,
    )?;
    let before = finished.last().map(|record| Mark::of(&record.session));
    let counts = match &before {
        Some(before) => counts(db, before)?,
        None => BTreeMap::new(),
    };
    records.extend(finished);
    records.sort_by_key(|record| (record.session.created_at, record.session.id));
    Ok((records, Unloaded { before, counts }))
}

/// Finds the sessions for which the file doesn't say whether they are finished.
pub(super) fn undecided(db: &Connection, bad: &mut Vec<Unreadable>) -> Result<()> {
    row_values::records(db, "WHERE held IS NULL", (), bad).map(drop)
}

fn counts(db: &Connection, before: &Mark) -> Result<BTreeMap<ContextName, u64>> {
    let mut query = db.prepare(
        "SELECT context, count(*) FROM sessions
         WHERE held = 0 AND (created_at, id) < (?1, ?2) GROUP BY context",
    )?;
    let mut rows = query.query([&before.created_at, &before.id])?;
    let mut counts = BTreeMap::new();
    while let Some(row) = rows.next()? {
        // A context with an invalid name can't be requested.
        if let Ok(context) = ContextName::new(&row.get::<_, String>(0)?) {
            counts.insert(context, row.get::<_, u32>(1)?.into());
        }
    }
    Ok(counts)
}

/// Returns the newest finished sessions before the mark.
pub(super) fn older(
    db: &Connection,
    context: ContextName,
    before: &Mark,
    limit: u32,
    bad: &mut Vec<Unreadable>,
) -> Result<Vec<SessionRecord>> {
    row_values::records(
        db,
        "WHERE held = 0 AND context = ?1 AND (created_at, id) < (?2, ?3)
         ORDER BY created_at DESC, id DESC LIMIT ?4",
        params![context.as_str(), before.created_at, before.id, limit],
        bad,
    )
}

/// Returns how many finished sessions have a name that contains the text, and their IDs: an exact match first, then the
/// newest.
pub(super) fn named(
    db: &Connection,
    context: ContextName,
    text: &str,
    limit: u32,
    bad: &mut Vec<Unreadable>,
) -> Result<(u64, Vec<SessionId>)> {
    let pattern = pattern(text);
    let count = db
        .prepare_cached(
            "SELECT count(*) FROM sessions
             WHERE held = 0 AND context = ?1 AND name LIKE ?2 ESCAPE '\\'",
        )?
        .query_row(params![context.as_str(), pattern], |row| {
            row.get::<_, u32>(0)
        })?;
    let mut query = db.prepare_cached(
        "SELECT id, rowid FROM sessions WHERE held = 0 AND context = ?1 AND name LIKE ?2 ESCAPE '\\'
         ORDER BY name = ?3 DESC, created_at DESC, id DESC LIMIT ?4",
    )?;
    let mut found = query.query(params![context.as_str(), pattern, text, limit])?;
    let mut ids = Vec::new();
    while let Some(row) = found.next()? {
        let place = (Table::Sessions, row.get(1)?);
        ids.extend::<Option<SessionId>>(sorted(parsed(row, 0), place, bad)?);
    }
    Ok((count.into(), ids))
}

/// Returns a `LIKE` pattern that matches the text anywhere. `%` and `_` are escaped.
fn pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for letter in text.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

pub(super) fn of_ids(
    db: &Connection,
    ids: &[SessionId],
    bad: &mut Vec<Unreadable>,
) -> Result<Vec<SessionRecord>> {
    let mut records = Vec::new();
    for id in ids {
        records.append(&mut row_values::records(
            db,
            "WHERE id = ?1",
            [id.to_string()],
            bad,
        )?);
    }
    Ok(records)
}
