//! `workbay port`: ports of this machine that lead to sessions.

use clap::{Args, Subcommand};

use crate::{
    cli::{
        args::{Json, One},
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::{Fail, Outcome, code},
        find,
        forwarding::{self, ForwardArgs},
        invocation::Invocation,
    },
    model::{
        app::{AppProtocol, AppStart},
        forward::{Forward, ForwardId, ForwardTarget},
        request::{AppRequest, ForwardRequest},
    },
    protocol::message::{Reply, Request},
};

#[derive(Debug, Subcommand)]
pub enum PortCommand {
    /// List the open ports
    Ls {
        /// Session whose ports are listed (default: all)
        #[arg(value_name = "S")]
        session: Option<String>,
        #[command(flatten)]
        format: Json,
    },
    /// Open a port of this machine to a port or an app of a session, and print the URL
    Open(Open),
    /// Print the URL of an open port, with a new token
    Url {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        format: Json,
    },
    /// Close a port
    Close {
        #[command(flatten)]
        which: Which,
    },
}

#[derive(Args, Debug)]
pub struct Open {
    #[command(flatten)]
    pub one: One,
    /// Port in the session, name of an app, or `ssh`
    #[arg(value_name = "PORT")]
    pub target: String,
    /// The port doesn't speak HTTP: pass its bytes on unchanged
    #[arg(long)]
    pub tcp: bool,
    #[command(flatten)]
    pub forward: ForwardArgs,
    #[command(flatten)]
    pub format: Json,
}

/// An open port.
#[derive(Args, Debug)]
pub struct Which {
    /// Its id or its port on this machine, as `workbay port ls` prints them
    #[arg(value_name = "ID")]
    pub id: u64,
}

impl RunCommand for PortCommand {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        let settings = &start.loaded.settings.apps;
        connection::block_on(async {
            let connection = Connection::connect(&start.paths).await?;
            match self {
                Self::Ls { session, format } => {
                    let mut forwards = all(&connection).await?;
                    if let Some(text) = session {
                        let session = find::session(&connection, Choice::of(start), &text).await?;
                        forwards.retain(|forward| forward.session == session.key());
                    }
                    forwarding::print(&forwards, format.json, || forwarding::table(&forwards))?;
                    Ok(0)
                }
                Self::Open(open) => {
                    let name = &open.one.session;
                    let session = find::live_session(&connection, Choice::of(start), name).await?;
                    let json = open.format.json;
                    let request = open.request(session.key())?;
                    connection
                        .watched(forwarding::open(&connection, request, settings, json))
                        .await?
                }
                Self::Url { which, format } => {
                    let id = which.find(&connection).await?;
                    let request = ForwardRequest::Url { id };
                    let request = Request::Forward { request };
                    forwarding::open(&connection, request, settings, format.json).await
                }
                Self::Close { which } => {
                    let id = which.find(&connection).await?;
                    let request = ForwardRequest::Close { id };
                    connection
                        .request_done(Request::Forward { request })
                        .await?;
                    Ok(0)
                }
            }
        })
    }
}

impl Open {
    fn request(self, session: crate::model::id::SessionKey) -> Result<Request, Fail> {
        let what = tr!(
            "{app} of {session}",
            app = self.target,
            session = self.one.session
        );
        let protocol = self.tcp.then_some(AppProtocol::Tcp);
        let options = self.forward.confirmed(&what, protocol)?;
        let target = match self.target.parse() {
            Ok(port) => ForwardTarget::Port { port },
            Err(_) if self.target == "ssh" => ForwardTarget::Ssh,
            Err(_) if self.target.bytes().all(|byte| byte.is_ascii_digit()) => {
                return Err(
                    Fail::usage(tr!("invalid port {target}", target = self.target))
                        .hint(tr!("use a port from 1 to 65535, or the name of an app")),
                );
            }
            Err(_) => {
                let start = AppStart::of(&self.target);
                let request = AppRequest::Open { start, options };
                return Ok(Request::App { session, request });
            }
        };
        let request = ForwardRequest::Open {
            session,
            target,
            options,
        };
        Ok(Request::Forward { request })
    }
}

async fn all(connection: &Connection) -> Result<Vec<Forward>, Fail> {
    let request = ForwardRequest::List;
    match connection.request(Request::Forward { request }).await? {
        Reply::Forwards { forwards } => Ok(forwards),
        other => Err(connection::unexpected(&other)),
    }
}

impl Which {
    async fn find(&self, connection: &Connection) -> Result<ForwardId, Fail> {
        let forwards = all(connection).await?;
        let mut forwards = forwards.iter();
        // Ids are small; ports begin at 1025.
        let found = forwards.find(|it| it.id == self.id || u64::from(it.port) == self.id);
        found.map(|forward| forward.id).ok_or_else(|| {
            Fail::new(code::NOT_FOUND, tr!("no open port {id}", id = self.id))
                .hint(tr!("`workbay port ls` lists them"))
        })
    }
}
