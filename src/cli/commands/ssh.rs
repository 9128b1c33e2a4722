//! `workbay ssh`, `ssh-config` and `ssh-proxy`: OpenSSH's client into sessions, without a port.

use std::{io::Write as _, os::unix::process::CommandExt as _, process::Command};

use clap::Args;

use crate::{
    cli::{
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::{Fail, Outcome, code},
        find,
        invocation::Invocation,
        output, stdin,
    },
    client::StreamItem,
    model::forward::SshAccess,
    protocol::message::{Reply, Request, StreamEnd, StreamOpen},
    rules::launch::command::quote,
};

/// The end of the host names of sessions in SSH's configuration.
const DOMAIN: &str = ".workbay";

#[derive(Args, Debug)]
pub struct Ssh {
    /// Name, id or beginning of an id (CONTEXT/… for another context)
    #[arg(value_name = "S")]
    pub session: String,
    /// Options of ssh and the command to run, for example -L 8080:localhost:8080
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENT"
    )]
    pub arguments: Vec<String>,
}

impl RunCommand for Ssh {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        let (session, access) = connection::block_on(async {
            let connection = Connection::connect(&start.paths).await?;
            let session = find::live_session(&connection, Choice::of(start), &self.session).await?;
            Ok((session, access(&connection).await?))
        })?;
        let mut ssh = Command::new("ssh");
        // The proxy gets the id, because a name may need quoting and may not be unique.
        let host = format!("{}{DOMAIN}", session.id);
        for (name, value) in options(&access, &format!("{}/{host}", session.context))? {
            ssh.arg("-o").arg(format!("{name}={value}"));
        }
        ssh.arg(host).args(&self.arguments);
        let error = ssh.exec();
        Err(
            Fail::new(code::FAILED, tr!("`ssh` can't be started: {error}", error)).hint(tr!(
                "install OpenSSH's client (Debian: apt install openssh-client)"
            )),
        )
    }
}

#[derive(Args, Debug)]
pub struct SshConfig {}

impl RunCommand for SshConfig {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        let access = connection::block_on(async {
            let connection = Connection::connect(&start.paths).await?;
            access(&connection).await
        })?;
        let mut text = format!("Host *{DOMAIN}\n");
        for (name, value) in options(&access, "%n")? {
            text.push_str("  ");
            text.push_str(name);
            text.push(' ');
            text.push_str(&value);
            text.push('\n');
        }
        output::print(&text)?;
        Ok(0)
    }
}

/// The options by which `ssh` reaches a session.
fn options(access: &SshAccess, host: &str) -> Result<Vec<(&'static str, String)>, Fail> {
    let program = std::env::current_exe().map_err(|error| {
        Fail::new(
            code::FAILED,
            tr!("workbay's path is unknown: {error}", error),
        )
    })?;
    let program = program.display().to_string();
    // ssh expands % in both, and a shell runs the proxy.
    let percent = |text: &str| text.replace('%', "%%");
    let file = |text: &str| format!("\"{}\"", percent(text));
    Ok(vec![
        ("User", access.user.to_string()),
        (
            "ProxyCommand",
            format!("{} ssh-proxy {host}", percent(&quote(&program))),
        ),
        ("IdentityFile", file(&access.identity_file)),
        ("IdentitiesOnly", "yes".to_owned()),
        ("UserKnownHostsFile", file(&access.known_hosts_file)),
        ("HostKeyAlias", access.host_key_alias.clone()),
    ])
}

async fn access(connection: &Connection) -> Result<SshAccess, Fail> {
    match connection.request(Request::SshClient).await? {
        Reply::SshAccess { access } => Ok(access),
        other => Err(connection::unexpected(&other)),
    }
}

#[derive(Args, Debug)]
pub struct SshProxy {
    /// Session, with or without .workbay
    #[arg(value_name = "HOST")]
    pub host: String,
}

impl RunCommand for SshProxy {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load_silently()?;
        let name = self.host.strip_suffix(DOMAIN).unwrap_or(&self.host);
        connection::block_on(async {
            let connection = Connection::connect(&start.paths).await?;
            let session = find::live_session(&connection, Choice::of(start), name).await?;
            let session = session.key();
            connection
                .watched(carry(&connection, StreamOpen::Ssh { session }))
                .await?
        })
    }
}

/// Connects stdin and stdout to a stream.
async fn carry(connection: &Connection, open: StreamOpen) -> Outcome {
    let mut stream = connection.stream(open);
    tokio::spawn(stdin::forward(stream.sender()));
    while let Some(item) = stream.recv().await {
        match item {
            StreamItem::Opened => {}
            StreamItem::Data { bytes, .. } => {
                let mut out = std::io::stdout().lock();
                if out.write_all(&bytes).and_then(|()| out.flush()).is_err() {
                    // The client of ssh has ended.
                    return Ok(0);
                }
            }
            StreamItem::Ended(StreamEnd::Exited { .. }) => return Ok(0),
            StreamItem::Ended(StreamEnd::Failed { failure }) => return Err(failure.into()),
            StreamItem::Ended(StreamEnd::Lost { why }) => {
                return Err(Fail::new(code::UNREACHABLE, why));
            }
        }
    }
    let fail = Fail::new(
        code::UNREACHABLE,
        tr!("the connection to the daemon was closed"),
    );
    Err(fail.hint(tr!("connect again")))
}
