//! Reads configuration files. All code that reads one uses this file.
//!
//! The path may lead to anything: a FIFO would block the reader, a device has no end, and a large file needs
//! many times its size in memory. So only regular files of a limited size are read.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use rustix::{fs::OFlags, io::Errno};

use super::Problem;

/// The largest configuration file.
pub const LARGEST: u64 = 1024 * 1024;

/// The text of a file, or `None` if the file doesn't exist. Every other error is a problem of the whole file.
pub fn text(path: &Path) -> Result<Option<String>, Problem> {
    let file = match open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(path, &error)),
    };
    let mut bytes = Vec::new();
    // The file may grow while it is read.
    file.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > LARGEST {
        let message = tr!(
            "the file is larger than {most} MiB",
            most = LARGEST / (1024 * 1024)
        );
        return Err(whole(
            path,
            message,
            tr!("remove what doesn't belong in it"),
        ));
    }
    String::from_utf8(bytes).map(Some).map_err(|_| {
        let message = tr!("the file isn't UTF-8 text").to_owned();
        whole(path, message, tr!("save it as UTF-8"))
    })
}

/// Opens a regular file without blocking on other kinds of files.
pub fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)?;
    // Check the open file, so that the checked file is the one that is read.
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        tr!("it isn't a regular file"),
    ))
}

fn unreadable(path: &Path, error: &io::Error) -> Problem {
    let help = match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::LOOP) => tr!("its symbolic links form a loop. Remove the link"),
        Some(Errno::ACCESS | Errno::PERM) => tr!("check its owner and permissions"),
        Some(_) => tr!("check what is at this path"),
        None => tr!("replace it with a regular file, or remove it"),
    };
    whole(path, tr!("can't be read: {error}", error), help)
}

fn whole(path: &Path, message: String, help: &str) -> Problem {
    Problem {
        file: path.to_path_buf(),
        line: 0,
        column: 0,
        message,
        help: Some(help.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    fn refused(path: &Path) -> String {
        text(path).unwrap_err().to_string()
    }

    #[test]
    fn only_regular_files_of_a_limited_size_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        assert_eq!(text(&path("missing")), Ok(None));

        fs::write(path("file"), "a = 1").unwrap();
        symlink(path("file"), path("link")).unwrap();
        assert_eq!(text(&path("link")), Ok(Some("a = 1".to_owned())));

        mknodat(
            CWD,
            path("fifo"),
            FileType::Fifo,
            Mode::RUSR | Mode::WUSR,
            0,
        )
        .unwrap();
        assert!(refused(&path("fifo")).contains("isn't a regular file"));

        symlink(path("loop"), path("loop")).unwrap();
        let looped = refused(&path("loop"));
        assert!(looped.contains("Remove the link"), "{looped}");

        assert!(refused(dir.path()).contains("isn't a regular file"));
        assert!(refused(Path::new("/dev/zero")).contains("isn't a regular file"));
        assert!(refused(&path("file/below")).contains("can't be read"));

        let large = fs::File::create(path("large")).unwrap();
        large.set_len(60 << 20).unwrap();
        assert!(refused(&path("large")).contains("larger than 1 MiB"));

        fs::write(path("latin"), b"\xe9").unwrap();
        assert!(refused(&path("latin")).contains("UTF-8"));
    }
}
