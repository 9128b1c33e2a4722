//! Converts the types of the model to rows and back.

use rusqlite::{
    Connection, OptionalExtension, Params, Result, Row, params_from_iter, types as sql,
};
use serde_json::Value;

use super::{
    checksum::{self, Checksum, KERNEL_COLUMNS, SESSION_COLUMNS},
    figures, forwards, launches, recents,
    unreadable::{Table, Unreadable, sorted},
    values::{clean, parsed, time, to_json, unreadable},
};
use crate::model::{
    history::HistoryEntry,
    id::{SessionId, SessionKey},
    kernel::Kernel,
    record::{SessionRecord, Write},
    status::Status,
    text::Clean,
};

pub(super) fn instance(db: &Connection) -> Result<Option<String>> {
    db.query_row("SELECT value FROM meta WHERE key = 'instance'", (), |row| {
        row.get(0)
    })
    .optional()
}

/// Reads all values in `meta`, to find out whether they can be read.
pub(super) fn read_meta(db: &Connection) -> Result<()> {
    let mut query = db.prepare("SELECT key, value FROM meta")?;
    let mut rows = query.query(())?;
    while let Some(row) = rows.next()? {
        row.get::<_, String>(0)?;
        row.get::<_, String>(1)?;
    }
    instance(db).map(drop)
}

pub(super) fn set_instance(db: &Connection, instance: &str) -> Result<()> {
    db.execute(
        "INSERT OR REPLACE INTO meta (key, value) VALUES ('instance', ?1)",
        [instance],
    )
    .map(drop)
}

pub(super) fn put(db: &Connection, write: &Write) -> Result<()> {
    match write {
        Write::Session(record) => put_session(db, record),
        Write::History(entry) => put_history(db, entry),
        Write::HistoryAgain(entry) => put_history_again(db, entry),
        Write::Recent {
            at,
            context,
            title,
            launch,
        } => recents::put(db, at, *context, title, launch),
        Write::Launch { session, launch } => launches::put(db, *session, launch),
        Write::Figures {
            session,
            at,
            ended,
            record,
        } => figures::put(db, *session, *at, *ended, record),
        Write::ForgetFigures { session } => figures::forget(db, *session),
        Write::DeleteSession { session } => delete_session(db, *session),
        Write::Forward(forward) => forwards::put(db, forward),
        Write::ForgetForward { id } => forwards::forget(db, *id),
        Write::ForgetFiguresBefore { at } => figures::forget_before(db, *at),
        Write::Audit(entry) => db
            .prepare_cached(
                "INSERT INTO audit (at, action, session, detail) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute((
                entry.at.to_string(),
                entry.action.as_str(),
                entry.session.map(|id| id.to_string()),
                entry.detail.as_str(),
            ))
            .map(drop),
    }
}

/// Writes a session. Its containers have separate rows and are left out of the body.
fn put_session(db: &Connection, record: &SessionRecord) -> Result<()> {
    let session = session_values(record)?;
    let kernels: Vec<_> = record.session.kernels.iter().map(kernel_values).collect();
    let mut checksum = Checksum::default();
    checksum.add_all(&session);
    for kernel in &kernels {
        checksum.add_all(kernel);
    }
    let id = record.session.id.to_string();
    let checksum = sql::Value::from(checksum.value());
    let values = session.into_iter().chain([checksum]);
    let columns = checksum::SESSION;
    db.prepare_cached(&format!(
        "INSERT INTO sessions ({columns}, checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (id) DO UPDATE SET name = excluded.name, status = excluded.status,
             created_at = excluded.created_at, terminated_at = excluded.terminated_at,
             body = excluded.body, checksum = excluded.checksum"
    ))?
    .execute(params_from_iter(values))?;
    db.prepare_cached("DELETE FROM kernels WHERE session = ?1")?
        .execute([&id])?;
    for (place, kernel) in (0_i64..).zip(kernels) {
        let place = [id.clone().into(), place.into()];
        let columns = checksum::KERNEL;
        db.prepare_cached(&format!(
            "INSERT OR REPLACE INTO kernels ({columns}, session, place)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
        ))?
        .execute(params_from_iter(kernel.into_iter().chain(place)))?;
    }
    Ok(())
}

fn session_values(record: &SessionRecord) -> Result<[sql::Value; SESSION_COLUMNS]> {
    let session = &record.session;
    let mut body = to_json(record)?;
    if let Some(kernels) = body.pointer_mut("/session/kernels") {
        *kernels = Value::Array(Vec::new());
    }
    Ok([
        session.id.to_string().into(),
        session.name.as_str().to_owned().into(),
        session.status.word().to_owned().into(),
        session.created_at.to_string().into(),
        session.terminated_at.map(|at| at.to_string()).into(),
        body.to_string().into(),
    ])
}

fn kernel_values(kernel: &Kernel) -> [sql::Value; KERNEL_COLUMNS] {
    let container = kernel.container_id.as_ref();
    [
        kernel.id.to_string().into(),
        kernel.hostname.as_str().to_owned().into(),
        kernel.status.word().to_owned().into(),
        container.map(|id| id.as_str().to_owned()).into(),
        kernel.exit_code.into(),
        kernel.oom_killed.into(),
        kernel.started_at.map(|at| at.to_string()).into(),
        kernel.terminated_at.map(|at| at.to_string()).into(),
    ]
}

/// Deletes all rows of a session except its audit entries.
fn delete_session(db: &Connection, session: SessionKey) -> Result<()> {
    figures::forget(db, session)?;
    let id = session.id.to_string();
    for query in [
        "DELETE FROM history WHERE session = ?1",
        "DELETE FROM kernels WHERE session = ?1",
        "DELETE FROM sessions WHERE id = ?1",
    ] {
        db.prepare_cached(query)?.execute([&id])?;
    }
    Ok(())
}

fn put_history(db: &Connection, entry: &HistoryEntry) -> Result<()> {
    put_history_as(db, entry, None)
}

/// Writes a history entry with this number. `None` = the next number.
fn put_history_as(db: &Connection, entry: &HistoryEntry, number: Option<i64>) -> Result<()> {
    db.prepare_cached(
        "INSERT OR REPLACE INTO history (session, at, phase, from_status, to_status, result, message,
             error_code, attempts, until, steps, number)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    )?
    .execute((
        entry.session.to_string(),
        entry.at.to_string(),
        entry.phase.as_str(),
        entry.from.as_ref().map(Status::word),
        entry.to.word(),
        to_json(&entry.result)?.as_str().unwrap_or_default(),
        entry.message.as_ref().map(Clean::as_str),
        entry.error_code.as_ref().map(Clean::as_str),
        entry.attempts,
        entry.until.map(|at| at.to_string()),
        match entry.steps.as_slice() {
            [] => None,
            steps => Some(to_json(&steps)?.to_string()),
        },
        number,
    ))
    .map(drop)
}

/// Replaces the session's newest entry if it has the same phase. The entry keeps its number, which is its ID.
fn put_history_again(db: &Connection, entry: &HistoryEntry) -> Result<()> {
    let known: Option<i64> = db
        .prepare_cached(
            "SELECT number FROM history WHERE phase = ?2 AND number =
                 (SELECT max(number) FROM history WHERE session = ?1)",
        )?
        .query_row((entry.session.to_string(), entry.phase.as_str()), |row| {
            row.get(0)
        })
        .optional()?;
    put_history_as(db, entry, known)
}

/// Returns the sessions that match the rest of a query, with their containers.
pub(super) fn records(
    db: &Connection,
    which: &str,
    parameters: impl Params,
    bad: &mut Vec<Unreadable>,
) -> Result<Vec<SessionRecord>> {
    let columns = checksum::SESSION;
    let query = format!("SELECT {columns}, checksum, rowid FROM sessions {which}");
    let mut query = db.prepare_cached(&query)?;
    let mut rows = query.query(parameters)?;
    let mut records = Vec::new();
    while let Some(row) = rows.next()? {
        let place = (Table::Sessions, row.get(SESSION_COLUMNS + 1)?);
        records.extend(sorted(record(db, row), place, bad)?);
    }
    Ok(records)
}

fn record(db: &Connection, row: &Row<'_>) -> Result<SessionRecord> {
    let mut checksum = Checksum::default();
    checksum.add_columns(row, 0..SESSION_COLUMNS)?;
    let id: String = row.get(0)?;
    let kernels = kernels(db, &id, &mut checksum)?;
    let written: Option<i64> = row.get(SESSION_COLUMNS)?;
    if written.is_some_and(|written| written != checksum.value()) {
        return Err(unreadable(SESSION_COLUMNS, checksum::Changed));
    }
    let body: String = row.get(SESSION_COLUMNS - 1)?;
    let mut record: SessionRecord =
        serde_json::from_str(&body).map_err(|e| unreadable(SESSION_COLUMNS - 1, e))?;
    // Only known statuses are stored. This finds changed rows of earlier versions, which wrote no checksum.
    if matches!(record.session.status, Status::Unknown(_)) {
        return Err(unreadable(SESSION_COLUMNS - 1, checksum::Changed));
    }
    record.session.kernels = kernels;
    Ok(record)
}

fn kernels(db: &Connection, session: &str, checksum: &mut Checksum) -> Result<Vec<Kernel>> {
    let columns = checksum::KERNEL;
    let query = format!("SELECT {columns} FROM kernels WHERE session = ?1 ORDER BY place");
    let mut query = db.prepare_cached(&query)?;
    let mut rows = query.query([session])?;
    let mut kernels = Vec::new();
    while let Some(row) = rows.next()? {
        checksum.add_columns(row, 0..KERNEL_COLUMNS)?;
        kernels.push(kernel(row)?);
    }
    Ok(kernels)
}

fn kernel(row: &Row<'_>) -> Result<Kernel> {
    let hostname = clean(row, 1)?.unwrap_or_default();
    let status = Status::from(row.get::<_, String>(2)?.as_str());
    Ok(Kernel {
        container_id: clean(row, 3)?,
        exit_code: row.get(4)?,
        oom_killed: row.get(5)?,
        started_at: time(row, 6)?,
        terminated_at: time(row, 7)?,
        ..Kernel::new(parsed(row, 0)?, hostname, status)
    })
}

/// Returns the history of a session, newest first.
pub(super) fn history(
    db: &Connection,
    session: SessionId,
    bad: &mut Vec<Unreadable>,
) -> Result<Vec<HistoryEntry>> {
    let mut query = db.prepare_cached(
        "SELECT at, phase, from_status, to_status, result, message, error_code, attempts, until,
             steps, number
         FROM history
         WHERE session = ?1 ORDER BY number DESC",
    )?;
    let mut rows = query.query([session.to_string()])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        let place = (Table::History, row.get(10)?);
        entries.extend(sorted(entry(row, session), place, bad)?);
    }
    Ok(entries)
}

fn entry(row: &Row<'_>, session: SessionId) -> Result<HistoryEntry> {
    Ok(HistoryEntry {
        session,
        id: Some(Clean::from(row.get::<_, i64>(10)?.to_string().as_str())),
        at: parsed(row, 0)?,
        phase: clean(row, 1)?.unwrap_or_default(),
        from: row
            .get::<_, Option<String>>(2)?
            .map(|word| Status::from(word.as_str())),
        to: Status::from(row.get::<_, String>(3)?.as_str()),
        result: serde_json::from_value(Value::String(row.get(4)?)).map_err(|e| unreadable(4, e))?,
        message: clean(row, 5)?,
        error_code: clean(row, 6)?,
        attempts: row.get(7)?,
        until: time(row, 8)?,
        steps: match row.get::<_, Option<String>>(9)? {
            None => Vec::new(),
            Some(steps) => serde_json::from_str(&steps).map_err(|e| unreadable(9, e))?,
        },
    })
}
