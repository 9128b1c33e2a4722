//! Reads one `resources.toml`.

use std::path::Path;

use super::{
    super::{
        Problem, amount,
        document::{Document, DocumentEntry, DocumentFault, Item, Value},
        library,
        table_rows::{self, KeyRow},
    },
    idle::{IDLE, IdleTable},
    network::{self, NETWORK},
    rules::{ACCELERATOR, GROUP, HOST, LIMITS, PRESET, PRESET_NEEDS},
};
use crate::{
    model::{
        catalogue::{Preset, SlotLimits},
        idle::IdleRules,
        network::NetworkRules,
        policy::{AcceleratorRules, GroupRules, UserLimits},
        resources::ResourceSlots,
        text::Clean,
    },
    rules::launch::amounts,
};

const TABLES: [&str; 7] = [
    "host",
    "group",
    "preset",
    "limits",
    "idle",
    "network",
    "accelerator",
];

/// The old place of this key: `[limits]` before `[idle]` existed. It is still read there.
const LIFETIME: &str = "session-lifetime";

/// A table with a name, and the position of the name.
#[derive(Debug)]
pub(super) struct Named<T> {
    pub name: String,
    pub at: usize,
    pub value: T,
}

/// One file without faults.
#[derive(Debug)]
pub(super) struct File {
    pub document: Document,
    pub host: SlotLimits,
    /// The position of `[host]`.
    pub host_at: usize,
    pub groups: Vec<Named<GroupRules>>,
    pub presets: Vec<Named<Preset>>,
    pub limits: UserLimits,
    /// The position of each limit.
    pub limits_at: Vec<(String, usize)>,
    pub accelerators: Vec<Named<AcceleratorRules>>,
    pub idle: IdleTable,
    /// The position of each key of `[idle]`.
    pub idle_at: Vec<(String, usize)>,
    pub network: NetworkRules,
    /// The position of each key of `[network]`.
    pub network_at: Vec<(String, usize)>,
}

/// `None` if the file doesn't exist or has a fault.
pub(super) fn read(path: &Path, problems: &mut Vec<Problem>) -> Option<File> {
    let document = match library::read_if_any(path) {
        Ok(document) => document?,
        Err(problem) => {
            problems.push(problem);
            return None;
        }
    };
    let mut reader = ResourcesReader::default();
    for entry in document.entries() {
        reader.table(entry);
    }
    if !reader.faults.is_empty() {
        let faults = reader.faults.into_iter();
        problems.extend(faults.map(|fault| document.problem(fault)));
        return None;
    }
    Some(File {
        document,
        host: reader.host,
        host_at: reader.host_at,
        groups: reader.groups,
        presets: reader.presets,
        limits: reader.limits,
        limits_at: reader.limits_at,
        accelerators: reader.accelerators,
        idle: reader.idle,
        idle_at: reader.idle_at,
        network: reader.network,
        network_at: reader.network_at,
    })
}

#[derive(Default)]
struct ResourcesReader {
    host: SlotLimits,
    host_at: usize,
    groups: Vec<Named<GroupRules>>,
    presets: Vec<Named<Preset>>,
    limits: UserLimits,
    limits_at: Vec<(String, usize)>,
    accelerators: Vec<Named<AcceleratorRules>>,
    idle: IdleTable,
    idle_at: Vec<(String, usize)>,
    network: NetworkRules,
    network_at: Vec<(String, usize)>,
    faults: Vec<DocumentFault>,
}

impl ResourcesReader {
    fn table(&mut self, entry: &DocumentEntry) {
        let outcome = entry.item.table();
        let entries = match (entry.key.as_str(), outcome) {
            (key, _) if !TABLES.contains(&key) => return self.faults.push(unknown(entry)),
            (_, Err(fault)) => return self.faults.push(fault),
            (_, Ok(entries)) => entries,
        };
        let faults = &mut self.faults;
        match entry.key.as_str() {
            "host" => {
                self.host_at = entry.at;
                table_rows::read_into(
                    &mut self.host,
                    HOST,
                    tr!("setting of the host"),
                    entries,
                    faults,
                );
            }
            "group" => self.groups = named(entries, "group", GROUP, faults, GroupRules::default),
            "preset" => {
                self.presets = named(entries, "preset", PRESET, faults, blank_preset);
                self.check_presets(entries);
            }
            "limits" => {
                let (lifetime, entries): (Vec<DocumentEntry>, Vec<DocumentEntry>) =
                    entries.iter().cloned().partition(|it| it.key == LIFETIME);
                table_rows::read_into(&mut self.limits, LIMITS, "limit", &entries, faults);
                self.limits_at = places(&entries);
                for entry in &lifetime {
                    self.lifetime(entry);
                }
            }
            "idle" => {
                let mut read = IdleTable::default();
                let what = tr!("setting of idle checks");
                table_rows::read_into(&mut read, IDLE, what, entries, faults);
                faults.extend(read.check(entry.at));
                self.idle.tighten(&read);
                self.idle_at.extend(places(entries));
            }
            "network" => {
                let what = tr!("setting of the network");
                table_rows::read_into(&mut self.network, NETWORK, what, entries, faults);
                self.network_at = places(entries);
                faults.extend(network::check(self.network, &self.network_at));
            }
            _ => slots_of(entries, "", &mut self.accelerators, faults),
        }
    }

    fn lifetime(&mut self, entry: &DocumentEntry) {
        match amount::some_span(&entry.item) {
            Ok(span) => {
                self.idle.rules.tighten(&IdleRules {
                    session_lifetime: Some(span),
                    ..IdleRules::default()
                });
                self.idle_at.extend(places(std::slice::from_ref(entry)));
            }
            Err(fault) => self.faults.push(fault),
        }
    }

    /// Checks that each preset has the needed resources, and that its shared memory is less than its memory.
    fn check_presets(&mut self, entries: &[DocumentEntry]) {
        for (preset, entry) in self.presets.iter_mut().zip(entries) {
            preset.value.name = Clean::new(&preset.name);
            let Value::Table(fields) = &entry.item.value else {
                continue;
            };
            let find = |key: &str| fields.iter().find(|field| field.key == key);
            for need in PRESET_NEEDS.into_iter().filter(|need| find(need).is_none()) {
                let message = tr!("preset '{name}' has no {need}", name = preset.name, need);
                self.faults.push(DocumentFault::new(entry.at, message));
            }
            let slots = &preset.value.slots;
            if let (Some(shmem), Some(field)) = (preset.value.shmem, find("shmem"))
                && find("mem").is_some()
                && let Err(message) = amounts::check_shared_memory(shmem, slots.mem)
            {
                self.faults.push(DocumentFault::new(field.item.at, message));
            }
        }
    }
}

fn places(entries: &[DocumentEntry]) -> Vec<(String, usize)> {
    let places = entries.iter().map(|entry| (entry.key.clone(), entry.at));
    places.collect()
}

fn blank_preset() -> Preset {
    Preset::new(Clean::default(), ResourceSlots::default())
}

fn unknown(entry: &DocumentEntry) -> DocumentFault {
    let fault = DocumentFault::unknown(entry.at, tr!("table"), &entry.key, TABLES);
    let is_idle = IDLE.iter().any(|row| row.name == entry.key);
    let is_limit = LIMITS.iter().any(|row| row.name == entry.key);
    let is_network = NETWORK.iter().any(|row| row.name == entry.key);
    let is_value = !matches!(entry.item.value, Value::Table(_));
    if is_network && is_value {
        return DocumentFault::new(entry.at, tr!("'{key}' must be in a table", key = entry.key))
            .help(tr!("write it below [network]"));
    }
    if is_idle && is_value {
        return DocumentFault::new(entry.at, tr!("'{key}' must be in a table", key = entry.key))
            .help(tr!("write it below [idle]"));
    }
    if is_limit && is_value {
        return DocumentFault::new(entry.at, tr!("'{key}' must be in a table", key = entry.key))
            .help(tr!(
                "write it below [limits], [group.NAME] or [preset.NAME]"
            ));
    }
    fault
}

/// All tables `[TABLE.NAME]`. A value that isn't a table is a fault, but is still in the result.
fn named<T>(
    entries: &[DocumentEntry],
    table: &str,
    rows: &[KeyRow<T>],
    faults: &mut Vec<DocumentFault>,
    blank: fn() -> T,
) -> Vec<Named<T>> {
    let read = |entry: &DocumentEntry| {
        let mut value = blank();
        match fields(&entry.item, table, rows) {
            Ok(fields) => {
                let what = tr!("setting of {table} '{key}'", table, key = entry.key);
                table_rows::read_into(&mut value, rows, &what, fields, faults);
            }
            Err(fault) => faults.push(fault),
        }
        if entry.key.trim().is_empty() {
            faults.push(DocumentFault::new(
                entry.at,
                tr!("a {table} needs a name", table),
            ));
        }
        Named {
            name: Clean::new(&entry.key).into_string(),
            at: entry.at,
            value,
        }
    };
    entries.iter().map(read).collect()
}

/// The fields of one table. The likeliest mistake is `[group]` with settings but without a name.
fn fields<'a, T>(
    item: &'a Item,
    table: &str,
    rows: &[KeyRow<T>],
) -> Result<&'a [DocumentEntry], DocumentFault> {
    item.table().map_err(|fault| {
        let example = rows.first().map_or("", |row| row.name);
        fault.help(tr!(
            "write each {table} as a table with its name: [{table}.NAME] {example} = …",
            table,
            example
        ))
    })
}

/// `[accelerator."cuda.shares"]`. Also accepts the name without quotes, which TOML reads as a nested table.
fn slots_of(
    entries: &[DocumentEntry],
    before: &str,
    found: &mut Vec<Named<AcceleratorRules>>,
    faults: &mut Vec<DocumentFault>,
) {
    for entry in entries {
        let name = format!("{before}{}", entry.key);
        let fields = match entry.item.table() {
            Ok(fields) => fields,
            Err(fault) => {
                faults.push(fault.help(tr!("write [accelerator.\"cuda.shares\"] above it")));
                continue;
            }
        };
        let (below, own): (Vec<DocumentEntry>, Vec<DocumentEntry>) = fields
            .iter()
            .cloned()
            .partition(|field| matches!(field.item.value, Value::Table(_)));
        slots_of(&below, &format!("{name}."), found, faults);
        if own.is_empty() && !below.is_empty() {
            continue;
        }
        if let Err(why) = amounts::check_slot(&name) {
            faults.push(DocumentFault::new(entry.at, why));
            continue;
        }
        let mut value = AcceleratorRules::default();
        let what = tr!("setting of accelerator '{name}'", name);
        table_rows::read_into(&mut value, ACCELERATOR, &what, &own, faults);
        let at = entry.at;
        found.push(Named { name, at, value });
    }
}
