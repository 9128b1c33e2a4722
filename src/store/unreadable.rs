//! Sets aside rows that can't be read: each is moved unchanged into a separate table, and the other rows stay in use.
//! For files that SQLite calls corrupt see [`super::keep`].

use rusqlite::{Connection, Result, Row, types::ValueRef};
use serde_json::{Map, Value, json};

use super::values::to_json;
use crate::model::text::Clean;

/// A row of a table, and why it can't be read.
pub(super) struct Unreadable {
    pub table: Table,
    pub row: i64,
    pub why: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    /// Sessions with their containers.
    Sessions,
    History,
    Recents,
}

impl Table {
    fn name(self) -> &'static str {
        match self {
            Self::Sessions => "sessions",
            Self::History => "history",
            Self::Recents => "recents",
        }
    }

    /// Returns the columns to keep. Generated columns are left out, because reading them may be what fails.
    fn columns(self) -> &'static str {
        match self {
            Self::Sessions => "id, name, status, created_at, terminated_at, body",
            Self::History | Self::Recents => "*",
        }
    }
}

/// Runs a query, sets aside the rows that it can't read, and repeats it until all rows are readable.
pub(super) fn without<T>(
    db: &Connection,
    query: impl Fn(&Connection, &mut Vec<Unreadable>) -> Result<T>,
) -> Result<T> {
    loop {
        let mut bad = Vec::new();
        let found = query(db, &mut bad);
        if found.as_ref().is_err_and(is_no_json) {
            bad = no_json(db)?;
        }
        if bad.is_empty() {
            return found;
        }
        keep(db, bad)?;
    }
}

/// Returns what was read of a row. An unreadable row returns `None` and is added to `bad`.
pub(super) fn sorted<T>(
    read: Result<T>,
    (table, row): (Table, i64),
    bad: &mut Vec<Unreadable>,
) -> Result<Option<T>> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(error) if is_of_a_value(&error) => {
            let why = error.to_string();
            bad.push(Unreadable { table, row, why });
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Returns the number of unreadable rows and a description of the newest. `None` = no rows, or an earlier layout.
pub(super) fn newest(db: &Connection) -> Result<Option<(u64, Clean)>> {
    let there = "SELECT count(*) FROM sqlite_master WHERE name = 'unreadable'";
    if db.query_row(there, (), |row| row.get::<_, u32>(0))? == 0 {
        return Ok(None);
    }
    count_and_newest(db, "")
}

/// Whether unreported rows include sessions, which may be running.
pub(super) fn are_sessions_new(db: &Connection) -> Result<bool> {
    let query = "SELECT count(*) FROM unreadable WHERE reported = 0 AND kept_of = 'sessions'";
    db.query_row(query, (), |row| Ok(row.get::<_, u32>(0)? > 0))
}

/// Returns a sentence about the rows that haven't been reported, and marks them as reported.
pub(super) fn report(db: &Connection) -> Result<Option<Clean>> {
    let Some((count, newest)) = count_and_newest(db, "WHERE reported = 0")? else {
        return Ok(None);
    };
    db.execute("UPDATE unreadable SET reported = 1", ())?;
    let what = match count {
        1 => tr_sent!(
            "a row of the state database can't be read and was set aside ({newest})",
            newest
        ),
        count => tr_sent!(
            "{count} rows of the state database can't be read and were set aside (the newest: \
             {newest})",
            count,
            newest
        ),
    };
    let text = tr_sent!(
        "{what}. Nothing else is missing. `workbay doctor` shows where the rows are",
        what
    );
    Ok(Some(Clean::new(&text)))
}

fn count_and_newest(db: &Connection, which: &str) -> Result<Option<(u64, Clean)>> {
    let query = format!("SELECT kept_of, why FROM unreadable {which} ORDER BY number DESC");
    let mut query = db.prepare(&query)?;
    let said = query.query_map((), |row| {
        Ok(format!(
            "{}: {}",
            row.get::<_, String>(0)?,
            row.get::<_, String>(1)?
        ))
    })?;
    let said = said.collect::<Result<Vec<_>>>()?;
    let newest = said.first().map(|newest| Clean::new(newest));
    Ok(newest.map(|newest| (said.len() as u64, newest)))
}

/// Whether a value has the wrong type or an unknown content, in a file that could be read.
fn is_of_a_value(error: &rusqlite::Error) -> bool {
    matches!(
        error,
        rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..)
    )
}

/// Whether a row's body isn't valid JSON. SQLite reports this for generated columns, without naming the row.
pub(super) fn is_no_json(error: &rusqlite::Error) -> bool {
    matches!(error, rusqlite::Error::SqliteFailure(_, Some(why)) if why.contains("malformed JSON"))
}

fn no_json(db: &Connection) -> Result<Vec<Unreadable>> {
    let mut query = db.prepare("SELECT rowid FROM sessions WHERE NOT json_valid(body)")?;
    let rows = query.query_map((), |row| {
        Ok(Unreadable {
            table: Table::Sessions,
            row: row.get(0)?,
            why: tr_sent!("its body isn't valid JSON").to_owned(),
        })
    })?;
    rows.collect()
}

/// Moves all of these rows or none.
fn keep(db: &Connection, mut bad: Vec<Unreadable>) -> Result<()> {
    let change = db.unchecked_transaction()?;
    // The indexes of sessions contain generated columns. With them, a row whose body isn't valid JSON can be neither
    // deleted nor kept.
    let indexes = if bad.iter().any(|it| it.table == Table::Sessions) {
        let known: Vec<i64> = bad.iter().map(|it| it.row).collect();
        let more = no_json(&change)?.into_iter();
        bad.extend(more.filter(|it| !known.contains(&it.row)));
        drop_indexes(&change)?
    } else {
        Vec::new()
    };
    for it in &bad {
        tracing::warn!(
            table = it.table.name(),
            row = it.row,
            why = it.why,
            "a row was set aside"
        );
        keep_one(&change, it)?;
    }
    for index in indexes {
        change.execute_batch(&index)?;
    }
    change.commit()
}

/// Drops the indexes of sessions, and returns the statements that recreate them.
fn drop_indexes(db: &Connection) -> Result<Vec<String>> {
    let mut query = db.prepare(
        "SELECT name, sql FROM sqlite_master
         WHERE type = 'index' AND tbl_name = 'sessions' AND sql IS NOT NULL",
    )?;
    let found = query.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (names, made): (Vec<String>, Vec<String>) = found.collect::<Result<_>>()?;
    for name in names {
        db.execute_batch(&format!("DROP INDEX \"{name}\""))?;
    }
    Ok(made)
}

fn keep_one(db: &Connection, bad: &Unreadable) -> Result<()> {
    let (table, columns) = (bad.table.name(), bad.table.columns());
    let query = format!("SELECT {columns} FROM {table} WHERE rowid = ?1");
    let mut body = json!({ table: as_json(db, &query, bad.row)? });
    if bad.table == Table::Sessions {
        let query =
            "SELECT * FROM kernels WHERE session = (SELECT id FROM sessions WHERE rowid = ?1)";
        body["kernels"] = Value::Array(as_json(db, query, bad.row)?);
    }
    db.execute(
        "INSERT INTO unreadable (kept_of, why, body) VALUES (?1, ?2, ?3)",
        (
            table,
            Clean::new(&bad.why).as_str(),
            to_json(&body)?.to_string(),
        ),
    )?;
    // The containers are deleted with their session.
    db.execute(&format!("DELETE FROM {table} WHERE rowid = ?1"), [bad.row])
        .map(drop)
}

fn as_json(db: &Connection, query: &str, row: i64) -> Result<Vec<Value>> {
    let mut query = db.prepare(query)?;
    let names: Vec<String> = query.column_names().map(str::to_owned).collect();
    let rows = query.query_map([row], |row| {
        let values = names.iter().enumerate();
        let values = values.map(|(place, name)| Ok((name.clone(), value(row, place)?)));
        values.collect::<Result<Map<_, _>>>().map(Value::Object)
    })?;
    rows.collect()
}

/// Converts a column to JSON. Bytes that aren't valid text become an array of numbers.
fn value(row: &Row<'_>, place: usize) -> Result<Value> {
    Ok(match row.get_ref(place)? {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => json!(number),
        ValueRef::Real(number) => json!(number),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => json!(text),
            Err(_) => json!(bytes),
        },
    })
}
