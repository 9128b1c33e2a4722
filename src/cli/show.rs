//! `workbay show`.

use std::fmt::Write as _;

use jiff::Timestamp;
use serde::Serialize;

use super::{
    Start,
    args::Show,
    catalogue::slots,
    choice::Choice,
    fail::{self, Fail},
    find,
    line::{self, Line},
    ls::{elapsed, moment},
    now, output,
    output::Cell,
};
use crate::{
    model::{
        history::{HistoryEntry, Outcome},
        idle::{IdleBasis, IdleCheck, IdleChecker, IdleResource, IdleState, Join},
        kernel::Kernel,
        resources::{Cpu, ResourceSlots},
        session::{BatchResult, ClusterMode, CommitStatus, Placement, Session},
        text::Clean,
    },
    protocol::message::{Reply, Request},
};

/// What `--json` prints: the session's fields and its history, newest first.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    session: &'a Session,
    history: &'a [HistoryEntry],
}

pub fn show(start: &Start, arguments: &Show) -> fail::Outcome {
    let (session, history) = line::block_on(async {
        let line = Line::connect(&start.paths).await?;
        let name = &arguments.one.session;
        let row = find::session(&line, Choice::of(start), name).await?;
        // A row of the list may lack what is read for one session alone.
        let session = find::detail(&line, row.key()).await?.unwrap_or(row);
        let history = history(&line, &session).await;
        Ok((session, history))
    })?;
    // Without its history the rest is still worth showing.
    let (history, lacking) = match history {
        Ok(history) => (history, None),
        Err(why) => (Vec::new(), why.message),
    };
    if arguments.format.json {
        let (session, history) = (&session, history.as_slice());
        output::json(&Shown { session, history })?;
    } else {
        output::print(&text(&session, &history))?;
    }
    if let Some(why) = lacking {
        output::remark(&format!("workbay: its history could not be read: {why}"));
    }
    Ok(0)
}

async fn history(line: &Line, session: &Session) -> Result<Vec<HistoryEntry>, Fail> {
    let session = session.key();
    match line.ask(Request::History { session }).await? {
        Reply::History { entries } => Ok(entries),
        other => Err(line::unexpected(&other)),
    }
}

fn text(session: &Session, history: &[HistoryEntry]) -> String {
    let mut out = output::fields(&fields(session));
    out.push_str(&kernels(session));
    out.push_str(&idle_checks(session, now()));
    out.push_str(&steps(history));
    out
}

fn fields(session: &Session) -> Vec<(&'static str, String)> {
    let asked = &session.requested_slots;
    let mut fields = vec![
        ("Name", session.name.to_string()),
        ("Id", session.id.to_string()),
        ("Status", status(session)),
    ];
    fields.extend(batch(session));
    fields.extend([
        ("Environment", session.environment.label()),
        ("Resources", slots(asked)),
        ("Shared memory", session.shmem.to_string()),
    ]);
    let given = &session.occupied_slots;
    if *given != ResourceSlots::default() && given != asked {
        fields.push(("Given", slots(given)));
    }
    fields.push(("Owner", session.owner.to_string()));
    fields.push(("Context", session.context.to_string()));
    fields.extend(placement(&session.placement));
    fields.extend(list("Folders", session.folders.iter().map(Clean::as_str)));
    let services = session.services.iter();
    fields.extend(list(
        "Services",
        services.map(|service| service.name.as_str()),
    ));
    if session.commit == CommitStatus::Ongoing {
        fields.push(("Image", "being made".to_owned()));
    }
    fields.push(("Created", moment(session.created_at)));
    let times = [
        ("Started", session.started_at),
        ("Ended", session.terminated_at),
    ];
    fields.extend(
        times
            .into_iter()
            .filter_map(|(name, at)| Some((name, moment(at?)))),
    );
    fields.push(("Elapsed", elapsed(session.elapsed_seconds(now()))));
    fields.extend(session.scratch.clone().map(|path| ("Home", path)));
    fields
}

fn list<'a>(
    name: &'static str,
    words: impl Iterator<Item = &'a str>,
) -> Option<(&'static str, String)> {
    let words: Vec<&str> = words.collect();
    (!words.is_empty()).then(|| (name, words.join(", ")))
}

/// What a batch session runs, and how that ended.
fn batch(session: &Session) -> Vec<(&'static str, String)> {
    let mut fields = Vec::new();
    if let Some(command) = &session.startup_command {
        fields.push(("Command", command.to_string()));
    }
    match session.result {
        BatchResult::Undefined => {}
        BatchResult::Success => fields.push(("Result", "SUCCESS".to_owned())),
        BatchResult::Failure => fields.push(("Result", "FAILURE".to_owned())),
    }
    fields
}

fn placement(placement: &Placement) -> Vec<(&'static str, String)> {
    let mut fields = Vec::new();
    let mut word = |name, text: Option<String>| fields.extend(text.map(|text| (name, text)));
    let text = |word: &Option<Clean>| word.as_ref().map(ToString::to_string);
    word("Project", text(&placement.project));
    word("Resource group", text(&placement.resource_group));
    let agents: Vec<&str> = placement.agents.iter().map(Clean::as_str).collect();
    word("Agents", (!agents.is_empty()).then(|| agents.join(", ")));
    let cluster = (placement.cluster_size > 1).then(|| {
        let mode = match placement.cluster_mode {
            ClusterMode::SingleNode => "on one node",
            ClusterMode::MultiNode => "over several nodes",
        };
        format!("{} kernels {mode}", placement.cluster_size)
    });
    word("Cluster", cluster);
    word("Priority", placement.priority.map(|n| n.to_string()));
    let place = placement
        .queue_position
        .map(|n| format!("{}. in the queue", u64::from(n) + 1));
    word("Place", place);
    word("Tag", text(&placement.tag));
    fields
}

fn kernels(session: &Session) -> String {
    if session.kernels.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<Cell>> = session.kernels.iter().map(kernel).collect();
    let head = ["KERNEL", "ID", "STATUS", "AGENT", "CONTAINER", "NOTE"];
    format!("\nKernels\n{}", output::table(&head, &rows, false))
}

fn kernel(kernel: &Kernel) -> Vec<Cell> {
    let dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let container = kernel.container_id.as_ref();
    let container = container.map(|id| id.as_str().chars().take(12).collect());
    let mut notes: Vec<String> = Vec::new();
    notes.extend(kernel.status_info.as_ref().map(ToString::to_string));
    notes.extend(kernel.exit_code.map(|code| format!("exit code {code}")));
    if kernel.oom_killed {
        notes.push("killed for want of memory".to_owned());
    }
    vec![
        kernel.hostname.as_str().into(),
        kernel.id.short().into(),
        kernel.status.word().into(),
        dash(kernel.agent.as_ref().map(ToString::to_string)).into(),
        dash(container).into(),
        notes.join(", ").into(),
    ]
}

fn idle_checks(session: &Session, now: Timestamp) -> String {
    if session.idle_checks.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<Cell>> = session
        .idle_checks
        .iter()
        .map(|check| vec![checker(&check.checker).into(), judged(check, now).into()])
        .collect();
    let head = ["IDLE CHECK", "WHERE IT STANDS"];
    format!("\n{}", output::table(&head, &rows, false))
}

fn checker(checker: &IdleChecker) -> String {
    match checker {
        IdleChecker::NetworkTimeout => "network timeout".to_owned(),
        IdleChecker::SessionLifetime => "lifetime".to_owned(),
        IdleChecker::Utilization => "utilization".to_owned(),
        IdleChecker::Other(word) => word.to_string(),
    }
}

fn judged(check: &IdleCheck, now: Timestamp) -> String {
    let mut line = match check.state {
        IdleState::NotCounting => "not counting".to_owned(),
        IdleState::Over => "over its limit: the session is about to be ended".to_owned(),
        IdleState::Counting { until } => {
            let left = elapsed((until.as_second() - now.as_second()).max(0));
            match check.basis {
                IdleBasis::ExpireAfter => format!("ends the session in {left}"),
                IdleBasis::GracePeriod => format!("begins to count in {left}"),
            }
        }
    };
    let join = match check.join {
        Some(Join::And) => " and ",
        Some(Join::Or) | None => " or ",
    };
    let resources: Vec<String> = check.resources.iter().map(resource).collect();
    if !resources.is_empty() {
        let _ = write!(line, "; idle below {}", resources.join(join));
    }
    line
}

/// `cpu_util 5% (now 0.42%)`.
fn resource(resource: &IdleResource) -> String {
    let percent = |hundredths: i64| Cpu::from_millis(hundredths.unsigned_abs() * 10).to_string();
    let (name, least) = (&resource.resource, percent(resource.threshold));
    format!("{name} {least}% (now {}%)", percent(resource.average))
}

/// The word, its reason and the sentence for a person.
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

fn steps(history: &[HistoryEntry]) -> String {
    if history.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<Cell>> = history.iter().flat_map(step).collect();
    let head = ["AT", "STEP", "STATUS", "RESULT", "MESSAGE"];
    format!(
        "\nHistory, newest first\n{}",
        output::table(&head, &rows, false)
    )
}

/// An entry, and below it its steps where one of them says more than that all went well.
fn step(entry: &HistoryEntry) -> Vec<Vec<Cell>> {
    let way = match &entry.from {
        Some(from) => format!("{from} -> {}", entry.to),
        None => entry.to.to_string(),
    };
    let mut result = word(&entry.result);
    if entry.attempts > 1 {
        let _ = write!(result, " ({} attempts)", entry.attempts);
    }
    let mut rows = vec![vec![
        moment(entry.at).into(),
        entry.phase.as_str().into(),
        way.into(),
        result.into(),
        message(entry.message.as_ref(), entry.error_code.as_ref()).into(),
    ]];
    if entry
        .steps
        .iter()
        .any(|step| step.result != Outcome::Success)
    {
        rows.extend(entry.steps.iter().map(|step| {
            vec![
                step.started_at.map_or_else(String::new, moment).into(),
                format!("- {}", step.step).into(),
                "".into(),
                word(&step.result).into(),
                message(step.message.as_ref(), step.error_code.as_ref()).into(),
            ]
        }));
    }
    rows
}

fn message(text: Option<&Clean>, code: Option<&Clean>) -> String {
    match (text, code) {
        (Some(text), Some(code)) => format!("{text} ({code})"),
        (Some(one), None) | (None, Some(one)) => one.to_string(),
        (None, None) => String::new(),
    }
}

fn word(result: &Outcome) -> String {
    let word = serde_json::to_value(result).unwrap_or_default();
    word.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{history::SubStep, id::SessionId, status::Status};

    fn check(state: IdleState, basis: IdleBasis) -> IdleCheck {
        IdleCheck {
            checker: IdleChecker::Utilization,
            basis,
            state,
            join: None,
            resources: Vec::new(),
        }
    }

    #[test]
    fn an_idle_check_is_one_plain_sentence() {
        let now = Timestamp::from_second(1_000).unwrap();
        let until = Timestamp::from_second(1_000 + 3_900).unwrap();
        let counting = IdleState::Counting { until };
        let said = |state, basis| judged(&check(state, basis), now);
        assert_eq!(
            said(counting, IdleBasis::ExpireAfter),
            "ends the session in 1h 05m"
        );
        assert_eq!(
            said(counting, IdleBasis::GracePeriod),
            "begins to count in 1h 05m"
        );
        assert_eq!(
            said(IdleState::NotCounting, IdleBasis::ExpireAfter),
            "not counting"
        );
        let mut both = check(IdleState::Over, IdleBasis::ExpireAfter);
        both.join = Some(Join::And);
        both.resources = [("cpu_util", 42, 500), ("mem", 1_250, 2_000)]
            .map(|(name, average, threshold)| IdleResource {
                resource: name.into(),
                average,
                threshold,
            })
            .into();
        assert_eq!(
            judged(&both, now),
            "over its limit: the session is about to be ended; \
             idle below cpu_util 5% (now 0.42%) and mem 20% (now 12.5%)"
        );
    }

    #[test]
    fn the_steps_of_an_entry_are_shown_where_one_failed() {
        let step = |name: &str, result| SubStep {
            step: name.into(),
            result,
            error_code: None,
            message: None,
            started_at: None,
            ended_at: None,
        };
        let mut entry = HistoryEntry {
            session: SessionId::from_u128(1),
            at: Timestamp::UNIX_EPOCH,
            phase: "schedule-sessions".into(),
            from: Some(Status::Pending),
            to: Status::Pending,
            result: Outcome::NeedRetry,
            message: Some("no room".into()),
            error_code: Some("agent_schedule_unavailable".into()),
            attempts: 3,
            until: None,
            steps: vec![step("sequencer", Outcome::Success)],
        };
        let text = steps(std::slice::from_ref(&entry));
        assert!(text.contains("NEED_RETRY (3 attempts)"), "{text}");
        assert!(
            text.contains("no room (agent_schedule_unavailable)"),
            "{text}"
        );
        assert!(!text.contains("sequencer"), "{text}");
        entry.steps.push(step("resource", Outcome::Failure));
        let text = steps(&[entry]);
        assert!(
            text.contains("- sequencer") && text.contains("- resource"),
            "{text}"
        );
    }
}
