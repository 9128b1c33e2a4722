//! Reads a secret from its source when it is needed. The secret never appears in a message or a log.

use std::{
    fs,
    io::Read,
    os::unix::{
        fs::MetadataExt,
        process::{CommandExt, ExitStatusExt},
    },
    path::Path,
    process::{Child, ChildStdout, Command, ExitStatus, Stdio},
    sync::mpsc,
    time::Duration,
};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use thiserror::Error;
use zeroize::Zeroizing;

use super::Source;
use crate::model::secret::Secret;

/// Time limit for a command that prints a secret.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Largest secret, in bytes.
const LONGEST: u64 = 64 * 1024;

/// Why a secret isn't available, and the fix.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{why}")]
pub struct NoSecret {
    pub why: String,
    pub hint: String,
}

impl NoSecret {
    fn new(why: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            hint: hint.into(),
        }
    }
}

impl Source {
    /// Returns the secret. Blocks: it reads a file, or runs a program for up to `patience` (usually
    /// [`PATIENCE`]). `variable` returns the value of an environment variable.
    pub fn resolve(
        &self,
        variable: impl Fn(&str) -> Option<String>,
        patience: Duration,
    ) -> Result<Secret, NoSecret> {
        match self {
            Self::Plain(text) => Ok(Secret::new(text.clone())),
            Self::Env(name) => from_variable(name, variable(name)),
            Self::File(path) => from_file(path),
            Self::Command(argv) => from_command(argv, patience),
        }
    }
}

fn from_variable(name: &str, value: Option<String>) -> Result<Secret, NoSecret> {
    let value = Zeroizing::new(value.unwrap_or_default());
    if value.trim().is_empty() {
        return Err(NoSecret::new(
            tr!("the environment variable {name} isn't set", name),
            tr!(
                "run `export {name}=…`, then `workbay daemon stop`. The next command starts the \
                 daemon with the variable",
                name
            ),
        ));
    }
    Ok(Secret::new(value.trim()))
}

fn from_file(path: &Path) -> Result<Secret, NoSecret> {
    let shown = path.display();
    let unreadable = |why: std::io::Error| {
        NoSecret::new(
            tr!("{shown} can't be read: {why}", shown, why),
            tr!(
                "write the secret into {shown}, then `chmod 600 {shown}`",
                shown
            ),
        )
    };
    // Check the open file, so that the checked file is the one that is read.
    let file = fs::File::open(path).map_err(unreadable)?;
    let meta = file.metadata().map_err(unreadable)?;
    check_file(path, &meta)?;
    let mut bytes = Zeroizing::new(Vec::new());
    file.take(LONGEST)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    first_line(&bytes).ok_or_else(|| {
        NoSecret::new(
            tr!(
                "{shown} contains no secret: its first line is empty or isn't text",
                shown
            ),
            tr!("write the secret into the first line of {shown}", shown),
        )
    })
}

fn check_file(path: &Path, meta: &fs::Metadata) -> Result<(), NoSecret> {
    let shown = path.display();
    let mode = meta.mode() & 0o777;
    if !meta.is_file() {
        let why = tr!("{shown} isn't a regular file", shown);
        return Err(NoSecret::new(
            why,
            tr!("use a file that contains the secret"),
        ));
    }
    if meta.uid() != rustix::process::geteuid().as_raw() {
        let why = tr!(
            "{shown} must belong to you, but belongs to user {uid}",
            shown,
            uid = meta.uid()
        );
        return Err(NoSecret::new(why, format!("sudo chown $USER {shown}")));
    }
    if mode & 0o077 != 0 {
        let mode = format!("{mode:03o}");
        let why = tr!(
            "{shown} is readable by other users (mode {mode})",
            shown,
            mode
        );
        return Err(NoSecret::new(why, format!("chmod 600 {shown}")));
    }
    Ok(())
}

/// Runs the program in its own process group, so that the whole group can be killed on a timeout.
fn from_command(argv: &[String], patience: Duration) -> Result<Secret, NoSecret> {
    let program = argv.first().map_or("", String::as_str);
    let failed = |why: String| {
        let why = tr!(
            "the command {program}, which prints the secret, {why}",
            program,
            why
        );
        NoSecret::new(why, tr!("run the command in a shell to see why"))
    };
    let mut child = Command::new(program)
        .args(argv.get(1..).unwrap_or_default())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(|why| failed(tr!("can't be started: {why}", why)))?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let received = listen(child.stdout.take(), group);
    match received.recv_timeout(patience) {
        Ok(Ok(bytes)) => match child.wait() {
            Ok(status) if status.success() => first_line(&bytes).ok_or_else(|| {
                failed(tr!("printed no secret: its first line is empty or isn't text").into())
            }),
            Ok(status) => Err(failed(ending(status))),
            Err(why) => Err(failed(tr!("can't be read: {why}", why))),
        },
        Ok(Err(why)) => {
            end(child, group);
            Err(failed(tr!("can't be read: {why}", why)))
        }
        Err(_) => {
            end(child, group);
            Err(failed(tr!(
                "hasn't ended after {seconds}s",
                seconds = patience.as_secs()
            )))
        }
    }
}

/// Returns the output of the program after it has ended. The program stays unreaped, so that no other process
/// can reuse its process id or group id.
fn listen(
    out: Option<ChildStdout>,
    child: Option<Pid>,
) -> mpsc::Receiver<std::io::Result<Zeroizing<Vec<u8>>>> {
    let (send, received) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        let mut bytes = Zeroizing::new(Vec::new());
        let read = out.map_or(Ok(0), |out| out.take(LONGEST).read_to_end(&mut bytes));
        let ended = read.and_then(|_| {
            let unreaped = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            child.map_or(Ok(None), |it| waitid(WaitId::Pid(it), unreaped))?;
            Ok(bytes)
        });
        // After a timeout nothing receives the output.
        let _ = send.send(ended);
    });
    received
}

/// Kills the whole group, then reaps the program. In the reverse order, the group id could already belong to
/// another group.
fn end(mut child: Child, group: Option<Pid>) {
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
    // A program that waits for a disk doesn't end immediately.
    std::thread::spawn(move || child.wait());
}

fn ending(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => tr!("ended with exit code {code}", code),
        (None, Some(signal)) => tr!("was killed by signal {signal}", signal),
        (None, None) => "failed".to_owned(),
    }
}

fn first_line(bytes: &[u8]) -> Option<Secret> {
    let line = bytes.split(|byte| *byte == b'\n').next()?;
    let text = std::str::from_utf8(line).ok()?.trim();
    (!text.is_empty()).then(|| Secret::new(text))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn resolve(source: &Source) -> Result<Secret, NoSecret> {
        let variable = |name: &str| (name == "THERE").then(|| " s3cret ".to_owned());
        source.resolve(variable, PATIENCE)
    }

    fn command(argv: &[&str]) -> Source {
        Source::Command(argv.iter().map(|word| (*word).to_owned()).collect())
    }

    #[track_caller]
    fn why(source: &Source) -> String {
        let error = resolve(source).unwrap_err();
        assert!(!error.hint.is_empty());
        assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
        error.to_string()
    }

    #[test]
    fn a_variable_is_read_when_it_is_needed() {
        let source = Source::Env("THERE".into());
        assert_eq!(resolve(&source).unwrap().expose(), "s3cret");
        let missing = resolve(&Source::Env("ELSEWHERE".into())).unwrap_err();
        assert_eq!(missing.why, "the environment variable ELSEWHERE isn't set");
        assert!(missing.hint.contains("`workbay daemon stop`"));
    }

    #[test]
    fn a_file_must_be_closed_to_others() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        fs::write(&path, "s3cret\nsecond line\n").unwrap();
        let source = Source::File(path.clone());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let error = resolve(&source).unwrap_err();
        assert!(error.why.ends_with("is readable by other users (mode 640)"));
        assert_eq!(error.hint, format!("chmod 600 {}", path.display()));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(resolve(&source).unwrap().expose(), "s3cret");
        fs::write(&path, "\ns3cret\n").unwrap();
        assert!(why(&source).contains("its first line is empty"));
        assert!(why(&Source::File(dir.path().join("none"))).contains("can't be read: No such"));
        assert!(why(&Source::File(dir.path().into())).ends_with("isn't a regular file"));
    }

    #[test]
    fn a_command_reports_its_first_line_and_no_shell_is_between() {
        let secret = resolve(&command(&["printf", "%s\\n", "$HOME;x", "more"]));
        assert_eq!(secret.unwrap().expose(), "$HOME;x");
        assert_eq!(
            why(&command(&["false", "s3cret"])),
            "the command false, which prints the secret, ended with exit code 1"
        );
        assert!(why(&command(&["true", "s3cret"])).contains("printed no secret"));
        assert!(why(&command(&["/nowhere/pass"])).contains("can't be started: No such file"));
    }

    #[test]
    fn the_number_of_a_command_stays_its_own_until_it_is_settled_what_becomes_of_its_group() {
        let mut child = Command::new("echo")
            .arg("s3cret")
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let pid = Pid::from_raw(child.id().cast_signed()).unwrap();
        let secret = listen(child.stdout.take(), Some(pid)).recv().unwrap();
        assert_eq!(secret.unwrap().as_slice(), b"s3cret\n");
        // The program has ended, and its process id can't be reused yet.
        let group = rustix::process::test_kill_process_group(pid);
        assert!(group.is_ok(), "it was reaped: {group:?}");
        assert!(child.wait().unwrap().success());
    }

    #[test]
    fn a_command_that_hangs_is_ended_with_all_it_started() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("pid");
        let script = format!("sleep 600 & echo $! > {}; wait", file.display());
        let source = command(&["sh", "-c", &script]);
        let error = source
            .resolve(|_| None, Duration::from_secs(3))
            .unwrap_err();
        assert!(error.why.contains("hasn't ended after"), "{error}");
        let pid = fs::read_to_string(&file).unwrap();
        let there = format!("/proc/{}/exe", pid.trim());
        while fs::read_link(&there).is_ok() {
            std::thread::yield_now();
        }
    }
}
