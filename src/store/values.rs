//! Converts the values of columns to the types of the model.

use std::str::FromStr;

use jiff::Timestamp;
use rusqlite::{Result, Row, types::Type};
use serde_json::Value;

use crate::model::text::Clean;

pub(super) fn clean(row: &Row<'_>, column: usize) -> Result<Option<Clean>> {
    let text: Option<String> = row.get(column)?;
    Ok(text.map(|text| Clean::multiline(&text)))
}

pub(super) fn time(row: &Row<'_>, column: usize) -> Result<Option<Timestamp>> {
    match row.get::<_, Option<String>>(column)? {
        None => Ok(None),
        Some(_) => parsed(row, column).map(Some),
    }
}

pub(super) fn parsed<T: FromStr>(row: &Row<'_>, column: usize) -> Result<T>
where
    T::Err: std::error::Error + Send + Sync + 'static,
{
    row.get::<_, String>(column)?
        .parse()
        .map_err(|e| unreadable(column, e))
}

pub(super) fn to_json(value: &impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))
}

pub(super) fn unreadable(
    column: usize,
    why: impl std::error::Error + Send + Sync + 'static,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(why))
}
