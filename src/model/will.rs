//! A session's last will: what is done in it before it is ended.

use serde::{Deserialize, Serialize};

use super::{span::Span, text::Clean};

/// What is done before a checker or a person ends a session. It is not done when the session is
/// killed, ends by itself or the machine dies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LastWill {
    /// Run in `/home/work` by the session's shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Files and directories, relative to `/home/work`, copied into `folder` after the command.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub save: Vec<String>,
    /// A folder that is mounted in the session and can be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The session is ended after so long, done or not; `None` = [`PATIENCE`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Span>,
}

/// How long a last will may take where nothing is said.
pub const PATIENCE: Span = Span(60);
/// How long it may take at most.
pub const LONGEST: Span = Span(600);

/// How a last will ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "kebab-case")]
pub enum WillEnd {
    /// Its command or its copying ended so; the last words it said.
    Exited { exit_code: i64, said: Clean },
    /// It took too long.
    OutOfTime,
    /// It could not be begun.
    Failed { why: Clean },
}
