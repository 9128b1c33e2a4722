//! The list of all settings. Each row reads and shows one setting.

use super::{
    amount::{cores, memory, number},
    app_values::{port_range, preferred_port, some_file},
    document::{DocumentFault, Item},
    folder_values::host_paths,
    setting_values::{
        automatic, columns, desktop, endpoint, events, hook_timeout, language, link_schemes, more,
        one_of, preferred, shown, variables, word, words,
    },
    table_rows::set,
    writing::{quoted, quoted_list, table},
};
use crate::model::{
    resources::Bytes,
    settings::{ChartStyle, ClipboardPolicy, CopyKeys, Settings},
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
            let read = one_of(
                item,
                tr!("style of charts"),
                ChartStyle::ALL,
                ChartStyle::word,
            );
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
        table: "ui",
        name: "language",
        variable: Some("WORKBAY_LANGUAGE"),
        read: |s, item| set(&mut s.ui.language, language(item)),
        show: |s| quoted(&s.ui.language),
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
            let read = one_of(item, tr!("kind of keys"), CopyKeys::ALL, CopyKeys::word);
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
            let read = one_of(item, tr!("clipboard policy"), all, ClipboardPolicy::word);
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
