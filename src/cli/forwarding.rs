//! Options of commands that open forwards, and how forwards are printed.

use clap::Args;
use serde::Serialize;

use super::{
    args::number,
    connection::{self, Connection},
    fail::{Fail, Outcome},
    output::{self, Cell},
    tty,
};
use crate::{
    config::user,
    model::{
        app::AppProtocol,
        forward::{Forward, ForwardOptions, OpenedForward, PublicOptions},
        resources::Bytes,
        settings::AppSettings,
        span::Span,
    },
    protocol::message::{Reply, Request},
    rules::ssh_tunnel::SshRoute,
};

/// How a forward is opened.
#[derive(Args, Clone, Debug, Default)]
pub struct ForwardArgs {
    /// Port of this machine to try first (1025 to 65534)
    #[arg(long, value_name = "N", value_parser = number::<u16>)]
    pub port: Option<u16>,
    /// Listen on all addresses of this machine, for everyone and without a token
    #[arg(long)]
    pub public: bool,
    /// Network that may use a public forward, for example 10.0.0.0/8 (repeatable, default: everyone)
    #[arg(long, value_name = "NETWORK", requires = "public")]
    pub allow: Vec<String>,
    /// Close a public forward after this time (30m, 8h)
    #[arg(long, value_name = "SPAN", requires = "public")]
    pub expires: Option<Span>,
    /// Don't ask for confirmation before a public forward is opened
    #[arg(long, requires = "public")]
    pub yes: bool,
}

impl ForwardArgs {
    /// The options of the request, after a public forward was confirmed.
    pub fn confirmed(
        &self,
        what: &str,
        protocol: Option<AppProtocol>,
    ) -> Result<ForwardOptions, Fail> {
        if self.public {
            confirm_public(tr!("this machine"), what, self.yes)?;
        }
        let public = self.public.then(|| PublicOptions {
            allowed: self.allow.clone(),
            expires: self.expires,
        });
        Ok(ForwardOptions {
            preferred_port: self.port,
            public,
            protocol,
        })
    }
}

/// Who opens an app to everyone must type it.
pub fn confirm_public(place: &str, what: &str, yes: bool) -> Result<(), Fail> {
    if yes {
        return Ok(());
    }
    tty::require_for_confirmation("--public", yes)?;
    output::remark(&tr!(
        "Everyone who reaches {place} can then use {what}, without a password. Type `public` to open it:",
        place,
        what
    ));
    if tty::answer()? == "public" {
        return Ok(());
    }
    Err(Fail::new(
        super::fail::code::FAILED,
        tr!("nothing was opened"),
    ))
}

/// Asks for a forward, and prints its URL.
pub async fn open(
    connection: &Connection,
    request: Request,
    settings: &AppSettings,
    json: bool,
) -> Outcome {
    let opened = match connection.request(request).await? {
        Reply::Opened { opened } => *opened,
        other => return Err(connection::unexpected(&other)),
    };
    print_opened(&opened, json)?;
    // Data goes to stdout, so that a script gets the URL alone.
    if let Some(command) = tunnel(&opened.forward, settings).filter(|_| !json) {
        output::remark(&tr!(
            "workbay: to use it on your own computer, run there: {command}",
            command
        ));
    }
    Ok(0)
}

/// The command that makes a forward available on the computer at the other end of this SSH connection.
fn tunnel(forward: &Forward, settings: &AppSettings) -> Option<String> {
    let connection = std::env::var("SSH_CONNECTION").ok()?;
    let is_needed = forward.public.is_none() && forward.address.is_loopback();
    is_needed.then(|| {
        let host = rustix::system::uname()
            .nodename()
            .to_string_lossy()
            .into_owned();
        let user = user::user_name();
        let arguments = &settings.ssh_arguments;
        SshRoute::new(Some(&connection), &user, &host, arguments).tunnel(forward.port)
    })
}

fn print_opened(opened: &OpenedForward, json: bool) -> Result<(), Fail> {
    if let Some(remark) = &opened.remark {
        output::remark(&format!("workbay: {remark}"));
    }
    if json {
        return output::json(opened);
    }
    output::line(&opened.url)
}

/// The table of forwards.
pub fn table(forwards: &[Forward]) -> String {
    let head = [
        tr_later!("ID"),
        tr_later!("SESSION"),
        tr_later!("APP"),
        tr_later!("ADDRESS"),
        tr_later!("RECEIVED"),
        tr_later!("SENT"),
        tr_later!("CONNECTIONS"),
        tr_later!("STATE"),
    ];
    let rows: Vec<Vec<Cell>> = forwards.iter().map(row).collect();
    output::table(&head, &rows, false)
}

fn row(forward: &Forward) -> Vec<Cell> {
    let traffic = &forward.traffic;
    vec![
        forward.id.to_string().into(),
        forward.session_name.to_string().into(),
        forward.title.to_string().into(),
        forward.address_url.to_string().into(),
        Bytes(traffic.received).to_string().into(),
        Bytes(traffic.sent).to_string().into(),
        traffic.connections.to_string().into(),
        state(forward).into(),
    ]
}

fn state(forward: &Forward) -> String {
    match (&forward.broken, &forward.public) {
        (Some(why), _) => tr!("failed: {why}", why),
        (None, Some(_)) => tr!("public").to_owned(),
        (None, None) => tr_in!("port", "open").to_owned(),
    }
}

/// Prints a value as JSON, or a text.
pub fn print(
    value: &impl Serialize,
    json: bool,
    text: impl FnOnce() -> String,
) -> Result<(), Fail> {
    if json {
        output::json(value)
    } else {
        output::print(&text())
    }
}
