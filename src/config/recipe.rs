//! Reads and writes recipes: TOML files with launch settings to keep, share and launch again.
//!
//! A recipe never contains the values of secret variables. `secrets` lists their names, and workbay asks for
//! the values again.

use std::{collections::BTreeMap, path::Path};

use jiff::{Timestamp, tz::TimeZone};

use super::{
    Problem,
    amount::{accelerators, any_memory, cores, number, some_count, span},
    document::{Document, Fault, Item, Value},
    library,
    rows::{self, Row, row, set},
    writing::{in_quotes, key, plain, quoted, quoted_list, size, slots, table},
};
use crate::model::{
    launch::{ports, start},
    session::{ClusterMode, SessionType},
    spec::{FolderMount, LaunchRequest, Owner, check_variable_name},
    stop_hook::StopHook,
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
    let mut faults = Vec::new();
    rows::read_into(
        &mut request,
        ROWS,
        "setting of a launch",
        document.entries(),
        &mut faults,
    );
    if let Some(item) = document.get(START_AT)
        && let Ok(text) = item.text()
    {
        match start::read(text, now, zone) {
            Ok(start) => request.starts_at = Some(start),
            Err(why) => faults.push(Fault::new(item.at, why)),
        }
    }
    if faults.is_empty() {
        return Ok(request);
    }
    Err(faults
        .into_iter()
        .map(|fault| document.problem(fault))
        .collect())
}

/// Writes the launch as the text of a recipe.
pub fn write(request: &LaunchRequest) -> String {
    let mut text = String::from(
        "# Settings of a launch. Launch with: workbay launch --from FILE. Options of the command \
         override this file.\n",
    );
    for (name, value) in rows::written(request, ROWS) {
        if name == "secrets" {
            text.push_str(
                "# Secret variables, without values. Set them at launch: -e NAME (from your \
                 environment) or -e NAME=VALUE.\n",
            );
        }
        if name == "env" {
            continue;
        }
        text.extend([name, " = ", &value, "\n"]);
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

/// A field that is a string.
macro_rules! word {
    ($name:literal, $field:ident) => {
        Row {
            name: $name,
            read: |r, i| set(&mut r.$field, text(i).map(Some)),
            show: |r| r.$field.as_deref().map(quoted),
        }
    };
}

const START_AT: &str = "start-at";

/// All keys of a recipe, in the order in which they are written.
const ROWS: &[Row<LaunchRequest>] = &[
    word!("name", name),
    row!(
        "type",
        |r, i| set(&mut r.session_type, session_type(i)),
        |r| (r.session_type == SessionType::Batch).then(|| quoted("batch"))
    ),
    word!("environment", environment),
    word!("image", image),
    word!("command", startup_command),
    row!(
        START_AT,
        // `understand` reads the value, because it depends on the present time and the time zone.
        |_, i| i.text().map(drop),
        |r| r.starts_at.map(|at| quoted(&at.to_string()))
    ),
    row!("timeout", timeout: span, in_quotes),
    word!("project", project),
    word!("group", resource_group),
    word!("preset", preset),
    row!("cpu", cpu: cores, plain),
    row!("mem", mem: any_memory, size),
    row!("shmem", shmem: any_memory, size),
    row!(
        "accelerators",
        |r, i| set(&mut r.accelerators, accelerators(i)),
        |r| slots(&r.accelerators)
    ),
    row!("count", count: some_count, plain),
    row!("cluster-size", cluster_size: some_count, plain),
    row!(
        "cluster-mode",
        |r, i| set(&mut r.cluster_mode, cluster_mode(i)),
        |r| (r.cluster_mode == ClusterMode::MultiNode).then(|| quoted("multi-node"))
    ),
    word!("agent", agent),
    row!(
        "priority",
        |r, i| {
            let number = number(i, 0, 100);
            set(&mut r.priority, number.map(|n| i32::try_from(n).ok()))
        },
        |r| r.priority.map(|n| n.to_string())
    ),
    row!("mounts", |r, i| set(&mut r.mounts, mounts(i)), |r| {
        list(r.mounts.iter().map(ToString::to_string))
    }),
    row!(
        "preopen",
        |r, i| set(&mut r.preopen_ports, preopen(i)),
        |r| (!r.preopen_ports.is_empty()).then(|| quoted(&ports::write(&r.preopen_ports)))
    ),
    row!("owner", |r, i| set(&mut r.owner, owner(i).map(Some)), |r| {
        let owner = r.owner.as_ref()?;
        Some(quoted(&owner.to_string()))
    }),
    word!("bootstrap", bootstrap_script),
    row!("idle-timeout", idle_timeout: span, in_quotes),
    row!("lifetime", lifetime: span, in_quotes),
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
            let timeout = span(i)?;
            r.stop_hook.get_or_insert_default().timeout = timeout;
            Ok(())
        },
        |r| {
            let timeout = r.stop_hook.as_ref()?.timeout;
            (timeout != StopHook::USUAL).then(|| in_quotes(timeout))
        }
    ),
    row!("secrets", wanted_secrets, |r| {
        let names = r.env.keys().filter(|name| r.is_secret(name));
        list(names.cloned())
    }),
    row!("env", variables, |r| {
        let pairs = open_variables(r).map(|(name, value)| (name.clone(), quoted(value)));
        Some(table(pairs))
    }),
];

fn text(item: &Item) -> Result<String, Fault> {
    item.text().map(str::to_owned)
}

fn session_type(item: &Item) -> Result<SessionType, Fault> {
    match item.text()? {
        "interactive" => Ok(SessionType::Interactive),
        "batch" => Ok(SessionType::Batch),
        other => Err(Fault::unknown(
            item.at,
            "type",
            other,
            ["interactive", "batch"],
        )),
    }
}

fn cluster_mode(item: &Item) -> Result<ClusterMode, Fault> {
    match item.text()? {
        "single-node" => Ok(ClusterMode::SingleNode),
        "multi-node" => Ok(ClusterMode::MultiNode),
        other => Err(Fault::unknown(
            item.at,
            "cluster mode",
            other,
            ["single-node", "multi-node"],
        )),
    }
}

/// The strings of a list, each read by `read`.
fn each<T>(item: &Item, read: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, Fault> {
    let Value::List(items) = &item.value else {
        return Err(item.mismatch("a list"));
    };
    let one = |item: &Item| read(item.text()?).map_err(|why| Fault::new(item.at, why));
    items.iter().map(one).collect()
}

fn mounts(item: &Item) -> Result<Vec<FolderMount>, Fault> {
    each(item, str::parse)
}

/// `"8080, 9000-9002"`, a port, or a list of ports.
fn preopen(item: &Item) -> Result<Vec<u16>, Fault> {
    let read = |text: &str| ports::read(text).map_err(|why| Fault::new(item.at, why));
    match &item.value {
        Value::Text(text) => read(text),
        Value::Integer(port) => read(&port.to_string()),
        Value::List(items) => {
            let ports = items.iter().map(preopen).collect::<Result<Vec<_>, _>>()?;
            Ok(ports.concat())
        }
        _ => Err(item.mismatch("ports like \"8080, 9000-9002\"")),
    }
}

fn owner(item: &Item) -> Result<Owner, Fault> {
    item.text()?
        .parse()
        .map_err(|why: String| Fault::new(item.at, why))
}

/// Names of variables whose values workbay asks for again.
fn wanted_secrets(request: &mut LaunchRequest, item: &Item) -> Result<(), Fault> {
    let names = each(item, |name| {
        check_variable_name(name).map(|()| name.to_owned())
    })?;
    for name in names {
        request.env.entry(name.clone()).or_default();
        request.secret_names.insert(name);
    }
    Ok(())
}

fn variables(request: &mut LaunchRequest, item: &Item) -> Result<(), Fault> {
    let mut env = BTreeMap::new();
    for entry in item.table()? {
        check_variable_name(&entry.key).map_err(|why| Fault::new(entry.at, why))?;
        env.insert(entry.key.clone(), text(&entry.item)?);
    }
    request.env.extend(env);
    Ok(())
}

fn list(words: impl Iterator<Item = String>) -> Option<String> {
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| quoted_list(&words))
}
