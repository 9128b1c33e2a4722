//! The list of all settings. Each row reads and shows one setting.

use super::{
    amount::{cores, memory, number, some_span},
    app_values::{port_range, preferred_port, some_file},
    document::{DocumentFault, Item, Value},
    folder_values::host_paths,
    table_rows::set,
    writing::{quoted, quoted_list, table},
};
use crate::model::{
    link_schemes::LinkSchemes,
    notice::EVENTS,
    resources::Bytes,
    secret_rules::NamePattern,
    settings::{ChartStyle, ClipboardPolicy, CopyKeys, DesktopNotices, LIST_COLUMNS, Settings},
    span::Span,
    spec::check_variable_name,
};

/// One setting: `[table] name`.
pub struct Setting {
    pub table: &'static str,
    pub name: &'static str,
    /// The environment variable that overrides it, if one does.
    pub variable: Option<&'static str>,
    /// Reads the value from a file into the settings.
    pub read: fn(&mut Settings, &Item) -> Result<(), DocumentFault>,
    /// The effective value as TOML.
    pub show: fn(&Settings) -> String,
}

impl Setting {
    /// `ui.theme`.
    pub fn key(&self) -> String {
        format!("{}.{}", self.table, self.name)
    }
}

/// Every setting, in the order `info` shows them.
pub const SETTINGS: &[Setting] = &[
    Setting {
        table: "ui",
        name: "theme",
        variable: Some("WORKBAY_THEME"),
        read: |s, item| set(&mut s.ui.theme, word(item)),
        show: |s| quoted(&s.ui.theme),
    },
    Setting {
        table: "ui",
        name: "keymap",
        variable: Some("WORKBAY_KEYMAP"),
        read: |s, item| set(&mut s.ui.keymap, word(item)),
        show: |s| quoted(&s.ui.keymap),
    },
    Setting {
        table: "ui",
        name: "mouse",
        variable: Some("WORKBAY_MOUSE"),
        read: |s, item| set(&mut s.ui.mouse, item.boolean()),
        show: |s| s.ui.mouse.to_string(),
    },
    Setting {
        table: "ui",
        name: "statistics",
        variable: None,
        read: |s, item| set(&mut s.ui.statistics, item.boolean()),
        show: |s| s.ui.statistics.to_string(),
    },
    Setting {
        table: "ui",
        name: "columns",
        variable: None,
        read: |s, item| set(&mut s.ui.columns, columns(item)),
        show: |s| quoted_list(&s.ui.columns),
    },
    Setting {
        table: "ui",
        name: "unicode",
        variable: Some("WORKBAY_UNICODE"),
        read: |s, item| set(&mut s.ui.unicode, automatic(item)),
        show: |s| {
            s.ui.unicode
                .map_or_else(|| quoted("auto"), |on| on.to_string())
        },
    },
    Setting {
        table: "ui",
        name: "charts",
        variable: None,
        read: |s, item| {
            let read = one_of(item, "style of charts", ChartStyle::ALL, ChartStyle::word);
            set(&mut s.ui.charts, read)
        },
        show: |s| quoted(s.ui.charts.word()),
    },
    Setting {
        table: "ui",
        name: "read-only",
        variable: Some("WORKBAY_READ_ONLY"),
        read: |s, item| set(&mut s.ui.read_only, item.boolean()),
        show: |s| s.ui.read_only.to_string(),
    },
    Setting {
        table: "ui",
        name: "open-apps-after-launch",
        variable: None,
        read: |s, item| set(&mut s.ui.open_apps_after_launch, item.boolean()),
        show: |s| s.ui.open_apps_after_launch.to_string(),
    },
    Setting {
        table: "terminal",
        name: "shell",
        variable: None,
        read: |s, item| set(&mut s.terminal.shell, preferred(item)),
        show: |s| quoted(s.terminal.shell.as_deref().unwrap_or("auto")),
    },
    Setting {
        table: "terminal",
        name: "copy-keys",
        variable: None,
        read: |s, item| {
            let read = one_of(item, "kind of keys", CopyKeys::ALL, CopyKeys::word);
            set(&mut s.terminal.copy_keys, read)
        },
        show: |s| quoted(s.terminal.copy_keys.word()),
    },
    Setting {
        table: "terminal",
        name: "clipboard",
        variable: None,
        read: |s, item| {
            let all = ClipboardPolicy::ALL;
            let read = one_of(item, "clipboard policy", all, ClipboardPolicy::word);
            set(&mut s.terminal.clipboard, read)
        },
        show: |s| quoted(s.terminal.clipboard.word()),
    },
    Setting {
        table: "terminal",
        name: "link-schemes",
        variable: None,
        read: |s, item| set(&mut s.terminal.link_schemes, link_schemes(item)),
        show: |s| {
            let schemes = s.terminal.link_schemes.iter();
            quoted_list(&schemes.map(|it| it.as_str().to_owned()).collect::<Vec<_>>())
        },
    },
    Setting {
        table: "terminal",
        name: "record-limit",
        variable: None,
        read: |s, item| set(&mut s.terminal.record_limit, memory(item, Bytes::mib(1))),
        show: |s| quoted(&s.terminal.record_limit.to_string()),
    },
    Setting {
        table: "notifications",
        name: "quiet",
        variable: Some("WORKBAY_QUIET"),
        read: |s, item| set(&mut s.notifications.quiet, item.boolean()),
        show: |s| s.notifications.quiet.to_string(),
    },
    Setting {
        table: "notifications",
        name: "bell",
        variable: None,
        read: |s, item| set(&mut s.notifications.bell, item.boolean()),
        show: |s| s.notifications.bell.to_string(),
    },
    Setting {
        table: "notifications",
        name: "desktop",
        variable: None,
        read: |s, item| set(&mut s.notifications.desktop, desktop(item)),
        show: |s| quoted(s.notifications.desktop.word()),
    },
    Setting {
        table: "hooks",
        name: "command",
        variable: None,
        read: |s, item| set(&mut s.hooks.command, words(item)),
        show: |s| quoted_list(&s.hooks.command),
    },
    Setting {
        table: "hooks",
        name: "events",
        variable: None,
        read: |s, item| set(&mut s.hooks.events, events(item)),
        show: |s| quoted_list(&s.hooks.events),
    },
    Setting {
        table: "hooks",
        name: "timeout",
        variable: None,
        read: |s, item| set(&mut s.hooks.timeout, hook_timeout(item)),
        show: |s| quoted(&s.hooks.timeout.to_string()),
    },
    Setting {
        table: "launch",
        name: "environment",
        variable: None,
        read: |s, item| set(&mut s.launch.environment, word(item)),
        show: |s| quoted(&s.launch.environment),
    },
    Setting {
        table: "launch",
        name: "cpu",
        variable: None,
        read: |s, item| set(&mut s.launch.cpu, cores(item)),
        show: |s| s.launch.cpu.to_string(),
    },
    Setting {
        table: "launch",
        name: "mem",
        variable: None,
        read: |s, item| set(&mut s.launch.mem, memory(item, Bytes::mib(4))),
        show: |s| quoted(&s.launch.mem.to_string()),
    },
    Setting {
        table: "launch",
        name: "shmem",
        variable: None,
        read: |s, item| set(&mut s.launch.shmem, memory(item, Bytes(0))),
        show: |s| quoted(&s.launch.shmem.to_string()),
    },
    Setting {
        table: "launch",
        name: "pids",
        variable: None,
        read: |s, item| set(&mut s.launch.pids, number(item, 16, 4_194_304)),
        show: |s| s.launch.pids.to_string(),
    },
    Setting {
        table: "launch",
        name: "env",
        variable: None,
        read: variables,
        show: |s| {
            let pairs = s.launch.env.iter();
            table(pairs.map(|(name, value)| (name.clone(), quoted(value))))
        },
    },
    Setting {
        table: "secrets",
        name: "add",
        variable: None,
        read: |s, item| more(&mut s.launch.secrets.add, item),
        show: |s| shown(&s.launch.secrets.add),
    },
    Setting {
        table: "secrets",
        name: "remove",
        variable: None,
        read: |s, item| more(&mut s.launch.secrets.remove, item),
        show: |s| shown(&s.launch.secrets.remove),
    },
    Setting {
        table: "engine",
        name: "endpoint",
        variable: None,
        read: |s, item| set(&mut s.engine.endpoint, endpoint(item)),
        show: |s| quoted(s.engine.endpoint.as_deref().unwrap_or("auto")),
    },
    Setting {
        table: "engine",
        name: "stop-grace-seconds",
        variable: None,
        read: |s, item| {
            let seconds = number(item, 0, 3600).map(|n| n as u32);
            set(&mut s.engine.stop_grace_seconds, seconds)
        },
        show: |s| s.engine.stop_grace_seconds.to_string(),
    },
    Setting {
        table: "history",
        name: "keep-days",
        variable: None,
        read: |s, item| {
            let days = number(item, 0, 3650).map(|n| n as u32);
            set(&mut s.history.keep_days, days)
        },
        show: |s| s.history.keep_days.to_string(),
    },
    Setting {
        table: "history",
        name: "keep-space",
        variable: None,
        read: |s, item| set(&mut s.history.keep_space, memory(item, Bytes(0))),
        show: |s| quoted(&s.history.keep_space.to_string()),
    },
    Setting {
        table: "disk",
        name: "warn-below",
        variable: None,
        read: |s, item| set(&mut s.disk.warn_below, memory(item, Bytes(0))),
        show: |s| quoted(&s.disk.warn_below.to_string()),
    },
    Setting {
        table: "disk",
        name: "launch-reserve",
        variable: None,
        read: |s, item| set(&mut s.disk.launch_reserve, memory(item, Bytes(0))),
        show: |s| quoted(&s.disk.launch_reserve.to_string()),
    },
    Setting {
        table: "disk",
        name: "save-limit",
        variable: None,
        read: |s, item| set(&mut s.disk.save.most, memory(item, Bytes(0))),
        show: |s| quoted(&s.disk.save.most.to_string()),
    },
    Setting {
        table: "disk",
        name: "keep-free",
        variable: None,
        read: |s, item| set(&mut s.disk.save.keep_free, memory(item, Bytes(0))),
        show: |s| quoted(&s.disk.save.keep_free.to_string()),
    },
    Setting {
        table: "images",
        name: "limit",
        variable: None,
        read: |s, item| {
            let limit = number(item, 0, 10_000).map(|n| n as u32);
            set(&mut s.images.limit, limit)
        },
        show: |s| s.images.limit.to_string(),
    },
    Setting {
        table: "apps",
        name: "port-pool",
        variable: None,
        read: |s, item| set(&mut s.apps.port_pool, port_range(item)),
        show: |s| quoted(&s.apps.port_pool.to_string()),
    },
    Setting {
        table: "apps",
        name: "preferred-port",
        variable: None,
        read: |s, item| set(&mut s.apps.preferred_port, preferred_port(item)),
        show: |s| match s.apps.preferred_port {
            Some(port) => port.to_string(),
            None => quoted("auto"),
        },
    },
    Setting {
        table: "apps",
        name: "open-to-public",
        variable: None,
        read: |s, item| set(&mut s.apps.open_to_public, item.boolean()),
        show: |s| s.apps.open_to_public.to_string(),
    },
    Setting {
        table: "apps",
        name: "ssh-arguments",
        variable: None,
        read: |s, item| set(&mut s.apps.ssh_arguments, words(item)),
        show: |s| quoted_list(&s.apps.ssh_arguments),
    },
    Setting {
        table: "apps",
        name: "authorized-keys",
        variable: None,
        read: |s, item| set(&mut s.apps.authorized_keys, some_file(item)),
        show: |s| {
            let path = s.apps.authorized_keys.as_ref();
            quoted(
                &path
                    .map(|path| path.display().to_string())
                    .unwrap_or_default(),
            )
        },
    },
    Setting {
        table: "folders",
        name: "host-paths",
        variable: None,
        read: |s, item| set(&mut s.folders.host_paths, host_paths(item)),
        show: |s| {
            let paths = s.folders.host_paths.iter();
            quoted_list(&paths.map(ToString::to_string).collect::<Vec<_>>())
        },
    },
];

/// A string that is not empty.
pub(super) fn word(item: &Item) -> Result<String, DocumentFault> {
    match item.text()?.trim() {
        "" => Err(DocumentFault::new(
            item.at,
            "expected a name, found an empty string",
        )),
        text => Ok(text.to_owned()),
    }
}

/// `"auto"`, or a program by name or full path.
fn preferred(item: &Item) -> Result<Option<String>, DocumentFault> {
    let text = word(item)?;
    if text == "auto" {
        return Ok(None);
    }
    if text.contains(char::is_whitespace) || (text.contains('/') && !text.starts_with('/')) {
        let fault = DocumentFault::new(item.at, format!("invalid shell name '{text}'"));
        return Err(fault.help("write \"auto\", a name like \"zsh\", or an absolute path"));
    }
    Ok(Some(text))
}

/// `"auto"`, `true` or `false`.
fn automatic(item: &Item) -> Result<Option<bool>, DocumentFault> {
    match &item.value {
        Value::Bool(on) => Ok(Some(*on)),
        Value::Text(text) if text == "auto" => Ok(None),
        _ => Err(item.mismatch("\"auto\", true or false")),
    }
}

/// A program and its arguments, each a string.
fn words(item: &Item) -> Result<Vec<String>, DocumentFault> {
    let words = item.list()?.iter().map(|word| match word.text()? {
        text if text.contains('\0') => Err(DocumentFault::new(
            word.at,
            "a word must not contain a NUL byte",
        )),
        text => Ok(text.to_owned()),
    });
    let words: Vec<String> = words.collect::<Result<_, _>>()?;
    match words.first() {
        Some(program) if program.is_empty() => {
            Err(DocumentFault::new(item.at, "the program name is empty"))
        }
        _ => Ok(words),
    }
}

fn events(item: &Item) -> Result<Vec<String>, DocumentFault> {
    let events = item.list()?.iter().map(|word| match word.text()? {
        text if EVENTS.contains(&text) => Ok(text.to_owned()),
        text => Err(DocumentFault::unknown(word.at, "event", text, EVENTS)),
    });
    events.collect()
}

fn columns(item: &Item) -> Result<Vec<String>, DocumentFault> {
    let mut columns: Vec<String> = Vec::new();
    for word in item.list()? {
        match word.text()? {
            text if !LIST_COLUMNS.contains(&text) => {
                return Err(
                    DocumentFault::unknown(word.at, "column", text, LIST_COLUMNS)
                        .help(format!("use some of {}", LIST_COLUMNS.join(", "))),
                );
            }
            text if columns.iter().any(|it| it == text) => {
                return Err(DocumentFault::new(
                    word.at,
                    format!("'{text}' is in the list twice"),
                ));
            }
            text => columns.push(text.to_owned()),
        }
    }
    Ok(columns)
}

fn link_schemes(item: &Item) -> Result<LinkSchemes, DocumentFault> {
    let schemes = item.list()?.iter().map(|word| {
        let scheme = word.text()?.parse();
        scheme.map_err(|why: String| DocumentFault::new(word.at, why))
    });
    schemes.collect()
}

fn hook_timeout(item: &Item) -> Result<Span, DocumentFault> {
    const MOST: Span = Span(10 * 60);
    match some_span(item)? {
        span if span > MOST => {
            let text = format!("{span} is too long (max: {MOST})");
            Err(DocumentFault::new(item.at, text))
        }
        span => Ok(span),
    }
}

fn desktop(item: &Item) -> Result<DesktopNotices, DocumentFault> {
    let all = DesktopNotices::ALL;
    one_of(
        item,
        "kind of desktop notifications",
        all,
        DesktopNotices::word,
    )
}

/// A word with one of a few meanings.
fn one_of<T: Copy, const N: usize>(
    item: &Item,
    what: &str,
    all: [T; N],
    name: fn(T) -> &'static str,
) -> Result<T, DocumentFault> {
    let word = item.text()?;
    let known = all.into_iter().find(|it| name(*it) == word);
    known.ok_or_else(|| DocumentFault::unknown(item.at, what, word, all.map(name)))
}

/// `"auto"`, the name of a container program, or an address with a scheme that the engine's client supports.
pub(super) fn endpoint(item: &Item) -> Result<Option<String>, DocumentFault> {
    let text = item.text()?;
    if text == "auto" {
        return Ok(None);
    }
    let schemes = ["unix:///", "tcp://", "http://", "ssh://"];
    let is_address = schemes.iter().any(|scheme| text.starts_with(scheme));
    if is_address || ["docker", "podman"].contains(&text) {
        return Ok(Some(text.to_owned()));
    }
    let fault = DocumentFault::new(item.at, format!("invalid engine address '{text}'"));
    Err(fault.help("write \"auto\", \"docker\", \"podman\", or an address: \"unix:///var/run/docker.sock\", \"ssh://USER@HOST\", \"tcp://HOST:PORT\""))
}

/// Adds name patterns to those of the layer below.
fn more(patterns: &mut Vec<NamePattern>, item: &Item) -> Result<(), DocumentFault> {
    for word in item.list()? {
        let pattern = word.text()?.parse();
        let pattern = pattern.map_err(|why: String| DocumentFault::new(word.at, why))?;
        if !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    Ok(())
}

fn shown(patterns: &[NamePattern]) -> String {
    let texts: Vec<String> = patterns.iter().map(ToString::to_string).collect();
    quoted_list(&texts)
}

/// Merges variables one by one into those of the layer below.
fn variables(settings: &mut Settings, item: &Item) -> Result<(), DocumentFault> {
    for entry in item.table()? {
        check_variable_name(&entry.key).map_err(|why| DocumentFault::new(entry.at, why))?;
        let value = entry.item.text()?.to_owned();
        settings.launch.env.insert(entry.key.clone(), value);
    }
    Ok(())
}
