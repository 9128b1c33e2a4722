//! The data page: the folders of a context, their trash, and what can be done with them.
//!
//! Forms, questions and the lists about access are layers on top of the list ([`FolderLayer`]). What the daemon answers
//! comes to [`FoldersPanel::answered`].

pub mod access;
mod actions;
mod answers;
pub mod form;
mod rows;

use jiff::Timestamp;

use self::{
    access::{InvitationList, ShareList},
    form::FolderForm,
};
use super::{
    DialogButton, FILTER_HINTS, Hint, INPUT_HINTS, MOVE, Panel, PanelEnv, scroll::ListCursor,
};
use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        input::Input,
        step::{Purpose, Step},
    },
    key::Key,
    model::{
        folder::{Folder, FolderRequest, Invitation},
        id::ContextName,
        request::ContextRequest,
        text::Clean,
    },
    protocol::message::Request,
};

/// The data page.
#[derive(Clone, Debug)]
pub struct FoldersPanel {
    pub context: ContextName,
    pub list: ListCursor,
    loaded: FolderList,
    trash: bool,
    filter: Input,
    /// Whether the filter is being typed.
    editing: bool,
    /// The id of the marked folder, which stays marked when others appear.
    marked: Option<Clean>,
    order: FolderOrder,
    reversed: bool,
    layer: Option<FolderLayer>,
    invitations: Vec<Invitation>,
    has_rows: bool,
    /// The user has requested the list again, and gets an answer also if nothing changed.
    refreshing: bool,
    /// When the list is read again, `None` while it is being read.
    read_again_at: Option<Timestamp>,
}

/// The folders, as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FolderList {
    Loading,
    Failed(Clean),
    Loaded(Vec<Folder>),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FolderOrder {
    #[default]
    Name,
    Size,
    Created,
}

impl FolderOrder {
    pub fn word(self) -> &'static str {
        match self {
            Self::Name => tr!("name"),
            Self::Size => tr!("size"),
            Self::Created => tr!("creation"),
        }
    }

    const fn next(self) -> Self {
        match self {
            Self::Name => Self::Size,
            Self::Size => Self::Created,
            Self::Created => Self::Name,
        }
    }
}

/// What is on top of the list.
#[allow(clippy::large_enum_variant, reason = "only one exists at a time")]
#[derive(Clone, Debug)]
pub enum FolderLayer {
    Form(FolderForm),
    Question(FolderQuestion),
    Shares(ShareList),
    Invitations(InvitationList),
}

/// The question before a folder is moved to the trash, or deleted.
#[derive(Clone, Debug)]
pub struct FolderQuestion {
    pub folder: Folder,
    /// Whether it is deleted for good.
    pub purge: bool,
    pub button: DialogButton,
}

/// What a request of the page is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldersPurpose {
    pub context: ContextName,
    pub what: FoldersAnswer,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoldersAnswer {
    List {
        trash: bool,
        measured: bool,
    },
    Hosts,
    Shares {
        folder: Clean,
    },
    Invitations,
    /// A change, which a toast reports. The list is read again.
    Change {
        done: Clean,
    },
    /// The same for a change of the form, which shows a failure.
    Form {
        done: Clean,
    },
    /// The same for access of other users, whose list is read again.
    Access {
        folder: Clean,
        done: Clean,
    },
}

impl FoldersPanel {
    #[must_use]
    pub fn new(context: ContextName) -> Self {
        Self {
            context,
            list: ListCursor::default(),
            loaded: FolderList::Loading,
            trash: false,
            filter: Input::default(),
            editing: false,
            marked: None,
            order: FolderOrder::default(),
            reversed: false,
            layer: None,
            invitations: Vec::new(),
            has_rows: false,
            refreshing: false,
            read_again_at: None,
        }
    }

    pub fn loaded(&self) -> &FolderList {
        &self.loaded
    }

    pub fn shows_trash(&self) -> bool {
        self.trash
    }

    pub fn filter(&self) -> &Input {
        &self.filter
    }

    pub fn is_editing(&self) -> bool {
        self.editing
    }

    pub fn order(&self) -> (FolderOrder, bool) {
        (self.order, self.reversed)
    }

    pub fn layer(&self) -> Option<&FolderLayer> {
        self.layer.as_ref()
    }

    /// The invitations that wait for an answer.
    pub fn invitations(&self) -> &[Invitation] {
        &self.invitations
    }

    /// The requests when the page opens, and after a reconnect.
    pub fn ask(&self, env_can_share: bool) -> Vec<Step> {
        let mut steps = vec![self.ask_list(false)];
        if env_can_share {
            steps.push(self.request(FolderRequest::Invitations, FoldersAnswer::Invitations));
        }
        steps
    }

    pub fn wake_at(&self) -> Option<Timestamp> {
        self.read_again_at
    }

    /// Reads the list again when it is due.
    pub fn tick(&mut self, now: Timestamp) -> Option<Step> {
        self.read_again_at.take_if(|at| *at <= now)?;
        Some(self.ask_list(false))
    }

    /// Without `measured`, the list comes at once, maybe without sizes.
    fn ask_list(&self, measured: bool) -> Step {
        let trash = self.trash;
        let request = FolderRequest::List {
            trash,
            measure: measured,
        };
        self.request(request, FoldersAnswer::List { trash, measured })
    }

    fn request(&self, request: FolderRequest, what: FoldersAnswer) -> Step {
        let context = self.context;
        Step::Ask {
            request: Request::context(context, ContextRequest::Folder { request }),
            purpose: Purpose::Folders(FoldersPurpose { context, what }),
        }
    }

    /// Whether the folders are directories of this machine, which aren't shared.
    fn is_of_this_machine(&self) -> bool {
        let FolderList::Loaded(folders) = &self.loaded else {
            return false;
        };
        folders.iter().any(|folder| folder.path.is_some())
    }

    fn change(&self, request: FolderRequest, done: &str) -> Step {
        let done = Clean::new(done);
        self.request(request, FoldersAnswer::Change { done })
    }
}

const HINTS: &[Hint] = &[
    (Scope::Folders, &[Action::FolderOpen], tr_later!("files")),
    (Scope::Folders, &[Action::FolderCreate], tr_later!("create")),
    (
        Scope::Folders,
        &[Action::FolderLaunch],
        tr_later!("launch with it"),
    ),
    (Scope::Folders, &[Action::FolderRename], tr_later!("rename")),
    (Scope::Folders, &[Action::FolderTrash], tr_later!("delete")),
    (
        Scope::Folders,
        &[Action::FolderTrashView],
        tr_later!("trash"),
    ),
    (Scope::Folders, &[Action::FolderClone], tr_later!("clone")),
    (Scope::Folders, &[Action::FolderQuota], tr_later!("quota")),
    (
        Scope::Folders,
        &[Action::FolderCopyPath],
        tr_later!("copy path"),
    ),
    (Scope::Folders, &[Action::FolderShare], tr_later!("share")),
    (Scope::Folders, &[Action::FolderFilter], tr_later!("filter")),
    (Scope::Folders, &[Action::FolderSort], tr_later!("sort")),
    (Scope::Global, &[Action::Back], tr_later!("back")),
];

const EMPTY_HINTS: &[Hint] = &[
    (Scope::Folders, &[Action::FolderCreate], tr_later!("create")),
    (
        Scope::Folders,
        &[Action::FolderTrashView],
        tr_later!("trash"),
    ),
    (
        Scope::Folders,
        &[Action::FolderRefresh],
        tr_later!("refresh"),
    ),
    (Scope::Global, &[Action::Back], tr_later!("close")),
];

const TRASH_HINTS: &[Hint] = &[
    (
        Scope::Folders,
        &[Action::FolderRestore],
        tr_later!("restore"),
    ),
    (
        Scope::Folders,
        &[Action::FolderTrash],
        tr_later!("delete for good"),
    ),
    (
        Scope::Folders,
        &[Action::FolderTrashView],
        tr_later!("folders"),
    ),
    (Scope::Folders, &[Action::FolderFilter], tr_later!("filter")),
    (Scope::Folders, &[Action::FolderSort], tr_later!("sort")),
    (Scope::Global, &[Action::Back], tr_later!("back")),
];

/// The hints while the trash is empty.
const EMPTY_TRASH_HINTS: &[Hint] = &[
    (
        Scope::Folders,
        &[Action::FolderTrashView],
        tr_later!("folders"),
    ),
    (
        Scope::Folders,
        &[Action::FolderRefresh],
        tr_later!("refresh"),
    ),
    (Scope::Global, &[Action::Back], tr_later!("back")),
];

const QUESTION_HINTS: &[Hint] = &[
    (
        Scope::Confirm,
        &[Action::ConfirmYes],
        tr_later!("delete it"),
    ),
    (Scope::Confirm, &[Action::ConfirmNo], tr_later!("cancel")),
    (
        Scope::Confirm,
        &[Action::ConfirmToggle],
        tr_later!("other button"),
    ),
];

impl Panel for FoldersPanel {
    fn scope(&self) -> Scope {
        match &self.layer {
            Some(FolderLayer::Question(_)) => Scope::Confirm,
            Some(FolderLayer::Form(_)) => Scope::Input,
            Some(FolderLayer::Shares(shares)) if shares.is_typing() => Scope::Input,
            None if self.editing => Scope::Input,
            _ => Scope::Folders,
        }
    }

    fn outer_scopes(&self) -> &'static [Scope] {
        match self.layer {
            Some(_) => &[Scope::Global],
            None if self.editing => &[Scope::Folders, Scope::Global],
            None => &[Scope::Global],
        }
    }

    fn input(&mut self) -> Option<&mut Input> {
        match &mut self.layer {
            Some(FolderLayer::Form(form)) => Some(&mut form.input),
            Some(FolderLayer::Shares(shares)) => shares.input(),
            Some(_) => None,
            None => self.editing.then_some(&mut self.filter),
        }
    }

    fn key(&mut self, key: Key, _: &PanelEnv<'_>) -> Option<Vec<Step>> {
        if let Some(FolderLayer::Form(form)) = &mut self.layer
            && form.choose(key)
        {
            return Some(Vec::new());
        }
        if let Some(FolderLayer::Shares(shares)) = &mut self.layer
            && shares.choose(key)
        {
            return Some(Vec::new());
        }
        self.input()?.key(key).then(Vec::new)
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        self.on_action(action, env)
    }

    fn back(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        self.go_back(env)
    }

    /// A click marks a row. A click on the marked row opens its files.
    fn click(&mut self, part: DialogPart, env: &PanelEnv<'_>) -> Vec<Step> {
        match (part, &self.layer) {
            (DialogPart::Button(DialogButton::Yes), Some(FolderLayer::Question(_))) => {
                self.answer_question()
            }
            (DialogPart::Button(DialogButton::No), Some(FolderLayer::Question(_))) => {
                self.layer = None;
                Vec::new()
            }
            (DialogPart::Outside, None) => vec![Step::CLOSE],
            (DialogPart::Row(row), None) => {
                let at = self.list.scroll() + row;
                if at == self.at() {
                    return self.on_action(Action::FolderOpen, env);
                }
                self.mark(at);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn wheel(&mut self, by: isize, _: &PanelEnv<'_>) {
        if self.layer.is_none() {
            self.mark(self.at().saturating_add_signed(by.signum()));
        }
    }

    fn laid_out(&mut self, height: usize, _: &PanelEnv<'_>) {
        match &mut self.layer {
            Some(FolderLayer::Shares(shares)) => shares.laid_out(height),
            Some(FolderLayer::Invitations(list)) => {
                list.list.laid_out(height, self.invitations.len());
            }
            _ => {
                let count = self.rows().len();
                self.list.laid_out(height, count);
                self.mark(self.at());
                self.has_rows = count > 0;
            }
        }
    }

    fn hints(&self) -> Vec<Hint> {
        let with_move = |hints: &[Hint]| {
            let mut hints = hints.to_vec();
            if self.is_of_this_machine() {
                hints.retain(|(_, actions, _)| *actions != [Action::FolderShare]);
            } else {
                hints.retain(|(_, actions, _)| *actions != [Action::FolderQuota]);
            }
            hints.push((Scope::Folders, MOVE, tr!("move")));
            hints
        };
        match &self.layer {
            Some(FolderLayer::Question(_)) => QUESTION_HINTS.to_vec(),
            Some(FolderLayer::Form(_)) => INPUT_HINTS.to_vec(),
            Some(FolderLayer::Shares(shares)) if shares.is_typing() => INPUT_HINTS.to_vec(),
            Some(FolderLayer::Shares(_)) => with_move(access::SHARE_HINTS),
            Some(FolderLayer::Invitations(_)) => with_move(access::INVITATION_HINTS),
            None if self.editing => FILTER_HINTS.to_vec(),
            None if self.trash && !self.has_rows && self.filter.is_empty() => {
                EMPTY_TRASH_HINTS.to_vec()
            }
            None if self.trash => with_move(TRASH_HINTS),
            None if !self.has_rows && self.filter.is_empty() => EMPTY_HINTS.to_vec(),
            None => with_move(HINTS),
        }
    }

    fn problem(&self) -> Option<String> {
        match &self.layer {
            Some(FolderLayer::Form(form)) => form.problem(self.folders()),
            _ => None,
        }
    }
}
