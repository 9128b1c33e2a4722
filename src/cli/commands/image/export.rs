//! `workbay image export`: writes an image into a file.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use clap::Args;

use super::report::size;
use crate::{
    cli::{
        Start, connection,
        fail::{Fail, Outcome, code},
        output,
        progress::Progress,
        reports::{closed, failed, unless_interrupted},
    },
    client::{Stream, StreamItem},
    protocol::message::StreamOpen,
};

#[derive(Args, Debug)]
pub struct ImageExport {
    /// Reference, name of your own image, or beginning of an id
    pub image: String,
    /// The file to write
    pub file: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
}

pub fn export(start: &Start, arguments: &ImageExport) -> Outcome {
    let written = connection::block_on(async {
        let (connection, context) = super::connect(start).await?;
        let image = super::find(&connection, context, &arguments.image).await?;
        let mut target = Unfinished::create(&arguments.file, arguments.force)?;
        let total = image.size.map_or(0, |it| it.0);
        let mut stream = connection.stream(StreamOpen::ExportImage {
            context,
            reference: image.reference,
        });
        let copying = copy(&mut stream, &mut target, total);
        unless_interrupted(copying, tr!("no file was written")).await?;
        target.complete(arguments.force)
    })?;
    output::line(&format!("{} {}", arguments.file.display(), size(written)))?;
    Ok(0)
}

async fn copy(stream: &mut Stream, target: &mut Unfinished, total: u64) -> Result<(), Fail> {
    let mut progress = Progress::new();
    while let Some(item) = stream.recv().await {
        match item {
            StreamItem::Opened => {}
            StreamItem::Data { bytes, .. } => {
                target.write(&bytes)?;
                // The archive is a little larger than the image.
                progress.image(tr!("writing"), target.written, total.max(target.written));
            }
            StreamItem::Ended(end) => return failed(end),
        }
    }
    Err(closed())
}

/// A file beside the target. It is deleted unless it becomes complete.
struct Unfinished {
    target: PathBuf,
    path: PathBuf,
    file: File,
    written: u64,
    is_complete: bool,
}

impl Unfinished {
    fn create(target: &Path, replace: bool) -> Result<Self, Fail> {
        let found = fs::symlink_metadata(target);
        if let Ok(found) = found {
            if found.is_dir() {
                return Err(
                    Fail::usage(tr!("{target} is a directory", target = target.display()))
                        .hint(tr!("name the file that you want to write")),
                );
            }
            if !replace {
                return Err(exists(target));
            }
        }
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let name: String = name.chars().take(60).collect();
        let path = target.with_file_name(format!(".{name}.{}.part", std::process::id()));
        let file = File::create_new(&path).map_err(|error| cannot(&path, &error))?;
        Ok(Self {
            target: target.to_owned(),
            path,
            file,
            written: 0,
            is_complete: false,
        })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Fail> {
        let result = self.file.write_all(bytes);
        result.map_err(|error| cannot(&self.target, &error))?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    fn complete(mut self, replace: bool) -> Result<u64, Fail> {
        let cannot = |error: io::Error| cannot(&self.target, &error);
        self.file.sync_all().map_err(cannot)?;
        if replace {
            fs::rename(&self.path, &self.target).map_err(cannot)?;
            self.is_complete = true;
        } else {
            // Unlike a rename, a link doesn't replace a file that was created meanwhile.
            match fs::hard_link(&self.path, &self.target) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    return Err(exists(&self.target));
                }
                Err(_) => {
                    fs::rename(&self.path, &self.target).map_err(cannot)?;
                    self.is_complete = true;
                }
                Ok(()) => {}
            }
        }
        Ok(self.written)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.is_complete {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn exists(target: &Path) -> Fail {
    let text = tr!("{target} exists", target = target.display());
    Fail::new(code::FAILED, text).hint(tr!("choose another name, or replace it with --force"))
}

fn cannot(path: &Path, error: &io::Error) -> Fail {
    let text = tr!(
        "{path} can't be written: {error}",
        path = path.display(),
        error
    );
    Fail::new(code::FAILED, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let all = fs::read_dir(dir).unwrap();
        all.map(|it| it.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn nothing_is_left_of_an_unfinished_file() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("image.tar");
        let mut file = Unfinished::create(&target, false).unwrap();
        file.write(b"half").unwrap();
        drop(file);
        assert_eq!(names(dir.path()), Vec::<String>::new());
        let mut file = Unfinished::create(&target, false).unwrap();
        file.write(b"whole").unwrap();
        assert_eq!(file.complete(false).unwrap(), 5);
        assert_eq!(names(dir.path()), ["image.tar"]);
        assert_eq!(fs::read(&target).unwrap(), b"whole");
    }

    #[test]
    fn a_file_is_only_replaced_on_request() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("image.tar");
        let early = Unfinished::create(&target, false).unwrap();
        fs::write(&target, "mine").unwrap();
        assert!(Unfinished::create(&target, false).is_err());
        assert!(early.complete(false).is_err());
        assert_eq!(fs::read(&target).unwrap(), b"mine");
        let mut file = Unfinished::create(&target, true).unwrap();
        file.write(b"new").unwrap();
        file.complete(true).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert!(Unfinished::create(dir.path(), true).is_err());
    }
}
