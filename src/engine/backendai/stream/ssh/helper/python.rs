//! Starts workbay's Python program in a session. Its source goes through stdin, because a session's SSH server takes
//! only short commands.

use bytes::Bytes;

use super::super::{
    channel::{self, SshRequest},
    enter, shell_words,
};
use crate::{
    engine::{
        api::{Attached, Input, Result},
        backendai::{BackendAiEngine, request::manager_error::declined},
    },
    model::id::SessionId,
};

/// The program.
const SOURCE: &str = concat!(
    include_str!("python/base.py"),
    include_str!("python/files.py"),
    include_str!("python/work.py"),
    include_str!("python/loss.py"),
    include_str!("python/listen.py"),
    include_str!("python/main.py"),
);

/// Finds the Python of Backend.AI, otherwise the image's.
const FIND: &str = r#"load=$1; shift
for python in /opt/backend.ai/bin/python python3 python; do
    command -v "$python" >/dev/null 2>&1 && exec "$python" -I -S -X utf8 -c "$load" "$@"
done
echo 'workbay: the session has no Python, which work on its files needs' >&2
exit 69"#;

/// Reads the program from stdin: as many bytes as the first argument says.
const LOAD: &str = "import os, sys
left, parts = int(sys.argv[1]), []
while left:
    part = os.read(0, left)
    if not part: sys.exit(1)
    left -= len(part)
    parts.append(part)
exec(compile(b''.join(parts), 'workbay', 'exec'))";

/// Starts the program for a task. `order` is a line of JSON that the task reads first.
pub(in super::super::super::super) async fn start(
    engine: &BackendAiEngine,
    session: SessionId,
    task: &[&str],
    order: Option<&str>,
) -> Result<Attached> {
    let words = argv(task);
    let line = shell_words::command(&words);
    let line = line.ok_or_else(|| declined(tr_sent!("invalid address: it contains a NUL byte")))?;
    let entered = enter(engine, session).await?;
    let attached = channel::start(entered, SshRequest::Command(line), None, None).await?;
    let mut begin = SOURCE.as_bytes().to_vec();
    if let Some(order) = order {
        begin.extend_from_slice(order.as_bytes());
        begin.push(b'\n');
    }
    // If the program has ended already, its output says why.
    let _ = attached.input.send(Input::Bytes(Bytes::from(begin))).await;
    Ok(attached)
}

fn argv(task: &[&str]) -> Vec<String> {
    let length = SOURCE.len().to_string();
    let mut argv = ["sh", "-c", FIND, "sh", LOAD, &length]
        .map(str::to_owned)
        .to_vec();
    argv.extend(task.iter().map(|word| (*word).to_owned()));
    argv
}

#[cfg(test)]
mod tests;
