//! Files of a session that aren't in a folder: what is deleted when it ends, and copying them into a folder first.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    files::{FilePath, FileProgress, SpaceUse},
    resources::Bytes,
    text::Clean,
};

/// How many of the newest and of the largest files are reported.
pub const MOST_NAMED: usize = 200;
/// How many changed files are counted.
pub const MOST_COUNTED: u64 = 1_000_000;

/// A file that isn't in a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsavedFile {
    /// Below `/` of the main container.
    pub path: FilePath,
    pub size: Bytes,
    /// When its contents changed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<Timestamp>,
}

/// Files, counted: all of them, and some by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedFiles {
    #[serde(flatten)]
    pub total: SpaceUse,
    /// The newest, at most [`MOST_NAMED`], the newest first.
    pub newest: Vec<UnsavedFile>,
    /// The largest, at most [`MOST_NAMED`], the largest first.
    pub largest: Vec<UnsavedFile>,
    /// Why more files may exist than were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<Clean>,
}

impl CountedFiles {
    pub fn add(&mut self, file: UnsavedFile) {
        self.count(file.size);
        self.newest.push(file.clone());
        self.largest.push(file);
        if self.newest.len() >= 4 * MOST_NAMED {
            self.finish();
        }
    }

    /// Counts a file that can't be named, because its path is too long.
    pub fn count(&mut self, size: Bytes) {
        self.total.files += 1;
        self.total.size = Bytes(self.total.size.0.saturating_add(size.0));
    }

    /// Brings the named files into their order, and drops those that aren't reported.
    pub fn finish(&mut self) {
        self.newest
            .sort_by(|one, other| (other.modified, &one.path).cmp(&(one.modified, &other.path)));
        self.newest.truncate(MOST_NAMED);
        self.largest
            .sort_by(|one, other| (other.size, &one.path).cmp(&(one.size, &other.path)));
        self.largest.truncate(MOST_NAMED);
    }

    /// Whether the limit of counted files is reached.
    pub fn is_full(&self, most: u64) -> bool {
        self.total.files >= most
    }
}

/// What a session has outside its folders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsaved {
    /// Outside of /home/work. They are deleted when the session ends.
    pub outside: CountedFiles,
    /// In /home/work.
    pub home: CountedFiles,
    /// Whether /home/work is kept for a time when the session ends.
    pub home_is_kept: bool,
    /// How many days it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_days: Option<u32>,
}

impl Unsaved {
    /// The files that are deleted at once when the session ends.
    pub fn lost(&self) -> SpaceUse {
        let mut lost = self.outside.total;
        if !self.home_is_kept {
            lost.files += self.home.total.files;
            lost.size = Bytes(lost.size.0.saturating_add(self.home.total.size.0));
        }
        lost
    }

    pub fn is_empty(&self) -> bool {
        self.outside.total.files == 0 && self.home.total.files == 0
    }

    /// All named files, the newest first. `true` = it is deleted at once.
    pub fn newest(&self) -> Vec<(&UnsavedFile, bool)> {
        self.merged(|it| &it.newest, |file| (file.modified, file.size))
    }

    /// All named files, the largest first. `true` = it is deleted at once.
    pub fn largest(&self) -> Vec<(&UnsavedFile, bool)> {
        self.merged(|it| &it.largest, |file| file.size)
    }

    fn merged<K: Ord>(
        &self,
        of: impl Fn(&CountedFiles) -> &Vec<UnsavedFile>,
        key: impl Fn(&UnsavedFile) -> K,
    ) -> Vec<(&UnsavedFile, bool)> {
        let outside = of(&self.outside).iter().map(|file| (file, true));
        let home = of(&self.home).iter();
        let home = home.map(|file| (file, !self.home_is_kept));
        let mut all: Vec<_> = outside.chain(home).collect();
        all.sort_by_key(|(file, _)| std::cmp::Reverse(key(file)));
        all.truncate(MOST_NAMED);
        all
    }

    /// Why more files may exist than were counted.
    pub fn incomplete(&self) -> Option<&Clean> {
        let mut parts = [&self.outside, &self.home].into_iter();
        parts.find_map(|part| part.incomplete.as_ref())
    }
}

/// What workbay's runner in a container counts or packs. It is one line of JSON on its stdin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsavedOrder {
    /// The paths that the engine reports as changed. Its text isn't exact where a name isn't UTF-8.
    pub changed: Vec<FilePath>,
    /// Whether more paths changed than are listed.
    #[serde(default)]
    pub shortened: bool,
    /// Whether to count /home/work.
    #[serde(default)]
    pub home: bool,
    /// What the home directory began with.
    #[serde(default)]
    pub first: FirstFiles,
    /// Paths that are packed with all their contents.
    #[serde(default)]
    pub paths: Vec<FilePath>,
}

/// The files that a new home directory has, which aren't the user's work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstFiles {
    /// Files that weren't changed since this time are as they were put there.
    pub until: Option<Timestamp>,
    /// Names in the home directory, and contents.
    pub contents: Vec<(String, String)>,
}

/// The answer of the runner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsavedAnswer {
    pub outside: CountedFiles,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<CountedFiles>,
}

/// A request about the files of a session that aren't in a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "kebab-case")]
pub enum LossRequest {
    /// Counts them (`Reply::Unsaved`). It isn't use of the session.
    List,
}

/// What is copied, and where to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rescue {
    /// Below `/`, directories with their contents. Empty = all files that aren't in a folder.
    pub paths: Vec<FilePath>,
    pub folder: String,
    /// The new directory in the folder.
    pub directory: FilePath,
}

/// What was copied.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rescued {
    pub files: u64,
    pub size: Bytes,
    /// What wasn't copied, and why.
    pub skipped: Vec<Clean>,
}

/// What the stream of a rescue sends, one line of JSON each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "rescue", rename_all = "kebab-case")]
pub enum RescueReport {
    Progress {
        progress: FileProgress,
    },
    /// Everything is stored in the folder. It is the last line.
    Done {
        rescued: Rescued,
    },
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    fn file(path: &str, size: u64, second: i64) -> UnsavedFile {
        UnsavedFile {
            path: FilePath::parse(OsStr::new(path)).unwrap(),
            size: Bytes(size),
            modified: Timestamp::from_second(second).ok(),
        }
    }

    #[test]
    fn all_files_are_counted_and_the_newest_and_largest_are_named() {
        let mut counted = CountedFiles::default();
        for number in 0..10_000_u64 {
            // The largest are the oldest.
            let second = i64::try_from(number).unwrap();
            counted.add(file(&format!("tmp/{number}"), 20_000 - number, second));
        }
        counted.finish();
        assert_eq!(counted.total.files, 10_000);
        assert_eq!(counted.newest.len(), MOST_NAMED);
        assert_eq!(counted.newest[0].path.to_string(), "tmp/9999");
        assert_eq!(counted.newest[MOST_NAMED - 1].path.to_string(), "tmp/9800");
        assert_eq!(counted.largest[0].path.to_string(), "tmp/0");
        assert_eq!(counted.largest[MOST_NAMED - 1].path.to_string(), "tmp/199");
    }

    #[test]
    fn a_kept_home_is_not_lost_at_once() {
        let mut unsaved = Unsaved {
            home_is_kept: true,
            ..Unsaved::default()
        };
        unsaved.outside.add(file("opt/a", 5, 1));
        unsaved.home.add(file("home/work/b", 7, 2));
        assert_eq!(unsaved.lost().size, Bytes(5));
        let newest = unsaved.newest();
        assert_eq!(
            (newest[0].0.path.to_string().as_str(), newest[0].1),
            ("home/work/b", false)
        );
        assert!(newest[1].1);
        unsaved.home_is_kept = false;
        assert_eq!((unsaved.lost().files, unsaved.lost().size), (2, Bytes(12)));
    }
}
