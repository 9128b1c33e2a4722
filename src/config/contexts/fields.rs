//! Interprets the fields of a context.

use std::{path::PathBuf, time::Duration};

use super::{
    super::{
        amount::number,
        document::{DocumentFault, Item},
        setting_values::word,
    },
    BackendaiSpec, ContextEntry, Credentials, EngineSpec, REFRESH, address,
    draft::{At, ContextDraft, Files},
    path, source,
};
use crate::model::{
    address::secure_alternatives,
    context::{Context, EngineKind},
    id::ContextName,
    text::Clean,
};

/// Fields of every kind of context.
const COMMON: &[&str] = &["kind", "endpoint", "enabled", "accent", "read-only"];
/// Additional fields of a Backend.AI context.
const BACKENDAI: &[&str] = &[
    "mode",
    "access-key",
    "secret-key",
    "username",
    "password",
    "domain",
    "project",
    "refresh",
    "ca-file",
    "all-users",
    "shares-per-device",
    "insecure",
];
const KINDS: [&str; 2] = ["docker", "backendai"];
const MODES: [&str; 2] = ["api", "session"];

/// Returns the value of an environment variable.
pub(super) type VariableLookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// All valid contexts that are enabled. Faults go to the problems of the files.
pub(super) fn entries(files: &mut Files, variable: VariableLookup<'_>) -> Vec<ContextEntry> {
    let drafts = std::mem::take(&mut files.drafts);
    let mut entries = Vec::new();
    for draft in &drafts {
        let mut reader = ContextReader {
            draft,
            variable,
            faults: Vec::new(),
        };
        let read = reader.entry();
        let whole = reader.faults.is_empty();
        for (at, fault) in reader.faults {
            files.blame(at, fault);
        }
        if let Some(mut entry) = read.filter(|_| whole) {
            entry.origin = files.origin(draft.head);
            entries.push(entry);
        }
    }
    files.drafts = drafts;
    entries
}

struct ContextReader<'a> {
    draft: &'a ContextDraft,
    variable: VariableLookup<'a>,
    faults: Vec<(At, DocumentFault)>,
}

impl ContextReader<'_> {
    /// `None` if the context is disabled or has a fault.
    fn entry(&mut self) -> Option<ContextEntry> {
        let enabled = self.get("enabled", Item::boolean).unwrap_or(true);
        let kind = self.kind()?;
        self.refuse_unknown(kind);
        let context = Context {
            name: self.draft.name,
            kind,
            endpoint: None,
            accent: self.get("accent", accent),
            read_only: self.get("read-only", Item::boolean).unwrap_or(false),
        };
        let (engine, endpoint) = match kind {
            EngineKind::Docker => self.docker(),
            EngineKind::Backendai => self.backendai()?,
        };
        let refresh = self.get("refresh", |item| number(item, 5, 3600));
        let entry = ContextEntry {
            context: Context {
                endpoint: endpoint.map(Clean::from),
                ..context
            },
            engine,
            refresh: refresh.map_or(REFRESH, |seconds| Duration::from_secs(seconds as u64)),
            origin: super::Origin::Default,
        };
        enabled.then_some(entry)
    }

    /// Only the engine of this machine may omit `kind`.
    fn kind(&mut self) -> Option<EngineKind> {
        if self.draft.name == ContextName::local() && self.item("kind").is_none() {
            return Some(EngineKind::Docker);
        }
        let help = "kind = \"docker\" or kind = \"backendai\"";
        self.need("kind", help, |item| match item.text()? {
            "docker" => Ok(EngineKind::Docker),
            "backendai" => Ok(EngineKind::Backendai),
            other => Err(DocumentFault::unknown(item.at, "kind", other, KINDS)),
        })
    }

    fn docker(&mut self) -> (EngineSpec, Option<String>) {
        let endpoint = self
            .get("endpoint", super::super::setting_values::endpoint)
            .flatten();
        let shown = endpoint.clone();
        (EngineSpec::Docker { endpoint }, shown)
    }

    fn backendai(&mut self) -> Option<(EngineSpec, Option<String>)> {
        let help = "endpoint = \"https://…\"";
        let insecure = self.get("insecure", Item::boolean).unwrap_or(false);
        let by_password = self.item("mode").and_then(|item| item.text().ok()) == Some("session");
        let accepted = insecure && !by_password;
        let endpoint = self.need("endpoint", help, |item| {
            let endpoint =
                address::check(item.text()?).map_err(|why| DocumentFault::new(item.at, why))?;
            match address::why_unencrypted(&endpoint).filter(|_| !accepted) {
                Some(why) => {
                    Err(DocumentFault::new(item.at, why).help(secure_alternatives(by_password)))
                }
                None => Ok(endpoint),
            }
        });
        let credentials = self.credentials();
        let home = self.home();
        let (domain, project) = (self.get("domain", word), self.get("project", word));
        let ca_file = self.get("ca-file", |item| path::read(item, home.as_deref()));
        let all_users = self.get("all-users", Item::boolean).unwrap_or(false);
        let shares = self.get("shares-per-device", |item| number(item, 1, 1000));
        let endpoint = endpoint?;
        let shown = Some(endpoint.clone());
        let spec = BackendaiSpec {
            endpoint,
            credentials: credentials?,
            domain,
            project,
            ca_file,
            all_users,
            shares_per_device: shares.and_then(|count| count.try_into().ok()),
            insecure,
        };
        Some((EngineSpec::Backendai(Box::new(spec)), shown))
    }

    fn credentials(&mut self) -> Option<Credentials> {
        let mode = self.get("mode", |item| match item.text()? {
            mode @ ("api" | "session") => Ok(mode.to_owned()),
            other => Err(DocumentFault::unknown(item.at, "mode", other, MODES)),
        });
        let home = self.home();
        let home = home.as_deref();
        let plain = |item: &Item| source::plain(item, home);
        let secret = |item: &Item| source::secret(item, home);
        if mode.as_deref() == Some("session") {
            self.refuse_mode(&["access-key", "secret-key"], "api");
            let username = self.need("username", "username = \"you@example.com\"", plain);
            let password = self.need("password", &source::forms("password"), secret);
            return Some(Credentials::Login {
                username: username?,
                password: password?,
            });
        }
        self.refuse_mode(&["username", "password"], "session");
        let access = self.need("access-key", "access-key = \"AKIA…\"", plain);
        let secret = self.need("secret-key", &source::forms("secret-key"), secret);
        Some(Credentials::Keys {
            access: access?,
            secret: secret?,
        })
    }

    fn home(&self) -> Option<PathBuf> {
        (self.variable)("HOME").map(PathBuf::from)
    }

    fn item(&self, key: &str) -> Option<&Item> {
        let mut fields = self.draft.fields.iter();
        fields
            .find(|field| field.entry.key == key)
            .map(|field| &field.entry.item)
    }

    /// The value of a field if it exists and is valid. Records a fault otherwise.
    fn get<T>(&mut self, key: &str, read: impl Fn(&Item) -> Result<T, DocumentFault>) -> Option<T> {
        let draft = self.draft;
        let field = draft.fields.iter().find(|field| field.entry.key == key)?;
        match read(&field.entry.item) {
            Ok(value) => Some(value),
            Err(fault) => {
                self.faults.push((field.at(fault.at), fault));
                None
            }
        }
    }

    /// Like `get`, for a required field.
    fn need<T>(
        &mut self,
        key: &str,
        help: &str,
        read: impl Fn(&Item) -> Result<T, DocumentFault>,
    ) -> Option<T> {
        if self.item(key).is_none() {
            let message = tr!("context '{name}' has no {key}", name = self.draft.name, key);
            let fault = DocumentFault::new(0, message).help(tr!("write {help}", help));
            self.faults.push((self.draft.head, fault));
            return None;
        }
        self.get(key, read)
    }

    fn refuse_unknown(&mut self, kind: EngineKind) {
        let all: Vec<&str> = COMMON.iter().chain(BACKENDAI).copied().collect();
        let draft = self.draft;
        for field in &draft.fields {
            let key = field.entry.key.as_str();
            let known = COMMON.contains(&key)
                || (kind == EngineKind::Backendai && BACKENDAI.contains(&key));
            if known {
                continue;
            }
            let at = field.entry.at;
            let fault = if BACKENDAI.contains(&key) {
                DocumentFault::new(at, tr!("'{key}' isn't allowed with kind = \"docker\"", key))
            } else {
                let what = tr!("field of context '{name}'", name = draft.name);
                DocumentFault::unknown(at, &what, key, all.iter().copied())
            };
            self.faults.push((field.at(at), fault));
        }
    }

    /// Refuses fields of the other login mode, so that a missing `mode` is reported immediately.
    fn refuse_mode(&mut self, keys: &[&str], mode: &str) {
        let draft = self.draft;
        for field in &draft.fields {
            if keys.contains(&field.entry.key.as_str()) {
                let at = field.entry.at;
                let message = tr!(
                    "'{key}' is only allowed with mode = \"{mode}\"",
                    key = field.entry.key,
                    mode
                );
                self.faults
                    .push((field.at(at), DocumentFault::new(at, message)));
            }
        }
    }
}

/// `#rrggbb` or the name of a color. The theme checks later whether it has that name.
fn accent(item: &Item) -> Result<Clean, DocumentFault> {
    let text = item.text()?;
    let good = match text.strip_prefix('#') {
        Some(digits) => digits.len() == 6 && digits.chars().all(|c| c.is_ascii_hexdigit()),
        None => {
            text.starts_with(|c: char| c.is_ascii_lowercase())
                && text
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        }
    };
    if good {
        return Ok(Clean::new(text));
    }
    Err(
        DocumentFault::new(item.at, tr!("invalid color '{text}'", text))
            .help(tr!("a name like \"red\" or \"#rrggbb\"")),
    )
}
