//! `workbay doctor`: one line for each thing that must be right, with the mend where it is not.

mod access;
mod contexts;
mod host;
mod places;
mod terminal;

use serde::Serialize;

use super::{
    Doors, Start, configuration, daemon,
    fail::{Outcome, code},
    line, ls, output,
    output::Cell,
};
use crate::{
    model::{id::ContextName, text::Clean},
    theme::{Theme, face::Face},
};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Ok,
    /// Works, but less well than it could.
    Warn,
    /// Something does not work.
    Bad,
}

/// One line of the doctor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub topic: &'static str,
    /// The context it is about; `None` = this machine.
    pub context: Option<ContextName>,
    pub level: Level,
    pub message: Clean,
    /// What to do; `None` when nothing has to be done.
    pub mend: Option<Clean>,
}

impl Finding {
    pub fn new(topic: &'static str, level: Level, message: impl Into<Clean>) -> Self {
        Self {
            topic,
            context: None,
            level,
            message: message.into(),
            mend: None,
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
    pub fn mend(mut self, mend: impl Into<Clean>) -> Self {
        self.mend = Some(mend.into());
        self
    }
}

#[derive(Serialize)]
struct Report<'a> {
    /// Nothing is bad.
    ok: bool,
    version: &'static str,
    findings: &'a [Finding],
}

pub fn doctor(doors: &Doors, start: &Start, json: bool) -> Outcome {
    let findings = examine(doors, start);
    let worst = findings.iter().map(|finding| finding.level).max();
    let ok = worst != Some(Level::Bad);
    if json {
        let (version, findings) = (env!("CARGO_PKG_VERSION"), findings.as_slice());
        output::json(&Report {
            ok,
            version,
            findings,
        })?;
    } else {
        output::print(&text(&findings))?;
    }
    Ok(if ok { 0 } else { code::FAILED })
}

fn examine(doors: &Doors, start: &Start) -> Vec<Finding> {
    let mut findings = contexts::examine(doors, start);
    findings.push(host::tmux());
    findings.extend(terminal::examine());
    findings.extend(places::examine(&start.paths));
    findings.push(daemon_finding(start));
    findings.extend(settings(start));
    findings
}

fn daemon_finding(start: &Start) -> Finding {
    if daemon::is_absent(&start.paths) {
        return Finding::ok(
            "daemon",
            "not running; it starts by itself when it is needed",
        );
    }
    match line::block_on(daemon::ask(&start.paths)) {
        Ok(status) if status.version == env!("CARGO_PKG_VERSION") => Finding::ok(
            "daemon",
            format!(
                "version {}, pid {}, at {}",
                status.version, status.pid, status.socket
            ),
        ),
        Ok(status) => {
            let message = format!(
                "version {} runs, this is {}",
                status.version,
                env!("CARGO_PKG_VERSION")
            );
            Finding::warn("daemon", message).mend("workbay daemon stop (sessions and shells go on)")
        }
        Err(fail) => {
            let message = fail
                .message
                .unwrap_or_else(|| Clean::new("it does not answer"));
            let log = start.paths.daemon_log();
            let finding = Finding::bad("daemon", message);
            finding.mend(format!(
                "read {}, or end it with `workbay daemon stop`",
                log.display()
            ))
        }
    }
}

fn settings(start: &Start) -> Vec<Finding> {
    let problems = configuration::problems(start);
    if problems.is_empty() {
        return vec![Finding::ok("configuration", "nothing is wrong in it")];
    }
    problems
        .into_iter()
        .map(|mut problem| {
            let help = problem.help.take();
            let finding = Finding::bad("configuration", problem.to_string());
            match help {
                Some(help) => finding.mend(help),
                None => finding,
            }
        })
        .collect()
}

fn text(findings: &[Finding]) -> String {
    let theme = ls::colours();
    let width = findings.iter().map(|finding| topic(finding).len()).max();
    let indent = " ".repeat(6 + width.unwrap_or_default() + 2);
    let rows: Vec<Vec<Cell>> = findings
        .iter()
        .map(|finding| row(finding, theme.as_ref(), &indent))
        .collect();
    let table = output::table(&["", "", ""], &rows, theme.is_some());
    table.trim_start().to_owned()
}

fn row(finding: &Finding, theme: Option<&Theme>, indent: &str) -> Vec<Cell> {
    let (word, face) = match finding.level {
        Level::Ok => ("ok", Face::StatusGood),
        Level::Warn => ("warn", Face::Warning),
        Level::Bad => ("bad", Face::Bad),
    };
    let style = theme.map(|theme| theme.style(face)).unwrap_or_default();
    let mut message = finding.message.to_string();
    if let Some(mend) = &finding.mend {
        message = format!("{message}\n{indent}-> {mend}");
    }
    vec![
        Cell::styled(word, style),
        topic(finding).into(),
        message.into(),
    ]
}

/// With its context, except for this machine's own engine: there is nothing to mistake it for.
fn topic(finding: &Finding) -> String {
    match finding.context {
        Some(context) if context != ContextName::local() => {
            format!("{context}: {}", finding.topic)
        }
        _ => finding.topic.to_owned(),
    }
}
