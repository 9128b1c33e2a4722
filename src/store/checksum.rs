//! A checksum of the rows of a session, stored with them. SQLite reads a byte that a damaged disk changed as another
//! value, and a session with a wrong status or context would be listed.

use std::ops::Range;

use rusqlite::{
    Connection, Result, Row,
    types::{Value, ValueRef},
};
use thiserror::Error;

use crate::model::fnv::Fnv;

/// Columns of a session and of each of its containers that the checksum covers, in this order.
pub(super) const SESSION: &str = "id, name, status, created_at, terminated_at, body";
pub(super) const SESSION_COLUMNS: usize = 6;
pub(super) const KERNEL: &str =
    "id, hostname, status, container_id, exit_code, oom_killed, started_at, terminated_at";
pub(super) const KERNEL_COLUMNS: usize = 8;

#[derive(Debug, Error)]
#[error("{}", tr_sent!("its rows were changed"))]
pub(super) struct Changed;

#[derive(Default)]
pub(super) struct Checksum(Fnv);

impl Checksum {
    fn add(&mut self, value: ValueRef<'_>) {
        match value {
            ValueRef::Null => self.0.add(&[0]),
            ValueRef::Integer(number) => self.0.add(&number.to_le_bytes()),
            ValueRef::Real(number) => self.0.add(&number.to_le_bytes()),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                self.0.add(&bytes.len().to_le_bytes());
                self.0.add(bytes);
            }
        }
    }

    pub(super) fn add_all(&mut self, values: &[Value]) {
        for value in values {
            self.add(value.into());
        }
    }

    pub(super) fn add_columns(&mut self, row: &Row<'_>, columns: Range<usize>) -> Result<()> {
        for column in columns {
            self.add(row.get_ref(column)?);
        }
        Ok(())
    }

    /// Returns the checksum as it is stored. SQLite's integers are signed.
    pub(super) fn value(&self) -> i64 {
        self.0.value().cast_signed()
    }
}

/// Computes the checksum of a session's rows in the file.
pub(super) fn of(db: &Connection, row: i64) -> Result<i64> {
    let mut checksum = Checksum::default();
    let query = format!("SELECT {SESSION} FROM sessions WHERE rowid = ?1");
    let id: String = db.query_row(&query, [row], |row| {
        checksum.add_columns(row, 0..SESSION_COLUMNS)?;
        row.get(0)
    })?;
    let query = format!("SELECT {KERNEL} FROM kernels WHERE session = ?1 ORDER BY place");
    let mut query = db.prepare(&query)?;
    let mut kernels = query.query([id])?;
    while let Some(kernel) = kernels.next()? {
        checksum.add_columns(kernel, 0..KERNEL_COLUMNS)?;
    }
    Ok(checksum.value())
}
