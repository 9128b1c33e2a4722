//! Finished sessions: only the newest are in the daemon's memory. The others are read from the file on request. A
//! session is finished when it has ended and workbay has nothing left to do for it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Result, params};

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

/// What is in memory after the start.
pub(super) struct Loaded {
    /// The unfinished sessions and the newest finished ones, oldest first.
    pub records: Vec<SessionRecord>,
    /// The oldest of the finished ones.
    before: Option<Mark>,
    /// How many of them are finished, by context.
    finished: BTreeMap<ContextName, u64>,
}

/// Loads the unfinished sessions and the newest `ended` finished ones.
pub(super) fn load(db: &Connection, ended: u32, bad: &mut Vec<Unreadable>) -> Result<Loaded> {
    let mut records = row_values::records(db, "WHERE held = 1 ORDER BY created_at, id", (), bad)?;
    let newest = row_values::records(
        db,
        "WHERE held = 0 ORDER BY created_at DESC, id DESC LIMIT ?1",
        [ended],
        bad,
    )?;
    let before = newest.last().map(|record| Mark::of(&record.session));
    let mut finished = BTreeMap::new();
    for record in &newest {
        *finished.entry(record.session.context).or_default() += 1;
    }
    records.extend(newest);
    records.sort_by_key(|record| (record.session.created_at, record.session.id));
    Ok(Loaded {
        records,
        before,
        finished,
    })
}

/// Counts the finished sessions that [`load`] left in the file.
pub(super) fn left(db: &Connection, loaded: &Loaded) -> Result<Unloaded> {
    let Some(before) = loaded.before.clone() else {
        return Ok(Unloaded::default());
    };
    let mut counts = counts(db, loaded.finished.keys().next().copied())?;
    for (context, count) in &loaded.finished {
        let left = counts.remove(context).unwrap_or_default();
        if let left @ 1.. = left.saturating_sub(*count) {
            counts.insert(*context, left);
        }
    }
    let before = Some(before);
    Ok(Unloaded { before, counts })
}

/// Finds the sessions for which the file doesn't say whether they are finished.
pub(super) fn undecided(db: &Connection, bad: &mut Vec<Unreadable>) -> Result<()> {
    row_values::records(db, "WHERE held IS NULL", (), bad).map(drop)
}

/// Counts the finished sessions of each context. Those of `rest` are what remains of all, because SQLite counts a whole
/// table several times faster than entries of an index, and most users have one context.
fn counts(db: &Connection, rest: Option<ContextName>) -> Result<BTreeMap<ContextName, u64>> {
    let count = |query: &str| db.query_row(query, (), |row| row.get::<_, u32>(0));
    let held = count("SELECT count(*) FROM sessions WHERE held = 1")?;
    let mut others = u64::from(count("SELECT count(*) FROM sessions")?.saturating_sub(held));
    let mut of_context =
        db.prepare_cached("SELECT count(*) FROM sessions WHERE held = 0 AND context = ?1")?;
    let mut counts = BTreeMap::new();
    for name in contexts(db)? {
        let context = ContextName::new(&name).ok();
        if context.is_some() && context == rest {
            continue;
        }
        let count: u64 = of_context
            .query_row([&name], |row| row.get::<_, u32>(0))?
            .into();
        others = others.saturating_sub(count);
        // A context with an invalid name can't be requested.
        counts.extend(context.map(|context| (context, count)));
    }
    counts.extend(rest.map(|context| (context, others)));
    Ok(counts)
}

/// Returns the names of the contexts of finished sessions, each by one search in the index.
fn contexts(db: &Connection) -> Result<Vec<String>> {
    let mut next = db.prepare_cached(
        "SELECT context FROM sessions WHERE held = 0 AND context >= ?1 ORDER BY context LIMIT 1",
    )?;
    let mut names: Vec<String> = Vec::new();
    let mut from = String::new();
    while let Some(name) = next
        .query_row([&from], |row| row.get::<_, String>(0))
        .optional()?
    {
        // The next text in SQLite's order.
        from = format!("{name}\0");
        names.push(name);
    }
    Ok(names)
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
