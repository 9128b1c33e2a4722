//! The form for a name: of a new folder, of a renamed one, or of a copy.

use crate::{
    app::input::Input,
    key::{Key, KeyCode},
    model::{
        folder::{Folder, FolderHosts, FolderRequest, NewFolder},
        resources::Bytes,
        text::Clean,
    },
    rules::launch::{amounts, folders},
};

#[derive(Clone, Debug)]
pub struct FolderForm {
    pub kind: FormKind,
    pub input: Input,
    /// The storage hosts to choose from, once they are known.
    pub hosts: Option<FolderHosts>,
    /// The position of the chosen host.
    host: usize,
    /// Whether the daemon was asked.
    pub asked: bool,
    /// Why the typed name was refused.
    refused: Option<(String, Clean)>,
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
            Self::Create => "Create a folder".to_owned(),
            Self::Rename { name, .. } => format!("Rename {name}"),
            Self::Clone { name, .. } => format!("Clone {name}"),
            Self::Quota { name, .. } => format!("Set the quota of {name}"),
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
            hosts: None,
            host: 0,
            asked: false,
            refused: None,
        }
    }

    pub(super) fn know_hosts(&mut self, hosts: FolderHosts) {
        let default = hosts.default.as_ref();
        let at = hosts.allowed.iter().position(|it| Some(it) == default);
        self.host = at.unwrap_or(0);
        self.hosts = Some(hosts);
    }

    /// The chosen host, if there is a choice.
    pub fn host(&self) -> Option<&Clean> {
        let hosts = self.hosts.as_ref().filter(|it| it.allowed.len() > 1)?;
        hosts.allowed.get(self.host)
    }

    /// Handles a key that chooses a host.
    pub(super) fn choose(&mut self, key: Key) -> bool {
        let Some(count) = self
            .host()
            .and(self.hosts.as_ref())
            .map(|it| it.allowed.len())
        else {
            return false;
        };
        let by = match key.code {
            KeyCode::Down if !key.ctrl && !key.alt => 1,
            KeyCode::Up if !key.ctrl && !key.alt => count - 1,
            _ => return false,
        };
        self.host = (self.host + by) % count;
        true
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
            return Some(format!("folder {name} already exists"));
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
                let done = format!("folder {name} created");
                let new = NewFolder {
                    host: self.host().map(ToString::to_string),
                    ..NewFolder::named(name)
                };
                (FolderRequest::Create { new }, done)
            }
            FormKind::Rename { name: old, .. } if *old == *name.as_str() => return None,
            FormKind::Rename { id, name: old } => {
                let done = format!("folder {old} renamed to {name}");
                let folder = id.to_string();
                (FolderRequest::Rename { folder, name }, done)
            }
            FormKind::Clone { id, name: old } => {
                let done = format!("folder {old} cloned as {name}");
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
            Some(most) => format!("quota of {name} set to {most}"),
            None => format!("quota of {name} removed"),
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

    #[test]
    fn the_default_host_is_chosen_first() {
        let mut form = FolderForm::new(FormKind::Create);
        assert!(!form.choose("down".parse().unwrap()), "there is no choice");
        form.know_hosts(FolderHosts {
            default: Some("b".into()),
            allowed: vec!["a".into(), "b".into()],
        });
        assert_eq!(form.host().unwrap().as_str(), "b");
        assert!(form.choose("down".parse().unwrap()));
        assert_eq!(form.host().unwrap().as_str(), "a");
    }
}
