//! The columns of lists as values of options.

use clap::{ValueEnum, builder::PossibleValue};

pub use crate::rules::column::{Column, Value, usual};

impl ValueEnum for Column {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

/// The heading of a column.
pub fn head(column: Column) -> String {
    column.name().replace('-', " ").to_uppercase()
}
