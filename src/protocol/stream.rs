//! What a stream carries, and its pieces.

use serde::{Deserialize, Serialize};

use crate::model::{
    failure::Failure,
    files::{FileName, FilePath, FilePlace, FileWork, WriteOptions},
    helper::HelperTask,
    id::{ContextName, KernelId, SessionKey},
    log::{LogOptions, LogSource},
    loss::Rescue,
    shell_start::ShellStart,
    text::Clean,
};

/// What a stream carries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "open", rename_all = "kebab-case")]
pub enum StreamOpen {
    /// The session's tmux. `tag` names the pane: attaching again with the same tag replaces the older client.
    Terminal {
        session: SessionKey,
        tag: String,
        columns: u16,
        rows: u16,
        /// How to start the shell if it doesn't exist yet.
        #[serde(default, skip_serializing_if = "ShellStart::is_usual")]
        start: ShellStart,
    },
    /// The control connection to a container's tmux (`tmux -C`): its output is sent unchanged, and its input
    /// is commands. It shows no terminal and doesn't count as use of the session.
    Control {
        session: SessionKey,
        /// The container of a cluster session; `None` = the main container.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kernel: Option<KernelId>,
    },
    Log {
        session: SessionKey,
        options: LogOptions,
    },
    /// A TCP stream to a service in the session.
    Dial {
        session: SessionKey,
        service: String,
        port: Option<u16>,
    },
    /// The SSH protocol, served by the daemon.
    Ssh { session: SessionKey },
    /// A helper program of workbay in the main container.
    Helper {
        session: SessionKey,
        task: HelperTask,
    },
    /// The bytes of a file, from an offset to its end.
    ReadFile {
        place: FilePlace,
        path: FilePath,
        #[serde(default)]
        offset: u64,
    },
    /// Writes the input into a file. The stream ends with exit code 0 after the end of the input, when the file is
    /// complete and stored.
    WriteFile {
        place: FilePlace,
        path: FilePath,
        options: WriteOptions,
    },
    /// Small plain files of one directory, as `files::many` has them. What isn't one any more is left out. Refused with
    /// `Unsupported` before it is open where each file needs a stream.
    ReadFiles {
        place: FilePlace,
        directory: FilePath,
        names: Vec<FileName>,
    },
    /// Writes the small files of the input, as `files::many` has them, and replaces files of the same names. The stream
    /// ends with exit code 0 after the end of the input, when all are stored. Refused as `ReadFiles`.
    WriteFiles { place: FilePlace },
    /// Sends `FileProgress` as lines of JSON.
    FileWork { place: FilePlace, work: FileWork },
    /// Copies files of a session into a folder: complete or not at all. Sends `RescueReport` as lines of JSON. A connection
    /// that is closed before the end cancels it.
    Rescue { session: SessionKey, rescue: Rescue },
    /// The bytes of an image's archive.
    ExportImage {
        context: ContextName,
        reference: String,
    },
    /// Stores the images of an archive, which is the input. Sends `ImageProgress` as lines of JSON. A connection that is
    /// closed before the end of the input cancels it.
    ImportImage { context: ContextName },
    /// Sends an image to a registry as `target`. Sends `ImageProgress` as lines of JSON.
    PushImage {
        context: ContextName,
        reference: String,
        target: String,
    },
    /// A command that runs in addition to the session's own.
    Exec {
        session: SessionKey,
        argv: Vec<String>,
        tty: Option<(u16, u16)>,
        /// The container of a cluster session; `None` = the main container.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kernel: Option<KernelId>,
    },
}

impl StreamOpen {
    /// Whether the stream is about files.
    pub const fn is_of_files(&self) -> bool {
        matches!(
            self,
            Self::ReadFile { .. }
                | Self::WriteFile { .. }
                | Self::ReadFiles { .. }
                | Self::WriteFiles { .. }
                | Self::FileWork { .. }
                | Self::Rescue { .. }
        )
    }

    /// The context whose images it is about.
    pub const fn image_context(&self) -> Option<ContextName> {
        match self {
            Self::ExportImage { context, .. }
            | Self::ImportImage { context }
            | Self::PushImage { context, .. } => Some(*context),
            _ => None,
        }
    }
}

/// How a stream ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "kebab-case")]
pub enum StreamEnd {
    /// The program of the stream ended.
    Exited { exit_code: Option<i64> },
    /// The stream could not be opened.
    Failed { failure: Failure },
    /// The connection to the engine broke. Opening the stream again may lead back to the same shell.
    Lost { why: Clean },
}

/// One piece of a stream's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamData {
    pub origin: Origin,
    pub bytes: bytes::Bytes,
}

/// Where bytes come from: which output of a program, or the source of the input. Only typed input counts as
/// use of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Origin {
    Stdout,
    Stderr,
    /// Keys and pastes of a user. For streams without a terminal: all input.
    Typed,
    /// The terminal emulator's answers to queries of a program.
    Reply,
    /// The pane got or lost the focus.
    Focus,
    /// The mouse moved, without a button.
    Motion,
}

impl From<u8> for Origin {
    /// An unknown number doesn't count as typing.
    fn from(byte: u8) -> Self {
        let all = [
            Self::Stdout,
            Self::Stderr,
            Self::Typed,
            Self::Reply,
            Self::Focus,
            Self::Motion,
        ];
        let found = all.into_iter().find(|origin| *origin as u8 == byte);
        found.unwrap_or(Self::Reply)
    }
}

impl From<LogSource> for Origin {
    fn from(source: LogSource) -> Self {
        match source {
            LogSource::Stdout => Self::Stdout,
            LogSource::Stderr => Self::Stderr,
        }
    }
}

impl Origin {
    /// Which output this is. Input counts as stdout.
    pub fn output(self) -> LogSource {
        match self {
            Self::Stderr => LogSource::Stderr,
            _ => LogSource::Stdout,
        }
    }
}
