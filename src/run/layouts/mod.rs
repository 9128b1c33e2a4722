//! Reads and writes saved layouts: one file for each in the state directory.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use crate::{
    app::layouts::{Layout, LayoutOrder, LayoutRow, LayoutsRead, check_name},
    config::saving::private_directory,
    model::text::Clean,
};

/// Maximum size. A larger file wasn't written by workbay.
const LARGEST: u64 = 1024 * 1024;
/// Maximum number of layouts in the list.
const MOST: usize = 500;
const EXTENSION: &str = "json";

/// The directory of the layouts.
#[derive(Clone, Debug)]
pub struct LayoutFiles {
    directory: PathBuf,
}

impl LayoutFiles {
    #[must_use]
    pub fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}.{EXTENSION}"))
    }

    /// Carries out an order and lists the layouts afterwards.
    #[must_use]
    pub fn carry_out(&self, order: LayoutOrder) -> LayoutsRead {
        let (outcome, saved) = match order {
            LayoutOrder::List => (None, None),
            LayoutOrder::Save { name, layout } => {
                let done = self.save(&name, &layout);
                let saved = done.is_ok().then(|| Clean::new(&name));
                (
                    Some(done.map(|()| tr!("layout '{name}' saved", name))),
                    saved,
                )
            }
            LayoutOrder::Delete { name } => {
                let done = self.delete(&name);
                (
                    Some(done.map(|()| tr!("layout '{name}' deleted", name))),
                    None,
                )
            }
        };
        let outcome = outcome.map(|it| match it {
            Ok(text) => Ok(Clean::new(&text)),
            Err(text) => Err(Clean::multiline(&text)),
        });
        LayoutsRead {
            rows: self.list(),
            outcome,
            saved,
        }
    }

    /// All layouts in the order of their names. A file that can't be read is listed with the reason.
    #[must_use]
    pub fn list(&self) -> Vec<LayoutRow> {
        let mut names: Vec<String> = fs::read_dir(&self.directory)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| name_of(&entry.path()))
            .collect();
        names.sort();
        names.truncate(MOST);
        let row = |name: String| LayoutRow {
            read: self.read(&name).map_err(|why| Clean::multiline(&why)),
            name: Clean::new(&name),
        };
        names.into_iter().map(row).collect()
    }

    /// Reads a layout. The error names the file and the place in it.
    pub fn read(&self, name: &str) -> Result<Layout, String> {
        check_name(name).map_err(|why| tr!("invalid layout '{name}': {why}", name, why))?;
        let path = self.path(name);
        let shown = path.display();
        let failed =
            |error: &io::Error| tr!("{shown}: the layout can't be read: {error}", shown, error);
        let about = fs::symlink_metadata(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => self.unknown(name),
            _ => failed(&error),
        })?;
        if !about.is_file() || about.len() > LARGEST {
            return Err(tr!(
                "{shown}: isn't a layout. Delete it, or save a new one",
                shown
            ));
        }
        let contents = fs::read(&path).map_err(|error| failed(&error))?;
        Layout::read(&contents).map_err(|fault| {
            tr!(
                "{shown}:{line}:{column}: {message}. Correct the file, or delete the layout",
                shown,
                line = fault.line,
                column = fault.column,
                message = fault.message
            )
        })
    }

    fn unknown(&self, name: &str) -> String {
        let rows = self.list();
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        match names.as_slice() {
            [] => tr!("layout '{name}' not found. No layout is saved yet", name),
            names => tr!(
                "layout '{name}' not found. Saved layouts: {names}",
                name,
                names = names.join(", ")
            ),
        }
    }

    /// Replaces the file in one step, so that a crash leaves the old or the new one.
    fn save(&self, name: &str, layout: &Layout) -> Result<(), String> {
        check_name(name)?;
        let path = self.path(name);
        let written = layout
            .contents()
            .map_err(io::Error::from)
            .and_then(|contents| replace(&self.directory, &path, &contents));
        written.map_err(|error| {
            tr!(
                "layout '{name}' wasn't saved: {path}: {error}",
                name,
                path = path.display(),
                error
            )
        })
    }

    fn delete(&self, name: &str) -> Result<(), String> {
        check_name(name)?;
        let path = self.path(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(tr!(
                "layout '{name}' wasn't deleted: {path}: {error}",
                name,
                path = path.display(),
                error
            )),
            _ => Ok(()),
        }
    }
}

/// The name of a layout's file, `None` for other files.
fn name_of(path: &Path) -> Option<String> {
    let name = path.file_stem()?.to_str()?;
    let is_layout = path.extension().is_some_and(|it| it == EXTENSION);
    (is_layout && check_name(name).is_ok()).then(|| name.to_owned())
}

fn replace(directory: &Path, path: &Path, contents: &[u8]) -> io::Result<()> {
    private_directory(directory)?;
    let new = path.with_extension(format!("{EXTENSION}.new"));
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = options.open(&new)?;
    file.write_all(contents)?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    File::open(directory)?.sync_all()
}

#[cfg(test)]
mod tests;
