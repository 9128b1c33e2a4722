//! Checks each context: whether its engine responds, what it is, what it doesn't support, and what its
//! configuration needs on this machine.

use std::{fs, thread, time::Duration};

use tokio::time::Instant;
use url::Url;

use super::{Finding, Level, access::access, network};
use crate::{
    cli::{
        Handlers, Start,
        commands::daemon,
        connection::{self, Connection},
        find,
    },
    config::contexts::{BackendaiSpec, ContextEntry, Credentials, EngineSpec, Source},
    model::{
        address,
        capability::{Capabilities, Capability, EngineInfo, EngineState},
        context::EngineKind,
        failure::Failure,
        id::ContextName,
        policy::ResourceRules,
        text::Clean,
    },
    protocol::message::{Request, Snapshot},
};

/// An engine normally needs some hundredths of a second for this request.
const SLOW: Duration = Duration::from_secs(2);

/// Uses the daemon's state if it runs, and probes the engines otherwise. All contexts are checked at once, so
/// that a context that doesn't respond doesn't delay the others.
pub fn examine(handlers: &Handlers, start: &Start) -> Vec<Finding> {
    let snapshot = daemon::snapshot_if_running(&start.paths);
    let probed: Vec<Vec<Finding>> = thread::scope(|scope| {
        let examined: Vec<_> = start
            .contexts
            .list
            .iter()
            .map(|entry| {
                let snapshot = snapshot.as_ref();
                scope.spawn(move || one(handlers, start, entry, snapshot))
            })
            .collect();
        examined
            .into_iter()
            .map(|examined| examined.join().unwrap_or_default())
            .collect()
    });
    probed.into_iter().flatten().collect()
}

fn one(
    handlers: &Handlers,
    start: &Start,
    entry: &ContextEntry,
    snapshot: Option<&Snapshot>,
) -> Vec<Finding> {
    let context = entry.context.name;
    let begun = Instant::now();
    let mut findings = match snapshot {
        Some(snapshot) => match find::state(snapshot, context) {
            Some(state) => tested(start, context, entry.kind(), &state.engine),
            None => vec![unknown(context)],
        },
        None => match (handlers.probe)(start, context) {
            Ok(info) => known(start, entry.kind(), &info),
            Err(none) => lost(entry.kind(), none),
        },
    };
    findings.extend(slow(begun.elapsed(), &findings));
    if let EngineSpec::Backendai(spec) = &entry.engine {
        findings.extend(needs(spec));
    }
    findings
        .into_iter()
        .map(|finding| finding.of(context))
        .collect()
}

/// The context was configured after the daemon started.
fn unknown(context: ContextName) -> Finding {
    let message = tr!(
        "the daemon was started before context {context} was configured",
        context
    );
    Finding::warn(tr_later!("engine"), message).hint(tr!(
        "workbay daemon stop (sessions and shells keep running)"
    ))
}

/// Tests an open connection, because its engine may have stopped responding since.
fn tested(
    start: &Start,
    context: ContextName,
    kind: EngineKind,
    engine: &EngineState,
) -> Vec<Finding> {
    if kind == EngineKind::Docker && matches!(engine, EngineState::Connected { .. }) {
        let fresh = async {
            let connection = Connection::existing(&start.paths).await?;
            let context = Some(context);
            connection.request_done(Request::refresh(context)).await
        };
        if let Err(fail) = connection::block_on(fresh) {
            let silent = || Failure::lost(tr!("it doesn't answer"));
            return lost(kind, fail.failure.unwrap_or_else(silent));
        }
    }
    // A new snapshot has what the daemon found out in the meantime.
    let now = daemon::snapshot_if_running(&start.paths);
    let now = now.as_ref().and_then(|now| find::state(now, context));
    let engine = now.map_or(engine, |state| &state.engine);
    match engine {
        EngineState::Connected { info } => known(start, kind, info),
        _ => disconnected(context, kind, engine),
    }
}

/// The engine responds, but slowly enough that users wait.
fn slow(took: Duration, findings: &[Finding]) -> Option<Finding> {
    let answered = findings.iter().all(|finding| finding.level != Level::Bad);
    (answered && took > SLOW).then(|| {
        let message = tr!(
            "it took {seconds}s to answer, so all requests will be slow",
            seconds = format!("{:.1}", took.as_secs_f32())
        );
        Finding::warn(tr_later!("engine"), message).hint(tr!(
            "find the cause: `top`, `iostat -x 1`, `sudo journalctl -u docker -n 50`, `docker \
             system df` (`podman system df`)"
        ))
    })
}

/// A context that isn't connected.
fn disconnected(context: ContextName, kind: EngineKind, engine: &EngineState) -> Vec<Finding> {
    match engine {
        EngineState::Connected { .. } => Vec::new(),
        EngineState::Connecting => {
            let message = tr!("the daemon is still connecting to {context}", context);
            vec![
                Finding::warn(tr_later!("engine"), message).hint(tr!("run `workbay doctor` again")),
            ]
        }
        EngineState::Lost { why, hint, .. } => {
            let failure = Failure::lost(why.clone());
            lost(kind, failure.maybe_hint(hint.clone()))
        }
    }
}

fn lost(kind: EngineKind, failure: Failure) -> Vec<Finding> {
    let finding = Finding::bad(tr_later!("engine"), failure.message());
    let finding = match failure.hint {
        Some(hint) => finding.hint(hint),
        None => finding,
    };
    let socket = match kind {
        EngineKind::Docker => access(),
        EngineKind::Backendai => None,
    };
    std::iter::once(finding).chain(socket).collect()
}

/// Whether limits of home directories and folders are enforced.
fn disk_limits(can: &Capabilities) -> Finding {
    let lacks = [Capability::DiskLimit, Capability::DiskEnforcement];
    let why = lacks.into_iter().find_map(|it| can.why_not(it));
    match why {
        Some(why) => Finding::ok(tr_later!("disk limits"), why.clone()),
        None => Finding::ok(tr_later!("disk limits"), tr!("enforced by the file system")),
    }
}

fn known(start: &Start, kind: EngineKind, info: &EngineInfo) -> Vec<Finding> {
    let mut findings = vec![Finding::ok(tr_later!("engine"), engine(info))];
    let missing = info.capabilities.missing.iter();
    // If an engine doesn't have these, workbay provides them, so sessions have them anyway.
    let ours = [Capability::Schedules, Capability::IdleChecks];
    let disk = [Capability::DiskLimit, Capability::DiskEnforcement];
    let elsewhere = ours
        .into_iter()
        .chain(disk.into_iter().filter(|_| kind == EngineKind::Docker))
        .chain(Capability::OF_NETWORK);
    let elsewhere: Vec<Capability> = elsewhere.collect();
    let missing = missing.filter(|(capability, _)| !elsewhere.contains(capability));
    let (needed, spared): (Vec<_>, Vec<_>) =
        missing.partition(|(capability, _)| NEEDED.contains(capability));
    findings.extend(needed.into_iter().map(|(capability, why)| {
        Finding::warn(
            tr_later!("engine"),
            tr!(
                "{word} isn't available: {why}",
                word = word(*capability),
                why
            ),
        )
    }));
    if !spared.is_empty() {
        let words: Vec<String> = spared
            .iter()
            .map(|(capability, _)| word(*capability))
            .collect();
        let words = words.join(", ");
        let message = match kind {
            EngineKind::Docker => tr!("only on Backend.AI clusters: {words}", words),
            EngineKind::Backendai => tr!("not supported by this manager: {words}", words),
        };
        findings.push(Finding::ok(tr_later!("engine"), message));
    }
    if kind == EngineKind::Docker {
        let rules = start.loaded.settings.resources.network;
        findings.extend(network::examine(rules, &info.capabilities));
        findings.push(disk_limits(&info.capabilities));
        findings.extend(groups(&start.loaded.settings.resources, info));
    }
    findings
}

/// Groups that are larger than the machine: the rest of their amounts has no effect.
fn groups(rules: &ResourceRules, info: &EngineInfo) -> Vec<Finding> {
    let larger = rules.larger_than(info.cpus, info.memory).into_iter();
    let finding = |(group, why)| {
        Finding::warn(
            tr_later!("resource group"),
            tr!("[group.{group}] has {why}", group, why),
        )
        .hint(tr!(
            "reduce the amount in resources.toml, or set [host] to share the hardware"
        ))
    };
    larger.map(finding).collect()
}

/// What every engine supports unless there is a problem, or the engine is on another machine.
const NEEDED: [Capability; 6] = [
    Capability::HostEnvironment,
    Capability::Exec,
    Capability::LiveUsage,
    Capability::Logs,
    Capability::Terminal,
    Capability::Folders,
];

fn word(capability: Capability) -> String {
    let word = serde_json::to_value(capability).unwrap_or_default();
    word.as_str().unwrap_or("something").replace('-', " ")
}

fn engine(info: &EngineInfo) -> String {
    let mut text = tr!(
        "{kind} {version} (API {api}) at {endpoint}",
        kind = info.kind,
        version = info.version,
        api = info.api_version,
        endpoint = info.endpoint
    );
    if let Some(user) = &info.user {
        let (email, role, domain) = (&user.email, &user.role, &user.domain);
        text = tr!(
            "{text}, as {email} ({role}, domain {domain})",
            text,
            email,
            role,
            domain
        );
    }
    if info.cpus.millis() > 0 {
        let (cpus, memory) = (info.cpus, info.memory);
        text = tr!("{text}, {cpus} CPUs, {memory}", text, cpus, memory);
    }
    text
}

/// What the configuration needs on this machine, whether or not the engine responds.
fn needs(spec: &BackendaiSpec) -> Vec<Finding> {
    let secrets = match &spec.credentials {
        Credentials::Keys { access, secret } => [access, secret],
        Credentials::Login { username, password } => [username, password],
    };
    let mut findings: Vec<Finding> = secrets.into_iter().filter_map(key_file).collect();
    findings.extend(ca_file(spec));
    findings.extend(unencrypted(&spec.endpoint));
    findings
}

/// Checks a file's owner and mode. Doesn't show its contents.
fn key_file(source: &Source) -> Option<Finding> {
    let Source::File(path) = source else {
        return None;
    };
    let shown = path.display().to_string();
    Some(match source.resolve(|_| None, std::time::Duration::ZERO) {
        Ok(_) => Finding::ok(
            tr_later!("key"),
            tr!("{shown} belongs to you, and others can't read it", shown),
        ),
        Err(error) => Finding::bad(tr_later!("key"), error.why).hint(error.hint),
    })
}

fn ca_file(spec: &BackendaiSpec) -> Option<Finding> {
    let path = spec.ca_file.as_ref()?;
    let shown = path.display();
    Some(match fs::read_to_string(path) {
        Ok(text) if text.contains("-----BEGIN CERTIFICATE-----") => Finding::ok(
            tr_later!("authority"),
            tr!(
                "{shown} is trusted in addition to this machine's certificate authorities",
                shown
            ),
        ),
        Ok(_) => Finding::bad(
            tr_later!("authority"),
            tr!("{shown} contains no certificate", shown),
        )
        .hint(tr!(
            "use a file with the certificate of the authority in PEM format"
        )),
        Err(why) => Finding::bad(
            tr_later!("authority"),
            tr!("{shown} can't be read: {why}", shown, why),
        )
        .hint(tr!("chmod a+r {shown}, or set another ca-file", shown)),
    })
}

/// Plain HTTP to another machine is used only with `insecure = true`.
fn unencrypted(endpoint: &str) -> Option<Finding> {
    let rest = endpoint.strip_prefix("http://")?;
    if !Url::parse(endpoint).is_ok_and(|url| address::is_unencrypted(&url)) {
        return None;
    }
    let message = tr!(
        "{endpoint} isn't encrypted (insecure = true): others on the network can read requests, logs and \
         shells",
        endpoint = Clean::new(endpoint)
    );
    Some(Finding::warn(tr_later!("encryption"), message).hint(tr!(
        "set endpoint = \"https://{rest}\" if the manager supports it, and remove insecure",
        rest
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_a_warning_except_on_this_machine() {
        for near in [
            "http://127.0.0.1:8091",
            "http://localhost",
            "http://[::1]:8091",
            "https://far.example.com",
        ] {
            assert_eq!(unencrypted(near), None, "{near}");
        }
        assert!(unencrypted("http://127.example.com").is_some());
        let found = unencrypted("http://far.example.com:8080").unwrap();
        assert_eq!(found.level, Level::Warn);
        let hint = found.hint.unwrap();
        assert!(
            hint.as_str().contains("https://far.example.com:8080"),
            "{hint}"
        );
    }
}
