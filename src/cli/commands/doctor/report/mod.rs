//! `workbay doctor --report`: writes a text file for support, without secrets.

mod mask;

use std::{
    fmt::Write as _,
    fs,
    io::{Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    process::Command,
};

use super::Finding;
use crate::{
    cli::{
        Handlers, Start,
        commands::info,
        fail::{Fail, Outcome, code},
        now, output,
    },
    config::saving,
    model::text::Clean,
    protocol::version::version,
};
use mask::Known;

/// The environment variables in the report. Even the names of others are left out.
const SHOWN: [&str; 30] = [
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "SHELL",
    "HOME",
    "PATH",
    "TMUX",
    "STY",
    "DISPLAY",
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_SESSION_TYPE",
    "DOCKER_HOST",
    "DOCKER_CONTEXT",
    "DOCKER_CONFIG",
    "DOCKER_TLS_VERIFY",
    "DOCKER_CERT_PATH",
    "CONTAINER_HOST",
    "WORKBAY_CONFIG_DIR",
    "WORKBAY_STATE_DIR",
    "WORKBAY_DATA_DIR",
    "WORKBAY_RUNTIME_DIR",
    "WORKBAY_LOG",
];

/// How many bytes of the end of a log are in the report.
const LOG_END: u64 = 48 * 1024;

/// Writes the report to `file`. `-` is stdout.
pub fn write(
    handlers: &Handlers,
    start: &Start,
    findings: &[Finding],
    file: Option<PathBuf>,
) -> Outcome {
    let known = Known::of(
        start,
        std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        }),
    );
    let text = known.mask(&text(handlers, start, findings));
    let file = file.unwrap_or_else(|| {
        let stamp = now().strftime("%Y%m%d-%H%M%S");
        PathBuf::from(format!("workbay-report-{stamp}.txt"))
    });
    if file.as_os_str() == "-" {
        output::print(&text)?;
        return Ok(0);
    }
    create(&file, &text)?;
    output::line(&file.display().to_string())?;
    output::remark(tr!(
        "Passwords, keys and tokens are masked. Names of contexts and sessions, addresses and \
         paths aren't. Read the report before you send it."
    ));
    Ok(0)
}

/// Creates a file that only its owner can read.
fn create(file: &Path, text: &str) -> Result<(), Fail> {
    saving::make(file, text).map_err(|why| {
        let message = tr!("{file} can't be written: {why}", file = file.display(), why);
        Fail::new(code::FAILED, message).hint(tr!(
            "use another file: `workbay doctor --report FILE` (`-` for stdout)"
        ))
    })
}

fn text(handlers: &Handlers, start: &Start, findings: &[Finding]) -> String {
    let mut out = String::new();
    let mut part = |title: &str, body: &str| {
        // Writing to a string can't fail.
        let _ = write!(out, "== {title} ==\n{}\n\n", body.trim_end());
    };
    part("Versions", &versions());
    part("Doctor", &super::plain(findings));
    part("Paths, settings, contexts", &info::report(start));
    part("Store", &store(handlers, start));
    part("Environment", &environment());
    for (title, log) in [
        ("End of the daemon's log", start.paths.daemon_log()),
        ("End of the TUI's log", start.paths.tui_log()),
    ] {
        part(title, &end_of(&log));
    }
    out
}

fn versions() -> String {
    let system = rustix::system::uname();
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let mut fields = vec![
        ("workbay", version().to_owned()),
        ("written", now().to_string()),
        (
            "kernel",
            format!(
                "{} {} {}",
                system.sysname().to_string_lossy(),
                system.release().to_string_lossy(),
                system.machine().to_string_lossy()
            ),
        ),
        (
            "system",
            name.unwrap_or("unknown").trim_matches('"').to_owned(),
        ),
    ];
    for (program, option) in [
        ("tmux", "-V"),
        ("docker", "--version"),
        ("podman", "--version"),
    ] {
        let said = Command::new(program).arg(option).output().ok();
        let said = said.map_or_else(
            || "doesn't exist".to_owned(),
            |output| Clean::from_bytes(&output.stdout).to_string(),
        );
        fields.push((program, said));
    }
    output::fields(&fields)
}

fn store(handlers: &Handlers, start: &Start) -> String {
    match (handlers.store)(&start.paths.database()) {
        Ok(None) => "none yet".to_owned(),
        Ok(Some(look)) => output::fields(&[
            ("layout", look.layout.to_string()),
            ("sessions", look.sessions.to_string()),
            ("history", look.history.to_string()),
        ]),
        Err(trouble) => trouble.to_string(),
    }
}

fn environment() -> String {
    let set = SHOWN.iter().filter_map(|name| {
        let value = std::env::var(name).ok().filter(|value| !value.is_empty())?;
        Some(format!("{name}={}\n", Clean::new(&value)))
    });
    set.collect()
}

/// The last complete lines of a log.
fn end_of(log: &Path) -> String {
    let read = || {
        let mut file = fs::File::open(log)?;
        let length = file.metadata()?.len();
        let from = length.saturating_sub(LOG_END);
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.take(LOG_END).read_to_end(&mut bytes)?;
        Ok::<_, std::io::Error>((bytes, from > 0))
    };
    match read() {
        Err(why) => format!("{} can't be read: {why}", log.display()),
        Ok((bytes, is_cut)) => {
            let text = String::from_utf8_lossy(&bytes);
            let whole = match text.split_once('\n') {
                Some((_, rest)) if is_cut => rest,
                _ => &text,
            };
            Clean::multiline(whole).to_string()
        }
    }
}
