//! What the keys of the data page do.

use super::{
    FolderLayer, FolderList, FolderQuestion, FoldersAnswer, FoldersPanel,
    access::{InvitationList, ShareList},
    form::{FolderForm, FormKind},
};
use crate::{
    action::Action,
    app::{
        allowed,
        launcher::EarlierLaunch,
        panels::{DialogButton, PanelEnv},
        step::Step,
    },
    model::{
        capability::Capability,
        files::FilePlace,
        folder::{Folder, FolderRequest},
        notice::Level,
        spec::{FolderMount, LaunchRequest},
        text::Clean,
    },
};

impl FoldersPanel {
    pub(super) fn on_action(&mut self, action: Action, env: &PanelEnv<'_>) -> Vec<Step> {
        match &self.layer {
            None => self.in_list(action, env),
            Some(FolderLayer::Form(_)) => self.in_form(action, env),
            Some(FolderLayer::Question(_)) => self.on_question(action),
            Some(FolderLayer::Shares(_)) => self.in_shares(action, env),
            Some(FolderLayer::Invitations(_)) => self.in_invitations(action, env),
        }
    }

    /// Clears the filter, leaves the trash, then closes the page.
    pub(super) fn go_back(&mut self, _: &PanelEnv<'_>) -> Vec<Step> {
        match &mut self.layer {
            Some(FolderLayer::Shares(shares)) if shares.is_typing() => drop(shares.end_typing()),
            Some(_) => self.layer = None,
            None if self.editing || !self.filter.is_empty() => {
                self.editing = false;
                self.filter.set("");
            }
            None if self.trash => return self.toggle_trash(),
            None => return vec![Step::CLOSE],
        }
        Vec::new()
    }

    fn in_list(&mut self, action: Action, env: &PanelEnv<'_>) -> Vec<Step> {
        self.mark(self.at());
        if self.list.action(action, self.rows().len()) {
            self.mark(self.list.marked());
            return Vec::new();
        }
        match action {
            Action::FolderFilter => self.editing = true,
            Action::InputSubmit => self.editing = false,
            Action::InputCancel | Action::Back => return self.go_back(env),
            Action::FolderSort | Action::FolderReverse if self.rows().is_empty() => {
                return info(tr!("there are no folders to sort").to_owned());
            }
            Action::FolderSort => self.order = self.order.next(),
            Action::FolderReverse => self.reversed = !self.reversed,
            Action::FolderTrashView => return self.toggle_trash(),
            Action::FolderRefresh => {
                self.refreshing = true;
                return self.ask(self.can_share(env));
            }
            Action::FolderContext => return self.next_context(env),
            Action::FolderCreate if self.trash => {
                return info(
                    tr!("folders can't be created in the trash. Show your folders first")
                        .to_owned(),
                );
            }
            Action::FolderCreate => return self.create(env),
            Action::FolderInvitations => return self.show_invitations(env),
            action => {
                let Some(folder) = self.folder().cloned() else {
                    return info(tr!("no folder is selected").to_owned());
                };
                return self.on_folder(action, folder, env);
            }
        }
        Vec::new()
    }

    fn on_folder(&mut self, action: Action, folder: Folder, env: &PanelEnv<'_>) -> Vec<Step> {
        let name = folder.name.clone();
        let id = folder.id.to_string();
        match action {
            Action::FolderOpen if self.trash => self.restore(folder, env),
            Action::FolderOpen => vec![Step::explore(FilePlace::Folder {
                context: self.context,
                folder: name.to_string(),
            })],
            Action::FolderCopyPath => match &folder.path {
                Some(path) => vec![Step::Copy(path.clone())],
                None => info(tr!(
                    "folder {name} is on the storage host {host}",
                    name,
                    host = folder.host
                )),
            },
            Action::FolderLaunch if !self.trash => self.launch_with(&folder, env),
            Action::FolderRestore if self.trash => self.restore(folder, env),
            Action::FolderTrash => self.ask_to_delete(folder, env),
            Action::FolderRename if !self.trash => {
                let refused = self
                    .why_no_change(env)
                    .or_else(|| self.why_mounted(&folder, env));
                if let Some(why) = refused.or_else(|| of_machine(&folder)) {
                    return refuse(why);
                }
                let id = folder.id;
                self.open_form(FormKind::Rename { id, name })
            }
            Action::FolderClone if !self.trash => {
                if let Some(why) = self.why_no_change(env) {
                    return refuse(why);
                }
                let id = folder.id;
                self.open_form(FormKind::Clone { id, name })
            }
            Action::FolderQuota if !self.trash => self.ask_for_quota(folder, env),
            Action::FolderShare if !self.trash => {
                if let Some(why) = env.mirror.why_not(self.context, Capability::FolderSharing) {
                    return refuse(why.to_string());
                }
                let what = FoldersAnswer::Shares {
                    folder: folder.id.clone(),
                };
                self.layer = Some(FolderLayer::Shares(ShareList::new(folder)));
                vec![self.request(FolderRequest::Shares { folder: id }, what)]
            }
            Action::FolderRestore => info(tr!("folder {name} isn't in the trash", name)),
            Action::FolderLaunch
            | Action::FolderRename
            | Action::FolderClone
            | Action::FolderQuota
            | Action::FolderShare => {
                info(tr!("folder {name} is in the trash: restore it first", name))
            }
            _ => Vec::new(),
        }
    }

    fn ask_for_quota(&mut self, folder: Folder, env: &PanelEnv<'_>) -> Vec<Step> {
        if !self.is_of_this_machine() {
            return refuse(tr!("a cluster's administrator sets the quotas of folders").to_owned());
        }
        if let Some(why) = self.why_no_change(env).or_else(|| of_machine(&folder)) {
            return refuse(why);
        }
        let (id, name, quota) = (folder.id, folder.name, folder.max_size);
        self.open_form(FormKind::Quota { id, name, quota })
    }

    fn open_form(&mut self, kind: FormKind) -> Vec<Step> {
        self.layer = Some(FolderLayer::Form(FolderForm::new(kind)));
        Vec::new()
    }

    fn create(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        if let Some(why) = self.why_no_change(env) {
            return refuse(why);
        }
        self.open_form(FormKind::Create);
        vec![self.request(FolderRequest::Hosts, FoldersAnswer::Hosts)]
    }

    fn in_form(&mut self, action: Action, env: &PanelEnv<'_>) -> Vec<Step> {
        match action {
            Action::InputSubmit => {}
            Action::InputCancel | Action::Back => return self.go_back(env),
            _ => return Vec::new(),
        }
        let Some(FolderLayer::Form(form)) = &self.layer else {
            return Vec::new();
        };
        if form.asked || form.problem(self.folders()).is_some() {
            return Vec::new();
        }
        let Some((request, done)) = form.request() else {
            self.layer = None;
            return Vec::new();
        };
        let done = Clean::new(&done);
        let step = self.request(request, FoldersAnswer::Form { done });
        if let Some(FolderLayer::Form(form)) = &mut self.layer {
            form.asked = true;
        }
        vec![step]
    }

    fn ask_to_delete(&mut self, folder: Folder, env: &PanelEnv<'_>) -> Vec<Step> {
        let mounted = || self.why_mounted(&folder, env);
        let refused = self.why_no_change(env).or_else(mounted);
        if let Some(why) = refused.or_else(|| of_machine(&folder)) {
            return refuse(why);
        }
        self.layer = Some(FolderLayer::Question(FolderQuestion {
            folder,
            purge: self.trash,
            button: DialogButton::No,
        }));
        Vec::new()
    }

    fn on_question(&mut self, action: Action) -> Vec<Step> {
        let Some(FolderLayer::Question(question)) = &mut self.layer else {
            return Vec::new();
        };
        match question.button.pressed_by(action) {
            Some(DialogButton::Yes) => return self.answer_question(),
            Some(DialogButton::No) => self.layer = None,
            None => {}
        }
        Vec::new()
    }

    pub(super) fn answer_question(&mut self) -> Vec<Step> {
        let Some(FolderLayer::Question(question)) = self.layer.take() else {
            return Vec::new();
        };
        let (folder, name) = (question.folder.id.to_string(), &question.folder.name);
        let step = if question.purge {
            let done = tr!("folder {name} deleted", name);
            self.change(FolderRequest::Purge { folder }, &done)
        } else {
            let done = tr!("folder {name} moved to the trash", name);
            self.change(FolderRequest::Trash { folder }, &done)
        };
        vec![step]
    }

    fn restore(&self, folder: Folder, env: &PanelEnv<'_>) -> Vec<Step> {
        if let Some(why) = self.why_no_change(env) {
            return refuse(why);
        }
        let done = tr!("folder {name} restored", name = folder.name);
        let folder = folder.id.to_string();
        vec![self.change(FolderRequest::Restore { folder }, &done)]
    }

    /// Opens a launcher with the folder mounted.
    fn launch_with(&self, folder: &Folder, env: &PanelEnv<'_>) -> Vec<Step> {
        if folder.is_auto_mounted() {
            return info(tr!(
                "folder {name} is mounted in every session",
                name = folder.name
            ));
        }
        let refused = allowed::why_no_launch_in(self.context, env.mirror);
        if let Some(why) = refused.or_else(|| allowed::why_no_change(env.facts)) {
            return refuse(why);
        }
        let launch = LaunchRequest {
            mounts: vec![FolderMount {
                folder: folder.name.to_string(),
                path: None,
                read_only: folder.is_read_only(),
            }],
            ..LaunchRequest::default()
        };
        let earlier = EarlierLaunch::new(self.context, launch);
        vec![Step::CLOSE, Step::Relaunch(Box::new(earlier))]
    }

    fn toggle_trash(&mut self) -> Vec<Step> {
        self.trash = !self.trash;
        self.loaded = FolderList::Loading;
        self.marked = None;
        vec![self.ask_list(false)]
    }

    /// Goes to the folders of the next context.
    fn next_context(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        let contexts = env.mirror.contexts();
        if contexts.len() < 2 {
            return Vec::new();
        }
        let at = env.mirror.position(self.context);
        let next = contexts[(at + 1) % contexts.len()].context.name;
        *self = Self::new(next);
        self.ask(self.can_share(env))
    }

    fn show_invitations(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        if let Some(why) = env.mirror.why_not(self.context, Capability::FolderSharing) {
            return refuse(why.to_string());
        }
        self.layer = Some(FolderLayer::Invitations(InvitationList::default()));
        vec![self.request(FolderRequest::Invitations, FoldersAnswer::Invitations)]
    }

    fn in_invitations(&mut self, action: Action, env: &PanelEnv<'_>) -> Vec<Step> {
        let count = self.invitations.len();
        let Some(FolderLayer::Invitations(list)) = &mut self.layer else {
            return Vec::new();
        };
        if list.list.action(action, count) {
            return Vec::new();
        }
        let accepts = match action {
            Action::FolderOpen => true,
            Action::FolderTrash => false,
            Action::Back => return self.go_back(env),
            _ => return Vec::new(),
        };
        let Some(invitation) = self.invitations.get(list.list.marked()).cloned() else {
            return Vec::new();
        };
        if let Some(why) = self.why_no_change(env) {
            return refuse(why);
        }
        let (id, folder) = (invitation.id.to_string(), &invitation.folder);
        let step = if accepts {
            let done = tr!("invitation to {folder} accepted", folder);
            self.change(FolderRequest::Accept { invitation: id }, &done)
        } else {
            let done = tr!("invitation to {folder} declined", folder);
            self.change(FolderRequest::Decline { invitation: id }, &done)
        };
        vec![step]
    }

    fn in_shares(&mut self, action: Action, env: &PanelEnv<'_>) -> Vec<Step> {
        let refused = self.why_no_change(env);
        let Some(FolderLayer::Shares(shares)) = &mut self.layer else {
            return Vec::new();
        };
        let count = shares.known().len();
        if !shares.is_typing() && shares.list.action(action, count) {
            return Vec::new();
        }
        let id = shares.folder.id.clone();
        let folder = id.to_string();
        let (request, done) = match action {
            Action::FolderCreate | Action::FolderTrash if refused.is_some() => {
                return refuse(refused.unwrap_or_default());
            }
            Action::FolderCreate => {
                shares.begin_typing();
                return Vec::new();
            }
            Action::InputSubmit => {
                let Some(user) = shares.end_typing() else {
                    return Vec::new();
                };
                let done = tr!("{user} invited to {name}", user, name = shares.folder.name);
                let request = FolderRequest::Share {
                    folder,
                    users: vec![user],
                    permission: shares.permission,
                };
                (request, done)
            }
            Action::FolderTrash => {
                let Some(share) = shares.marked() else {
                    return Vec::new();
                };
                let done = tr!(
                    "{user} has no access to {name} any more",
                    user = share.user,
                    name = shares.folder.name
                );
                let users = vec![share.user.to_string()];
                (FolderRequest::Unshare { folder, users }, done)
            }
            Action::InputCancel | Action::Back => return self.go_back(env),
            _ => return Vec::new(),
        };
        let done = Clean::new(&done);
        vec![self.request(request, FoldersAnswer::Access { folder: id, done })]
    }

    pub(super) fn can_share(&self, env: &PanelEnv<'_>) -> bool {
        env.mirror.can(self.context, Capability::FolderSharing)
    }

    fn why_no_change(&self, env: &PanelEnv<'_>) -> Option<String> {
        allowed::why_no_change(env.facts)
            .or_else(|| allowed::why_no_launch_in(self.context, env.mirror))
            .or_else(|| {
                let why = env.mirror.why_not(self.context, Capability::Folders)?;
                Some(why.to_string())
            })
    }

    fn why_mounted(&self, folder: &Folder, env: &PanelEnv<'_>) -> Option<String> {
        let first = self.mounting(folder, env.mirror).next()?;
        Some(tr!(
            "folder {name} is mounted by {name2}. Terminate the session first",
            name = folder.name,
            name2 = first.name
        ))
    }
}

fn of_machine(folder: &Folder) -> Option<String> {
    (folder.ownership == *"machine").then(|| {
        tr!(
            "folder {name} is a directory of this machine. Only its administrator can change it",
            name = folder.name
        )
    })
}

fn refuse(why: String) -> Vec<Step> {
    vec![Step::toast(Level::Warning, why)]
}

fn info(text: String) -> Vec<Step> {
    vec![Step::toast(Level::Info, text)]
}
