//! Folders that outlive sessions ("vfolders"), and what can be asked about them.

mod request;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use self::request::{FolderRequest, NewFolder};
use super::{id::SessionKey, resources::Bytes, text::Clean};

/// A folder that outlives sessions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Folder {
    /// The id in the engine's format.
    pub id: Clean,
    pub name: Clean,
    /// The storage host; `local` on this machine.
    pub host: Clean,
    /// `ready`, `cloning`, `delete-pending`, in the engine's words.
    pub status: Clean,
    /// `ro`, `rw`, `wd`.
    pub permission: Clean,
    /// `general`, `model`, `data`.
    pub usage_mode: Clean,
    /// `user` or `group`.
    pub ownership: Clean,
    pub is_owner: bool,
    /// The project that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Clean>,
    /// The email address of the user who created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creator: Option<Clean>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// What it uses on disk; `None` = not measured yet, or not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Bytes>,
    /// The number of files and directories in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// Whether its size is being measured now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub measuring: bool,
    /// The quota.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_size: Option<Bytes>,
    /// Whether the file system enforces the quota; `false` = it is measured, `None` = not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota_enforced: Option<bool>,
    /// Whether users that may read it may clone it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cloneable: bool,
    /// What is free on its file system; `None` = not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<Bytes>,
    /// Whether so little is free there that the disk is almost full.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub low_space: bool,
    /// Its directory on this machine; `None` = the engine keeps it elsewhere.
    #[serde(default)]
    pub path: Option<String>,
    /// When it was moved to the trash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trashed_at: Option<Timestamp>,
    /// The sessions that mount it and haven't ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mounted_by: Vec<MountingSession>,
}

/// A session that mounts a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MountingSession {
    pub session: SessionKey,
    pub name: Clean,
}

impl Folder {
    /// Creates a folder of the caller that can be mounted and written to.
    #[must_use]
    pub fn own(name: &str, host: &str) -> Self {
        Self {
            id: name.into(),
            name: name.into(),
            host: host.into(),
            status: "ready".into(),
            permission: "rw".into(),
            usage_mode: "general".into(),
            ownership: "user".into(),
            is_owner: true,
            group: None,
            creator: None,
            created_at: None,
            size: None,
            files: None,
            measuring: false,
            max_size: None,
            quota_enforced: None,
            cloneable: false,
            free: None,
            low_space: false,
            path: None,
            trashed_at: None,
            mounted_by: Vec::new(),
        }
    }

    /// Whether it is automounted: folders whose names begin with a dot are mounted in every session.
    pub fn is_auto_mounted(&self) -> bool {
        self.name.as_str().starts_with('.')
    }

    /// Whether it can only be mounted read-only.
    pub fn is_read_only(&self) -> bool {
        self.permission == *"ro"
    }

    /// Whether a word means it: its id or its name.
    pub fn is_called(&self, word: &str) -> bool {
        self.id == *word || self.name == *word
    }

    /// How many percent of the quota it uses.
    pub fn percent(&self) -> Option<u64> {
        let (size, most) = (self.size?.0, self.max_size?.0);
        (most > 0).then(|| size.saturating_mul(100) / most)
    }

    /// Its permission in words.
    pub fn access(&self) -> &str {
        access_words(self.permission.as_str())
    }

    /// Whose it is, for a list.
    pub fn whose(&self) -> String {
        match (&self.group, self.ownership.as_str(), self.is_owner) {
            (Some(group), ..) => tr!("project {group}", group),
            (None, "group", _) => tr!("the project's").to_owned(),
            (None, "machine", _) => tr!("this machine's").to_owned(),
            (None, _, true) => tr_in!("folder", "yours").to_owned(),
            (None, _, false) => tr!("shared with you").to_owned(),
        }
    }
}

/// A permission in words: `read and write` for `rw`.
pub fn access_words(permission: &str) -> &str {
    match permission {
        "ro" => tr!("read-only"),
        "rw" => tr!("read and write"),
        "wd" => tr!("read, write, delete"),
        other => other,
    }
}

/// What a user may do with a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum FolderPermission {
    #[serde(rename = "ro")]
    ReadOnly,
    #[default]
    #[serde(rename = "rw")]
    ReadWrite,
    /// Also deletes the folder.
    #[serde(rename = "wd")]
    Delete,
}

impl FolderPermission {
    pub const ALL: [Self; 3] = [Self::ReadOnly, Self::ReadWrite, Self::Delete];

    /// `ro`, `rw`, `wd`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::ReadOnly => "ro",
            Self::ReadWrite => "rw",
            Self::Delete => "wd",
        }
    }
}

/// What a new folder is used for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FolderUsage {
    #[default]
    General,
    Model,
    Data,
}

impl FolderUsage {
    pub const ALL: [Self; 3] = [Self::General, Self::Model, Self::Data];

    pub const fn word(self) -> &'static str {
        match self {
            Self::General => "general",
            Self::Model => "model",
            Self::Data => "data",
        }
    }
}

/// The answer of an engine to a request about folders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FolderAnswer {
    Done,
    Folders(Vec<Folder>),
    Folder(Box<Folder>),
    Hosts(FolderHosts),
    Shares(Vec<FolderShare>),
    Invitations(Vec<Invitation>),
}

/// The storage hosts that a new folder can be on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FolderHosts {
    pub default: Option<Clean>,
    pub allowed: Vec<Clean>,
    /// The projects that it can belong to; none where folders have no projects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub projects: Vec<Clean>,
}

/// The access of another user to a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FolderShare {
    pub user: Clean,
    /// `ro`, `rw`, `wd`.
    pub permission: Clean,
    /// An invitation that the user hasn't answered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pending: bool,
}

/// An invitation to a folder of another user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Invitation {
    pub id: Clean,
    pub folder: Clean,
    pub inviter: Clean,
    /// `ro`, `rw`, `wd`.
    pub permission: Clean,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
}

/// A change of the list of folders, for what was read earlier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderChange {
    /// The name or id of a folder that is gone.
    pub gone: Option<String>,
    /// A folder that is new, or as it is now.
    pub new: Option<Box<Folder>>,
}

impl FolderChange {
    pub const fn is_empty(&self) -> bool {
        self.gone.is_none() && self.new.is_none()
    }

    /// Changes a list that was read earlier.
    pub fn apply(&self, folders: &mut Vec<Folder>) {
        if let Some(gone) = &self.gone {
            folders.retain(|folder| !folder.is_called(gone));
        }
        if let Some(new) = &self.new {
            folders.retain(|folder| folder.id != new.id);
            folders.push((**new).clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_follows_what_changed() {
        let mut folders = vec![Folder::own("a", "local"), Folder::own("b", "local")];
        FolderChange {
            gone: Some("a".into()),
            new: Some(Box::new(Folder::own("c", "local"))),
        }
        .apply(&mut folders);
        let names: Vec<&str> = folders.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["b", "c"]);
        assert!(FolderChange::default().is_empty());
    }

    #[test]
    fn a_quota_has_a_percentage() {
        let mut folder = Folder::own("a", "local");
        assert_eq!(folder.percent(), None);
        folder.size = Some(Bytes::mib(30));
        folder.max_size = Some(Bytes::mib(40));
        assert_eq!(folder.percent(), Some(75));
        folder.max_size = Some(Bytes(0));
        assert_eq!(folder.percent(), None, "0 means no quota");
    }

    #[test]
    fn old_rows_are_read() {
        let old = r#"{"id":"a","name":"a","host":"h","status":"ready","permission":"rw",
            "usage_mode":"general","ownership":"user","is_owner":true}"#;
        let read: Folder = serde_json::from_str(old).unwrap();
        assert_eq!(read, Folder::own("a", "h"));
    }
}
