//! Copies files between the container and a client: the ends of `workbay cp`.

use std::{
    io::{self, BufWriter, Write as _},
    path::Path,
    process::ExitCode,
};

use super::complain;
use crate::{
    archive::{self, Copied, Destination},
    model::text::io_reason,
};

/// Writes a file or directory to stdout.
pub(super) fn pack(path: &str) -> ExitCode {
    let out = BufWriter::with_capacity(256 * 1024, io::stdout().lock());
    end(path, archive::pack(Path::new(path), out))
}

/// Reads stdin into a directory, or as a file.
pub(super) fn unpack(path: &str) -> ExitCode {
    let done = Destination::find(Path::new(path))
        .and_then(|destination| archive::unpack(io::stdin().lock(), &destination));
    end(path, done)
}

/// What was skipped is reported on stderr, one sentence in each line.
fn end(path: &str, done: io::Result<Copied>) -> ExitCode {
    match done {
        Ok(copied) => {
            for sentence in &copied.skipped {
                // The copy has succeeded even if nobody reads this.
                let _ = writeln!(io::stderr(), "skipped {sentence}");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            complain(&format!("{path}: {}", io_reason(&error)));
            ExitCode::FAILURE
        }
    }
}
