//! Reads and writes recipes: TOML files with launch settings to keep, share and launch again.
//!
//! A recipe never contains the values of secret variables. `secrets` lists their names, and workbay asks for
//! the values again.

use std::{collections::BTreeMap, path::Path};

use jiff::{Timestamp, tz::TimeZone};

use super::{
    Problem, amount,
    document::{Document, DocumentEntry, DocumentFault, Item, Value},
    library,
    table_rows::{KeyRow, row, set},
    writing::{in_quotes, key, quoted, quoted_list, slots},
};
use crate::{
    model::{
        launch_field::LaunchField,
        ports, priority,
        session::{ClusterMode, SessionType},
        spec::{FolderMount, LaunchRequest, check_variable_name},
        stop_hook::StopHook,
    },
    rules::launch::{
        amounts,
        table::{TABLE, TextValue, TimeContext, ValueKind},
    },
};

/// Reads a recipe at `now` in the user's time zone. `env` contains secret variables without a value.
pub fn read(path: &Path, now: Timestamp, zone: &TimeZone) -> Result<LaunchRequest, Vec<Problem>> {
    let document = library::read(path).map_err(|problem| vec![problem])?;
    understand(&document, now, zone)
}

/// Like [`read`], from a text. Problems name it `file`.
pub fn parse(
    file: &Path,
    text: &str,
    now: Timestamp,
    zone: &TimeZone,
) -> Result<LaunchRequest, Vec<Problem>> {
    let document = Document::parse(file, text).map_err(|problem| vec![problem])?;
    understand(&document, now, zone)
}

fn understand(
    document: &Document,
    now: Timestamp,
    zone: &TimeZone,
) -> Result<LaunchRequest, Vec<Problem>> {
    let mut request = LaunchRequest::default();
    let reading = TimeContext { now, zone };
    let mut faults = Vec::new();
    for entry in document.entries() {
        faults.extend(read_entry(&mut request, entry, reading).err());
    }
    if faults.is_empty() {
        return Ok(request);
    }
    Err(faults
        .into_iter()
        .map(|fault| document.problem(fault))
        .collect())
}

fn read_entry(
    request: &mut LaunchRequest,
    DocumentEntry { key, at, item }: &DocumentEntry,
    reading: TimeContext<'_>,
) -> Result<(), DocumentFault> {
    for known in keys() {
        match known {
            RecipeKey::Text(name, value) if name == key => {
                let text = text_of(item, value.kind)?;
                let outcome = (value.read)(request, &text, reading);
                return outcome.map_err(|why| DocumentFault::new(item.at, why));
            }
            RecipeKey::Own(row) if row.name == key => return (row.read)(request, item),
            _ => {}
        }
    }
    let names = keys().map(|known| known.name());
    Err(DocumentFault::unknown(
        *at,
        tr!("setting of a launch"),
        key,
        names,
    ))
}

/// Writes the launch as the text of a recipe.
pub fn write(request: &LaunchRequest) -> String {
    let mut text = String::from(
        "# Settings of a launch. Launch with: workbay launch --from FILE. Options of the command \
         override this file.\n",
    );
    for key in keys() {
        let Some(value) = key.written(request) else {
            continue;
        };
        if key.name() == "secrets" {
            text.push_str(
                "# Secret variables, without values. Set them at launch: -e NAME (from your \
                 environment) or -e NAME=VALUE.\n",
            );
        }
        text.extend([key.name(), " = ", &value, "\n"]);
    }
    let open: Vec<(&String, &String)> = open_variables(request).collect();
    if !open.is_empty() {
        text.push_str("\n[env]\n");
        for (name, value) in open {
            text.extend([key(name).as_str(), " = ", &quoted(value), "\n"]);
        }
    }
    text
}

/// Variables that aren't secret.
fn open_variables(request: &LaunchRequest) -> impl Iterator<Item = (&String, &String)> {
    let variables = request.env.iter();
    variables.filter(|(name, _)| !request.is_secret(name))
}

/// A key of a recipe.
enum RecipeKey {
    /// A field that is one text.
    Text(&'static str, &'static TextValue),
    /// A field with a form of its own.
    Own(&'static KeyRow<LaunchRequest>),
}

impl RecipeKey {
    fn name(&self) -> &'static str {
        match self {
            Self::Text(name, _) => name,
            Self::Own(row) => row.name,
        }
    }

    /// The value as TOML, `None` if it isn't set.
    fn written(&self, request: &LaunchRequest) -> Option<String> {
        let value = match self {
            Self::Own(row) => return (row.show)(request),
            Self::Text(_, value) => value,
        };
        let text = (value.write)(request)?;
        Some(match value.kind {
            ValueKind::Cpu | ValueKind::Count | ValueKind::Priority => text,
            ValueKind::Text | ValueKind::Owner | ValueKind::Duration | ValueKind::Memory => {
                quoted(&text)
            }
            ValueKind::Ports => quoted(&ports::write(&request.preopen_ports)),
        })
    }
}

/// All keys of a recipe, in the order in which they are written.
fn keys() -> impl Iterator<Item = RecipeKey> {
    let fields = TABLE.iter().flat_map(|row| {
        let text = row.argument.as_ref().zip(row.text.as_ref());
        let text = text.map(|(argument, value)| RecipeKey::Text(argument.key, value));
        text.into_iter()
            .chain(own(row.field).iter().map(RecipeKey::Own))
    });
    fields.chain(VARIABLES.iter().map(RecipeKey::Own))
}

/// The key of a field. A field of several keys is named by its first one.
pub fn key_of(field: LaunchField) -> Option<&'static str> {
    let row = field.row();
    let text = row.argument.as_ref().filter(|_| row.text.is_some());
    let own = || own(field).first().map(|row| row.name);
    match field {
        LaunchField::SessionType => Some("type"),
        LaunchField::Variables => Some("env"),
        _ => text.map(|argument| argument.key).or_else(own),
    }
}

/// The keys after the text of a field that aren't one text.
fn own(field: LaunchField) -> &'static [KeyRow<LaunchRequest>] {
    match field {
        LaunchField::Name => TYPE,
        LaunchField::Accelerator => ACCELERATORS,
        LaunchField::ClusterMode => CLUSTER_MODE,
        LaunchField::Folders => MOUNTS,
        LaunchField::StopHook => STOP_HOOK,
        _ => &[],
    }
}

/// The value of a field as the text that its row reads.
fn text_of(item: &Item, kind: ValueKind) -> Result<String, DocumentFault> {
    Ok(match kind {
        ValueKind::Text | ValueKind::Owner => text(item)?,
        ValueKind::Duration => amount::span_text(item)?,
        ValueKind::Cpu => amount::cores_text(item)?,
        ValueKind::Memory => amounts::exact(amount::any_memory(item)?),
        ValueKind::Count => amount::some_count(item)?.to_string(),
        ValueKind::Priority => {
            let (least, most) = (*priority::ALL.start(), *priority::ALL.end());
            amount::number(item, least.into(), most.into())?.to_string()
        }
        ValueKind::Ports => ports::write(&preopen(item)?),
    })
}

const TYPE: &[KeyRow<LaunchRequest>] = &[row!(
    "type",
    |r, i| set(&mut r.session_type, session_type(i)),
    |r| (r.session_type == SessionType::Batch).then(|| quoted("batch"))
)];

const ACCELERATORS: &[KeyRow<LaunchRequest>] = &[row!(
    "accelerators",
    |r, i| set(&mut r.accelerators, amount::accelerators(i)),
    |r| slots(&r.accelerators)
)];

const CLUSTER_MODE: &[KeyRow<LaunchRequest>] = &[row!(
    "cluster-mode",
    |r, i| set(&mut r.cluster_mode, cluster_mode(i)),
    |r| (r.cluster_mode == ClusterMode::MultiNode).then(|| quoted("multi-node"))
)];

const MOUNTS: &[KeyRow<LaunchRequest>] =
    &[row!("mounts", |r, i| set(&mut r.mounts, mounts(i)), |r| {
        list(r.mounts.iter().map(ToString::to_string))
    })];

const STOP_HOOK: &[KeyRow<LaunchRequest>] = &[
    row!(
        "stop-hook",
        |r, i| {
            let command = text(i)?;
            r.stop_hook.get_or_insert_default().command = Some(command);
            Ok(())
        },
        |r| Some(quoted(r.stop_hook.as_ref()?.command.as_deref()?))
    ),
    row!(
        "save",
        |r, i| {
            let save = each(i, |path| Ok(path.to_owned()))?;
            r.stop_hook.get_or_insert_default().save = save;
            Ok(())
        },
        |r| list(r.stop_hook.as_ref()?.save.iter().cloned())
    ),
    row!(
        "save-into",
        |r, i| {
            let folder = text(i)?;
            r.stop_hook.get_or_insert_default().folder = Some(folder);
            Ok(())
        },
        |r| Some(quoted(r.stop_hook.as_ref()?.folder.as_deref()?))
    ),
    row!(
        "stop-hook-timeout",
        |r, i| {
            let timeout = amount::span(i)?;
            r.stop_hook.get_or_insert_default().timeout = timeout;
            Ok(())
        },
        |r| {
            let timeout = r.stop_hook.as_ref()?.timeout;
            (timeout != StopHook::USUAL).then(|| in_quotes(timeout))
        }
    ),
];

/// `write` writes `env` as a table of its own.
const VARIABLES: &[KeyRow<LaunchRequest>] = &[
    row!("secrets", wanted_secrets, |r| {
        let names = r.env.keys().filter(|name| r.is_secret(name));
        list(names.cloned())
    }),
    row!("env", variables, |_| None),
];

fn text(item: &Item) -> Result<String, DocumentFault> {
    item.text().map(str::to_owned)
}

fn session_type(item: &Item) -> Result<SessionType, DocumentFault> {
    match item.text()? {
        "interactive" => Ok(SessionType::Interactive),
        "batch" => Ok(SessionType::Batch),
        other => Err(DocumentFault::unknown(
            item.at,
            "type",
            other,
            ["interactive", "batch"],
        )),
    }
}

fn cluster_mode(item: &Item) -> Result<ClusterMode, DocumentFault> {
    match item.text()? {
        "single-node" => Ok(ClusterMode::SingleNode),
        "multi-node" => Ok(ClusterMode::MultiNode),
        other => Err(DocumentFault::unknown(
            item.at,
            tr!("cluster mode"),
            other,
            ["single-node", "multi-node"],
        )),
    }
}

/// The strings of a list, each read by `read`.
fn each<T>(item: &Item, read: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, DocumentFault> {
    let Value::List(items) = &item.value else {
        return Err(item.mismatch(tr!("a list")));
    };
    let one = |item: &Item| read(item.text()?).map_err(|why| DocumentFault::new(item.at, why));
    items.iter().map(one).collect()
}

fn mounts(item: &Item) -> Result<Vec<FolderMount>, DocumentFault> {
    each(item, str::parse)
}

/// `"8080, 9000-9002"`, a port, or a list of ports.
fn preopen(item: &Item) -> Result<Vec<u16>, DocumentFault> {
    let read = |text: &str| ports::read(text).map_err(|why| DocumentFault::new(item.at, why));
    match &item.value {
        Value::Text(text) => read(text),
        Value::Integer(port) => read(&port.to_string()),
        Value::List(items) => {
            let ports = items.iter().map(preopen).collect::<Result<Vec<_>, _>>()?;
            Ok(ports.concat())
        }
        _ => Err(item.mismatch(tr!("ports like \"8080, 9000-9002\""))),
    }
}

/// Names of variables whose values workbay asks for again.
fn wanted_secrets(request: &mut LaunchRequest, item: &Item) -> Result<(), DocumentFault> {
    let names = each(item, |name| {
        check_variable_name(name).map(|()| name.to_owned())
    })?;
    for name in names {
        request.env.entry(name.clone()).or_default();
        request.secret_names.insert(name);
    }
    Ok(())
}

fn variables(request: &mut LaunchRequest, item: &Item) -> Result<(), DocumentFault> {
    let mut env = BTreeMap::new();
    for entry in item.table()? {
        check_variable_name(&entry.key).map_err(|why| DocumentFault::new(entry.at, why))?;
        env.insert(entry.key.clone(), text(&entry.item)?);
    }
    request.env.extend(env);
    Ok(())
}

fn list(words: impl Iterator<Item = String>) -> Option<String> {
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| quoted_list(&words))
}
