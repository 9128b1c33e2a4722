//! Files in folders: `folder ls NAME/PATH`, `get`, `put` and `du`.

mod listing;
mod side;
mod transfer;

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::{Args, Subcommand};

#[cfg(test)]
pub(in crate::cli) use self::listing::SpaceJson;
pub(super) use self::listing::ls;
use self::{side::Side, transfer::Transfer};
use crate::{
    cli::{
        Start,
        args::Json,
        choice::Choice,
        commands::cp::print_copied,
        connection::{self, Connection},
        fail::{Fail, Outcome, code},
    },
    files::Root,
    model::{
        files::{FilePath, FilePlace},
        id::ContextName,
        text::io_reason,
    },
};

#[derive(Debug, Subcommand)]
pub enum FilesCommand {
    /// Copy a file or directory out of a folder
    Get {
        /// What to copy: NAME/PATH, or NAME for the whole folder
        #[arg(value_name = "NAME/PATH")]
        place: OsString,
        /// Where to on this machine
        #[arg(value_name = "FILE", default_value = ".")]
        file: PathBuf,
        #[command(flatten)]
        how: Resume,
    },
    /// Copy a file or directory into a folder
    Put {
        /// What to copy on this machine
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Where to: NAME/PATH, or NAME for the top of the folder
        #[arg(value_name = "NAME/PATH")]
        place: OsString,
        #[command(flatten)]
        how: Resume,
    },
    /// Measure what a folder or a part of it uses
    Du {
        /// NAME or NAME/PATH
        #[arg(value_name = "NAME/PATH")]
        place: OsString,
        #[command(flatten)]
        format: Json,
    },
}

#[derive(Args, Debug)]
pub struct Resume {
    /// Continue an interrupted transfer, and skip files that were copied completely
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    format: Json,
}

impl FilesCommand {
    pub fn is_change(&self) -> bool {
        matches!(self, Self::Put { .. })
    }

    pub(super) fn run(self, start: &Start) -> Outcome {
        match self {
            Self::Get { place, file, how } => {
                let place = Place::parse(&place)?;
                copied(start, &place, how, async |there, from| {
                    let (root, to) = destination(&file, from.name())?;
                    Ok((there, from, Side::Here(root), to))
                })
            }
            Self::Put { file, place, how } => {
                let place = Place::parse(&place)?;
                copied(start, &place, how, async |there, to| {
                    let (root, from) = source(&file)?;
                    let name = file
                        .file_name()
                        .or_else(|| from.name())
                        .map(OsStr::to_owned);
                    // A directory is copied into an existing one.
                    let to = match name {
                        Some(name) if there.is_directory(&to).await? => to.join(&name)?,
                        _ => to,
                    };
                    Ok((Side::Here(root), from, there, to))
                })
            }
            Self::Du { place, format } => listing::du(start, &Place::parse(&place)?, format.json),
        }
    }
}

/// A folder, and a path in it.
pub(super) struct Place {
    folder: String,
    path: FilePath,
}

impl Place {
    pub(super) fn parse(text: &OsStr) -> Result<Self, Fail> {
        let bytes = text.as_bytes();
        let end = bytes.iter().position(|byte| *byte == b'/');
        let (folder, path) = bytes.split_at(end.unwrap_or(bytes.len()));
        let folder = std::str::from_utf8(folder).ok().filter(|it| !it.is_empty());
        let folder = folder.ok_or_else(|| {
            Fail::usage(tr!("the name of a folder is missing"))
                .hint(tr!("write NAME or NAME/PATH, for example data/file.csv"))
        })?;
        Ok(Self {
            folder: folder.to_owned(),
            path: FilePath::parse(OsStr::from_bytes(path))?,
        })
    }

    fn of(&self, context: ContextName) -> FilePlace {
        FilePlace::Folder {
            context,
            folder: self.folder.clone(),
        }
    }
}

/// The connection, and the place in the chosen context.
async fn connect(start: &Start, place: &Place) -> Result<(Arc<Connection>, FilePlace), Fail> {
    let connection = Connection::connect(&start.paths).await?;
    let context = Choice::of(start).context(&connection.snapshot().await?)?;
    Ok((Arc::new(connection), place.of(context)))
}

/// The two ends of a transfer: from where, to where.
type Ends = (Side, FilePath, Side, FilePath);

fn copied(
    start: &Start,
    place: &Place,
    how: Resume,
    ends: impl AsyncFnOnce(Side, FilePath) -> Result<Ends, Fail>,
) -> Outcome {
    let copied = connection::block_on(async {
        let (connection, at) = connect(start, place).await?;
        let there = Side::There {
            connection,
            place: at,
        };
        let (from, source, to, target) = ends(there, place.path.clone()).await?;
        Transfer::new(from, to, how.resume)
            .run(source, target)
            .await
    })?;
    print_copied(copied, how.format.json)?;
    Ok(0)
}

/// A path of this machine as `cp` has it: into `file` if it is a directory, otherwise as `file`. A whole folder goes into
/// a directory without the folder's name.
fn destination(file: &Path, name: Option<&OsStr>) -> Result<(Arc<Root>, FilePath), Fail> {
    if file.is_dir() {
        let path = name.map_or_else(|| Ok(FilePath::root()), FilePath::parse)?;
        return Ok((open(file)?, path));
    }
    let ends_with_slash = file.as_os_str().as_bytes().ends_with(b"/");
    let Some(name) = file.file_name().filter(|_| !ends_with_slash) else {
        let text = tr!("directory {file} doesn't exist", file = file.display());
        return Err(Fail::new(code::NOT_FOUND, text).hint(tr!("create it first")));
    };
    Ok((open(parent(file))?, FilePath::parse(name)?))
}

/// What is copied from this machine. A link that is named itself is followed.
fn source(file: &Path) -> Result<(Arc<Root>, FilePath), Fail> {
    let real = std::fs::canonicalize(file).map_err(|error| {
        let text = format!("{}: {}", file.display(), io_reason(&error));
        Fail::new(code::NOT_FOUND, text).hint(tr!("check the path"))
    })?;
    match real.file_name() {
        Some(name) => Ok((open(parent(&real))?, FilePath::parse(name)?)),
        None => Ok((open(&real)?, FilePath::root())),
    }
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn open(directory: &Path) -> Result<Arc<Root>, Fail> {
    Ok(Arc::new(Root::open(directory, None)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_folder_and_a_path() {
        let of = |text: &str| {
            let place = Place::parse(text.as_ref()).ok()?;
            Some((place.folder, place.path.to_string()))
        };
        let some = |folder: &str, path: &str| Some((folder.to_owned(), path.to_owned()));
        assert_eq!(of("data"), some("data", ""));
        assert_eq!(of("data/"), some("data", ""));
        assert_eq!(of("data/a/b"), some("data", "a/b"));
        for bad in ["", "/a", "data/../x"] {
            assert_eq!(of(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_destination_is_found_as_cp_does() {
        let dir = tempfile::tempdir().unwrap();
        let name = Some(OsStr::new("x"));
        let of = |text: &str| destination(&dir.path().join(text), name).map(|(_, path)| path);
        assert_eq!(of("").unwrap(), FilePath::parse("x".as_ref()).unwrap());
        assert_eq!(of("new").unwrap(), FilePath::parse("new".as_ref()).unwrap());
        assert!(of("new/").is_err() && of("no/new").is_err());
    }
}
