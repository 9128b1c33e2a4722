//! `workbay runner files`: files below /home/work for the daemon, on stdin and stdout.
//!
//! It runs as the session's user, so the kernel checks permissions as for the session's programs.

mod serve;

use std::{io, path::Path, process::ExitCode};

use super::complain;
use crate::{files::Root, model::inside};

/// Serves until stdin ends, or until a transfer or work has ended.
pub(super) fn run() -> ExitCode {
    let root = match Root::open(Path::new(inside::HOME), None) {
        Ok(root) => root,
        Err(failure) => {
            complain(&failure.to_string());
            return ExitCode::FAILURE;
        }
    };
    match serve::serve(&root) {
        Ok(()) => ExitCode::SUCCESS,
        // The daemon has closed the connection.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("files: {error}"));
            ExitCode::FAILURE
        }
    }
}
