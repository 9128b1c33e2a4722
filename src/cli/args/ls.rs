//! The arguments of `workbay ls`.

use clap::{Args, ValueEnum};

use crate::{
    cli::commands::ls::{column::Column, order::Sort},
    model::status::Tab,
};

/// The tabs of the list of sessions, or all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TabChoice {
    #[default]
    Running,
    Finished,
    Others,
    All,
}

impl TabChoice {
    /// `None` = every tab.
    pub fn tab(self) -> Option<Tab> {
        match self {
            Self::Running => Some(Tab::Running),
            Self::Finished => Some(Tab::Finished),
            Self::Others => Some(Tab::Others),
            Self::All => None,
        }
    }
}

/// How a list is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The columns that differ between these sessions
    #[default]
    Table,
    /// Every column, with whole ids
    Wide,
    /// A list of objects
    Json,
    /// Names only, one a line
    Name,
}

#[derive(Args, Debug, Default)]
#[command(after_help = "\
A filter is one or more words. All of them must hold:
  train            a part of the name, id, environment, status or result ('exit 3', 'out of memory')
  !train           not a part of any of them
  status=running   the value of a column (`*` stands for any text), or != for any other value
  mem>1g           amounts, times and numbers also with > >= < <=
  created>2h       in the last 2 hours; also 10:30 and 2026-11-22T10:30

Examples:
  workbay ls --tab finished --filter 'exit-code!=0 ended>1d' --sort ended
  workbay ls --columns name,status,run-time
  workbay rm --yes $(workbay ls -q --tab finished --filter 'name=test-*')")]
pub struct Ls {
    /// Sessions to list
    #[arg(long, value_enum, default_value_t)]
    pub tab: TabChoice,
    /// Only sessions that meet every word: train, !train, status=running, 'mem>1g' (see below)
    #[arg(long, value_name = "EXPR")]
    pub filter: Vec<String>,
    /// Sort by a column, ascending or descending (default: created, newest first)
    #[arg(long, value_name = "COLUMN[:asc|:desc]")]
    pub sort: Option<Sort>,
    /// Reverse the order
    #[arg(long)]
    pub reverse: bool,
    /// Sessions of every context
    #[arg(long, conflicts_with = "context")]
    pub all_contexts: bool,
    /// The newest N of each context and tab (max: 4000; a cluster is asked for 100 by default)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4000))]
    pub limit: Option<u32>,
    /// Columns to print, in this order
    #[arg(long, value_enum, value_name = "COLUMN,…", value_delimiter = ',',
        conflicts_with_all = ["output", "quiet", "json"])]
    pub columns: Vec<Column>,
    /// Output format
    #[arg(short, long, value_enum, value_name = "FORMAT")]
    pub output: Option<Format>,
    /// Print names only, as `-o name`
    #[arg(short, long, conflicts_with_all = ["output", "json"])]
    pub quiet: bool,
    /// Print JSON, as `-o json`
    #[arg(long, conflicts_with = "output")]
    pub json: bool,
}

impl Ls {
    pub fn format(&self) -> Format {
        match (self.quiet, self.json) {
            (true, _) => Format::Name,
            (_, true) => Format::Json,
            _ => self.output.unwrap_or_default(),
        }
    }
}
