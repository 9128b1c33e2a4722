//! Describes a table of a file as rows. Each row reads and writes one key.

use super::{
    document::{DocumentEntry, DocumentFault, Item},
    writing::table,
};

/// One key of a table that fills a `T`.
pub(super) struct KeyRow<T> {
    pub name: &'static str,
    pub read: fn(&mut T, &Item) -> Result<(), DocumentFault>,
    /// The value as TOML, `None` if it isn't set.
    pub show: fn(&T) -> Option<String>,
}

macro_rules! row {
    ($name:expr, $read:expr, $show:expr) => {
        $crate::config::table_rows::KeyRow {
            name: $name,
            read: $read,
            show: $show,
        }
    };
    // An optional field: its path, and functions to read and write its value.
    ($name:literal, $($field:ident).+: $read:expr, $show:expr) => {
        $crate::config::table_rows::KeyRow {
            name: $name,
            read: |place, item| {
                $crate::config::table_rows::set(&mut place.$($field).+, $read(item).map(Some))
            },
            show: |place| place.$($field).+.map($show),
        }
    };
}
pub(super) use row;

/// Stores a value if it is valid.
pub(super) fn set<T>(place: &mut T, value: Result<T, DocumentFault>) -> Result<(), DocumentFault> {
    *place = value?;
    Ok(())
}

/// Reads every key that has a row. Unknown keys and invalid values become faults. `what` names the table in
/// messages: `setting of group 'gpu'`.
pub(super) fn read_into<T>(
    place: &mut T,
    rows: &[KeyRow<T>],
    what: &str,
    entries: &[DocumentEntry],
    faults: &mut Vec<DocumentFault>,
) {
    for entry in entries {
        let outcome = match rows.iter().find(|row| row.name == entry.key) {
            Some(row) => (row.read)(place, &entry.item),
            None => Err(DocumentFault::unknown(
                entry.at,
                what,
                &entry.key,
                rows.iter().map(|row| row.name),
            )),
        };
        faults.extend(outcome.err());
    }
}

/// All set keys as `(key, value)`, in the order of the rows.
pub(super) fn written<T>(value: &T, rows: &[KeyRow<T>]) -> Vec<(&'static str, String)> {
    rows.iter()
        .filter_map(|row| Some((row.name, (row.show)(value)?)))
        .collect()
}

/// All set keys as one inline table.
pub(super) fn inline<T>(value: &T, rows: &[KeyRow<T>]) -> String {
    let pairs = written(value, rows);
    table(
        pairs
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value)),
    )
}
