//! Workbay's helpers in a session on a cluster. Its containers don't have workbay's program, so files are packed and
//! unpacked by the image's `tar`, and SFTP is served by the session's own sshd.

use super::{
    channel::{self, SshRequest},
    enter, shell_words,
};
use crate::{
    engine::{
        api::{Attached, HelperTask, Result},
        backendai::{BackendAiEngine, request::manager_error::declined},
    },
    model::{failure::Failure, id::SessionId},
};

/// What both scripts begin with. A path that can be read as an option gets a directory.
const BEGIN: &str = r#"fail() { printf 'workbay: %s\n' "$1" >&2; exit 1; }
command -v tar >/dev/null 2>&1 || fail "the image of the session has no tar"
shown=$1
case $1 in /*) ;; *) set -- "./$1" ;; esac
LC_ALL=C.UTF-8; export LC_ALL
"#;

/// Writes the file or directory `$1` under its own name. A link that is named itself is followed. What tar leaves out is
/// named, and isn't an error. A file with several names is written under each of them.
const PACK: &str = r#"[ -e "$1" ] || fail "$shown: No such file or directory"
real=$(readlink -f -- "$1" && echo .)
real=${real%??}
[ -n "${real##*/}" ] || fail "$shown: the root directory can't be copied"
case $(tar --version 2>/dev/null) in *GNU*) several=--hard-dereference ;; *) several= ;; esac
parent=${real%/*}
exec 3>&1
code=$({ { tar -C "${parent:-/}" $several -cf - -- "${real##*/}" >&3; echo $? >&4; } 2>&1 |
  sed '/Exiting with failure/d; /error exit delayed/d; /file changed as we read/d; s/^tar: /skipped /' >&2; } 4>&1)
[ "$code" -le 2 ] || fail "tar ended with exit code $code"
"#;

/// Reads into the directory `$1`, or as `$1` in its directory.
const UNPACK: &str = r#"read_into() {
  exec 3>&1
  code=$({ { tar -C "$1" -o -xf - 2>&1; echo $? >&4; } |
    sed '/Exiting with failure/d; /error exit delayed/d; s/^tar: /workbay: /' >&2; } 4>&1)
  [ "$code" = 0 ] || fail "tar ended with exit code $code"
}
if [ -d "$1" ]; then
  read_into "$1"
  exit 0
fi
case $1 in */) fail "there is no directory $shown" ;; esac
parent=${1%/*}
parent=${parent:-/}
[ -d "$parent" ] || fail "${shown%/*}: No such file or directory"
temporary=$(mktemp -d "$parent/.workbay.XXXXXX" 2>/dev/null) || fail "$parent: files can't be created here"
trap 'rm -rf "$temporary"' EXIT
trap 'exit 1' HUP INT TERM
read_into "$temporary"
for one in "$temporary"/* "$temporary"/.[!.]* "$temporary"/..?*; do
  if [ -e "$one" ] || [ -L "$one" ]; then
    problem=$(mv -f "$one" "$1" 2>&1) || fail "${problem#mv: }"
  fi
done
"#;

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
        HelperTask::Listen { .. } => {
            return Err(Failure::unsupported(
                "a session on a cluster can't listen on a port for an SSH client (`ssh -R`)",
            ));
        }
    };
    let entered = enter(engine, session).await?;
    channel::start(entered, request, None, None).await
}

fn script(body: &str, path: &str) -> Result<SshRequest> {
    let argv = argv(body, path);
    let line = shell_words::command(&argv);
    let line = line.ok_or_else(|| declined("invalid path: it contains a NUL byte"))?;
    Ok(SshRequest::Command(line))
}

fn argv(body: &str, path: &str) -> [String; 5] {
    let script = format!("{BEGIN}{body}");
    let path = if path.is_empty() { "." } else { path };
    ["sh", "-c", &script, "sh", path].map(str::to_owned)
}

#[cfg(test)]
mod tests;
