//! Counts the files of a home directory that its user created or changed.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use rustix::fs::{Access, AtFlags, FileType, Mode, OFlags, Stat, accessat, openat};

use super::{TreeEntry, WalkStep, visit};
use crate::model::{
    files::FilePath,
    inside,
    loss::{CountedFiles, FirstFiles, UnsavedFile},
    resources::Bytes,
};

/// Files that workbay puts into a home directory later.
const OURS: [&str; 1] = ["id_container"];

/// The files that a home directory began with.
pub struct FirstFile<'a> {
    until: Option<Timestamp>,
    contents: &'a [(String, String)],
}

impl<'a> FirstFile<'a> {
    pub fn all(first: &'a FirstFiles) -> Self {
        Self {
            until: first.until,
            contents: &first.contents,
        }
    }

    fn has(&self, entry: &TreeEntry<'_>, path: &Path) -> bool {
        if OURS.iter().any(|name| path == Path::new(name)) {
            return true;
        }
        let changed = changed(entry.stat);
        if self
            .until
            .zip(changed)
            .is_some_and(|(until, at)| at < until)
        {
            return true;
        }
        let known = self
            .contents
            .iter()
            .find(|(name, _)| path == Path::new(name));
        known.is_some_and(|(_, contents)| is_same(entry, contents.as_bytes()).unwrap_or(false))
    }
}

fn is_same(entry: &TreeEntry<'_>, contents: &[u8]) -> io::Result<bool> {
    if u64::try_from(entry.stat.st_size).ok() != Some(contents.len() as u64) {
        return Ok(false);
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(entry.dir, entry.name, flags, Mode::empty())?);
    let mut found = Vec::new();
    file.take(contents.len() as u64 + 1)
        .read_to_end(&mut found)?;
    Ok(found == contents)
}

/// Counts the files below `home`, at most `most` entries. Directories that `is_wanted` refuses, by their path relative to
/// `home`, aren't entered. The paths of the result begin at the root directory of the session.
///
/// # Errors
///
/// The directory doesn't exist or can't be read.
pub fn count(
    home: &Path,
    first: &FirstFile<'_>,
    most: u64,
    is_wanted: impl Fn(&Path) -> bool,
) -> io::Result<CountedFiles> {
    let inside = Path::new(inside::HOME);
    let inside = inside.strip_prefix("/").unwrap_or(inside);
    let mut counted = CountedFiles::default();
    let (mut seen, mut locked) = (0_u64, false);
    visit(home, |entry| {
        seen += 1;
        if seen > most {
            return Ok(WalkStep::Past);
        }
        let path = entry.path();
        if entry.is_directory() {
            let is_top = entry.name == c".";
            if !is_top && !is_wanted(&path) {
                return Ok(WalkStep::Past);
            }
            if is_top || is_open(&entry) {
                return Ok(WalkStep::Into);
            }
            locked = true;
            return Ok(WalkStep::Past);
        }
        let kind = FileType::from_raw_mode(entry.stat.st_mode);
        if matches!(kind, FileType::RegularFile | FileType::Symlink) && !first.has(&entry, &path) {
            add(&mut counted, inside.join(path), entry.stat);
        }
        Ok(WalkStep::Into)
    })?;
    if seen > most {
        let why = tr_sent!("more than {most} entries aren't counted", most);
        counted.incomplete = Some(why.as_str().into());
    } else if locked {
        counted.incomplete = Some(tr_sent!("some directories can't be read").into());
    }
    counted.finish();
    Ok(counted)
}

fn add(counted: &mut CountedFiles, path: PathBuf, stat: &Stat) {
    let size = Bytes(u64::try_from(stat.st_size).unwrap_or_default());
    match FilePath::parse(path.as_os_str()) {
        Ok(path) => counted.add(UnsavedFile {
            path,
            size,
            modified: time(stat.st_mtime, stat.st_mtime_nsec),
        }),
        Err(_) => counted.count(size),
    }
}

fn is_open(entry: &TreeEntry<'_>) -> bool {
    let needed = Access::READ_OK | Access::EXEC_OK;
    accessat(entry.dir, entry.name, needed, AtFlags::EACCESS).is_ok()
}

/// When the entry changed last in any way.
fn changed(stat: &Stat) -> Option<Timestamp> {
    time(stat.st_ctime, stat.st_ctime_nsec)
}

#[allow(
    clippy::useless_conversion,
    reason = "the types of these fields differ between platforms"
)]
fn time(seconds: impl TryInto<i64>, nanos: impl TryInto<i32>) -> Option<Timestamp> {
    Timestamp::new(seconds.try_into().ok()?, nanos.try_into().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    fn first(until: Option<Timestamp>) -> FirstFiles {
        FirstFiles {
            until,
            contents: vec![(".bashrc".to_owned(), "first\n".to_owned())],
        }
    }

    fn counted(home: &Path, first: &FirstFiles, most: u64) -> CountedFiles {
        count(home, &FirstFile::all(first), most, |path| {
            path != Path::new("data")
        })
        .unwrap()
    }

    #[test]
    fn files_of_the_user_are_counted_and_first_ones_only_when_changed() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path();
        fs::write(home.join(".bashrc"), "first\n").unwrap();
        fs::write(home.join("id_container"), "key").unwrap();
        fs::create_dir_all(home.join("data")).unwrap();
        fs::write(home.join("data/in-a-folder"), "x").unwrap();
        assert_eq!(counted(home, &first(None), 100).total.files, 0);
        fs::create_dir_all(home.join("deep/er")).unwrap();
        fs::write(home.join("deep/er/mine"), "12345").unwrap();
        symlink("/etc", home.join("link")).unwrap();
        let found = counted(home, &first(None), 100);
        let names: Vec<String> = found.largest.iter().map(|it| it.path.to_string()).collect();
        assert_eq!(names, ["home/work/deep/er/mine", "home/work/link"]);
        fs::write(home.join(".bashrc"), "mine!\n").unwrap();
        assert_eq!(counted(home, &first(None), 100).total.files, 3);
        let later = "2999-01-01T00:00:00Z".parse().unwrap();
        assert_eq!(counted(home, &first(Some(later)), 100).total.files, 0);
    }

    #[test]
    fn a_bound_ends_the_count_and_is_reported() {
        let dir = tempfile::tempdir().unwrap();
        for number in 0..20 {
            fs::write(dir.path().join(number.to_string()), "x").unwrap();
        }
        let found = counted(dir.path(), &first(None), 10);
        assert_eq!(found.total.files, 9);
        assert_eq!(
            found.incomplete.unwrap(),
            "more than 10 entries aren't counted"
        );
        assert!(counted(dir.path(), &first(None), 21).incomplete.is_none());
    }
}
