//! Workbay's helpers in a session on a cluster. Its containers don't have workbay's program, so files are packed and
//! unpacked by the image's `tar`, SFTP is served by the session's own sshd, and the rest is done by a program for the
//! Python that Backend.AI puts into each container ([`python`]).

mod python;

use super::{
    channel::{self, SshRequest},
    enter, shell_words,
};
use crate::{
    engine::{
        api::{Attached, HelperTask, Result},
        backendai::{BackendAiEngine, request::manager_error::declined},
    },
    model::{id::SessionId, inside},
};

pub(in super::super::super) use python::start as start_python;

/// What both scripts begin with. A path that can be read as an option gets a directory.
const BEGIN: &str = r#"fail() { printf 'workbay: %s\n' "$1" >&2; exit 1; }
command -v tar >/dev/null 2>&1 || fail "the image of the session has no tar"
shown=$1
case $1 in /*) ;; *) set -- "./$1" ;; esac
LC_ALL=C.UTF-8; export LC_ALL
"#;

/// Writes the file or directory `$1` under its own name. A link that is named itself is followed. What tar leaves out is
/// named, and isn't an error. A file with several names is written under each of them.
const PACK: &str = include_str!("pack.sh");

/// Reads into the directory `$1`, or as `$1` in its directory.
const UNPACK: &str = include_str!("unpack.sh");

/// Starts a helper in the main container.
pub(in super::super) async fn helper(
    engine: &BackendAiEngine,
    session: SessionId,
    task: HelperTask,
) -> Result<Attached> {
    let request = match &task {
        HelperTask::Sftp => SshRequest::Subsystem("sftp"),
        HelperTask::Pack { path } => script(PACK, path)?,
        HelperTask::Unpack { path } => script(UNPACK, path)?,
        HelperTask::Files => {
            return python::start(engine, session, &["files", inside::HOME], None).await;
        }
        HelperTask::Listen { address, port } => {
            let port = port.to_string();
            return python::start(engine, session, &["listen", address, &port], None).await;
        }
    };
    let entered = enter(engine, session).await?;
    channel::start(entered, request, None, None).await
}

fn script(body: &str, path: &str) -> Result<SshRequest> {
    let argv = argv(body, path);
    let line = shell_words::command(&argv);
    let line = line.ok_or_else(|| declined(tr_sent!("invalid path: it contains a NUL byte")))?;
    Ok(SshRequest::Command(line))
}

fn argv(body: &str, path: &str) -> [String; 5] {
    let script = format!("{BEGIN}{body}");
    let path = if path.is_empty() { "." } else { path };
    ["sh", "-c", &script, "sh", path].map(str::to_owned)
}

#[cfg(test)]
mod tests;
