//! Recent launches: the newest ones and those that the user pinned.

use rusqlite::{Connection, Result, Row};

use super::{
    unreadable::{Table, Unreadable, sorted},
    values::{clean, parsed, unreadable},
};
use crate::model::{
    id::ContextName,
    recent::{KEPT, Recent, RecentEdit, RecentId},
    spec::LaunchRequest,
    text::Clean,
};

/// Adds a launch, and removes the oldest ones that aren't pinned.
pub(super) fn put(
    db: &Connection,
    at: &jiff::Timestamp,
    context: ContextName,
    title: &Clean,
    launch: &LaunchRequest,
) -> Result<()> {
    let body = serde_json::to_string(launch)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    db.prepare_cached(
        "INSERT INTO recents (at, context, title, pinned, launch) VALUES (?1, ?2, ?3, 0, ?4)",
    )?
    .execute((at.to_string(), context.as_str(), title.as_str(), body))?;
    db.prepare_cached(
        "DELETE FROM recents WHERE pinned = 0 AND id NOT IN
             (SELECT id FROM recents WHERE pinned = 0 ORDER BY id DESC LIMIT ?1)",
    )?
    .execute([KEPT])
    .map(drop)
}

/// Returns all recent launches: pinned ones first, then the newest first.
pub(super) fn all(db: &Connection, bad: &mut Vec<Unreadable>) -> Result<Vec<Recent>> {
    let mut query = db.prepare_cached(
        "SELECT id, at, context, title, pinned, launch FROM recents
         ORDER BY pinned DESC, id DESC",
    )?;
    let mut rows = query.query(())?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        let place = (Table::Recents, row.get(0)?);
        entries.extend(sorted(entry(row), place, bad)?);
    }
    Ok(entries)
}

fn entry(row: &Row<'_>) -> Result<Recent> {
    let body: String = row.get(5)?;
    Ok(Recent {
        id: row.get(0)?,
        at: parsed(row, 1)?,
        context: ContextName::new(&row.get::<_, String>(2)?).map_err(|why| {
            rusqlite::Error::FromSqlConversionFailure(2, rusqlite::types::Type::Text, why.into())
        })?,
        title: clean(row, 3)?.unwrap_or_default(),
        pinned: row.get(4)?,
        launch: serde_json::from_str(&body).map_err(|error| unreadable(5, error))?,
    })
}

/// Changes a recent launch. Does nothing if it no longer exists.
pub(super) fn edit(db: &Connection, id: RecentId, edit: &RecentEdit) -> Result<()> {
    match edit {
        RecentEdit::Pin { pinned } => {
            db.execute("UPDATE recents SET pinned = ?2 WHERE id = ?1", (id, pinned))
        }
        RecentEdit::Rename { title } => db.execute(
            "UPDATE recents SET title = ?2 WHERE id = ?1",
            (id, Clean::new(title).as_str()),
        ),
        RecentEdit::Remove => db.execute("DELETE FROM recents WHERE id = ?1", [id]),
    }
    .map(drop)
}
