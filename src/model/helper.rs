//! The helper programs of workbay inside a container, whose stdin and stdout are a stream.

use serde::{Deserialize, Serialize};

/// What a helper does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "helper", rename_all = "kebab-case")]
pub enum HelperTask {
    /// Serves SFTP.
    Sftp,
    /// Listens on a port inside, and carries the connections to it.
    Listen { address: String, port: u16 },
    /// Writes a file or directory to stdout as a tar stream.
    Pack { path: String },
    /// Works on files below /home/work (`files::wire`).
    Files,
    /// Reads a tar stream from stdin into a directory, or as the file `path`.
    Unpack { path: String },
}
