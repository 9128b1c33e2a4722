//! `workbay info`: shows the paths, the settings in force with their origin, and what the terminal supports.

use std::collections::BTreeMap;

use clap::Args;
use serde::Serialize;

use crate::{
    cli::{
        Start,
        args::Json,
        commands::{RunCommand, context, daemon},
        connection,
        disk_use::{self, DiskUse},
        fail::Outcome,
        invocation::{Invocation, remark_problems},
        output::{self, Cell},
        tty,
    },
    config::setting::SETTINGS,
    protocol::version::version,
};

#[derive(Args, Debug)]
pub struct Info {
    #[command(flatten)]
    pub format: Json,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InfoJson {
    version: &'static str,
    paths: Vec<Place>,
    settings: Vec<SettingValue>,
    /// From `resources.toml`. Empty if the file doesn't exist.
    resources: Vec<SettingValue>,
    /// As configured, the default one first. Without secrets.
    contexts: Vec<context::Configured>,
    terminal: BTreeMap<&'static str, Option<String>>,
    /// The daemon's pid and version. `null` when none runs.
    daemon: Option<Daemon>,
    /// What is used on the disks of this machine.
    disk: DiskUse,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Place {
    what: &'static str,
    path: String,
    exists: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SettingValue {
    key: String,
    value: String,
    /// `default`, `site`, `user`, `environment` or `flag`.
    origin: &'static str,
    /// The origin in words, with file and line.
    from: String,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Daemon {
    pid: u32,
    version: String,
    socket: String,
}

/// The whole output as text. Shows only the names of variables and programs that may contain a secret.
pub fn report(start: &Start) -> String {
    let mut info = collect(start);
    for value in &mut info.settings {
        match value.key.as_str() {
            "launch.env" => {
                let names = start.loaded.settings.launch.env.keys();
                value.value = format!("{{ {} }}", names.cloned().collect::<Vec<_>>().join(", "));
            }
            "hooks.command" => {
                let words = &start.loaded.settings.hooks.command;
                value.value = program_alone(words);
            }
            _ => {}
        }
    }
    text(&info)
}

/// The arguments of the program may contain a secret.
fn program_alone(words: &[String]) -> String {
    match words {
        [] => "[]".to_owned(),
        [program] => format!("[{program:?}]"),
        [program, rest @ ..] => tr_plural!(
            rest.len(),
            "{program} and {count} more word",
            "{program} and {count} more words",
            program = format!("{program:?}"),
            count = rest.len()
        ),
    }
}

fn collect(start: &Start) -> InfoJson {
    InfoJson {
        version: version(),
        paths: places(start),
        settings: values(start),
        resources: resources(start),
        contexts: context::configured(start),
        terminal: terminal(),
        daemon: daemon(start),
        disk: disk_use::collect(start),
    }
}

impl RunCommand for Info {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load_silently()?;
        let info = collect(start);
        if self.format.json {
            output::json(&info)?;
        } else {
            output::print(&text(&info))?;
        }
        remark_problems(start);
        Ok(0)
    }
}

fn places(start: &Start) -> Vec<Place> {
    let paths = &start.paths;
    [
        (tr_later!("configuration"), paths.config_file()),
        (
            tr_later!("system-wide configuration"),
            crate::config::layer::SITE_FILE.into(),
        ),
        (tr_later!("contexts"), paths.contexts_file()),
        (
            tr_later!("system-wide contexts"),
            crate::config::contexts::SITE_FILE.into(),
        ),
        (tr_later!("resources"), paths.resources_file()),
        (
            tr_later!("system-wide resources"),
            crate::config::resources::SITE_FILE.into(),
        ),
        (tr_later!("environments"), paths.environments_file()),
        (
            tr_later!("system-wide environments"),
            crate::config::environments::SITE_FILE.into(),
        ),
        (tr_later!("themes"), paths.themes_dir()),
        (tr_later!("keymaps"), paths.keymaps_dir()),
        (tr_later!("state"), paths.state_dir.clone()),
        (tr_later!("database"), paths.database()),
        (
            tr_later!("homes and logs of sessions"),
            paths.sessions_dir(),
        ),
        (tr_later!("daemon's log"), paths.daemon_log()),
        (tr_later!("TUI's log"), paths.tui_log()),
        (tr_later!("socket"), paths.socket()),
        (tr_later!("cache"), paths.cache_dir.clone()),
    ]
    .into_iter()
    .map(|(what, path)| Place {
        what,
        exists: path.exists(),
        path: path.display().to_string(),
    })
    .collect()
}

fn values(start: &Start) -> Vec<SettingValue> {
    SETTINGS
        .iter()
        .map(|setting| {
            let key = setting.key();
            let origin = start.loaded.origin(&key);
            SettingValue {
                value: (setting.show)(&start.loaded.settings),
                origin: origin.word(),
                from: origin.to_string(),
                key,
            }
        })
        .collect()
}

fn resources(start: &Start) -> Vec<SettingValue> {
    let set = start.loaded.resources.iter();
    set.map(|(key, value, origin)| SettingValue {
        key: key.clone(),
        value: value.clone(),
        origin: origin.word(),
        from: origin.to_string(),
    })
    .collect()
}

fn terminal() -> BTreeMap<&'static str, Option<String>> {
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let size = tty::size().map(|(columns, rows)| format!("{columns}x{rows}"));
    let mut facts = BTreeMap::from([("size", size)]);
    facts.extend(
        [
            "TERM",
            "COLORTERM",
            "NO_COLOR",
            "LC_ALL",
            "LC_CTYPE",
            "LANG",
            "TMUX",
            "SSH_TTY",
        ]
        .map(|name| (name, variable(name))),
    );
    facts
}

fn daemon(start: &Start) -> Option<Daemon> {
    if daemon::is_absent(&start.paths) {
        return None;
    }
    let status = connection::block_on(daemon::ask(&start.paths)).ok()?;
    Some(Daemon {
        pid: status.pid,
        version: status.version,
        socket: status.socket,
    })
}

fn context(context: &context::Configured) -> Vec<Cell> {
    let mark = if context.default { " (default)" } else { "" };
    let name = format!("{}{mark}", context.name);
    let endpoint = context.endpoint.as_ref();
    vec![
        name.into(),
        context.kind.word().into(),
        endpoint
            .map_or(tr!("found automatically"), |endpoint| endpoint.as_str())
            .into(),
        context.from.as_str().into(),
    ]
}

fn origins(values: &[SettingValue]) -> String {
    let rows: Vec<Vec<Cell>> = values
        .iter()
        .map(|value| {
            let cells = [&value.key, &value.value, &value.from];
            cells.map(|text| Cell::from(text.as_str())).into()
        })
        .collect();
    output::table(
        &[tr_later!("KEY"), tr_later!("VALUE"), tr_later!("FROM")],
        &rows,
        false,
    )
}

fn heading(out: &mut String, title: &str) {
    out.extend(["\n", title, "\n"]);
}

fn text(info: &InfoJson) -> String {
    let mut out = format!("workbay {}\n", info.version);
    heading(&mut out, tr!("Paths"));
    let paths: Vec<(&str, String)> = info
        .paths
        .iter()
        .map(|place| {
            let note = if place.exists {
                ""
            } else {
                tr!("  (doesn't exist yet)")
            };
            (place.what, format!("{}{note}", place.path))
        })
        .collect();
    out.push_str(&output::fields(&paths));
    heading(&mut out, tr!("Settings"));
    out.push_str(&origins(&info.settings));
    if !info.resources.is_empty() {
        heading(&mut out, tr!("Resources"));
        out.push_str(&origins(&info.resources));
    }
    heading(&mut out, tr!("Contexts"));
    let rows: Vec<Vec<Cell>> = info.contexts.iter().map(context).collect();
    let head = [
        tr_later!("NAME"),
        tr_later!("KIND"),
        tr_later!("ENDPOINT"),
        tr_later!("FROM"),
    ];
    out.push_str(&output::table(&head, &rows, false));
    heading(&mut out, tr!("Terminal"));
    let facts: Vec<(&str, String)> = info
        .terminal
        .iter()
        .map(|(name, value)| (*name, value.clone().unwrap_or_else(|| "-".to_owned())))
        .collect();
    out.push_str(&output::fields(&facts));
    heading(&mut out, tr!("Daemon"));
    let daemon = info.daemon.as_ref().map_or_else(
        || tr!("not running").to_owned(),
        |daemon| {
            let (pid, version, socket) = (daemon.pid, &daemon.version, &daemon.socket);
            tr!(
                "pid {pid}, version {version}, at {socket}",
                pid,
                version,
                socket
            )
        },
    );
    out.push_str(&daemon);
    out.push('\n');
    heading(&mut out, tr!("Disk"));
    out.push_str(&info.disk.text());
    out
}

#[cfg(test)]
mod tests {
    use super::program_alone;

    #[test]
    fn of_a_hook_the_program_is_shown_and_how_much_follows() {
        for (words, shown) in [
            (&[][..], "[]"),
            (&["notify"][..], "[\"notify\"]"),
            (&["notify", "s3cret"][..], "\"notify\" and 1 more word"),
            (
                &["notify", "-t", "s3cret"][..],
                "\"notify\" and 2 more words",
            ),
        ] {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            assert_eq!(program_alone(&words), shown);
        }
    }
}
