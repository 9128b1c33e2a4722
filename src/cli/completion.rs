//! `workbay completion SHELL`.

use clap::CommandFactory;
use clap_complete::Shell;

use super::{args::Cli, fail::Outcome, output};

pub fn print(shell: Shell) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "workbay", &mut script);
    output::bytes(&script)?;
    Ok(0)
}
