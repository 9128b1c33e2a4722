//! `workbay env`: lists environments and pulls images.

mod ls;
mod pull;

use clap::Subcommand;

use crate::cli::{commands::RunCommand, fail::Outcome, invocation::Invocation};

/// Commands about environments.
#[derive(Debug, Subcommand)]
pub enum EnvCommand {
    /// List environments: images on the engine, then images to pull
    Ls(ls::EnvLs),
    /// Pull an image (Ctrl-C cancels)
    Pull(pull::EnvPull),
}

impl EnvCommand {
    pub fn is_change(&self) -> bool {
        match self {
            Self::Ls(_) => false,
            Self::Pull(_) => true,
        }
    }
}

impl RunCommand for EnvCommand {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        match self {
            Self::Ls(arguments) => ls::ls(start, &arguments),
            Self::Pull(arguments) => pull::pull(start, &arguments),
        }
    }
}
