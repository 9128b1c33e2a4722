//! The arguments of `workbay top`.

use clap::{Args, ValueEnum};

use super::Json;
use crate::model::span::Span;

/// What `workbay top` sorts by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TopSort {
    #[default]
    Cpu,
    Mem,
    /// The busiest device
    Accelerator,
    /// Received and sent
    Network,
    /// Read and written
    Disk,
    RunTime,
    Name,
}

#[derive(Args, Debug)]
#[command(after_help = "\
100% of CPU is one core, as `docker stats` counts: two busy cores are 200%. Network and disk are
bytes per second. `-`: unknown.

On a terminal the table is refreshed until Ctrl-C or `q`. Otherwise it is printed once, and with --json
one object a line until Ctrl-C.")]
pub struct Top {
    /// Names, ids or beginnings of ids of running sessions (default: all)
    #[arg(value_name = "S", conflicts_with = "all_contexts")]
    pub sessions: Vec<String>,
    /// Sessions of every context
    #[arg(long, conflicts_with = "context")]
    pub all_contexts: bool,
    /// Print one refresh and exit
    #[arg(long)]
    pub once: bool,
    /// Time between refreshes (min: 1s)
    #[arg(long, value_name = "SPAN", default_value = "2s")]
    pub interval: Span,
    /// Sort order, largest first
    #[arg(long, value_enum, value_name = "KEY", default_value_t)]
    pub sort: TopSort,
    /// Also show each container of cluster sessions
    #[arg(long)]
    pub kernels: bool,
    #[command(flatten)]
    pub format: Json,
}
