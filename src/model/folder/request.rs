//! What can be asked about folders.

use serde::{Deserialize, Serialize};

use super::{FolderPermission, FolderUsage};
use crate::model::resources::Bytes;

/// A folder to create.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NewFolder {
    pub name: String,
    /// The storage host; `None` = the default one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The project that it belongs to; `None` = it is your own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    #[serde(default)]
    pub usage: FolderUsage,
    #[serde(default)]
    pub permission: FolderPermission,
    #[serde(default)]
    pub cloneable: bool,
    /// The quota in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota: Option<Bytes>,
}

impl NewFolder {
    /// Creates a folder with a name, and the defaults for the rest.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }
}

/// A request about the folders of a context. `folder` is the name or the id of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "kebab-case")]
pub enum FolderRequest {
    /// Ends with `Reply::Folders`.
    List {
        /// The folders in the trash instead.
        #[serde(default)]
        trash: bool,
        /// Waits for sizes that are being measured, for a limited time.
        #[serde(default)]
        measure: bool,
    },
    /// Ends with `Reply::FolderHosts`.
    Hosts,
    /// Ends with `Reply::Folder`, like the next requests.
    Create {
        new: NewFolder,
    },
    Rename {
        folder: String,
        name: String,
    },
    /// Succeeds when the copy is complete. It is cancelled when the client that asked disconnects.
    Clone {
        folder: String,
        name: String,
    },
    /// Moves a folder out of the trash.
    Restore {
        folder: String,
    },
    /// Moves a folder to the trash.
    Trash {
        folder: String,
    },
    /// Deletes a folder in the trash.
    Purge {
        folder: String,
    },
    /// The most that may be in the folder, in bytes; `None` removes the quota. Ends with `Reply::Folder`.
    SetQuota {
        folder: String,
        quota: Option<Bytes>,
    },
    /// The permission that the folder gives to all users who can mount it.
    SetPermission {
        folder: String,
        permission: FolderPermission,
    },
    /// Who else has access (`Reply::FolderShares`).
    Shares {
        folder: String,
    },
    /// Gives users access to a folder of a project, without an invitation.
    Share {
        folder: String,
        users: Vec<String>,
        permission: FolderPermission,
    },
    /// Takes the access away.
    Unshare {
        folder: String,
        users: Vec<String>,
    },
    /// Gives up your own access to a folder that was shared with you.
    Leave {
        folder: String,
    },
    /// The invitations that wait for your answer (`Reply::FolderInvitations`).
    Invitations,
    /// Invites users to your own folder, by email address.
    Invite {
        folder: String,
        users: Vec<String>,
        permission: FolderPermission,
    },
    Accept {
        invitation: String,
    },
    Decline {
        invitation: String,
    },
}

impl FolderRequest {
    /// Whether the request changes something, which a read-only context refuses.
    pub const fn is_change(&self) -> bool {
        !matches!(
            self,
            Self::List { .. } | Self::Hosts | Self::Shares { .. } | Self::Invitations
        )
    }

    /// Whether it is a step of deleting a folder.
    pub const fn frees_space(&self) -> bool {
        matches!(self, Self::Trash { .. } | Self::Purge { .. })
    }

    /// Whether it is about access of other users.
    pub const fn is_sharing(&self) -> bool {
        matches!(
            self,
            Self::SetPermission { .. }
                | Self::Shares { .. }
                | Self::Share { .. }
                | Self::Unshare { .. }
                | Self::Leave { .. }
                | Self::Invitations
                | Self::Invite { .. }
                | Self::Accept { .. }
                | Self::Decline { .. }
        )
    }

    /// The name in logs and in the audit trail.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::List { .. } => "list-folders",
            Self::Hosts => "folder-hosts",
            Self::Create { .. } => "create-folder",
            Self::Rename { .. } => "rename-folder",
            Self::Clone { .. } => "clone-folder",
            Self::Restore { .. } => "restore-folder",
            Self::Trash { .. } => "trash-folder",
            Self::Purge { .. } => "purge-folder",
            Self::SetQuota { .. } => "set-folder-quota",
            Self::SetPermission { .. } => "set-folder-permission",
            Self::Shares { .. } => "folder-shares",
            Self::Share { .. } => "share-folder",
            Self::Unshare { .. } => "unshare-folder",
            Self::Leave { .. } => "leave-folder",
            Self::Invitations => "folder-invitations",
            Self::Invite { .. } => "invite-to-folder",
            Self::Accept { .. } => "accept-invitation",
            Self::Decline { .. } => "decline-invitation",
        }
    }

    /// The folder or invitation that it is about, for the audit trail.
    pub fn about(&self) -> &str {
        match self {
            Self::List { .. } | Self::Hosts | Self::Invitations => "",
            Self::Create { new } => &new.name,
            Self::Rename { folder, .. }
            | Self::Clone { folder, .. }
            | Self::Restore { folder }
            | Self::Trash { folder }
            | Self::Purge { folder }
            | Self::SetQuota { folder, .. }
            | Self::SetPermission { folder, .. }
            | Self::Shares { folder }
            | Self::Share { folder, .. }
            | Self::Unshare { folder, .. }
            | Self::Leave { folder }
            | Self::Invite { folder, .. } => folder,
            Self::Accept { invitation } | Self::Decline { invitation } => invitation,
        }
    }

    /// The folder that no live session may mount meanwhile.
    pub fn needs_unmounted(&self) -> Option<&str> {
        match self {
            Self::Trash { folder } | Self::Rename { folder, .. } => Some(folder),
            _ => None,
        }
    }
}
