//! `workbay cp`: copies files between a session and this machine.

mod transfer;

use std::path::Path;

use clap::Args;
use serde::Serialize;

use crate::{
    archive::Copied,
    cli::{
        args::Json,
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::{Fail, Outcome},
        find,
        invocation::Invocation,
        output,
    },
    client::language,
    model::{resources::Bytes, text::Clean},
};

/// Copy files between a session and this machine
///
/// One of the two paths is in a session: S:PATH. A relative path there begins at /home/work. Directories are copied with
/// their contents. Of an ended session, files of /home/work can be copied while it is kept. If the destination is a directory, the copy goes into it.
#[derive(Args, Debug)]
pub struct Copy {
    /// What to copy: PATH or S:PATH
    #[arg(value_name = "SOURCE")]
    pub source: String,
    /// Where to: S:PATH or PATH
    #[arg(value_name = "DESTINATION")]
    pub destination: String,
    #[command(flatten)]
    pub format: Json,
}

/// A path of a session.
struct Inside<'a> {
    session: &'a str,
    path: &'a str,
}

/// A text with a slash before its first colon is a path of this machine.
fn inside(text: &str) -> Option<Inside<'_>> {
    let (session, path) = text.split_once(':')?;
    // CONTEXT/S:PATH names a session of another context, `./a:b` and `/a:b` are files.
    let is_file = session.is_empty() || session.starts_with(['.', '/', '~']);
    (!is_file).then_some(Inside { session, path })
}

/// What was copied, in the output of `--json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CopiedJson {
    files: u64,
    /// The contents of files.
    bytes: u64,
    /// What wasn't copied, and why.
    skipped: Vec<String>,
}

impl RunCommand for Copy {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        let ends = (inside(&self.source), inside(&self.destination));
        let copied = connection::block_on(async {
            let connection = Connection::connect(&start.paths).await?;
            let find = async |end: &Inside<'_>| {
                let session = find::session(&connection, Choice::of(start), end.session).await;
                session.map(|session| session.key())
            };
            match &ends {
                (None, Some(end)) => {
                    let session = find(end).await?;
                    let source = Path::new(&self.source);
                    transfer::upload(&connection, source, session, path_of(end)).await
                }
                (Some(end), None) => {
                    let session = find(end).await?;
                    let destination = Path::new(&self.destination);
                    transfer::download(&connection, session, path_of(end), destination).await
                }
                (Some(_), Some(_)) => Err(Fail::usage(tr!("both paths are in a session"))
                    .hint(tr!("copy to this machine first, then to the other session"))),
                (None, None) => Err(Fail::usage(tr!("neither path is in a session")).hint(tr!(
                    "write S:PATH for a path in session S, for example work:data.csv"
                ))),
            }
        })?;
        print_copied(copied, self.format.json)?;
        Ok(0)
    }
}

/// `S:` alone is the home directory.
fn path_of<'a>(end: &Inside<'a>) -> &'a str {
    if end.path.is_empty() { "." } else { end.path }
}

/// Prints what was copied, and what was skipped on stderr.
pub(in crate::cli) fn print_copied(copied: Copied, json: bool) -> Result<(), Fail> {
    for sentence in &copied.skipped {
        let sentence = language::of(Clean::new(sentence));
        output::remark(&tr!("workbay: skipped {sentence}", sentence));
    }
    let Copied {
        files,
        bytes,
        skipped,
    } = copied;
    if json {
        return output::json(&CopiedJson {
            files,
            bytes,
            skipped,
        });
    }
    output::line(&tr_plural!(
        files,
        "{files} file, {size}",
        "{files} files, {size}",
        files,
        size = Bytes(bytes)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_sessions_have_a_name_before_the_colon() {
        let of = |text: &'static str| inside(text).map(|end| (end.session, end.path));
        assert_eq!(of("work:data.csv"), Some(("work", "data.csv")));
        assert_eq!(of("work:"), Some(("work", "")));
        assert_eq!(of("lab/work:/tmp/a:b"), Some(("lab/work", "/tmp/a:b")));
        for file in ["data.csv", "./a:b", "/a:b", "~/a:b", ":x", "../a:b"] {
            assert_eq!(of(file), None, "{file}");
        }
    }
}
