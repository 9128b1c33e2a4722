//! `workbay rescue`: copies files that would be lost with a session into a folder.

use std::ffi::{OsStr, OsString};

use clap::Args;
use jiff::Timestamp;
use serde::Serialize;

use crate::{
    cli::{
        args::Json,
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::{Fail, Outcome},
        find,
        invocation::Invocation,
        meter::Meter,
        output::{self, Cell},
        reports::{JsonLines, closed, failed, unless_interrupted},
    },
    client::{Stream, StreamItem, language},
    model::{
        files::FilePath,
        id::SessionKey,
        inside,
        loss::{LossRequest, Rescue, RescueReport, Rescued, Unsaved},
        session::Session,
    },
    protocol::message::{Reply, Request, StreamOpen},
    rules::{launch::folders, loss},
};

/// Copy files that aren't in a folder into one, before the session ends
///
/// Without paths, all files that changed outside of folders are copied. --list shows them. The copy is complete or isn't
/// there at all. Names in the folder are those in the session, relative to /.
#[derive(Args, Debug)]
pub struct RescueFiles {
    /// Name, id or beginning of an id
    #[arg(value_name = "S")]
    pub session: String,
    /// Files and directories. A relative path begins at /home/work (default: all that would be lost)
    #[arg(value_name = "PATH", conflicts_with = "list")]
    pub paths: Vec<OsString>,
    /// Folder, and the new directory in it (default: the session's name and the time)
    #[arg(
        long,
        value_name = "FOLDER[/DIRECTORY]",
        required_unless_present = "list",
        conflicts_with = "list"
    )]
    pub to: Option<OsString>,
    /// List the files, the newest first, and copy nothing
    #[arg(long)]
    pub list: bool,
    #[command(flatten)]
    pub format: Json,
}

impl RescueFiles {
    pub fn is_change(&self) -> bool {
        !self.list
    }
}

impl RunCommand for RescueFiles {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        connection::block_on(async {
            let connection = Connection::connect(&start.paths).await?;
            let session = find::live_session(&connection, Choice::of(start), &self.session).await?;
            match &self.to {
                Some(to) => {
                    let rescue = rescue(&session, to, &self.paths)?;
                    let rescued = ask(&connection, &session, &rescue).await?;
                    print(&rescue, &rescued, self.format.json)?;
                }
                None => list(
                    &unsaved(&connection, session.key()).await?,
                    self.format.json,
                )?,
            }
            Ok(0)
        })
    }
}

/// Reads `FOLDER[/DIRECTORY]` and paths of a session.
pub fn rescue(session: &Session, to: &OsStr, paths: &[OsString]) -> Result<Rescue, Fail> {
    let to = FilePath::parse(to)?;
    let mut parts = to.as_path().iter();
    let folder = parts.next().and_then(OsStr::to_str).unwrap_or_default();
    folders::check_name(folder).map_err(Fail::usage)?;
    let directory = FilePath::parse(parts.as_path().as_os_str())?;
    let directory = if directory.is_root() {
        let name = format!("{}-{}", session.name, stamp(now()));
        FilePath::parse(OsStr::new(&name))?
    } else {
        directory
    };
    let absolute = |path: &OsString| {
        FilePath::parse(
            &std::path::Path::new(inside::HOME)
                .join(path)
                .into_os_string(),
        )
    };
    let paths: Result<Vec<FilePath>, _> = paths.iter().map(absolute).collect();
    Ok(Rescue {
        paths: paths?,
        folder: folder.to_owned(),
        directory,
    })
}

#[expect(
    clippy::disallowed_methods,
    reason = "the name of the new directory has the time of the command"
)]
fn now() -> Timestamp {
    Timestamp::now()
}

/// For names: `20261126-204512`.
fn stamp(at: Timestamp) -> String {
    at.strftime("%Y%m%d-%H%M%S").to_string()
}

/// Copies the files, and shows the progress. They are on the disk when this returns. If the command is interrupted, the
/// daemon removes what it has copied.
pub async fn ask(
    connection: &Connection,
    session: &Session,
    rescue: &Rescue,
) -> Result<Rescued, Fail> {
    let mut stream = connection.stream(StreamOpen::Rescue {
        session: session.key(),
        rescue: rescue.clone(),
    });
    let name = &session.name;
    let left = tr!("nothing was copied, and {name} keeps running", name);
    let mut meter = Meter::new();
    let copied = unless_interrupted(follow(&mut stream, name.as_str(), &mut meter), &left).await;
    meter.clear();
    copied
}

async fn follow(stream: &mut Stream, name: &str, meter: &mut Meter) -> Result<Rescued, Fail> {
    let mut lines = JsonLines::default();
    let mut done = None;
    while let Some(item) = stream.recv().await {
        match item {
            StreamItem::Opened => {}
            StreamItem::Data { bytes, .. } => {
                for report in lines.read(&bytes)? {
                    match report {
                        RescueReport::Progress { progress } => {
                            let label = tr!("copying files of {name}", name);
                            meter.set(&label, progress.bytes, progress.of.map(|(_, all)| all));
                        }
                        RescueReport::Done { mut rescued } => {
                            for sentence in &mut rescued.skipped {
                                *sentence = language::of(sentence.clone());
                            }
                            done = Some(rescued);
                        }
                    }
                }
            }
            StreamItem::Ended(end) => {
                failed(end)?;
                return done.ok_or_else(closed);
            }
        }
    }
    Err(closed())
}

/// The files that aren't in a folder.
pub async fn unsaved(connection: &Connection, session: SessionKey) -> Result<Unsaved, Fail> {
    let request = LossRequest::List;
    match connection
        .request(Request::Loss { session, request })
        .await?
    {
        Reply::Unsaved { unsaved } => Ok(*unsaved),
        other => Err(connection::unexpected(&other)),
    }
}

/// What would be lost, in the output of `--json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UnsavedJson {
    /// Deleted when the session ends.
    lost: UsedJson,
    /// All files in /home/work.
    home: UsedJson,
    /// Whether /home/work is kept for `keep_days` days.
    home_is_kept: bool,
    keep_days: Option<u32>,
    /// The newest files, at most 200.
    newest: Vec<UnsavedFileJson>,
    /// The largest files, at most 200.
    largest: Vec<UnsavedFileJson>,
    /// Why more files may exist than were counted.
    incomplete: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct UsedJson {
    files: u64,
    bytes: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct UnsavedFileJson {
    /// Bytes that aren't UTF-8 are replaced.
    path: String,
    bytes: u64,
    modified: Option<Timestamp>,
    /// Whether it is deleted when the session ends, and not some days later.
    lost: bool,
}

impl UnsavedJson {
    fn new(unsaved: &Unsaved) -> Self {
        let used = |used: crate::model::files::SpaceUse| UsedJson {
            files: used.files,
            bytes: used.size.0,
        };
        let files = |files: Vec<(&crate::model::loss::UnsavedFile, bool)>| {
            let files = files.into_iter().map(|(file, lost)| UnsavedFileJson {
                path: format!("/{}", file.path),
                bytes: file.size.0,
                modified: file.modified,
                lost,
            });
            files.collect()
        };
        Self {
            lost: used(unsaved.lost()),
            home: used(unsaved.home.total),
            home_is_kept: unsaved.home_is_kept,
            keep_days: unsaved.keep_days,
            newest: files(unsaved.newest()),
            largest: files(unsaved.largest()),
            incomplete: unsaved.incomplete().map(ToString::to_string),
        }
    }
}

fn list(unsaved: &Unsaved, json: bool) -> Result<(), Fail> {
    if json {
        return output::json(&UnsavedJson::new(unsaved));
    }
    if unsaved.is_empty() {
        output::remark(tr!("No files outside of folders."));
        return Ok(());
    }
    let zone = jiff::tz::TimeZone::system();
    let row = |(file, lost): &(&crate::model::loss::UnsavedFile, bool)| -> Vec<Cell> {
        let at = file.modified.map(|at| {
            let at = at.to_zoned(zone.clone());
            at.strftime("%Y-%m-%d %H:%M").to_string()
        });
        vec![
            at.unwrap_or_default().into(),
            file.size.to_string().into(),
            if *lost {
                tr_in!("file", "lost")
            } else {
                tr_in!("file", "kept")
            }
            .into(),
            format!("/{}", file.path).into(),
        ]
    };
    let rows: Vec<Vec<Cell>> = unsaved.newest().iter().map(row).collect();
    output::print(&output::table(
        &[
            tr_later!("MODIFIED"),
            tr_later!("SIZE"),
            tr_later!("AT THE END"),
            tr_later!("PATH"),
        ],
        &rows,
        false,
    ))?;
    for (label, text) in [
        (tr!("Lost at the end"), loss::lost(unsaved)),
        (tr!("Kept"), loss::kept(unsaved)),
    ] {
        if let Some(text) = text {
            output::remark(&format!("{label}: {text}"));
        }
    }
    if let Some(why) = unsaved.incomplete() {
        output::remark(&tr!("workbay: the list is incomplete: {why}", why));
    }
    Ok(())
}

/// What was copied, in the output of `--json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RescuedJson {
    folder: String,
    /// The new directory in the folder.
    directory: String,
    files: u64,
    bytes: u64,
    /// What wasn't copied, and why.
    skipped: Vec<String>,
}

pub fn print(rescue: &Rescue, rescued: &Rescued, json: bool) -> Result<(), Fail> {
    for sentence in &rescued.skipped {
        output::remark(&tr!("workbay: skipped {sentence}", sentence));
    }
    if json {
        return output::json(&RescuedJson {
            folder: rescue.folder.clone(),
            directory: rescue.directory.to_string(),
            files: rescued.files,
            bytes: rescued.size.0,
            skipped: rescued.skipped.iter().map(ToString::to_string).collect(),
        });
    }
    let amount = tr_plural!(
        rescued.files,
        "{files} file, {size}",
        "{files} files, {size}",
        files = rescued.files,
        size = rescued.size
    );
    let Rescue {
        folder, directory, ..
    } = rescue;
    output::line(&format!("{folder}/{directory}: {amount}"))
}
