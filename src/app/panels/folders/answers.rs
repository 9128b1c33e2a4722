//! What the daemon answers to the requests of the data page.

use jiff::{SignedDuration, Timestamp};

use super::{FolderLayer, FolderList, FoldersAnswer, FoldersPanel, FoldersPurpose};
use crate::{
    app::step::Step,
    model::{failure::Failure, folder::FolderRequest, notice::Level, text::Clean},
    protocol::message::Reply,
};

/// The pause before the list is read again, because others change folders, too.
const READ_AGAIN: SignedDuration = SignedDuration::from_secs(2);

impl FoldersPanel {
    pub fn answered(
        &mut self,
        purpose: FoldersPurpose,
        result: Result<Reply, Failure>,
        now: Timestamp,
    ) -> Vec<Step> {
        if purpose.context != self.context {
            return Vec::new();
        }
        match (purpose.what, result) {
            (FoldersAnswer::List { trash, measured }, result) if trash == self.trash => {
                self.listed(measured, result, now)
            }
            (FoldersAnswer::List { .. }, _) => Vec::new(),
            (FoldersAnswer::Hosts, Ok(Reply::FolderHosts { hosts })) => {
                if let Some(FolderLayer::Form(form)) = &mut self.layer {
                    form.know_hosts(&hosts);
                }
                Vec::new()
            }
            (FoldersAnswer::Invitations, Ok(Reply::FolderInvitations { invitations })) => {
                self.invitations = invitations;
                Vec::new()
            }
            // The page works without them, and a failure of the connection is shown by the list.
            (FoldersAnswer::Hosts | FoldersAnswer::Invitations, _) => Vec::new(),
            (FoldersAnswer::Shares { folder }, result) => {
                if let Some(FolderLayer::Shares(list)) = &mut self.layer
                    && list.folder.id == folder
                {
                    list.shares = Some(match result {
                        Ok(Reply::FolderShares { shares }) => Ok(shares),
                        Ok(_) => Ok(Vec::new()),
                        Err(failure) => Err(failure.message()),
                    });
                }
                Vec::new()
            }
            (FoldersAnswer::Form { .. }, Err(failure)) => {
                if let Some(FolderLayer::Form(form)) = &mut self.layer {
                    form.refuse(failure.message());
                    return Vec::new();
                }
                vec![failed(&failure)]
            }
            (FoldersAnswer::Form { done }, Ok(reply)) => {
                self.layer = None;
                if let Reply::Folder { folder } = reply {
                    self.marked = Some(folder.id);
                }
                self.changed(&done)
            }
            (FoldersAnswer::Change { done }, Ok(_)) => self.changed(&done),
            (FoldersAnswer::Access { folder, done }, Ok(_)) => {
                let request = FolderRequest::Shares {
                    folder: folder.to_string(),
                };
                let what = FoldersAnswer::Shares { folder };
                vec![
                    Step::toast(Level::Success, done.as_str()),
                    self.request(request, what),
                ]
            }
            (FoldersAnswer::Change { .. } | FoldersAnswer::Access { .. }, Err(failure)) => {
                vec![failed(&failure)]
            }
        }
    }

    /// What remains of an answer when the page was closed meanwhile: the result of a change.
    pub fn answered_in_background(
        &self,
        purpose: &FoldersPurpose,
        result: Result<Reply, Failure>,
    ) -> Vec<Step> {
        let (FoldersAnswer::Change { done }
        | FoldersAnswer::Form { done }
        | FoldersAnswer::Access { done, .. }) = &purpose.what
        else {
            return Vec::new();
        };
        vec![match result {
            Ok(_) => Step::toast(Level::Success, done.as_str()),
            Err(failure) => failed(&failure),
        }]
    }

    /// Shows the list at once, then asks for the sizes that are being measured.
    fn listed(
        &mut self,
        measured: bool,
        result: Result<Reply, Failure>,
        now: Timestamp,
    ) -> Vec<Step> {
        self.read_again_at = now.checked_add(READ_AGAIN).ok();
        match result {
            Ok(Reply::Folders { folders }) => {
                let waits = !measured && folders.iter().any(|folder| folder.measuring);
                let loaded = FolderList::Loaded(folders);
                let refreshed = std::mem::take(&mut self.refreshing).then(|| {
                    let what = if self.trash {
                        tr!("trash")
                    } else {
                        tr!("folders")
                    };
                    let changes = if loaded == self.loaded {
                        tr!(": no changes")
                    } else {
                        ""
                    };
                    Step::toast(Level::Info, tr!("{what} refreshed{changes}", what, changes))
                });
                self.loaded = loaded;
                let sizes = waits.then(|| self.ask_list(true));
                if waits {
                    // Its answer plans the next list.
                    self.read_again_at = None;
                }
                refreshed.into_iter().chain(sizes).collect()
            }
            Ok(_) => Vec::new(),
            // What is shown stays.
            Err(_) if measured => Vec::new(),
            Err(failure) => {
                self.refreshing = false;
                let text = failure.sentence();
                self.loaded = FolderList::Failed(Clean::new(&text));
                Vec::new()
            }
        }
    }

    fn changed(&mut self, done: &Clean) -> Vec<Step> {
        let mut steps = vec![
            Step::toast(Level::Success, done.as_str()),
            self.ask_list(false),
        ];
        if matches!(self.layer, Some(FolderLayer::Invitations(_))) {
            steps.push(self.request(FolderRequest::Invitations, FoldersAnswer::Invitations));
        }
        steps
    }
}

fn failed(failure: &Failure) -> Step {
    let text = match &failure.hint {
        Some(hint) => format!("{}\n{hint}", failure.message()),
        None => failure.message().to_string(),
    };
    Step::toast(Level::Error, text)
}
