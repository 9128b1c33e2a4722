//! The form for a name: of a new folder, of a renamed one, or of a copy.

use crate::{
    app::input::Input,
    key::{Key, KeyCode},
    model::{
        folder::{
            Folder, FolderHosts, FolderPermission, FolderRequest, FolderUsage, NewFolder,
            access_words,
        },
        resources::Bytes,
        text::Clean,
    },
    rules::launch::{amounts, folders},
};

#[derive(Clone, Debug)]
pub struct FolderForm {
    pub kind: FormKind,
    pub input: Input,
    /// What can be chosen beside the name, once it is known.
    pub choices: Vec<FormChoice>,
    /// The marked line: 0 is the name, the choices follow.
    marked: usize,
    /// Whether the daemon was asked.
    pub asked: bool,
    /// Why the typed name was refused.
    refused: Option<(String, Clean)>,
}

/// One line of the form where a value is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormChoice {
    pub kind: ChoiceKind,
    values: Vec<Clean>,
    /// The position of the chosen value.
    chosen: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoiceKind {
    Project,
    Usage,
    Permission,
    Cloneable,
    Host,
}

impl ChoiceKind {
    pub fn label(self) -> &'static str {
        match self {
            Self::Project => tr!("Owner"),
            Self::Usage => tr_in!("folder", "Usage"),
            Self::Permission => tr!("Access"),
            Self::Cloneable => tr!("Clone"),
            Self::Host => tr!("Host"),
        }
    }
}

impl FormChoice {
    fn new(kind: ChoiceKind, values: impl IntoIterator<Item = Clean>) -> Self {
        Self {
            kind,
            values: values.into_iter().collect(),
            chosen: 0,
        }
    }

    pub fn value(&self) -> &str {
        self.values.get(self.chosen).map_or("", Clean::as_str)
    }

    pub fn is_free(&self) -> bool {
        self.values.len() > 1
    }
}

/// The permissions in the order of the form: the usual one first.
const PERMISSIONS: [FolderPermission; 3] = [
    FolderPermission::ReadWrite,
    FolderPermission::ReadOnly,
    FolderPermission::Delete,
];

/// What can be chosen for a new folder. Only engines with projects have more than hosts.
fn choices(hosts: &FolderHosts) -> Vec<FormChoice> {
    let mut choices = Vec::new();
    if !hosts.projects.is_empty() {
        let yours = Clean::new(tr!("you"));
        let projects = hosts.projects.iter();
        let projects = projects.map(|it| Clean::new(&tr!("project {name}", name = it)));
        let owners = std::iter::once(yours).chain(projects);
        choices.push(FormChoice::new(ChoiceKind::Project, owners));
        let usages = FolderUsage::ALL.map(|it| Clean::new(it.word()));
        choices.push(FormChoice::new(ChoiceKind::Usage, usages));
        let permissions = PERMISSIONS.map(|it| Clean::new(access_words(it.word())));
        choices.push(FormChoice::new(ChoiceKind::Permission, permissions));
        let cloneable = [tr!("not allowed"), tr!("allowed")].map(Clean::new);
        choices.push(FormChoice::new(ChoiceKind::Cloneable, cloneable));
    }
    if hosts.allowed.len() > 1 || (!hosts.projects.is_empty() && !hosts.allowed.is_empty()) {
        let mut choice = FormChoice::new(ChoiceKind::Host, hosts.allowed.iter().cloned());
        let default = hosts.default.as_ref();
        let at = hosts.allowed.iter().position(|it| Some(it) == default);
        choice.chosen = at.unwrap_or(0);
        choices.push(choice);
    }
    choices
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormKind {
    Create,
    Rename {
        id: Clean,
        name: Clean,
    },
    Clone {
        id: Clean,
        name: Clean,
    },
    /// The quota that it has.
    Quota {
        id: Clean,
        name: Clean,
        quota: Option<Bytes>,
    },
}

impl FormKind {
    pub fn title(&self) -> String {
        match self {
            Self::Create => tr!("Create a folder").to_owned(),
            Self::Rename { name, .. } => tr!("Rename {name}", name),
            Self::Clone { name, .. } => tr!("Clone {name}", name),
            Self::Quota { name, .. } => tr!("Set the quota of {name}", name),
        }
    }
}

impl FolderForm {
    #[must_use]
    pub fn new(kind: FormKind) -> Self {
        let input = match &kind {
            FormKind::Create => Input::default(),
            FormKind::Rename { name, .. } => Input::with_marked(name.as_str()),
            FormKind::Clone { name, .. } => Input::with_marked(&format!("{name}-copy")),
            FormKind::Quota { quota, .. } => {
                let text = quota.map(amounts::exact).unwrap_or_default();
                Input::with_marked(&text)
            }
        };
        Self {
            kind,
            input,
            choices: Vec::new(),
            marked: 0,
            asked: false,
            refused: None,
        }
    }

    pub(super) fn know_hosts(&mut self, hosts: &FolderHosts) {
        self.choices = choices(hosts);
        self.marked = 0;
    }

    /// The marked choice; `None` = the name is marked.
    pub fn marked(&self) -> Option<usize> {
        self.marked.checked_sub(1)
    }

    /// Handles a key that marks another line, or chooses another value of the marked one.
    pub(super) fn choose(&mut self, key: Key) -> bool {
        if key.ctrl || key.alt || self.choices.is_empty() {
            return false;
        }
        let lines = self.choices.len() + 1;
        let marked = self.marked().and_then(|at| self.choices.get_mut(at));
        match (key.code, marked) {
            (KeyCode::Down, _) => self.marked = (self.marked + 1) % lines,
            (KeyCode::Up, _) => self.marked = (self.marked + lines - 1) % lines,
            (KeyCode::Right | KeyCode::Char(' '), Some(choice)) => {
                choice.chosen = (choice.chosen + 1) % choice.values.len();
            }
            (KeyCode::Left, Some(choice)) => {
                choice.chosen = (choice.chosen + choice.values.len() - 1) % choice.values.len();
            }
            _ => {
                // Whatever else is typed belongs to the name.
                self.marked = 0;
                return false;
            }
        }
        true
    }

    fn chosen(&self, kind: ChoiceKind) -> Option<&FormChoice> {
        self.choices.iter().find(|choice| choice.kind == kind)
    }

    fn position(&self, kind: ChoiceKind) -> usize {
        self.chosen(kind).map_or(0, |choice| choice.chosen)
    }

    /// The folder that is described.
    fn new_folder(&self, name: String) -> NewFolder {
        let project = self.chosen(ChoiceKind::Project).filter(|it| it.chosen > 0);
        let shown = tr!("project {name}", name = '\0');
        let (before, after) = shown.split_once('\0').unwrap_or_default();
        let group = project.and_then(|it| {
            let name = it.value().strip_prefix(before)?;
            name.strip_suffix(after)
        });
        let host = self.chosen(ChoiceKind::Host).filter(|it| it.is_free());
        NewFolder {
            name,
            host: host.map(|it| it.value().to_owned()),
            group: group.map(str::to_owned),
            usage: FolderUsage::ALL[self.position(ChoiceKind::Usage)],
            permission: PERMISSIONS[self.position(ChoiceKind::Permission)],
            cloneable: self.position(ChoiceKind::Cloneable) == 1,
            quota: None,
        }
    }

    fn name(&self) -> &str {
        self.input.text().trim()
    }

    /// Why the text can't be the name.
    pub fn problem(&self, known: &[Folder]) -> Option<String> {
        let name = self.name();
        if let Some((refused, why)) = &self.refused
            && refused == name
        {
            return Some(why.to_string());
        }
        if name.is_empty() {
            return None;
        }
        if matches!(self.kind, FormKind::Quota { .. }) {
            return name.parse::<Bytes>().err();
        }
        let is_itself = matches!(&self.kind, FormKind::Rename { name: old, .. } if old == name);
        let taken = known.iter().any(|it| it.name == *name && it.is_owner);
        if taken && !is_itself {
            return Some(tr!("folder {name} already exists", name));
        }
        folders::check_new_name(name).err()
    }

    pub(super) fn refuse(&mut self, why: Clean) {
        self.asked = false;
        self.refused = Some((self.name().to_owned(), why));
    }

    /// The request and the words for its success; `None` = nothing to do.
    pub(super) fn request(&self) -> Option<(FolderRequest, String)> {
        let name = self.name().to_owned();
        if let FormKind::Quota { id, name, quota } = &self.kind {
            return self.quota_request(id, name, *quota);
        }
        if name.is_empty() {
            return None;
        }
        Some(match &self.kind {
            FormKind::Quota { .. } => return None,
            FormKind::Create => {
                let done = tr!("folder {name} created", name);
                let new = self.new_folder(name);
                (FolderRequest::Create { new }, done)
            }
            FormKind::Rename { name: old, .. } if *old == *name.as_str() => return None,
            FormKind::Rename { id, name: old } => {
                let done = tr!("folder {old} renamed to {name}", old, name);
                let folder = id.to_string();
                (FolderRequest::Rename { folder, name }, done)
            }
            FormKind::Clone { id, name: old } => {
                let done = tr!("folder {old} cloned as {name}", old, name);
                let folder = id.to_string();
                (FolderRequest::Clone { folder, name }, done)
            }
        })
    }
}

impl FolderForm {
    /// An empty text removes the quota.
    fn quota_request(
        &self,
        id: &Clean,
        name: &Clean,
        before: Option<Bytes>,
    ) -> Option<(FolderRequest, String)> {
        let quota: Option<Bytes> = self.name().parse().ok();
        if quota == before {
            return None;
        }
        let done = match quota {
            Some(most) => tr!("quota of {name} set to {most}", name, most),
            None => tr!("quota of {name} removed", name),
        };
        let folder = id.to_string();
        Some((FolderRequest::SetQuota { folder, quota }, done))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quota_is_set_changed_and_removed() {
        let form = |quota, text: &str| {
            let (id, name) = (Clean::new("data"), Clean::new("data"));
            let mut form = FolderForm::new(FormKind::Quota { id, name, quota });
            form.input = Input::with_text(text);
            form
        };
        let asked = |form: &FolderForm| match form.request() {
            Some((FolderRequest::SetQuota { quota, .. }, _)) => Some(quota),
            _ => None,
        };
        assert_eq!(asked(&form(None, "5g")), Some(Some(Bytes(5 << 30))));
        assert_eq!(asked(&form(Some(Bytes(5 << 30)), "5g")), None);
        assert_eq!(asked(&form(Some(Bytes(5 << 30)), " ")), Some(None));
        assert_eq!(asked(&form(None, "")), None);
        assert!(form(None, "much").problem(&[]).is_some());
        assert_eq!(form(None, "5g").problem(&[]), None);
    }

    #[test]
    fn a_form_knows_names_that_cannot_be() {
        let known = [Folder::own("data", "local"), Folder::own("other", "local")];
        let mut form = FolderForm::new(FormKind::Create);
        for (name, wrong) in [
            ("", false),
            ("new", false),
            ("data", true),
            (".ssh", true),
            ("a/b", true),
        ] {
            form.input = Input::with_text(name);
            assert_eq!(form.problem(&known).is_some(), wrong, "{name}");
        }
        form.input = Input::with_text("new");
        form.refuse("the disk is full".into());
        assert_eq!(form.problem(&known).unwrap(), "the disk is full");
        form.input = Input::with_text("new2");
        assert_eq!(form.problem(&known), None);
        let of = |name: &str| FormKind::Rename {
            id: name.into(),
            name: name.into(),
        };
        let form = FolderForm::new(of("data"));
        assert_eq!((form.problem(&known), form.request()), (None, None));
    }

    fn press(form: &mut FolderForm, keys: &str) {
        for key in keys.split(' ') {
            assert!(form.choose(key.parse().unwrap()), "{key}");
        }
    }

    fn created(form: &FolderForm) -> NewFolder {
        match form.request() {
            Some((FolderRequest::Create { new }, _)) => new,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_default_host_is_chosen_first() {
        let mut form = FolderForm::new(FormKind::Create);
        form.input = Input::with_text("new");
        assert!(!form.choose("down".parse().unwrap()), "there is no choice");
        let mut hosts = FolderHosts {
            default: Some("b".into()),
            allowed: vec!["a".into(), "b".into()],
            projects: Vec::new(),
        };
        form.know_hosts(&hosts);
        assert_eq!(created(&form).host.unwrap(), "b");
        press(&mut form, "down right");
        assert_eq!(created(&form).host.unwrap(), "a");
        hosts.allowed.pop();
        form.know_hosts(&hosts);
        assert!(
            form.choices.is_empty(),
            "with one host there is nothing to choose"
        );
    }

    #[test]
    fn on_a_cluster_owner_usage_access_and_cloning_are_chosen() {
        let mut form = FolderForm::new(FormKind::Create);
        form.input = Input::with_text("new");
        form.know_hosts(&FolderHosts {
            default: None,
            allowed: vec!["local:volume1".into()],
            projects: vec!["default".into(), "vision".into()],
        });
        let expected = NewFolder::named("new");
        assert_eq!(created(&form), expected, "the defaults");
        press(&mut form, "down left down right down right down space");
        let expected = NewFolder {
            group: Some("vision".to_owned()),
            usage: FolderUsage::Model,
            permission: FolderPermission::ReadOnly,
            cloneable: true,
            ..expected
        };
        assert_eq!(created(&form), expected);
        // A letter belongs to the name.
        assert!(!form.choose("x".parse().unwrap()));
        assert_eq!(form.marked(), None);
        press(&mut form, "up up down down");
    }
}
