//! Counts the files of a session that aren't in a folder.

use std::path::Path;

use bollard::query_parameters::InspectContainerOptions;
use jiff::Timestamp;

use crate::{
    engine::{
        api::{Attached, Output, Result},
        docker::{
            DockerEngine, blocking::off_loop, home::skeleton, terminal::streams::ProgramStarter,
        },
    },
    model::{
        failure::Failure,
        id::SessionId,
        loss::{CountedFiles, FirstFiles, MOST_COUNTED, Unsaved, UnsavedAnswer},
        text::Clean,
    },
    tree::unsaved::{self, FirstFile},
};

/// The longest answer of the runner in bytes.
const LONGEST: usize = 8 * 1024 * 1024;
/// The longest message on stderr that is kept, in bytes.
const LONGEST_MESSAGE: usize = 1024;
/// The exit code of a runner that doesn't know a command.
const UNKNOWN_COMMAND: i64 = 2;

impl DockerEngine {
    pub(super) async fn count_unsaved(&self, session: SessionId) -> Result<Unsaved> {
        let starter = self.starter(session).await?;
        let is_here = starter.connection.remote.is_none();
        let home = self.scratches.home(session);
        let first = self
            .first_files(&starter, is_here.then_some(home.as_path()))
            .await;
        let mut order = self.changed_paths(&starter, session).await?;
        let counted = if is_here {
            let first = first.clone();
            off_loop(move || Ok(count_home(&home, &first))).await?
        } else {
            None
        };
        // A home directory that this process can't read is counted inside.
        order.home = counted.is_none();
        order.first = first;
        let attached = self.ask_unsaved(session, starter, "list", &order).await?;
        let answer: UnsavedAnswer = read(attached).await?;
        Ok(Unsaved {
            outside: checked(answer.outside),
            home: counted.or(answer.home.map(checked)).unwrap_or_default(),
            home_is_kept: is_here,
            keep_days: None,
        })
    }

    /// What the home directory began with.
    async fn first_files(&self, starter: &ProgramStarter, home: Option<&Path>) -> FirstFiles {
        let contents = skeleton::FILES
            .iter()
            .map(|(name, contents)| ((*name).to_owned(), (*contents).to_owned()));
        let is_older = home.is_some_and(Self::is_taken_over);
        let record = starter
            .connection
            .docker
            .inspect_container(&starter.container, None::<InspectContainerOptions>)
            .await;
        let created = record.ok().and_then(|record| record.created);
        let created = created.and_then(|at| at.parse::<Timestamp>().ok());
        FirstFiles {
            until: created.filter(|_| !is_older),
            contents: contents.collect(),
        }
    }
}

/// `None` = the directory can't be read by this process.
fn count_home(home: &Path, first: &FirstFiles) -> Option<CountedFiles> {
    let first = FirstFile::all(first);
    let counted = unsaved::count(home, &first, MOST_COUNTED, |_| true).ok()?;
    counted.incomplete.is_none().then_some(counted)
}

/// The session's user can take the place of the runner, so the answer is made consistent.
fn checked(mut counted: CountedFiles) -> CountedFiles {
    counted.finish();
    counted
}

async fn read(mut attached: Attached) -> Result<UnsavedAnswer> {
    let (mut out, mut message) = (Vec::new(), Vec::new());
    let broken = || {
        Failure::reported(tr_sent!(
            "the session's answer about its files can't be read"
        ))
        .hint(tr_sent!(
            "try again. If it happens again, copy files with `workbay cp`"
        ))
    };
    loop {
        match attached.output.recv().await {
            Some(Output::Stdout(bytes)) => {
                out.extend_from_slice(&bytes);
                if out.len() > LONGEST {
                    return Err(broken());
                }
            }
            Some(Output::Stderr(bytes)) => {
                let room = LONGEST_MESSAGE.saturating_sub(message.len());
                message.extend_from_slice(&bytes[..bytes.len().min(room)]);
            }
            Some(Output::End { exit_code: Some(0) }) => {
                return serde_json::from_slice(&out).map_err(|_| broken());
            }
            Some(Output::End { exit_code }) => return Err(failed(exit_code, &message)),
            Some(Output::Lost { why }) => return Err(Failure::lost(why)),
            None => {
                return Err(Failure::lost(tr_sent!(
                    "the connection to the session broke"
                )));
            }
        }
    }
}

/// Why the runner failed.
pub(super) fn failed(exit_code: Option<i64>, message: &[u8]) -> Failure {
    if exit_code == Some(UNKNOWN_COMMAND) {
        let what = tr_sent!(
            "this session was launched by an older version of workbay, which can't list \
                    its files"
        );
        return Failure::unsupported(what).hint(tr_sent!("copy files with `workbay exec S -- cp`"));
    }
    let message = Clean::from_bytes(message);
    let mut lines = message.as_str().lines();
    let why = lines.find_map(|line| line.trim().strip_prefix("workbay: "));
    Failure::reported(why.unwrap_or(tr_sent!("workbay's program in the session failed")))
        .hint(tr_sent!("try again, or copy files with `workbay cp`"))
}
