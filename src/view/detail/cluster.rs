//! The facts about a session: type, command, placement, dependencies and ports.

use super::{DetailLine, LABEL, row, wrapped_row};
use crate::{
    app::app::App,
    model::{
        history::Outcome,
        ports,
        reached::reached,
        secret_rules,
        session::{BatchResult, ClusterMode, CommitStatus, Linked, Session, SessionType},
        text::Clean,
    },
    theme::face::Face,
    view::{panels::history::outcome_face, text},
};

/// The type, the command and its result.
pub fn command(session: &Session, width: usize) -> Vec<DetailLine> {
    let kind = match session.session_type {
        SessionType::Interactive => tr!("interactive"),
        SessionType::Batch => tr!("batch"),
        SessionType::Inference => tr!("inference"),
        SessionType::System => tr!("system"),
    };
    let mut lines = vec![row(tr!("Type"), kind)];
    if let Some(command) = &session.startup_command {
        lines.extend(wrapped_row(
            tr!("Command"),
            &secret_rules::mask(command.as_str()),
            width,
        ));
    }
    if let Some(hook) = &session.stop_hook {
        lines.extend(wrapped_row(
            tr!("Stop hook"),
            &secret_rules::mask(hook.as_str()),
            width,
        ));
    }
    if let Some((outcome, words)) = &session.stop_hook_end {
        lines.push(will_end(outcome, words, width));
    }
    let (result, face) = match session.result {
        BatchResult::Undefined => return lines,
        BatchResult::Success => (tr!("success"), Face::StatusGood),
        BatchResult::Failure => (tr!("failure"), Face::Bad),
    };
    let mut line = row(tr!("Result"), "");
    line.push((result.to_owned(), face));
    lines.push(line);
    lines
}

/// The outcome of the stop hook, in the colors of the history.
fn will_end(outcome: &Outcome, words: &Clean, width: usize) -> DetailLine {
    let mut line = row("", "");
    let word = outcome.word();
    let room = width.saturating_sub(LABEL + text::width(word) + 2);
    line.push((word.to_owned(), outcome_face(outcome)));
    line.push((format!("  {}", text::take(words.as_str(), room)), Face::Dim));
    line
}

/// The reason for the status, in the color of Backend.AI's web UI.
fn reason(session: &Session) -> DetailLine {
    let Some(info) = session.status_info.as_ref().filter(|it| !it.is_empty()) else {
        return Vec::new();
    };
    let face = match info.as_str() {
        "idle-timeout" | "user-requested" | "scheduled" | "self-terminated" => Face::StatusGood,
        "failed-to-start" | "creation-failed" | "no-available-instances" => Face::Bad,
        _ => Face::Value,
    };
    let mut line = row(tr!("Reason"), "");
    line.push((info.to_string(), face));
    line
}

pub fn placement(app: &App, session: &Session, width: usize) -> Vec<DetailLine> {
    let placement = &session.placement;
    let mut lines = vec![reason(session)];
    lines.retain(|line| !line.is_empty());
    if !session.owner.is_empty() {
        lines.push(row(tr!("User"), session.owner.to_string()));
    }
    if app.mirror.has_several_contexts() {
        lines.push(row(tr!("Context"), session.context.to_string()));
    }
    for (label, value) in [
        (tr!("Project"), &placement.project),
        (tr!("Group"), &placement.resource_group),
        (tr!("Tag"), &placement.tag),
    ] {
        if let Some(value) = value {
            lines.push(row(label, value.to_string()));
        }
    }
    if placement.cluster_size > 1 {
        let mode = match placement.cluster_mode {
            ClusterMode::SingleNode => tr!("single node"),
            ClusterMode::MultiNode => tr!("multi node"),
        };
        let text = tr!(
            "{mode}, {cluster_size} containers",
            mode,
            cluster_size = placement.cluster_size
        );
        lines.push(row(tr!("Cluster"), text));
    }
    if let Some(priority) = placement.priority {
        lines.push(row(tr!("Priority"), priority.to_string()));
    }
    if let Some(place) = placement.queue_position {
        let text = tr!("position {place} in its resource group", place = place + 1);
        lines.push(row(tr!("Queue"), text));
    }
    // Agents are listed only if the containers don't show theirs.
    if session.kernels.iter().all(|kernel| kernel.agent.is_none()) {
        lines.extend(listed(tr!("Agents"), &placement.agents, width));
    }
    lines.extend(listed(
        tr!("Depends on"),
        &links(&session.depends_on),
        width,
    ));
    lines.extend(listed(
        tr!("Depended by"),
        &links(&session.depended_by),
        width,
    ));
    lines.extend(listed(tr!("Folders"), &session.mounted(), width));
    let services: Vec<Clean> = session.services.iter().map(|it| it.name.clone()).collect();
    lines.extend(listed(tr!("Services"), &services, width));
    lines.extend(forwards(app, session, width));
    lines.extend(opened(app, session, width));
    if session.commit == CommitStatus::Ongoing && session.pending_request.is_none() {
        lines.push(row(tr!("Image"), tr!("being created")));
    }
    lines
}

/// The opened apps and ports, with the port of this machine.
fn forwards(app: &App, session: &Session, width: usize) -> Vec<DetailLine> {
    let mut label = tr!("Apps");
    let mut lines = Vec::new();
    for forward in app.mirror.forwards_of(session.key()) {
        let mut line = row(label, "");
        label = "";
        let port = format!(" :{}", forward.port);
        let notes: &[(&str, Face)] = match (&forward.public, &forward.broken) {
            (Some(_), Some(_)) => &[
                (tr!("  PUBLIC"), Face::Bad),
                (tr!("  broken"), Face::Warning),
            ],
            (Some(_), None) => &[(tr!("  PUBLIC"), Face::Bad)],
            (None, Some(_)) => &[(tr!("  broken"), Face::Warning)],
            (None, None) => &[],
        };
        let taken: usize = notes.iter().map(|(note, _)| text::width(note)).sum();
        let room = width.saturating_sub(LABEL + port.len() + taken);
        let title = text::take(forward.title.as_str(), room);
        line.push((format!("{title}{port}"), Face::Value));
        line.extend(notes.iter().map(|(note, face)| ((*note).to_owned(), *face)));
        lines.push(line);
    }
    lines
}

/// The ports that were opened at launch, and their current addresses.
fn opened(app: &App, session: &Session, width: usize) -> Vec<DetailLine> {
    let all = &session.preopen_ports;
    if all.is_empty() {
        return Vec::new();
    }
    let info = app.mirror.engine_info(session.context);
    let endpoint = info.map_or("", |info| info.endpoint.as_str());
    let login = format!("{}@{}", app.facts.user, app.facts.host);
    let Some(reached) = reached(session, endpoint, &login) else {
        return wrapped_row(tr!("Ports"), &ports::write(all), width);
    };
    let mut lines = wrapped_row(tr!("Ports"), &reached.address, width);
    lines.extend(wrapped_row("", &reached.tunnel, width));
    lines
}

/// Each linked session with its status.
fn links(sessions: &[Linked]) -> Vec<Clean> {
    let text = |it: &Linked| Clean::new(&format!("{} {}", it.name, it.status));
    sessions.iter().map(text).collect()
}

fn listed(label: &str, texts: &[Clean], width: usize) -> Vec<DetailLine> {
    let texts: Vec<&str> = texts.iter().map(Clean::as_str).collect();
    wrapped_row(label, &texts.join(", "), width)
        .into_iter()
        .filter(|_| !texts.is_empty())
        .collect()
}
