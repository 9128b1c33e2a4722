//! `workbay app`: the apps of a session.

use std::collections::BTreeMap;

use clap::{Args, Subcommand};

use crate::{
    cli::{
        args::{Json, One, number},
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::{Fail, Outcome},
        find,
        forwarding::{self, ForwardArgs},
        invocation::Invocation,
        output::{self, Cell},
    },
    model::{
        app::{App, AppStart, AppState, ProxyOptions},
        ports,
        request::AppRequest,
        session::Session,
        settings::AppSettings,
        text::Clean,
    },
    protocol::message::{Reply, Request},
};

#[derive(Debug, Subcommand)]
pub enum AppCommand {
    /// List the apps of a session and the ports that its programs listen on
    Ls {
        #[command(flatten)]
        one: One,
        #[command(flatten)]
        format: Json,
    },
    /// Start an app, open a port of this machine to it, and print the URL
    Start(Start),
    /// Start an app of a cluster and print its URL at the cluster's app proxy
    Proxy(Proxy),
    /// Stop an app and close its ports
    Stop {
        #[command(flatten)]
        named: Named,
    },
    /// Print the last lines of an app's output
    Logs {
        #[command(flatten)]
        named: Named,
        #[command(flatten)]
        format: Json,
    },
}

#[derive(Args, Debug)]
pub struct Start {
    #[command(flatten)]
    pub named: Named,
    #[command(flatten)]
    pub with: StartOptions,
    /// Only start the app
    #[arg(long, conflicts_with_all = ["port", "public", "json"])]
    pub no_port: bool,
    #[command(flatten)]
    pub forward: ForwardArgs,
    #[command(flatten)]
    pub format: Json,
}

#[derive(Args, Debug)]
pub struct Proxy {
    #[command(flatten)]
    pub named: Named,
    #[command(flatten)]
    pub with: StartOptions,
    /// Port of the proxy to try first (1025 to 65534)
    #[arg(long, value_name = "N", value_parser = number::<u16>)]
    pub port: Option<u16>,
    /// Let everyone use the URL, without the cookie of your browser
    #[arg(long)]
    pub public: bool,
    /// Address or network that may use it, for example 10.0.0.0/8 (repeatable, default: all)
    #[arg(long, value_name = "NETWORK")]
    pub allow: Vec<String>,
    /// Don't ask for confirmation before it is opened to everyone
    #[arg(long, requires = "public")]
    pub yes: bool,
    #[command(flatten)]
    pub format: Json,
}

/// What an app starts with.
#[derive(Args, Debug)]
pub struct StartOptions {
    /// Argument of the app, for example logdir=/home/work/logs (repeatable)
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = pair)]
    pub arguments: Vec<(String, String)>,
    /// Variable of the app (repeatable)
    #[arg(short, long, value_name = "NAME=VALUE", value_parser = pair)]
    pub env: Vec<(String, String)>,
}

impl StartOptions {
    fn start_of(self, app: String) -> AppStart {
        AppStart {
            app,
            arguments: self.arguments.into_iter().collect::<BTreeMap<_, _>>(),
            env: self.env.into_iter().collect(),
            again: false,
        }
    }
}

/// An app of a session.
#[derive(Args, Debug)]
pub struct Named {
    #[command(flatten)]
    pub one: One,
    /// Name of the app, as `workbay app ls` prints it
    #[arg(value_name = "APP")]
    pub app: String,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(tr!("write NAME=VALUE").to_owned()),
    }
}

impl RunCommand for AppCommand {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        match self {
            Self::Ls { one, format } => {
                on_session(invocation, &one, async |connection, session, _| {
                    let reply = ask(connection, session, AppRequest::List).await?;
                    let Reply::Apps { apps } = reply else {
                        return Err(connection::unexpected(&reply));
                    };
                    forwarding::print(&apps, format.json, || table(&apps))?;
                    Ok(0)
                })
            }
            Self::Start(start) => start.run(invocation),
            Self::Proxy(proxy) => proxy.run(invocation),
            Self::Stop { named } => {
                let Named { one, app } = named;
                on_session(invocation, &one, async |connection, session, _| {
                    let request = AppRequest::Stop { app };
                    match ask(connection, session, request).await? {
                        Reply::Done => Ok(0),
                        other => Err(connection::unexpected(&other)),
                    }
                })
            }
            Self::Logs { named, format } => {
                let Named { one, app } = named;
                on_session(invocation, &one, async |connection, session, _| {
                    let reply = ask(connection, session, AppRequest::Log { app }).await?;
                    let Reply::AppLog { lines } = reply else {
                        return Err(connection::unexpected(&reply));
                    };
                    forwarding::print(&lines, format.json, || {
                        let lines: Vec<&str> = lines.iter().map(Clean::as_str).collect();
                        lines.iter().flat_map(|line| [*line, "\n"]).collect()
                    })?;
                    Ok(0)
                })
            }
        }
    }
}

impl Start {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let what = tr!(
            "{app} of {session}",
            app = self.named.app,
            session = self.named.one.session
        );
        let options = self.forward.confirmed(&what, None)?;
        let start = self.with.start_of(self.named.app);
        let (no_port, json) = (self.no_port, self.format.json);
        on_session(
            invocation,
            &self.named.one,
            async |connection, session, settings| {
                if !no_port {
                    let request = app_request(session, AppRequest::Open { start, options });
                    return forwarding::open(connection, request, settings, json).await;
                }
                match ask(connection, session, AppRequest::Start { start }).await? {
                    Reply::Apps { .. } => Ok(0),
                    other => Err(connection::unexpected(&other)),
                }
            },
        )
    }
}

impl Proxy {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        if self.public {
            let what = tr!(
                "{app} of {session}",
                app = self.named.app,
                session = self.named.one.session
            );
            forwarding::confirm_public(tr!("the cluster's app proxy"), &what, self.yes)?;
        }
        let start = self.with.start_of(self.named.app);
        let options = ProxyOptions {
            preferred_port: self.port,
            public: self.public,
            allowed: self.allow,
        };
        let json = self.format.json;
        on_session(
            invocation,
            &self.named.one,
            async |connection, session, _| {
                let request = AppRequest::Proxy { start, options };
                let proxied = match ask(connection, session, request).await? {
                    Reply::Proxied { proxied } => proxied,
                    other => return Err(connection::unexpected(&other)),
                };
                // A browser needs the URL, other programs the address.
                let text = proxied.address.as_ref().unwrap_or(&proxied.url);
                forwarding::print(&proxied, json, || format!("{text}\n"))?;
                Ok(0)
            },
        )
    }
}

fn on_session(
    invocation: &Invocation<'_>,
    one: &One,
    work: impl AsyncFnOnce(&Connection, &Session, &AppSettings) -> Outcome,
) -> Outcome {
    let start = &invocation.load()?;
    connection::block_on(async {
        let connection = Connection::connect(&start.paths).await?;
        let session = find::live_session(&connection, Choice::of(start), &one.session).await?;
        let settings = &start.loaded.settings.apps;
        connection
            .watched(work(&connection, &session, settings))
            .await?
    })
}

fn app_request(session: &Session, request: AppRequest) -> Request {
    Request::App {
        session: session.key(),
        request,
    }
}

async fn ask(
    connection: &Connection,
    session: &Session,
    request: AppRequest,
) -> Result<Reply, Fail> {
    connection.request(app_request(session, request)).await
}

fn table(apps: &[App]) -> String {
    let rows: Vec<Vec<Cell>> = apps.iter().map(row).collect();
    output::table(
        &[
            tr_later!("APP"),
            tr_later!("TITLE"),
            tr_later!("PROTOCOL"),
            tr_later!("PORTS"),
            tr_later!("STATE"),
        ],
        &rows,
        false,
    )
}

fn row(app: &App) -> Vec<Cell> {
    let state = match &app.state {
        AppState::Failed { why } => tr!("failed: {why}", why),
        state => state.word().to_owned(),
    };
    vec![
        app.name.to_string().into(),
        app.title.to_string().into(),
        app.protocol.word().into(),
        ports::write(&app.ports).into(),
        state.into(),
    ]
}
