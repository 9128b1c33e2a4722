//! Access of other users to a folder of a cluster, and invitations to folders of others.

use crate::{
    action::{Action, Scope},
    app::{
        input::Input,
        panels::{Hint, scroll::ListCursor},
    },
    key::{Key, KeyCode},
    model::{
        folder::{Folder, FolderPermission, FolderShare},
        text::Clean,
    },
};

/// Who has access to a folder.
#[derive(Clone, Debug)]
pub struct ShareList {
    pub folder: Folder,
    pub list: ListCursor,
    /// `None` until they are known.
    pub shares: Option<Result<Vec<FolderShare>, Clean>>,
    /// The address of a user who gets access, while it is typed.
    typing: Option<Input>,
    pub permission: FolderPermission,
}

/// The invitations that wait for an answer.
#[derive(Clone, Debug, Default)]
pub struct InvitationList {
    pub list: ListCursor,
}

pub(super) const SHARE_HINTS: &[Hint] = &[
    (
        Scope::Folders,
        &[Action::FolderCreate],
        tr_later!("add a user"),
    ),
    (
        Scope::Folders,
        &[Action::FolderTrash],
        tr_later!("remove access"),
    ),
    (Scope::Global, &[Action::Back], tr_later!("back")),
];

pub(super) const INVITATION_HINTS: &[Hint] = &[
    (Scope::Folders, &[Action::FolderOpen], tr_later!("accept")),
    (Scope::Folders, &[Action::FolderTrash], tr_later!("decline")),
    (Scope::Global, &[Action::Back], tr_later!("back")),
];

impl ShareList {
    #[must_use]
    pub fn new(folder: Folder) -> Self {
        Self {
            folder,
            list: ListCursor::default(),
            shares: None,
            typing: None,
            permission: FolderPermission::ReadWrite,
        }
    }

    pub fn known(&self) -> &[FolderShare] {
        match &self.shares {
            Some(Ok(shares)) => shares,
            _ => &[],
        }
    }

    pub fn marked(&self) -> Option<&FolderShare> {
        self.known().get(self.list.marked())
    }

    pub(super) fn laid_out(&mut self, height: usize) {
        let count = self.known().len();
        self.list.laid_out(height, count);
    }

    pub fn typed(&self) -> Option<&Input> {
        self.typing.as_ref()
    }

    pub fn is_typing(&self) -> bool {
        self.typing.is_some()
    }

    pub(super) fn begin_typing(&mut self) {
        self.typing = Some(Input::default());
    }

    /// Ends typing; returns the address.
    pub(super) fn end_typing(&mut self) -> Option<String> {
        let typed = self.typing.take()?;
        Some(typed.text().trim().to_owned()).filter(|it| !it.is_empty())
    }

    pub(super) fn input(&mut self) -> Option<&mut Input> {
        self.typing.as_mut()
    }

    /// Handles a key that chooses the permission.
    pub(super) fn choose(&mut self, key: Key) -> bool {
        let step = match key.code {
            KeyCode::Down if self.is_typing() => 1,
            KeyCode::Up if self.is_typing() => 2,
            _ => return false,
        };
        let all = FolderPermission::ALL;
        let at = all
            .iter()
            .position(|it| *it == self.permission)
            .unwrap_or(0);
        self.permission = all[(at + step) % all.len()];
        true
    }
}
