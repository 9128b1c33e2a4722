//! Removes secret values of variables from the file, if earlier versions or other settings didn't treat them as
//! secret. The names stay, so that a relaunch asks for the values.

use std::{fs, path::Path};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Result};
use serde_json::{Map, Value, json};

use super::checksum;
use crate::model::secret_rules::SecretRules;

/// Increases when the built-in rules change, so that every file is checked once by the new rules.
const RULES: u32 = 1;
/// The key of the rules by which the file was last checked.
const KEY: &str = "secret-rules";
/// Where variables and the names of secret ones are: in a launch request, and in a session's request and spec.
const PLACES: [&str; 3] = ["", "/request", "/spec"];
/// Tables that contain launches, with the column of the launch and the column of the row's number.
const TABLES: [(&str, &str, &str); 3] = [
    ("recents", "launch", "id"),
    ("launches", "launch", "number"),
    ("sessions", "body", "rowid"),
];
/// Steps before the start of a session, which still needs the values.
const BEFORE_START: [&str; 3] = ["wait", "pull", "create"];

/// Removes the values from the file and from its copies in `backup/`, once for each change of the rules. On a full
/// disk the next opening tries again.
pub(super) fn secrets(db: &mut Connection, path: &Path, rules: &SecretRules) -> Result<()> {
    match scrubbed(db, rules) {
        Ok(false) => return Ok(()),
        Ok(true) => {}
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DiskFull) => return Ok(()),
        Err(error) => return Err(error),
    }
    let copies = fs::read_dir(path.with_file_name("backup"));
    for copy in copies.into_iter().flatten().flatten() {
        // The daemon starts even if a copy can't be changed.
        let _ = Connection::open_with_flags(copy.path(), OpenFlags::SQLITE_OPEN_READ_WRITE)
            .and_then(|mut db| scrubbed(&mut db, rules));
    }
    Ok(())
}

/// Removes the values from one file, and returns whether it was checked. The old bytes are overwritten.
fn scrubbed(db: &mut Connection, rules: &SecretRules) -> Result<bool> {
    let now = format!("{RULES} {rules:?}");
    let before: Option<String> = db
        .query_row("SELECT value FROM meta WHERE key = ?1", [KEY], |row| {
            row.get(0)
        })
        .optional()?;
    if before.as_deref() == Some(now.as_str()) {
        return Ok(false);
    }
    db.pragma_update(None, "secure_delete", true)?;
    let change = db.transaction()?;
    let mut left = false;
    let mut changed = false;
    for (table, column, number) in TABLES {
        // A copy may have an earlier layout.
        if !has_table(&change, table)? {
            continue;
        }
        for (row, text) in rows(&change, table, column, number)? {
            // An unreadable row is set aside when it is loaded.
            let Ok(mut body) = serde_json::from_str::<Value>(&text) else {
                continue;
            };
            let step = body.get("step").and_then(Value::as_str);
            if step.is_some_and(|step| BEFORE_START.contains(&step)) {
                left = true;
            } else if blank(&mut body, rules) {
                let text = body.to_string();
                changed |= match table {
                    "sessions" => put_body(&change, row, &text)?,
                    _ => put(&change, (table, column, number), row, &text)?,
                };
            }
        }
    }
    if !left {
        let note = "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)";
        change.execute(note, (KEY, now))?;
    }
    change.commit()?;
    if changed {
        // The write-ahead log contains the values as well. Network file systems have no such log.
        db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()))?;
    }
    Ok(true)
}

fn put(
    db: &Connection,
    (table, column, number): (&str, &str, &str),
    row: i64,
    text: &str,
) -> Result<bool> {
    let update = format!("UPDATE {table} SET {column} = ?2 WHERE {number} = ?1");
    db.execute(&update, (row, text)).map(|rows| rows > 0)
}

/// Writes the body of a session and updates the checksum of its rows. Rows that a damaged disk changed are skipped,
/// because they are set aside when they are loaded.
fn put_body(db: &Connection, row: i64, body: &str) -> Result<bool> {
    const BODY: (&str, &str, &str) = ("sessions", "body", "rowid");
    // A copy may have an earlier layout.
    let query = "SELECT count(*) FROM pragma_table_info('sessions') WHERE name = 'checksum'";
    if db.query_row(query, (), |row| row.get::<_, u32>(0))? == 0 {
        return put(db, BODY, row, body);
    }
    let query = "SELECT checksum FROM sessions WHERE rowid = ?1";
    let written: Option<i64> = db.query_row(query, [row], |row| row.get(0))?;
    if written.is_some_and(|written| checksum::of(db, row) != Ok(written)) {
        return Ok(false);
    }
    put(db, BODY, row, body)?;
    if written.is_some() {
        let update = "UPDATE sessions SET checksum = ?2 WHERE rowid = ?1";
        db.execute(update, (row, checksum::of(db, row)?))?;
    }
    Ok(true)
}

fn has_table(db: &Connection, table: &str) -> Result<bool> {
    let query = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?1";
    db.query_row(query, [table], |row| Ok(row.get::<_, u32>(0)? > 0))
}

/// Returns the rows that contain variables.
fn rows(db: &Connection, table: &str, column: &str, number: &str) -> Result<Vec<(i64, String)>> {
    let query =
        format!("SELECT {number}, {column} FROM {table} WHERE instr({column}, '\"env\":{{\"') > 0");
    let mut query = db.prepare(&query)?;
    let rows = query.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// Removes the secret values, and returns whether anything changed.
fn blank(body: &mut Value, rules: &SecretRules) -> bool {
    let mut changed = false;
    for place in PLACES {
        let whole = body.pointer_mut(place).and_then(Value::as_object_mut);
        if let Some(whole) = whole {
            // A request keeps the names among its variables, a session's spec doesn't.
            changed |= blank_one(whole, rules, place == "/spec");
        }
    }
    changed
}

fn blank_one(whole: &mut Map<String, Value>, rules: &SecretRules, remove: bool) -> bool {
    let Some(env) = whole.get_mut("env").and_then(Value::as_object_mut) else {
        return false;
    };
    let is_secret = |(name, value): &(&String, &Value)| {
        let value = value.as_str().unwrap_or_default();
        rules.is_secret(name, value) || (value.is_empty() && !remove)
    };
    let found = env.iter().filter(is_secret);
    let found: Vec<String> = found.map(|(name, _)| name.clone()).collect();
    let mut changed = false;
    for name in &found {
        changed |= env.get(name).is_some_and(|value| *value != "");
        if remove {
            env.remove(name);
        } else {
            env.insert(name.clone(), json!(""));
        }
    }
    let known = whole.entry("secret_names").or_insert_with(|| json!([]));
    for name in found {
        if let Some(known) = known.as_array_mut()
            && !known.iter().any(|it| *it == name)
        {
            known.push(json!(name));
            changed = true;
        }
    }
    if known.as_array().is_some_and(Vec::is_empty) {
        whole.remove("secret_names");
    }
    changed
}
