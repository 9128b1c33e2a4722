//! Files of folders and sessions: where they are, their paths, and what can be asked about them.

use std::{
    ffi::{OsStr, OsString},
    fmt,
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    failure::Failure,
    id::{ContextName, SessionKey},
    resources::Bytes,
    text::Clean,
};

/// The longest path in bytes, as `PATH_MAX` of Linux without its end.
const MAX_PATH: usize = 4095;
/// The largest file in bytes that is transferred together with others in one stream.
pub const SMALL_FILE: u64 = 1024 * 1024;
/// The most entries of one answer about a directory.
pub const MOST_LISTED: u32 = 10_000;
/// The longest name in bytes, as `NAME_MAX` of Linux.
const MAX_NAME: usize = 255;

/// Where files are.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "place", rename_all = "kebab-case")]
pub enum FilePlace {
    /// A folder of a context, by its name.
    Folder {
        context: ContextName,
        folder: String,
    },
    /// `/home/work` of a running session, or the home directory that an ended session left.
    Session { session: SessionKey },
}

impl FilePlace {
    pub const fn context(&self) -> ContextName {
        match self {
            Self::Folder { context, .. } => *context,
            Self::Session { session } => session.context,
        }
    }
}

/// A path below a place: bytes as the file system has them, relative, without `.` and `..`. Empty = the place itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "RawPath", into = "RawPath")]
pub struct FilePath(PathBuf);

impl FilePath {
    /// The place itself.
    pub fn root() -> Self {
        Self(PathBuf::new())
    }

    /// Reads a path. Slashes at the beginning and at the end don't count. Fails for `..`, for a NUL byte and for what
    /// is longer than Linux allows.
    pub fn parse(path: &OsStr) -> Result<Self, Failure> {
        let mut parsed = PathBuf::new();
        for name in path.as_bytes().split(|byte| *byte == b'/') {
            match name {
                b"" | b"." => {}
                b".." => return Err(Self::invalid(path, tr!("it contains .."))),
                name if name.contains(&0) => {
                    return Err(Self::invalid(path, tr!("it contains a NUL byte")));
                }
                name if name.len() > MAX_NAME => {
                    return Err(Self::invalid(path, tr!("a name is longer than 255 bytes")));
                }
                name => parsed.push(OsStr::from_bytes(name)),
            }
        }
        if parsed.as_os_str().len() > MAX_PATH {
            return Err(Self::invalid(path, tr!("it is longer than 4095 bytes")));
        }
        Ok(Self(parsed))
    }

    fn invalid(path: &OsStr, why: &str) -> Failure {
        let shown: String = path.to_string_lossy().chars().take(100).collect();
        Failure::usage(tr!(
            "invalid path '{shown}': {why}",
            shown = Clean::new(&shown),
            why
        ))
        .hint(tr!(
            "use a path inside the folder or session, for example data/file.txt"
        ))
    }

    /// The path of an entry of this directory.
    pub fn join(&self, name: &OsStr) -> Result<Self, Failure> {
        Self::parse(self.0.join(name).as_os_str())
    }

    /// The directory that contains it; `None` = it is the place itself.
    pub fn parent(&self) -> Option<Self> {
        self.0.parent().map(|it| Self(it.to_owned()))
    }

    /// The last name; `None` = it is the place itself.
    pub fn name(&self) -> Option<&OsStr> {
        self.0.file_name()
    }

    pub fn is_root(&self) -> bool {
        self.0.as_os_str().is_empty()
    }

    pub fn as_path(&self) -> &Path {
        &self.0
    }

    /// Whether it is this directory or something below it.
    pub fn is_within(&self, directory: &Self) -> bool {
        self.0.starts_with(&directory.0)
    }
}

impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Clean::new(&self.0.to_string_lossy()).fmt(f)
    }
}

/// The bytes of a path or name in JSON: text if they are UTF-8, otherwise numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
enum RawPath {
    Text(String),
    Bytes(Vec<u8>),
}

impl RawPath {
    fn new(bytes: OsString) -> Self {
        match bytes.into_string() {
            Ok(text) => Self::Text(text),
            Err(bytes) => Self::Bytes(bytes.into_vec()),
        }
    }

    fn into_bytes(self) -> OsString {
        match self {
            Self::Text(text) => text.into(),
            Self::Bytes(bytes) => OsString::from_vec(bytes),
        }
    }
}

impl TryFrom<RawPath> for FilePath {
    type Error = String;

    fn try_from(raw: RawPath) -> Result<Self, String> {
        Self::parse(&raw.into_bytes()).map_err(|failure| failure.to_string())
    }
}

impl From<FilePath> for RawPath {
    fn from(path: FilePath) -> Self {
        Self::new(path.0.into_os_string())
    }
}

/// The name of an entry, as the file system has it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "RawPath", into = "RawPath")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FileName(pub OsString);

impl FileName {
    /// The name as it may be shown.
    pub fn shown(&self) -> Clean {
        Clean::new(&self.0.to_string_lossy())
    }
}

impl From<RawPath> for FileName {
    fn from(raw: RawPath) -> Self {
        Self(raw.into_bytes())
    }
}

impl From<FileName> for RawPath {
    fn from(name: FileName) -> Self {
        Self::new(name.0)
    }
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum FileKind {
    File,
    Directory,
    /// It is never followed.
    Link,
    /// A pipe, a socket or a device. It is listed and can be deleted, renamed and nothing else.
    Special,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FileEntry {
    pub name: FileName,
    pub kind: FileKind,
    /// In bytes; of a directory 0.
    pub size: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<Timestamp>,
    /// The permission bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
    /// Where a link leads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<FileName>,
}

/// A part of a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileListing {
    pub entries: Vec<FileEntry>,
    /// How many entries match, in this part or not.
    pub total: u64,
    /// How many entries the directory has.
    pub all: u64,
    /// Whether nothing can be changed here, with the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<Clean>,
}

/// The order of a listing. Directories always come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileOrder {
    /// In natural order: `file2` before `file10`.
    #[default]
    Name,
    Size,
    Modified,
}

/// Which part of a directory is requested.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ListOptions {
    pub order: FileOrder,
    pub reversed: bool,
    /// Only entries whose name contains this text, in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// Whether names that begin with a dot are left out.
    pub without_hidden: bool,
    pub offset: u64,
    /// At most 1,000 are returned.
    pub count: u32,
}

/// A request about files that is answered at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "kebab-case")]
pub enum FileRequest {
    /// Ends with `Reply::Files`.
    List {
        path: FilePath,
        options: ListOptions,
    },
    /// One entry, without following a link (`Reply::File`).
    Stat { path: FilePath },
    /// Creates a directory, without the directories above it.
    CreateDirectory { path: FilePath },
    /// Creates an empty file. Fails if the name is taken.
    CreateFile { path: FilePath },
    /// Renames or moves inside the place. Fails if the new name is taken.
    Rename { from: FilePath, to: FilePath },
    /// Creates a link. It is never followed.
    CreateLink { path: FilePath, target: FileName },
    /// Sets what is given. Not for links.
    SetAttributes {
        path: FilePath,
        /// The permission bits.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<u32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        modified: Option<Timestamp>,
    },
}

/// The answer to a [`FileRequest`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum FileAnswer {
    Done,
    Listing { listing: FileListing },
    Entry { entry: FileEntry },
}

impl FileRequest {
    /// Whether the request changes something, which a read-only context refuses.
    pub const fn is_change(&self) -> bool {
        !matches!(self, Self::List { .. } | Self::Stat { .. })
    }
}

/// Work on many files. It is a stream that sends [`FileProgress`] as lines of JSON, a few times per second and at the
/// end. Closing the stream cancels the work; what was copied until then is deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "work", rename_all = "kebab-case")]
pub enum FileWork {
    /// Counts what the paths contain, as `du` does.
    Measure {
        paths: Vec<FilePath>,
    },
    Delete {
        paths: Vec<FilePath>,
    },
    /// Copies into a directory of a place. Fails for a name that is taken, unless `replace` is set.
    Copy {
        paths: Vec<FilePath>,
        to: FilePlace,
        directory: FilePath,
        replace: bool,
    },
    /// Copies, then deletes what was copied.
    Move {
        paths: Vec<FilePath>,
        to: FilePlace,
        directory: FilePath,
        replace: bool,
    },
}

impl FileWork {
    pub const fn is_change(&self) -> bool {
        !matches!(self, Self::Measure { .. })
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileProgress {
    pub files: u64,
    pub bytes: u64,
    /// How many files and bytes there are, once that is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<(u64, u64)>,
}

/// What the name of an unfinished file ends with.
const PART: &str = ".workbay-part";

/// The name of a file that is being written, in the same directory. It stays when the transfer is interrupted, so that
/// the transfer can continue: its size is the offset.
#[must_use]
pub fn part_name(name: &OsStr) -> OsString {
    let bytes = name.as_bytes();
    let mut part = b".".to_vec();
    if bytes.len() + PART.len() < MAX_NAME {
        part.extend_from_slice(bytes);
    } else {
        // A name that would get too long is cut. The digest keeps it different from others.
        part.extend_from_slice(&bytes[..150]);
        part.extend_from_slice(&super::digest::of(bytes).as_bytes()[..32]);
    }
    part.extend_from_slice(PART.as_bytes());
    OsString::from_vec(part)
}

/// How a file is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteOptions {
    /// The size of the whole file in bytes, if it is known. Fewer bytes are an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Continues a transfer that was interrupted: the bytes that are there already.
    #[serde(default)]
    pub offset: u64,
    /// Whether an existing file is replaced. It stays as it was until the new one is complete.
    #[serde(default)]
    pub replace: bool,
    /// The permission bits of a new file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
}

/// What a directory or a folder uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpaceUse {
    pub files: u64,
    pub size: Bytes,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(path: &[u8]) -> Result<FilePath, Failure> {
        FilePath::parse(OsStr::from_bytes(path))
    }

    #[test]
    fn a_path_stays_inside_and_is_kept_byte_by_byte() {
        assert!(parse(b"/").unwrap().is_root());
        assert_eq!(parse(b"/a//b/./c/").unwrap(), parse(b"a/b/c").unwrap());
        for bad in [
            &b"../x"[..],
            b"a/../b",
            b"a\0b",
            &[b'x'; 256],
            &b"ab/".repeat(1400),
        ] {
            assert!(parse(bad).is_err(), "{}", String::from_utf8_lossy(bad));
        }
        let odd = parse(b"a/\xff\x1b[31m").unwrap();
        let json = serde_json::to_string(&odd).unwrap();
        assert_eq!(serde_json::from_str::<FilePath>(&json).unwrap(), odd);
        assert!(!odd.to_string().contains('\x1b'));
        assert_eq!(
            serde_json::to_string(&parse(b"a/b").unwrap()).unwrap(),
            r#""a/b""#
        );
        assert!(serde_json::from_str::<FilePath>(r#""../x""#).is_err());
    }

    #[test]
    fn a_part_has_a_valid_name_of_its_own() {
        let part = |name: &[u8]| part_name(OsStr::from_bytes(name));
        assert_eq!(part(b"data.csv"), ".data.csv.workbay-part");
        for length in [239, 240, 241, 242, 255] {
            let (one, mut other) = (vec![b'x'; length], vec![b'x'; length]);
            other[length - 1] = 0xff;
            assert!(part(&one).len() <= MAX_NAME, "{length}");
            assert_ne!(part(&one), part(&other), "{length}");
        }
    }

    #[test]
    fn a_path_knows_its_directory_and_name() {
        let path = parse(b"a/b").unwrap();
        assert_eq!(path.name(), Some(OsStr::new("b")));
        assert_eq!(path.parent(), Some(parse(b"a").unwrap()));
        assert_eq!(parse(b"a").unwrap().parent(), Some(FilePath::root()));
        assert_eq!(FilePath::root().parent(), None);
        assert!(path.is_within(&parse(b"a").unwrap()));
        assert!(!parse(b"ab").unwrap().is_within(&parse(b"a").unwrap()));
        assert_eq!(
            FilePath::root().join(OsStr::new("x")).unwrap(),
            parse(b"x").unwrap()
        );
    }
}
