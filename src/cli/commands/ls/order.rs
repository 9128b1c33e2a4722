//! The order in which `workbay ls` prints sessions.

use std::{fmt, str::FromStr};

use clap::ValueEnum;
use jiff::Timestamp;

use super::column::Column;
use crate::model::session::{Session, newest_first};

/// `cpu`, `cpu:desc`, `created:asc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort {
    column: Column,
    descending: bool,
}

impl Default for Sort {
    fn default() -> Self {
        Self::by(Column::Created)
    }
}

impl Sort {
    /// The default direction: times and amounts from the largest, words from A to Z.
    fn by(column: Column) -> Self {
        Self {
            column,
            descending: column.descends(),
        }
    }

    /// Sorts sessions that are in the order `newest_first`. Sessions without a value are always last.
    pub fn sort(self, sessions: &mut [Session], reverse: bool, now: Timestamp) {
        let descending = self.descending != reverse;
        sessions.sort_by(|a, b| {
            let value = |session| self.column.value(session, now);
            let order = match (value(a), value(b)) {
                (Some(a), Some(b)) if descending => b.compare(&a),
                (Some(a), Some(b)) => a.compare(&b),
                (a, b) => a.is_none().cmp(&b.is_none()),
            };
            order.then_with(|| newest_first(a, b))
        });
    }
}

impl FromStr for Sort {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, way) = match text.split_once(':') {
            Some((name, way)) => (name, Some(way)),
            None => (text, None),
        };
        let column = Column::from_str(name, true)
            .map_err(|_| tr!("unknown column. Columns: {names}", names = Column::names()))?;
        let usual = Self::by(column);
        let descending = match way {
            None => usual.descending,
            Some("asc") => false,
            Some("desc") => true,
            Some(_) => return Err(tr!("write {name}:asc or {name}:desc", name)),
        };
        Ok(Self { column, descending })
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.column.name())?;
        match (self.descending, self.column.descends()) {
            (true, false) => f.write_str(":desc"),
            (false, true) => f.write_str(":asc"),
            _ => Ok(()),
        }
    }
}
