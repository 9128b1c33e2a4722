//! Merges the system-wide file and the user's file.

use super::{
    super::{
        document::{Document, DocumentFault},
        origin::Origin,
        table_rows::{self, KeyRow},
        writing::key,
    },
    Resources,
    file::{File, Named},
    idle::{IDLE, IdleTable},
    network::{self, NETWORK},
    rules::{ACCELERATOR, GROUP, HOST, LIMITS, PRESET, tighten},
};
use crate::model::{catalogue::SlotLimits, policy::ResourceRules, text::Clean};

type Entries = Vec<(String, String, Origin)>;

pub(super) fn merge(site: Option<File>, user: Option<File>) -> Resources {
    let mut merged = Resources {
        rules: ResourceRules::default(),
        set: Entries::new(),
        problems: Vec::new(),
        ignored_files: Vec::new(),
    };
    let files: Vec<(File, bool)> = [(site, true), (user, false)]
        .into_iter()
        .filter_map(|(file, is_site)| Some((file?, is_site)))
        .collect();
    let mut idle = IdleTable::default();
    for (file, is_site) in &files {
        take(&mut merged, file, *is_site);
        take_idle(&mut merged, &mut idle, file, *is_site);
        take_network(&mut merged, file, *is_site);
    }
    merged.rules.reprieve = idle.reprieve();
    merged.rules.idle = idle.rules;
    merged
        .rules
        .presets
        .sort_by(|one, other| one.name.cmp(&other.name));
    merged.set.sort_by(|one, other| one.0.cmp(&other.0));
    refuse_lost_presets(&mut merged, &files);
    refuse_open_bridge(&mut merged, &files);
    merged
}

fn take(merged: &mut Resources, file: &File, is_site: bool) {
    let origin = |at| origin(&file.document, at, is_site);
    for group in &file.groups {
        note(&mut merged.set, "group", group, GROUP, origin(group.at));
        merged
            .rules
            .groups
            .insert(group.name.clone(), group.value.clone());
    }
    for preset in &file.presets {
        note(&mut merged.set, "preset", preset, PRESET, origin(preset.at));
        let presets = &mut merged.rules.presets;
        presets.retain(|known| known.name != preset.value.name);
        presets.push(preset.value.clone());
    }
    for kind in &file.accelerators {
        note(
            &mut merged.set,
            "accelerator",
            kind,
            ACCELERATOR,
            origin(kind.at),
        );
        merged
            .rules
            .accelerators
            .insert(kind.name.clone(), kind.value.clone());
    }
    if file.host != SlotLimits::default() {
        merged.rules.host.tighten(&file.host);
        let shown = table_rows::inline(&merged.rules.host, HOST);
        put(
            &mut merged.set,
            "host".to_owned(),
            shown,
            origin(file.host_at),
        );
    }
    let before = merged.rules.limits.clone();
    tighten(&mut merged.rules.limits, &file.limits);
    let (after, at) = (&merged.rules.limits, &file.limits_at);
    let changed = changed("limits", LIMITS, (&before, after), at);
    note_changed(merged, file, changed, is_site);
}

/// Merges `[idle]`. The system-wide file forbids extensions and exemptions that it doesn't set.
fn take_idle(merged: &mut Resources, idle: &mut IdleTable, file: &File, is_site: bool) {
    let before = idle.clone();
    let said = file.idle.clone();
    idle.tighten(&if is_site { said.closed() } else { said });
    let changed = changed("idle", IDLE, (&before, idle), &file.idle_at);
    note_changed(merged, file, changed, is_site);
}

fn take_network(merged: &mut Resources, file: &File, is_site: bool) {
    let before = merged.rules.network;
    merged.rules.network.tighten(file.network);
    let both = (&before, &merged.rules.network);
    let changed = changed("network", NETWORK, both, &file.network_at);
    note_changed(merged, file, changed, is_site);
}

fn note<T>(set: &mut Entries, table: &str, named: &Named<T>, rows: &[KeyRow<T>], origin: Origin) {
    let key = format!("{table}.{}", key(&named.name));
    put(set, key, table_rows::inline(&named.value, rows), origin);
}

/// A key, its value and its position.
type Changed = Vec<(String, String, usize)>;

/// The settings that a file changed, so that the file is their origin.
fn changed<T>(
    table: &str,
    rows: &[KeyRow<T>],
    (before, after): (&T, &T),
    places: &[(String, usize)],
) -> Changed {
    let changed = rows.iter().filter_map(|row| {
        let (was, is) = ((row.show)(before), (row.show)(after));
        let value = is.filter(|value| was.as_ref() != Some(value))?;
        let place = places.iter().find(|(key, _)| key == row.name);
        let at = place.map_or(0, |(_, at)| *at);
        Some((format!("{table}.{}", row.name), value, at))
    });
    changed.collect()
}

fn note_changed(merged: &mut Resources, file: &File, changed: Changed, is_site: bool) {
    for (key, value, at) in changed {
        let origin = origin(&file.document, at, is_site);
        put(&mut merged.set, key, value, origin);
    }
}

fn put(set: &mut Entries, key: String, value: String, origin: Origin) {
    set.retain(|(known, _, _)| *known != key);
    set.push((key, value, origin));
}

fn origin(document: &Document, at: usize, is_site: bool) -> Origin {
    let (line, column) = document.position(at);
    let file = document.file().to_path_buf();
    if is_site {
        Origin::Site { file, line, column }
    } else {
        Origin::User { file, line, column }
    }
}

/// Leaves out presets whose group doesn't exist, because they can't be used.
fn refuse_lost_presets(merged: &mut Resources, files: &[(File, bool)]) {
    let groups: Vec<String> = merged.rules.groups.keys().cloned().collect();
    let is_lost = |only: Option<&Clean>| {
        only.is_some_and(|only| !groups.iter().any(|name| *only == *name.as_str()))
    };
    merged
        .rules
        .presets
        .retain(|preset| !is_lost(preset.resource_group.as_ref()));
    for (file, _) in files {
        for preset in &file.presets {
            let Some(only) = &preset.value.resource_group else {
                continue;
            };
            if is_lost(Some(only)) {
                let known = groups.iter().map(String::as_str);
                let message = tr!(
                    "preset '{name}': group '{only}' not found",
                    name = preset.name,
                    only
                );
                let fault = DocumentFault {
                    message,
                    ..DocumentFault::unknown(preset.at, tr!("group"), only.as_str(), known)
                };
                merged.problems.push(file.document.problem(fault));
            }
        }
    }
}

/// If one file requires the bridge and the other forbids host access, drops the isolation setting. The
/// default isolation applies then.
fn refuse_open_bridge(merged: &mut Resources, files: &[(File, bool)]) {
    if !merged.rules.network.is_open_bridge() {
        return;
    }
    merged.rules.network.isolation = None;
    merged
        .set
        .retain(|(key, _, _)| key != network::ISOLATION_KEY);
    for (file, _) in files {
        if let Some(at) = network::isolation_at(&file.network_at) {
            let fault = network::open_bridge(at);
            merged.problems.push(file.document.problem(fault));
        }
    }
}
