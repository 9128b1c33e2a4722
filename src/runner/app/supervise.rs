//! The process that runs an app: it outlives the command that started it, keeps the app's log within its limit and
//! records how the app ended.

use std::{
    collections::BTreeMap,
    io::{self, Read as _, Write as _},
    os::{fd::OwnedFd, unix::process::ExitStatusExt as _},
    process::{Command, ExitCode, Stdio},
};

use serde::{Deserialize, Serialize};
use tokio::{io::AsyncReadExt as _, net::unix::pipe, process::Child};

use super::{
    super::{beginning::ourselves, preload},
    files::{AppFiles, Run},
    log_file::LogFile,
    process::ProcessId,
};
use crate::model::{app::AppProtocol, inside};

/// What is read of an app's output at once, in bytes.
const PIECE: usize = 16 * 1024;

/// How much of its last output is read before its end is recorded, in bytes.
const LAST_OUTPUT: usize = 1024 * 1024;

/// The answer when the app has been started. Any other is the reason why not.
const STARTED: &str = "started";

/// The longest reason, in bytes.
const LONGEST_REASON: u64 = 4096;

/// Everything that a start needs.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    pub(super) name: String,
    pub(super) argv: Vec<String>,
    pub(super) variables: BTreeMap<String, String>,
    pub(super) ports: Vec<u16>,
    pub(super) protocol: AppProtocol,
    pub(super) path: String,
}

/// Starts the supervisor of an app, and returns when the app has been started.
pub(super) fn start(plan: &Plan) -> io::Result<()> {
    let words = ourselves();
    let (program, arguments) = words
        .split_first()
        .ok_or_else(|| io::Error::other(tr_sent!("the runner doesn't know its own command")))?;
    let mut child = Command::new(program)
        .args(arguments)
        .args(["app", "supervise"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(&serde_json::to_vec(plan)?)?;
    }
    let mut answer = String::new();
    if let Some(output) = child.stdout.take() {
        output.take(LONGEST_REASON).read_to_string(&mut answer)?;
    }
    match answer.trim() {
        STARTED => Ok(()),
        "" => Err(io::Error::other(tr_sent!(
            "workbay's program for apps ended at once"
        ))),
        why => Err(io::Error::other(why.to_owned())),
    }
}

/// Runs until the app and everything that writes to its log have ended.
pub(super) fn run() -> ExitCode {
    // It fails only for a process that leads a group already, which this one doesn't.
    let _ = rustix::process::setsid();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let outcome = runtime.and_then(|runtime| runtime.block_on(supervise()));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn supervise() -> io::Result<()> {
    let mut text = Vec::new();
    io::stdin().lock().read_to_end(&mut text)?;
    let plan: Plan = serde_json::from_slice(&text)?;
    let files = AppFiles::open()?;
    let mut log = LogFile::create(&files.log(&plan.name))?;
    let (mut output, mut child) = spawn(&plan)?;
    let of = |pid: Option<u32>| {
        let pid = pid.and_then(|pid| i32::try_from(pid).ok())?;
        ProcessId::of(pid)
    };
    let unknown = || io::Error::other(tr_sent!("the process of the app has no id"));
    let mut run = Run {
        app: of(child.id()).ok_or_else(unknown)?,
        supervisor: of(Some(std::process::id())).ok_or_else(unknown)?,
        ports: plan.ports,
        protocol: plan.protocol,
        path: plan.path,
        exit_code: None,
    };
    files.write_run(&plan.name, &run)?;
    println!("{STARTED}");
    close_stdio()?;
    let code = pump(&mut output, &mut child, &mut log).await;
    run.exit_code = Some(code);
    files.write_run(&plan.name, &run)?;
    // What it left behind may still write.
    let mut piece = vec![0; PIECE];
    while let Ok(length) = output.read(&mut piece).await
        && length > 0
    {
        // A full disk must not block the app.
        let _ = log.write(&piece[..length]);
    }
    Ok(())
}

fn spawn(plan: &Plan) -> io::Result<(pipe::Receiver, Child)> {
    let (program, arguments) = plan
        .argv
        .split_first()
        .ok_or_else(|| io::Error::other(tr_sent!("the app has no command")))?;
    let (reader, writer) = io::pipe()?;
    let mut command = Command::new(program);
    preload::give(&mut command);
    command
        .args(arguments)
        .envs(&plan.variables)
        .current_dir(inside::HOME)
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer);
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut command = tokio::process::Command::from(command);
    let child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::other(tr_sent!(
            "program '{program}' not found in this session",
            program
        )),
        _ => io::Error::other(tr_sent!(
            "'{program}' can't be run: {error}",
            program,
            error
        )),
    })?;
    let reader = pipe::Receiver::from_owned_fd(OwnedFd::from(reader))?;
    Ok((reader, child))
}

/// The command that started this process waits until its streams are closed.
fn close_stdio() -> io::Result<()> {
    let nothing = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    Ok(())
}

/// Writes what the app prints to its log until the app ends, and returns its exit code.
async fn pump(output: &mut pipe::Receiver, child: &mut Child, log: &mut LogFile) -> i64 {
    let mut piece = vec![0; PIECE];
    let mut is_open = true;
    let status = loop {
        tokio::select! {
            biased;
            read = output.read(&mut piece), if is_open => match read {
                Ok(length) if length > 0 => drop(log.write(&piece[..length])),
                _ => is_open = false,
            },
            status = child.wait() => break status,
        }
    };
    let mut rest = LAST_OUTPUT;
    while let Ok(length) = output.try_read(&mut piece)
        && length > 0
        && rest > 0
    {
        rest = rest.saturating_sub(length);
        drop(log.write(&piece[..length]));
    }
    let code = status.ok().and_then(|status| {
        let signal = status.signal().map(|signal| 128 + signal);
        status.code().or(signal)
    });
    code.map_or(-1, i64::from)
}
