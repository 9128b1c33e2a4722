//! `workbay show`.

mod idle;
mod queue;
pub mod usage;

use std::fmt::Write as _;

use clap::Args;
use jiff::Timestamp;
use serde::Serialize;

use crate::{
    cli::{
        args::{Json, One},
        choice::Choice,
        commands::{RunCommand, history, resources::slots},
        connection::{self, Connection},
        fail::Outcome,
        find,
        invocation::Invocation,
        listed::Listed,
        now,
        output::{self, Cell},
        times::{elapsed, moment},
    },
    config::user,
    model::{
        capability::EngineState,
        figures::Figures,
        history::HistoryEntry,
        kernel::Kernel,
        ports,
        reached::reached,
        resources::ResourceSlots,
        secret_rules,
        session::{BatchResult, ClusterMode, CommitStatus, Placement, Session, SessionType},
        short,
        text::Clean,
    },
    rules::ending::ending,
};
use usage::{Used, UsedByKernel};

#[derive(Args, Debug)]
pub struct Show {
    #[command(flatten)]
    pub one: One,
    #[command(flatten)]
    pub format: Json,
}

/// The output of `--json`: the session's fields, its usage and its history, newest first.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionJson<'a> {
    #[serde(flatten)]
    session: Listed<'a>,
    /// When the last sample was taken.
    sampled_at: Option<Timestamp>,
    usage: Vec<Used<'a>>,
    /// For each container of a cluster session.
    kernel_usage: Vec<UsedByKernel<'a>>,
    last_lines: &'a [Clean],
    history: &'a [HistoryEntry],
}

impl RunCommand for Show {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        let (session, figures, history, access, around) = connection::block_on(async {
            let connection = Connection::connect(&start.paths).await?;
            let name = &self.one.session;
            let row = find::newest(&connection, Choice::of(start), name).await?;
            // A row of the list may lack fields that are read only for a single session.
            let session = find::detail(&connection, row.key()).await?.unwrap_or(row);
            // A daemon of an earlier version doesn't keep figures.
            let figures = usage::read(&connection, &session, now()).await;
            let figures = figures.unwrap_or_default();
            let history = history::read(&connection, &session).await;
            let access = EngineAccess::find(&connection, &session).await;
            let around = queue::around(&connection, &session).await;
            Ok((session, figures, history, access, around))
        })?;
        // If the history isn't available, the rest is still shown.
        let (history, lacking) = match history {
            Ok(history) => (history, None),
            Err(why) => (Vec::new(), why.message()),
        };
        if self.format.json {
            output::json(&SessionJson {
                session: Listed::new(&session, now()),
                sampled_at: figures.at.last().copied(),
                usage: usage::used(&figures),
                kernel_usage: usage::used_by_kernels(&figures, &session),
                last_lines: &figures.last_lines,
                history: &history,
            })?;
        } else {
            output::print(&text(&session, &around, &figures, &history, &access))?;
        }
        if let Some(why) = lacking {
            output::remark(&tr!(
                "workbay: its scheduling history can't be read: {why}",
                why
            ));
        }
        Ok(0)
    }
}

fn text(
    session: &Session,
    around: &[(&'static str, String)],
    figures: &Figures,
    history: &[HistoryEntry],
    access: &EngineAccess,
) -> String {
    let mut all = fields(session, access);
    all.extend(around.iter().cloned());
    let mut out = output::fields(&all);
    out.push_str(&kernels(session));
    out.push_str(&usage::table(figures, session));
    out.push_str(&idle::table(session, now()));
    out.push_str(&history::short(history));
    out
}

fn fields(session: &Session, access: &EngineAccess) -> Vec<(&'static str, String)> {
    let requested = &session.requested_slots;
    let mut fields = vec![
        (tr_later!("Name"), session.name.to_string()),
        (tr_later!("Id"), session.id.to_string()),
        (tr_later!("Status"), status(session)),
    ];
    fields.extend(ending(session).map(|ending| (tr_later!("Result"), ending.to_string())));
    let pull = session.pull.as_deref();
    fields.extend(pull.map(|pull| {
        (
            tr_later!("Pulling"),
            format!("{}: {}", pull.reference, pull.words().join(", ")),
        )
    }));
    fields.extend(batch(session));
    fields.extend([
        (tr_later!("Environment"), session.environment.label()),
        (tr_later!("Resources"), slots(requested)),
        (tr!("Shared memory"), session.shmem.to_string()),
    ]);
    fields.extend(
        session
            .disk_limit
            .map(|most| (tr!("Disk limit"), most.to_string())),
    );
    let given = &session.occupied_slots;
    if *given != ResourceSlots::default() && given != requested {
        fields.push((tr_later!("Given"), slots(given)));
    }
    fields.push((tr_later!("Owner"), session.owner.to_string()));
    fields.push((tr_later!("Context"), session.context.to_string()));
    fields.extend(placement(&session.placement));
    fields.extend(lists(session));
    fields.extend(opened(session, access));
    let stop_hook = session.stop_hook.as_ref();
    fields.extend(stop_hook.map(|hook| (tr!("Stop hook"), hook.to_string())));
    let end = session.stop_hook_end.as_ref();
    fields.extend(end.map(|(outcome, words)| ("", format!("{} {words}", outcome.word()))));
    if session.commit == CommitStatus::Ongoing {
        fields.push((tr_later!("Image"), tr!("being created").to_owned()));
    }
    fields.extend(times(session));
    fields.extend(session.home.clone().map(|path| (tr_later!("Home"), path)));
    fields
}

/// The sessions, folders and services that belong to it.
fn lists(session: &Session) -> Vec<(&'static str, String)> {
    let mut fields = Vec::new();
    for (label, sessions) in [
        (tr!("Depends on"), &session.depends_on),
        (tr!("Depended by"), &session.depended_by),
    ] {
        let names = sessions.iter().map(|it| it.name.as_str());
        fields.extend(list(label, names));
    }
    let folders = session.mounted();
    fields.extend(list(
        tr_later!("Folders"),
        folders.iter().map(Clean::as_str),
    ));
    let services = session.services.iter();
    fields.extend(list(
        tr_later!("Services"),
        services.map(|service| service.name.as_str()),
    ));
    fields
}

/// When the session was created, started and ended, how long it ran, and how long it waited.
fn times(session: &Session) -> Vec<(&'static str, String)> {
    let mut fields = vec![(tr_later!("Created"), moment(session.created_at))];
    let times = [
        (tr_later!("Started"), session.started_at),
        (tr_later!("Ended"), session.terminated_at),
    ];
    fields.extend(
        times
            .into_iter()
            .filter_map(|(name, at)| Some((name, moment(at?)))),
    );
    let run = session.run_seconds(now());
    fields.extend(run.map(|seconds| (tr!("Run time"), elapsed(seconds))));
    let end = session
        .started_at
        .or(session.terminated_at)
        .unwrap_or(now());
    let waited = end.as_second() - session.created_at.as_second();
    // The time that a start takes doesn't count as waiting.
    let waits = run.is_none() || waited >= 5;
    let label = if session.status.is_starting() {
        tr_later!("Waiting")
    } else {
        tr_later!("Waited")
    };
    fields.extend(waits.then(|| (label, elapsed(waited.max(0)))));
    fields
}

/// The ports that were opened at launch, and how to reach them now.
fn opened(session: &Session, access: &EngineAccess) -> Vec<(&'static str, String)> {
    if session.preopen_ports.is_empty() {
        return Vec::new();
    }
    let Some(reached) = reached(session, &access.endpoint, &access.login) else {
        return vec![(tr_later!("Ports"), ports::write(&session.preopen_ports))];
    };
    vec![
        (
            tr_later!("Ports"),
            tr!(
                "{address} on the engine's machine",
                address = reached.address
            ),
        ),
        (
            "",
            tr!("from another machine: {tunnel}", tunnel = reached.tunnel),
        ),
    ]
}

/// How to reach the engine's machine.
struct EngineAccess {
    endpoint: String,
    login: String,
}

impl EngineAccess {
    async fn find(connection: &Connection, session: &Session) -> Self {
        let snapshot = connection.snapshot().await.ok();
        let state = snapshot
            .as_ref()
            .and_then(|it| find::state(it, session.context));
        let endpoint = match state.map(|it| &it.engine) {
            Some(EngineState::Connected { info }) => info.endpoint.to_string(),
            _ => String::new(),
        };
        Self {
            endpoint,
            login: user::login(),
        }
    }
}

fn list<'a>(
    name: &'static str,
    words: impl Iterator<Item = &'a str>,
) -> Option<(&'static str, String)> {
    let words: Vec<&str> = words.collect();
    (!words.is_empty()).then(|| (name, words.join(", ")))
}

/// What a batch session runs, when and how long it may run, and how it ended.
fn batch(session: &Session) -> Vec<(&'static str, String)> {
    let mut fields = Vec::new();
    if session.session_type == SessionType::Batch {
        fields.push((tr_later!("Type"), tr!("batch").to_owned()));
    }
    if let Some(command) = &session.startup_command {
        fields.push((tr_later!("Command"), secret_rules::mask(command.as_str())));
    }
    if let Some(at) = session.starts_at {
        fields.push((tr!("Start time"), moment(at)));
    }
    if let Some(timeout) = session.timeout {
        fields.push((tr_later!("Timeout"), timeout.to_string()));
    }
    let result = match session.result {
        // How it ended says more.
        _ if ending(session).is_some() => return fields,
        BatchResult::Undefined => return fields,
        BatchResult::Success => "SUCCESS",
        BatchResult::Failure => "FAILURE",
    };
    let code = session.main_kernel().and_then(|kernel| kernel.exit_code);
    let code = code.map_or_else(String::new, |code| tr!(", exit code {code}", code));
    fields.push((tr_later!("Result"), format!("{result}{code}")));
    fields
}

fn placement(placement: &Placement) -> Vec<(&'static str, String)> {
    let mut fields = Vec::new();
    let mut word = |name, text: Option<String>| fields.extend(text.map(|text| (name, text)));
    let text = |word: &Option<Clean>| word.as_ref().map(ToString::to_string);
    word(tr_later!("Project"), text(&placement.project));
    word(tr!("Resource group"), text(&placement.resource_group));
    let agents: Vec<&str> = placement.agents.iter().map(Clean::as_str).collect();
    word(
        tr_later!("Agents"),
        (!agents.is_empty()).then(|| agents.join(", ")),
    );
    let cluster = (placement.cluster_size > 1).then(|| {
        let mode = match placement.cluster_mode {
            ClusterMode::SingleNode => tr!("on one node"),
            ClusterMode::MultiNode => tr!("over several nodes"),
        };
        tr!(
            "{count} containers {mode}",
            count = placement.cluster_size,
            mode
        )
    });
    word(tr_later!("Cluster"), cluster);
    word(
        tr_later!("Priority"),
        placement.priority.map(|n| n.to_string()),
    );
    let place = placement
        .queue_position
        .map(|n| (u64::from(n) + 1).to_string());
    word(tr!("Queue position"), place);
    word(tr!("Starts by"), placement.starts_by.map(moment));
    word(tr_later!("Tag"), text(&placement.tag));
    fields
}

fn kernels(session: &Session) -> String {
    if session.kernels.is_empty() {
        return String::new();
    }
    let ids = short::kernels(&session.kernels);
    let rows = session.kernels.iter().zip(ids);
    let rows: Vec<Vec<Cell>> = rows.map(|(it, id)| kernel(it, id)).collect();
    let head = [
        tr_later!("CONTAINER"),
        tr_later!("ID"),
        tr_later!("STATUS"),
        tr_later!("AGENT"),
        tr_later!("ENGINE ID"),
        tr_later!("NOTE"),
    ];
    format!(
        "\n{}\n{}",
        tr!("Containers"),
        output::table(&head, &rows, false)
    )
}

fn kernel(kernel: &Kernel, id: String) -> Vec<Cell> {
    let dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let container = kernel.container_id.as_ref();
    let container = container.map(|id| id.as_str().chars().take(12).collect());
    let mut notes: Vec<String> = Vec::new();
    notes.extend(kernel.status_info.as_ref().map(ToString::to_string));
    notes.extend(kernel.exit_code.map(|code| tr!("exit code {code}", code)));
    if kernel.oom_killed {
        notes.push(tr!("killed, out of memory").to_owned());
    }
    vec![
        kernel.hostname.as_str().into(),
        id.into(),
        kernel.status.word().into(),
        dash(kernel.agent.as_ref().map(ToString::to_string)).into(),
        dash(container).into(),
        notes.join(", ").into(),
    ]
}

/// The status, its reason and its message.
fn status(session: &Session) -> String {
    let mut line = session.status.to_string();
    if let Some(info) = &session.status_info {
        let _ = write!(line, " ({info})");
    }
    if let Some(pending) = &session.pending_request {
        let _ = write!(line, ", {pending}");
    }
    if let Some(message) = &session.status_message {
        let _ = write!(line, ": {message}");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{status::Status, testing};

    fn labels(session: &Session) -> Vec<(&'static str, String)> {
        let access = EngineAccess {
            endpoint: String::new(),
            login: String::new(),
        };
        fields(session, &access)
    }

    #[test]
    fn a_session_in_the_queue_is_waiting() {
        let mut session = testing::session(1, "big-1");
        session.status = Status::Pending;
        session.placement.queue_position = Some(1);
        let labels = labels(&session);
        assert!(labels.iter().any(|(label, _)| *label == "Waiting"));
        assert!(labels.contains(&("Queue position", "2".to_owned())));
    }

    #[test]
    fn an_ended_session_has_one_result() {
        let mut session = testing::ended("self-terminated", Some(3));
        session.result = BatchResult::Failure;
        let labels = labels(&session);
        let results: Vec<&String> = labels
            .iter()
            .filter(|(label, _)| *label == "Result")
            .map(|(_, text)| text)
            .collect();
        assert_eq!(results, ["exit 3"]);
    }
}
