//! What a session has on a cluster only: where it belongs, its kernels, what it was given.

use std::fmt::Write as _;

use super::{Line, row, status, text, wrapped_row};
use crate::{
    action::{Action, Scope},
    app::app::App,
    model::{
        kernel::Kernel,
        session::{BatchResult, ClusterMode, CommitStatus, Session, SessionType},
        text::Clean,
    },
    theme::face::Face,
    view::glyphs::Glyphs,
};

/// The type where it is not the usual one, what it runs and how that ended.
pub fn command(session: &Session, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let kind = match session.session_type {
        SessionType::Interactive => None,
        SessionType::Batch => Some("batch"),
        SessionType::Inference => Some("inference"),
        SessionType::System => Some("system"),
    };
    lines.extend(kind.map(|kind| row("Type", kind)));
    if let Some(command) = &session.startup_command {
        lines.extend(wrapped_row("Command", command.as_str(), width));
    }
    let (result, face) = match session.result {
        BatchResult::Undefined => return lines,
        BatchResult::Success => ("success", Face::StatusGood),
        BatchResult::Failure => ("failure", Face::Bad),
    };
    let mut line = row("Result", "");
    line.push((result.to_owned(), face));
    lines.push(line);
    lines
}

pub fn placement(app: &App, session: &Session, width: usize) -> Vec<Line> {
    let placement = &session.placement;
    let mut lines = Vec::new();
    if app.mirror.has_several_contexts() {
        lines.push(row("Context", session.context.to_string()));
    }
    for (label, value) in [
        ("Project", &placement.project),
        ("Group", &placement.resource_group),
        ("Tag", &placement.tag),
    ] {
        if let Some(value) = value {
            lines.push(row(label, value.to_string()));
        }
    }
    if placement.cluster_size > 1 {
        let mode = match placement.cluster_mode {
            ClusterMode::SingleNode => "on one machine",
            ClusterMode::MultiNode => "on several machines",
        };
        let text = format!("{} kernels {mode}", placement.cluster_size);
        lines.push(row("Cluster", text));
    }
    if let Some(priority) = placement.priority {
        lines.push(row("Priority", priority.to_string()));
    }
    if let Some(place) = placement.queue_position {
        let text = format!("number {} of its resource group", place + 1);
        lines.push(row("Queue", text));
    }
    // Where the kernels say it themselves it is not said twice.
    if session.kernels.iter().all(|kernel| kernel.agent.is_none()) {
        lines.extend(listed("Agents", &placement.agents, width));
    }
    lines.extend(listed("Folders", &session.folders, width));
    let services: Vec<Clean> = session.services.iter().map(|it| it.name.clone()).collect();
    lines.extend(listed("Services", &services, width));
    if session.commit == CommitStatus::Ongoing && session.pending_request.is_none() {
        lines.push(row("Image", "one is being made of it"));
    }
    lines
}

fn listed(label: &str, texts: &[Clean], width: usize) -> Vec<Line> {
    let texts: Vec<&str> = texts.iter().map(Clean::as_str).collect();
    wrapped_row(label, &texts.join(", "), width)
        .into_iter()
        .filter(|_| !texts.is_empty())
        .collect()
}

/// Each kernel of several on a line: its name, its status, its agent.
pub fn kernels(app: &App, session: &Session, width: usize, glyphs: &Glyphs) -> Vec<Line> {
    if session.kernels.len() < 2 {
        return Vec::new();
    }
    let title = format!("Kernels {}", session.kernels.len());
    let mut lines = vec![Vec::new(), vec![(title, Face::Title)]];
    let names = session
        .kernels
        .iter()
        .map(|it| text::width(it.hostname.as_str()));
    let column = names.max().unwrap_or(0).min(16);
    for kernel in &session.kernels {
        lines.extend(kernel_lines(kernel, column, width, glyphs));
    }
    lines.extend(log_keys(app));
    lines
}

/// How to read the log of each.
fn log_keys(app: &App) -> Option<Line> {
    let key = |scope, action| app.keymap.keys_for(scope, action).into_iter().next();
    let log = key(Scope::Detail, Action::SessionLogs)?;
    let next = key(Scope::Logs, Action::LogsNextKernel)?;
    Some(vec![
        (log, Face::Key),
        (" shows the log of the first, ".to_owned(), Face::Dim),
        (next, Face::Key),
        (" there the next".to_owned(), Face::Dim),
    ])
}

fn kernel_lines(kernel: &Kernel, column: usize, width: usize, glyphs: &Glyphs) -> Vec<Line> {
    let name = text::fit(kernel.hostname.as_str(), column, glyphs.ellipsis);
    let pad = " ".repeat(column.saturating_sub(text::width(&name)) + 2);
    let word = format!(
        "{} {:11}",
        glyphs.shape(&kernel.status),
        kernel.status.word()
    );
    let mut rest = String::new();
    if let Some(agent) = &kernel.agent {
        rest.push_str(agent.as_str());
    }
    if let Some(id) = &kernel.container_id {
        if !rest.is_empty() {
            rest.push_str("  ");
        }
        rest.push_str(text::take(id.as_str(), 12));
    }
    if let Some(code) = kernel.exit_code {
        let _ = write!(rest, "  exit {code}");
    }
    let taken = column + 2 + text::width(&word) + 2;
    let rest = text::fit(&rest, width.saturating_sub(taken), glyphs.ellipsis);
    let mut lines = vec![vec![
        (format!("{name}{pad}"), Face::Value),
        (format!("{word}  "), status::face(&kernel.status)),
        (rest, Face::Dim),
    ]];
    if let Some(info) = kernel.status_info.as_ref().filter(|it| !it.is_empty()) {
        let indent = " ".repeat(column + 2);
        let wrapped = text::wrap(info.as_str(), width.saturating_sub(column + 2));
        let line = |line| vec![(format!("{indent}{line}"), Face::Dim)];
        lines.extend(wrapped.into_iter().map(line));
    }
    lines
}
