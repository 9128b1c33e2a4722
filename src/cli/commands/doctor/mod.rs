//! `workbay doctor`: prints a line for each check, with a hint if there is a problem.

mod access;
mod choice;
mod contexts;
mod host;
mod login;
mod network;
mod places;
mod report;
mod rootless;
mod store;
mod terminal;

use std::{io::IsTerminal as _, path::PathBuf};

use clap::Args;
use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

use crate::{
    cli::{
        Handlers, Start,
        args::Json,
        commands::{RunCommand, config, daemon, ls},
        connection, disk_use,
        fail::{Outcome, code},
        invocation::Invocation,
        output::{self, Cell},
        tty,
    },
    locale,
    model::{id::ContextName, text::Clean},
    protocol::version::version,
    theme::{Theme, face::Face},
};

#[derive(Args, Debug, Default)]
pub struct Doctor {
    #[command(flatten)]
    pub format: Json,
    /// Write a report for a bug report to a file, without secrets (`-`: stdout)
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    #[expect(
        clippy::option_option,
        reason = "not asked for; asked for; asked for there"
    )]
    pub report: Option<Option<PathBuf>>,
}

/// Minimum cells of a message, however narrow the terminal is.
const NARROWEST: usize = 20;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Level {
    Ok,
    /// Works, but less well than it could.
    Warn,
    /// Something doesn't work.
    Bad,
}

/// A line of the output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    pub topic: &'static str,
    /// The context of the finding. `None` = this machine.
    pub context: Option<ContextName>,
    pub level: Level,
    pub message: Clean,
    /// The fix. `None` = nothing to do.
    pub hint: Option<Clean>,
}

impl Finding {
    pub fn new(topic: &'static str, level: Level, message: impl Into<Clean>) -> Self {
        Self {
            topic,
            context: None,
            level,
            message: message.into(),
            hint: None,
        }
    }

    pub fn ok(topic: &'static str, message: impl Into<Clean>) -> Self {
        Self::new(topic, Level::Ok, message)
    }

    pub fn warn(topic: &'static str, message: impl Into<Clean>) -> Self {
        Self::new(topic, Level::Warn, message)
    }

    pub fn bad(topic: &'static str, message: impl Into<Clean>) -> Self {
        Self::new(topic, Level::Bad, message)
    }

    #[must_use]
    pub fn of(mut self, context: ContextName) -> Self {
        self.context = Some(context);
        self
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<Clean>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report<'a> {
    /// Whether no finding is bad.
    ok: bool,
    version: &'static str,
    findings: &'a [Finding],
}

impl RunCommand for Doctor {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load_silently()?;
        let findings = examine(invocation.handlers, start);
        if let Some(file) = self.report {
            return report::write(invocation.handlers, start, &findings, file);
        }
        let worst = findings.iter().map(|finding| finding.level).max();
        let ok = worst != Some(Level::Bad);
        if self.format.json {
            let (version, findings) = (version(), findings.as_slice());
            output::json(&Report {
                ok,
                version,
                findings,
            })?;
        } else {
            output::print(&text(&findings, ls::colors().as_ref()))?;
        }
        Ok(if ok { 0 } else { code::FAILED })
    }
}

fn examine(handlers: &Handlers, start: &Start) -> Vec<Finding> {
    let mut findings = contexts::examine(handlers, start);
    findings.extend(choice::examine(start));
    findings.push(host::tmux());
    findings.extend(terminal::examine());
    findings.extend(rootless::examine());
    findings.extend(login::examine(start));
    let disk_use = disk_use::collect(start);
    findings.extend(places::examine(
        &start.paths,
        start.loaded.settings.disk.warn_below,
        disk_use.advice().as_deref(),
    ));
    findings.push(Finding::ok(tr_later!("disk use"), disk_use.sentence()));
    findings.extend(store::examine(handlers, &start.paths));
    findings.push(daemon_finding(start));
    findings.extend(settings(start));
    findings
}

fn daemon_finding(start: &Start) -> Finding {
    if daemon::is_absent(&start.paths) {
        return Finding::ok(
            tr_later!("daemon"),
            tr!("not running. Commands start it when they need it"),
        );
    }
    match connection::block_on(daemon::ask(&start.paths)) {
        Ok(status) if status.version == version() => Finding::ok(
            tr_later!("daemon"),
            tr!(
                "version {version}, pid {pid}, at {socket}",
                version = status.version,
                pid = status.pid,
                socket = status.socket
            ),
        ),
        Ok(status) => {
            let message = tr!(
                "version {version} is running, but this program is version {own}",
                version = status.version,
                own = version()
            );
            Finding::warn(tr_later!("daemon"), message).hint(tr!(
                "workbay daemon stop (sessions and shells keep running)"
            ))
        }
        Err(fail) => {
            let message = fail
                .message()
                .unwrap_or_else(|| Clean::new(tr!("it doesn't answer")));
            let log = start.paths.daemon_log();
            let finding = Finding::bad(tr_later!("daemon"), message);
            finding.hint(tr!(
                "read {log}, or stop the daemon with `workbay daemon stop`",
                log = log.display()
            ))
        }
    }
}

fn settings(start: &Start) -> Vec<Finding> {
    let problems = config::problems(start);
    if problems.is_empty() {
        return vec![Finding::ok(
            tr_later!("configuration"),
            tr!("no problems found"),
        )];
    }
    problems
        .into_iter()
        .map(|mut problem| {
            let help = problem.help.take();
            let finding = Finding::bad(tr_later!("configuration"), problem.to_string());
            match help {
                Some(help) => finding.hint(help),
                None => finding,
            }
        })
        .collect()
}

/// Without colors, for a file.
fn plain(findings: &[Finding]) -> String {
    text(findings, None)
}

fn text(findings: &[Finding], theme: Option<&Theme>) -> String {
    let topics = findings.iter().map(|finding| topic(finding).width()).max();
    let indent = 6 + topics.unwrap_or_default() + 2;
    let columns = tty::size().filter(|_| std::io::stdout().is_terminal());
    let room = columns.map(|(columns, _)| usize::from(columns).saturating_sub(indent));
    let room = room.map(|room| room.max(NARROWEST));
    let rows: Vec<Vec<Cell>> = findings
        .iter()
        .map(|finding| row(finding, theme, room, indent))
        .collect();
    let table = output::table(&["", "", ""], &rows, theme.is_some());
    table.trim_start().to_owned()
}

/// The hint begins far left, so that a long one needs fewer lines and is easy to copy.
fn row(finding: &Finding, theme: Option<&Theme>, room: Option<usize>, indent: usize) -> Vec<Cell> {
    let (word, face) = match finding.level {
        Level::Ok => ("ok", Face::StatusGood),
        Level::Warn => ("warn", Face::Warning),
        Level::Bad => ("bad", Face::Bad),
    };
    let style = theme.map(|theme| theme.style(face)).unwrap_or_default();
    let mut message = match room {
        Some(room) => wrapped(finding.message.as_str(), room).join(&format!("\n{:indent$}", "")),
        None => finding.message.to_string(),
    };
    if let Some(hint) = &finding.hint {
        message = format!("{message}\n      -> {hint}");
    }
    vec![
        Cell::styled(word, style),
        topic(finding).into(),
        message.into(),
    ]
}

/// Lines of up to `room` cells, if the words fit.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= room => line.extend([" ", word]),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The topic with its context. This machine's own engine needs no context.
fn topic(finding: &Finding) -> String {
    match finding.context {
        Some(context) if context != ContextName::local() => {
            format!("{context}: {}", locale::text(finding.topic))
        }
        _ => locale::text(finding.topic).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_kept_whole_and_lines_within_their_room() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(
            wrapped("a-very-long-word at last", 7),
            ["a-very-long-word", "at last"]
        );
        assert_eq!(wrapped("한글 두 단어", 7), ["한글 두", "단어"]);
    }
}
