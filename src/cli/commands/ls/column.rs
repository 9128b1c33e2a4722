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

/// The heading of a column, which is translated with its table.
pub const fn head(column: Column) -> &'static str {
    match column {
        Column::Name => tr_later!("NAME"),
        Column::Id => tr_later!("ID"),
        Column::Context => tr_later!("CONTEXT"),
        Column::Type => tr_later!("TYPE"),
        Column::Status => tr_later!("STATUS"),
        Column::Reason => tr_later!("REASON"),
        Column::Result => tr_later!("RESULT"),
        Column::ExitCode => tr_later!("EXIT CODE"),
        Column::Environment => tr_later!("ENVIRONMENT"),
        Column::Cpu => tr_later!("CPU"),
        Column::Mem => tr_later!("MEM"),
        Column::Accelerators => tr_later!("ACCELERATORS"),
        Column::RunTime => tr_later!("RUN TIME"),
        Column::Created => tr_later!("CREATED"),
        Column::Started => tr_later!("STARTED"),
        Column::Ended => tr_later!("ENDED"),
        Column::ReclaimIn => tr_later!("RECLAIM IN"),
        Column::Group => tr_later!("GROUP"),
        Column::Priority => tr_later!("PRIORITY"),
        Column::Project => tr_later!("PROJECT"),
        Column::Agent => tr_later!("AGENT"),
        Column::Owner => tr_later!("OWNER"),
        Column::Command => tr_later!("COMMAND"),
    }
}
