//! Rows that cannot be read: each is moved alone, as it was, into a table of its own, and the rest goes on
//! without it. A file that SQLite calls corrupt is another matter ([`super::keep`]).

use rusqlite::{Connection, Result, Row, types::ValueRef};
use serde_json::{Map, Value, json};

use super::values::to_json;
use crate::model::text::Clean;

/// A row of a table, and why it cannot be read.
pub(super) struct Unreadable {
    pub table: Table,
    pub row: i64,
    pub why: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    /// With its kernels.
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

    /// All but what is worked out of the rest: that may be what cannot be done.
    fn columns(self) -> &'static str {
        match self {
            Self::Sessions => "id, name, status, created_at, terminated_at, body",
            Self::History | Self::Recents => "*",
        }
    }
}

/// What a query finds once the rows are out of the way that it cannot read.
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

/// What was read of a row, or nothing and one more that is unreadable.
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

/// How many there are, and of the newest what it is; nothing in a file of an earlier layout.
pub(super) fn newest(db: &Connection) -> Result<Option<(u64, Clean)>> {
    let there = "SELECT count(*) FROM sqlite_master WHERE name = 'unreadable'";
    if db.query_row(there, (), |row| row.get::<_, u32>(0))? == 0 {
        return Ok(None);
    }
    told_of(db, "")
}

/// Whether there are sessions among those of which none was said yet: they may run.
pub(super) fn are_sessions_new(db: &Connection) -> Result<bool> {
    let query = "SELECT count(*) FROM unreadable WHERE told = 0 AND kept_of = 'sessions'";
    db.query_row(query, (), |row| Ok(row.get::<_, u32>(0)? > 0))
}

/// A sentence about those of which none was said yet; it is said once.
pub(super) fn news(db: &Connection) -> Result<Option<Clean>> {
    let Some((count, newest)) = told_of(db, "WHERE told = 0")? else {
        return Ok(None);
    };
    db.execute("UPDATE unreadable SET told = 1", ())?;
    let what = match count {
        1 => format!("a row of the state database can't be read and was set aside ({newest})"),
        count => format!(
            "{count} rows of the state database can't be read and were set aside (the newest: \
             {newest})"
        ),
    };
    let text =
        format!("{what}. Nothing else is missing. `workbay doctor` shows where the rows are");
    Ok(Some(Clean::new(&text)))
}

fn told_of(db: &Connection, which: &str) -> Result<Option<(u64, Clean)>> {
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

/// A value that is of another kind or says something unknown; the file itself was read.
fn is_of_a_value(error: &rusqlite::Error) -> bool {
    matches!(
        error,
        rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..)
    )
}

/// SQLite says this of a row's body, from which it works out columns, and does not say of which row.
pub(super) fn is_no_json(error: &rusqlite::Error) -> bool {
    matches!(error, rusqlite::Error::SqliteFailure(_, Some(why)) if why.contains("malformed JSON"))
}

fn no_json(db: &Connection) -> Result<Vec<Unreadable>> {
    let mut query = db.prepare("SELECT rowid FROM sessions WHERE NOT json_valid(body)")?;
    let rows = query.query_map((), |row| {
        Ok(Unreadable {
            table: Table::Sessions,
            row: row.get(0)?,
            why: "its body isn't valid JSON".to_owned(),
        })
    })?;
    rows.collect()
}

/// Moves them, all or none.
fn keep(db: &Connection, mut bad: Vec<Unreadable>) -> Result<()> {
    let change = db.unchecked_transaction()?;
    // The indexes of sessions hold what is worked out of the body: with them a row whose body is no JSON
    // can neither go nor stay.
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

/// What makes them again.
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
    // Kernels go with their session.
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

/// What is no text stands as the numbers of its bytes.
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
