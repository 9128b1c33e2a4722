//! Sets aside rows that can't be written even with enough disk space: each is kept in the table of unreadable rows, and
//! the other rows are written without it.

use rusqlite::{Connection, ErrorCode, OptionalExtension as _, Result};
use serde_json::{Value, json};

use super::{row_values, values::to_json};
use crate::model::{id::SessionId, record::Write, text::Clean};

/// How many of these rows are kept. The oldest are removed.
const MOST: u32 = 1_000;

/// A row that was set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwritten {
    /// The session it is about.
    pub session: Option<SessionId>,
    /// Whether the row is the record of that session.
    pub is_record: bool,
    /// Whether this is the first such row of its table and session, so that users don't know yet.
    pub is_first: bool,
    /// What the row is, and why it can't be written.
    pub text: Clean,
}

/// Whether the error is about the content of one row. Another file system, more space or a retry doesn't help.
pub(super) fn is_of_a_row(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::ToSqlConversionFailure(_) => true,
        error => matches!(
            error.sqlite_error_code(),
            Some(
                ErrorCode::ConstraintViolation
                    | ErrorCode::TooBig
                    | ErrorCode::TypeMismatch
                    | ErrorCode::ParameterOutOfRange
            )
        ),
    }
}

/// Writes all rows that can be written, and returns those that were set aside.
pub(super) fn put_all(db: &mut Connection, writes: &[Write]) -> Result<Vec<Unwritten>> {
    let mut change = db.transaction()?;
    let mut unwritten = Vec::new();
    for write in writes {
        let attempt = change.savepoint()?;
        match row_values::put(&attempt, write) {
            Ok(()) => attempt.commit()?,
            Err(error) if is_of_a_row(&error) => {
                // Dropping the savepoint undoes a partial write of the row.
                drop(attempt);
                unwritten.push(keep(&change, write, &error.to_string())?);
            }
            Err(error) => return Err(error),
        }
    }
    if !unwritten.is_empty() {
        change.execute(
            "DELETE FROM unreadable WHERE json_extract(body, '$.unwritten') IS NOT NULL AND number NOT IN
                 (SELECT number FROM unreadable WHERE json_extract(body, '$.unwritten') IS NOT NULL
                  ORDER BY number DESC LIMIT ?1)",
            [MOST],
        )?;
    }
    change.commit()?;
    Ok(unwritten)
}

/// Sets a row aside. Of a session's record, only the newest version is kept.
fn keep(db: &Connection, write: &Write, why: &str) -> Result<Unwritten> {
    let (table, session) = of(write);
    let is_record = matches!(write, Write::Session(_));
    let key = session.map(|id| id.to_string()).unwrap_or_default();
    let same = "kept_of = ?1 AND json_extract(body, '$.unwritten') = ?2";
    let known = db
        .query_row(
            &format!("SELECT 1 FROM unreadable WHERE {same}"),
            (table, &key),
            |_| Ok(()),
        )
        .optional()?;
    if is_record {
        db.execute(
            &format!("DELETE FROM unreadable WHERE {same}"),
            (table, &key),
        )?;
    }
    let why = Clean::new(&tr_sent!("can't be written: {why}", why));
    let put = |row: Value| {
        db.execute(
            "INSERT INTO unreadable (kept_of, why, body, reported) VALUES (?1, ?2, ?3, 1)",
            (
                table,
                why.as_str(),
                json!({"unwritten": key, "row": row}).to_string(),
            ),
        )
    };
    match put(row(write).unwrap_or(Value::Null)) {
        // The row is too long for this table as well. An entry without its content is kept.
        Err(error) if is_of_a_row(&error) => put(Value::Null)?,
        kept => kept?,
    };
    tracing::error!(table, session = key, %why, "a row was set aside");
    let text = match session.map(|id| id.short()) {
        Some(id) => tr_sent!("a row of {table} of session {id} {why}", table, id, why),
        None => tr_sent!("a row of {table} {why}", table, why),
    };
    Ok(Unwritten {
        session,
        is_record,
        is_first: known.is_none(),
        text: Clean::new(&text),
    })
}

/// Returns the table of a write, and the session it is about.
fn of(write: &Write) -> (&'static str, Option<SessionId>) {
    match write {
        Write::Session(record) => ("sessions", Some(record.session.id)),
        Write::History(entry) | Write::HistoryAgain(entry) => ("history", Some(entry.session)),
        Write::Audit(entry) => ("audit", entry.session),
        Write::Recent { .. } => ("recents", None),
        Write::Launch { session, .. } => ("launches", Some(session.id)),
        Write::Figures { session, .. } | Write::ForgetFigures { session } => {
            ("figures", Some(session.id))
        }
        Write::DeleteSession { session } => ("sessions", Some(session.id)),
        Write::ForgetFiguresBefore { .. } => ("figures", None),
        Write::Forward(forward) => ("forwards", Some(forward.session.id)),
        Write::ForgetForward { .. } => ("forwards", None),
    }
}

fn row(write: &Write) -> Result<Value> {
    match write {
        Write::Session(record) => to_json(record),
        Write::History(entry) | Write::HistoryAgain(entry) => to_json(entry),
        Write::Audit(entry) => to_json(entry),
        Write::Recent { launch, .. } | Write::Launch { launch, .. } => to_json(launch),
        Write::Figures { record, .. } => to_json(record),
        Write::Forward(forward) => to_json(forward),
        Write::ForgetFigures { .. }
        | Write::ForgetForward { .. }
        | Write::DeleteSession { .. }
        | Write::ForgetFiguresBefore { .. } => Ok(Value::Null),
    }
}
