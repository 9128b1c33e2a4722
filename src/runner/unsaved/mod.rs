//! Counts or packs the files of this container that aren't in a folder. The engine says which paths changed; this
//! process knows what is mounted.

mod changed;
mod mounts;

use std::{
    io::{self, BufRead as _, BufReader, BufWriter, Read as _, Write as _},
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Subcommand;

use self::mounts::Mounts;
use super::complain;
use crate::{
    archive,
    model::{
        files::FilePath,
        inside,
        loss::{CountedFiles, MOST_COUNTED, UnsavedAnswer, UnsavedOrder},
    },
    tree::unsaved::{self, FirstFile},
};

/// The longest order in bytes.
const LONGEST: u64 = 512 * 1024 * 1024;

#[derive(Debug, Subcommand)]
pub(super) enum UnsavedTask {
    /// Prints the files as JSON. Reads an order from stdin.
    List,
    /// Writes the files as a tar stream, with names relative to the root directory. Reads an order from stdin.
    Pack,
}

pub(super) fn run(task: &UnsavedTask) -> ExitCode {
    let done = order().and_then(|order| match task {
        UnsavedTask::List => list(&order),
        UnsavedTask::Pack => pack(&order),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Reads one line. stdin stays open, because its end ends this process.
fn order() -> io::Result<UnsavedOrder> {
    let mut line = Vec::new();
    BufReader::new(io::stdin().lock().take(LONGEST)).read_until(b'\n', &mut line)?;
    serde_json::from_slice(&line)
        .map_err(|error| io::Error::other(tr_sent!("the order can't be read: {error}", error)))
}

fn list(order: &UnsavedOrder) -> io::Result<()> {
    let mounts = Mounts::read()?;
    let mut outside = changed::count(order, &mounts, MOST_COUNTED);
    if order.shortened {
        let why = tr_sent!(
            "more than {most_counted} paths changed",
            most_counted = MOST_COUNTED
        );
        outside.incomplete = Some(why.as_str().into());
    }
    let home = order.home.then(|| count_home(order, &mounts));
    let home = home.transpose()?;
    let mut out = BufWriter::new(io::stdout().lock());
    serde_json::to_writer(&mut out, &UnsavedAnswer { outside, home })?;
    out.write_all(b"\n")?;
    out.flush()
}

fn count_home(order: &UnsavedOrder, mounts: &Mounts) -> io::Result<CountedFiles> {
    let home = Path::new(inside::HOME);
    let first = FirstFile::all(&order.first);
    unsaved::count(home, &first, MOST_COUNTED, |path| {
        !mounts.has(&home.join(path))
    })
}

fn pack(order: &UnsavedOrder) -> io::Result<()> {
    let mounts = Mounts::read()?;
    let mut names: Vec<PathBuf> = if order.paths.is_empty() {
        changed::files(order, &mounts)
    } else {
        order.paths.iter().map(|it| it.as_path().into()).collect()
    };
    if order.paths.is_empty() {
        names.push(
            Path::new(inside::HOME)
                .strip_prefix("/")
                .unwrap_or(Path::new(""))
                .into(),
        );
    }
    names.sort_unstable();
    // A path inside another one is packed with it.
    names.dedup_by(|later, earlier| later.starts_with(&*earlier));
    let root = Path::new("/");
    if let Some(missing) = names
        .iter()
        .find(|it| !order.paths.is_empty() && root.join(it).symlink_metadata().is_err())
    {
        let shown = FilePath::parse(missing.as_os_str());
        let shown = shown.map(|it| it.to_string()).unwrap_or_default();
        return Err(io::Error::other(tr_sent!(
            "/{shown}: not found in the session",
            shown
        )));
    }
    let is_named = |path: &Path| {
        names
            .binary_search_by(|it| root.join(it).as_path().cmp(path))
            .is_ok()
    };
    let wanted = |path: &Path| is_named(path) || !mounts.has(path);
    let named = names.iter().map(|name| (root.join(name), name.clone()));
    let (files, bytes) = archive::measure(named.clone().collect(), wanted);
    // Without it, the progress has no end.
    let _ = writeln!(io::stderr(), "{} {files} {bytes}", inside::TOTAL);
    let out = BufWriter::with_capacity(256 * 1024, io::stdout().lock());
    let copied = archive::pack_as(named.collect(), wanted, out)?;
    for sentence in &copied.skipped {
        // The copy has succeeded even if nobody reads this.
        let _ = writeln!(io::stderr(), "skipped {sentence}");
    }
    Ok(())
}

/// Whether a path is inside of a directory, or the directory itself.
fn is_within(path: &Path, directory: &str) -> bool {
    path.as_os_str().as_bytes() == directory.as_bytes() || path.starts_with(directory)
}
