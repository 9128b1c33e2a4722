//! Merges one file of environments over the files before it.

use std::collections::BTreeMap;

use super::{
    super::{
        Problem,
        amount::{any_memory, cores},
        document::{Document, DocumentEntry, DocumentFault, Item, Value},
        setting_values::word,
        table_rows::{self, KeyRow, row, set},
    },
    apps,
};
use crate::model::{
    app_definition::AppDefinition,
    environment::{HOST, SessionUser},
    image, reference,
    resources::{Bytes, Cpu, ResourceSlots},
    service::Service,
    text::Clean,
    wellknown::{KnownVersion, WellKnown},
};

const TABLES: [&str; 2] = ["environment", "mirrors"];

/// The content of all files so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Drafts {
    environments: BTreeMap<String, EnvironmentDraft>,
    /// By registry: the mirror of its images.
    mirrors: BTreeMap<String, String>,
}

/// An environment that may still be incomplete.
#[derive(Clone, Debug, Default)]
struct EnvironmentDraft {
    about: Option<String>,
    image: Option<String>,
    versions: Option<Versions>,
    default: Option<String>,
    services: Option<Vec<Service>>,
    apps: Option<Vec<AppDefinition>>,
    user: Option<SessionUser>,
    cpu: Option<Cpu>,
    mem: Option<Bytes>,
    hide: Option<bool>,
}

#[derive(Clone, Debug)]
enum Versions {
    /// Tags of one image.
    Tags(Vec<String>),
    /// Versions, each with its own image.
    Images(Vec<(String, String)>),
}

impl Drafts {
    /// Returns the drafts with this file merged over them.
    pub(super) fn with(&self, document: &Document) -> Result<Self, Vec<Problem>> {
        let mut drafts = self.clone();
        let mut faults = Vec::new();
        for entry in document.entries() {
            drafts.table(entry, &mut faults);
        }
        if faults.is_empty() {
            return Ok(drafts);
        }
        let problems = faults.into_iter().map(|fault| document.problem(fault));
        Err(problems.collect())
    }

    fn table(&mut self, entry: &DocumentEntry, faults: &mut Vec<DocumentFault>) {
        let outcome = match entry.key.as_str() {
            "environment" => self.environments(&entry.item, faults),
            "mirrors" => self.mirrors(&entry.item),
            other => Err(DocumentFault::unknown(
                entry.at,
                tr!("table"),
                other,
                TABLES,
            )),
        };
        faults.extend(outcome.err());
    }

    fn environments(
        &mut self,
        item: &Item,
        faults: &mut Vec<DocumentFault>,
    ) -> Result<(), DocumentFault> {
        for entry in item.table()? {
            let name = entry.key.trim();
            let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            if name.is_empty() || !name.chars().all(plain) {
                let text = tr!("invalid environment name '{name}'", name);
                faults.push(
                    DocumentFault::new(entry.at, text)
                        .help(tr!("use letters, digits, '.', '_' and '-'")),
                );
                continue;
            }
            let fields = entry.item.table().map_err(|fault| {
                fault.help(tr!(
                    "write each environment as a table with its name: [environment.NAME] image = …"
                ))
            })?;
            let draft = self.environments.entry(name.to_owned()).or_default();
            let what = tr!("setting of environment '{name}'", name);
            let before = faults.len();
            table_rows::read_into(draft, ROWS, &what, fields, faults);
            // A field with a fault isn't also reported as missing.
            if faults.len() == before {
                faults.extend(draft.check(name, entry.at).err());
            }
        }
        Ok(())
    }

    fn mirrors(&mut self, item: &Item) -> Result<(), DocumentFault> {
        for entry in item.table()? {
            let mirror = word(&entry.item)?;
            if reference::registry(&format!("{mirror}/image")) == reference::HUB {
                let text = tr!("invalid registry '{mirror}'", mirror);
                return Err(
                    DocumentFault::new(entry.item.at, text).help(tr!("write HOST or HOST/PATH"))
                );
            }
            self.mirrors.insert(entry.key.clone(), mirror);
        }
        Ok(())
    }

    pub(super) fn finished(self) -> Vec<WellKnown> {
        let mirrors = &self.mirrors;
        let shown = self.environments.into_iter();
        let shown = shown.filter(|(_, draft)| draft.hide != Some(true));
        shown
            .map(|(name, draft)| draft.finished(&name, mirrors))
            .collect()
    }
}

impl EnvironmentDraft {
    /// Checks for missing fields and fields that exclude each other.
    fn check(&self, name: &str, at: usize) -> Result<(), DocumentFault> {
        let images = self.images();
        if self.hide == Some(true) {
            return Ok(());
        }
        if name == HOST {
            return self.check_host(at);
        }
        if images.is_empty() {
            let text = tr!("environment '{name}' has no image", name);
            return Err(DocumentFault::new(at, text).help(tr!(
                "write image = \"…\" and versions = [\"TAG\", …], with the newest version \
                     first"
            )));
        }
        if let Some(default) = &self.default
            && !images.iter().any(|(version, _)| version == default)
        {
            let text = tr!(
                "the default '{default}' isn't a version of environment '{name}'",
                default,
                name
            );
            let names: Vec<&str> = images.iter().map(|(version, _)| version.as_str()).collect();
            return Err(DocumentFault::new(at, text)
                .help(tr!("use one of {names}", names = names.join(", "))));
        }
        Ok(())
    }

    /// The host environment runs the programs of this machine.
    fn check_host(&self, at: usize) -> Result<(), DocumentFault> {
        let is_plain = self.image.is_none()
            && self.versions.is_none()
            && self.default.is_none()
            && self.services.is_none()
            && self.user.is_none();
        if is_plain {
            return Ok(());
        }
        let text = tr!(
            "environment '{host}' has no image, versions, services or user",
            host = HOST
        );
        Err(DocumentFault::new(at, text).help(tr!("write only [[environment.host.apps]]")))
    }

    /// The versions and their images.
    fn images(&self) -> Vec<(String, String)> {
        match (&self.versions, &self.image) {
            (Some(Versions::Images(images)), _) => images.clone(),
            (Some(Versions::Tags(tags)), Some(image)) => {
                let one = |tag: &String| (tag.clone(), format!("{image}:{tag}"));
                tags.iter().map(one).collect()
            }
            (None, Some(image)) => {
                let (_, version) = reference::name_and_version(image);
                vec![(version, reference::with_tag(image))]
            }
            (Some(Versions::Tags(_)) | None, None) => Vec::new(),
        }
    }

    fn finished(self, name: &str, mirrors: &BTreeMap<String, String>) -> WellKnown {
        let images = self.images();
        let first = images.first().map(|(version, _)| version.clone());
        let default = self.default.or(first).unwrap_or_default();
        let versions = images.into_iter().map(|(name, image)| {
            let mirror = mirrors.get(reference::registry(&image));
            let from = mirror.map(|mirror| reference::on_mirror(&image, mirror));
            KnownVersion {
                name: Clean::new(&name),
                from: from.unwrap_or_else(|| image.clone()),
                image,
            }
        });
        WellKnown {
            name: Clean::new(name),
            about: Clean::new(&self.about.unwrap_or_default()),
            versions: versions.collect(),
            default: Clean::new(&default),
            services: self.services.unwrap_or_default(),
            apps: self.apps.unwrap_or_default(),
            user: self.user.unwrap_or_default(),
            minimum: ResourceSlots::new(self.cpu.unwrap_or_default(), self.mem.unwrap_or_default()),
        }
    }
}

/// An optional key. Nothing writes the catalog, so `show` returns `None`.
macro_rules! key {
    ($name:literal, $field:ident, $read:expr) => {
        row!($name, |d, i| set(&mut d.$field, $read(i).map(Some)), |_| {
            None
        })
    };
}

/// The list of all keys of an environment.
const ROWS: &[KeyRow<EnvironmentDraft>] = &[
    key!("about", about, word),
    key!("image", image, image_name),
    key!("versions", versions, versions),
    key!("default", default, word),
    key!("services", services, services),
    key!("apps", apps, apps::read),
    key!("user", user, user),
    key!("cpu", cpu, cores),
    key!("mem", mem, any_memory),
    key!("hide", hide, Item::boolean),
];

fn image_name(item: &Item) -> Result<String, DocumentFault> {
    let image = word(item)?;
    let Err(why) = reference::check(&image) else {
        return Ok(image);
    };
    let text = tr!(
        "invalid image '{image}': {why}",
        image = Clean::new(&image),
        why
    );
    Err(DocumentFault::new(item.at, text)
        .help(tr!("write it as for docker pull: registry/name:tag")))
}

fn tag(item: &Item) -> Result<String, DocumentFault> {
    let tag = word(item)?;
    match reference::check_tag(&tag) {
        Ok(()) => Ok(tag),
        Err(why) => Err(DocumentFault::new(item.at, why)),
    }
}

/// `["3.13", "3.12"]`, tags of one image, or `{ "3.13" = "registry/name:tag" }`, an image for each version.
fn versions(item: &Item) -> Result<Versions, DocumentFault> {
    match &item.value {
        Value::List(tags) if !tags.is_empty() => {
            let tags = tags.iter().map(tag).collect::<Result<_, _>>()?;
            Ok(Versions::Tags(tags))
        }
        Value::Table(images) if !images.is_empty() => {
            let one = |entry: &DocumentEntry| Ok((entry.key.clone(), image_name(&entry.item)?));
            Ok(Versions::Images(
                images.iter().map(one).collect::<Result<_, _>>()?,
            ))
        }
        Value::List(_) | Value::Table(_) => Err(DocumentFault::new(
            item.at,
            tr!("the list of versions is empty"),
        )),
        _ => Err(item.mismatch(tr!("write tags like [\"3.13\", \"3.12\"]"))),
    }
}

/// `work` or `image`.
fn user(item: &Item) -> Result<SessionUser, DocumentFault> {
    let name = word(item)?;
    SessionUser::parse(&name).ok_or_else(|| {
        let text = tr!("unknown user '{name}'", name);
        let help = tr!("use \"work\" (the user who launches) or \"image\" (the user of the image)");
        DocumentFault::new(item.at, text).help(help)
    })
}

/// In the syntax of image labels: `jupyter:http:8888,x:tcp:[90,91]`.
fn services(item: &Item) -> Result<Vec<Service>, DocumentFault> {
    let text = word(item)?;
    let services = image::services(&text);
    let label = image::services_label(&services);
    if label == text.replace(' ', "") {
        return Ok(services);
    }
    let fault = DocumentFault::new(item.at, tr!("invalid services '{text}'", text));
    Err(fault.help(tr!("write \"NAME:http:PORT\", separated by commas")))
}
