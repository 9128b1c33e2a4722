//! What a client may ask of the server.

use std::{collections::HashMap, sync::Arc};

use russh::{
    Channel, ChannelId, ChannelOpenFailure, Pty,
    keys::Algorithm,
    server::{Auth, ChannelOpenHandle, Handler, Msg, PublicKeyOffer, Session, VerifiedPublicKey},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_util::sync::CancellationToken;

use super::{
    access::SessionAccess,
    backlog::Backlog,
    channel::{self, ChannelEnd, ChannelOutput, InputQueue},
    command::{self, TMUX_SUFFIX, Terminal},
    forward::Forwards,
    keys::Keys,
    program::{self, Start},
    tunnel,
    variables::Variables,
};
use crate::{locale, model::failure::Failure};

/// How many channels may be open at once.
pub(super) const CHANNELS: usize = 64;

/// How many channels a connection may open until it ends. The library keeps a little of each that the server closed.
const ALL_CHANNELS: usize = 16 * 1024;

/// The codes of the protocol for refused channels. Their reasons are English: OpenSSH shows other letters as numbers.
const PROHIBITED: u32 = 1;
const CONNECT_FAILED: u32 = 2;
const NO_ROOM: u32 = 4;

/// What the tasks of a connection share.
pub(super) struct Shared {
    pub(super) access: Arc<dyn SessionAccess>,
    pub(super) backlog: Arc<Backlog>,
    /// Cancelled when the connection is over.
    pub(super) gone: CancellationToken,
    room: Arc<Semaphore>,
}

impl Shared {
    pub(super) fn new(
        access: Arc<dyn SessionAccess>,
        backlog: Arc<Backlog>,
        gone: CancellationToken,
    ) -> Self {
        Self {
            access,
            backlog,
            gone,
            room: Arc::new(Semaphore::new(CHANNELS)),
        }
    }

    /// Counts a new channel, if there is room for one.
    pub(super) fn channel(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.room).try_acquire_owned().ok()
    }

    /// Both directions of an open channel.
    pub(super) fn split(
        &self,
        channel: Channel<Msg>,
        session: &russh::server::Handle,
        permit: OwnedSemaphorePermit,
    ) -> (InputQueue, ChannelOutput) {
        let end = ChannelEnd {
            gone: self.gone.child_token(),
            overflow: CancellationToken::new(),
        };
        let backlog = || Arc::clone(&self.backlog);
        let (from, to) = channel.split();
        let input = channel::receive(from, backlog(), end.clone(), permit);
        (
            input,
            ChannelOutput::new(to, session.clone(), backlog(), end),
        )
    }
}

/// A channel whose program isn't started yet.
struct Waiting {
    input: InputQueue,
    output: ChannelOutput,
    terminal: Option<Terminal>,
    variables: Variables,
}

/// One connection. Its methods never wait for a program, except where a remote forward begins.
pub(super) struct Connection {
    shared: Arc<Shared>,
    keys: Arc<Keys>,
    admitted: watch::Sender<bool>,
    waiting: HashMap<ChannelId, Waiting>,
    forwards: Forwards,
    opened: usize,
    with_tmux: bool,
}

impl Connection {
    pub(super) fn new(shared: Arc<Shared>, keys: Arc<Keys>, admitted: watch::Sender<bool>) -> Self {
        Self {
            shared,
            keys,
            admitted,
            waiting: HashMap::new(),
            forwards: Forwards::default(),
            opened: 0,
            with_tmux: false,
        }
    }

    /// Whether this user may log in with this key. SHA-1 signatures prove nothing any more.
    fn admits(&self, user: &str, key: &russh::keys::PublicKey, algorithm: &Algorithm) -> bool {
        let name = user.strip_suffix(TMUX_SUFFIX).unwrap_or(user);
        self.shared.access.is_live()
            && name == self.shared.access.user()
            && *algorithm != (Algorithm::Rsa { hash: None })
            && self.keys.contains(key)
    }

    /// Counts a new channel, or says why it is refused.
    fn new_channel(&mut self) -> Result<OwnedSemaphorePermit, ChannelOpenFailure> {
        let full = |reason: String| ChannelOpenFailure::Other {
            code: NO_ROOM,
            reason,
        };
        if self.opened >= ALL_CHANNELS {
            let why = tr_sent!(
                "{all_channels} channels were opened on this connection. Reconnect",
                all_channels = ALL_CHANNELS
            );
            return Err(full(why));
        }
        let permit = self.shared.channel();
        let permit = permit.ok_or_else(|| {
            full(tr_sent!(
                "{channels} channels are open, which are the most",
                channels = CHANNELS
            ))
        })?;
        self.opened += 1;
        Ok(permit)
    }

    /// Starts the program of a channel. The client gets a failure on the channel itself.
    fn start(&mut self, id: ChannelId, session: &mut Session, what: Program) -> Started {
        let Some(mut waiting) = self.waiting.remove(&id) else {
            session.channel_failure(id)?;
            return Ok(());
        };
        waiting.output.speak(&waiting.variables);
        let start = match what {
            Program::Sftp => Ok(Start::Sftp),
            Program::Shell if self.with_tmux && waiting.terminal.is_some() => Ok(Start::Tmux {
                tag: tag(),
                size: waiting.terminal.map_or((80, 24), |terminal| terminal.size),
            }),
            Program::Shell => command(None, waiting.terminal, waiting.variables),
            Program::Command(text) => command(Some(&text), waiting.terminal, waiting.variables),
        };
        session.channel_success(id)?;
        let access = Arc::clone(&self.shared.access);
        let (input, output) = (waiting.input, waiting.output);
        tokio::spawn(async move {
            match start {
                Ok(start) => program::run(start, access, input, output).await,
                Err(why) => {
                    output.say(&why).await;
                    output.exited(program::FAILED).await;
                }
            }
        });
        Ok(())
    }
}

/// What a client starts on a channel.
enum Program {
    Shell,
    Command(Vec<u8>),
    Sftp,
}

type Started = Result<(), Failure>;

fn command(
    text: Option<&[u8]>,
    terminal: Option<Terminal>,
    variables: Variables,
) -> Result<Start, String> {
    let argv = command::argv(text, terminal.as_ref(), variables)?;
    let tty = terminal.map(|terminal| terminal.size);
    Ok(Start::Command { argv, tty })
}

/// Identifies a client of the session's tmux.
fn tag() -> String {
    let id = uuid::Uuid::new_v4().simple().to_string();
    format!("ssh-{}", &id[..12])
}

/// The library's errors concern only this connection.
impl From<russh::Error> for Failure {
    fn from(error: russh::Error) -> Self {
        Failure::lost(tr_sent!("the SSH connection ended")).because(error.to_string())
    }
}

impl Handler for Connection {
    type Error = Failure;

    async fn authentication_banner(&mut self) -> Result<Option<String>, Failure> {
        let ended = tr_sent!("this session isn't running, so nobody can log in");
        let banner = || format!("workbay: {}\r\n", locale::spoken(ended));
        Ok((!self.shared.access.is_live()).then(banner))
    }

    async fn auth_publickey_offered(
        &mut self,
        user: &str,
        offer: PublicKeyOffer<'_>,
    ) -> Result<Auth, Failure> {
        let admits = self.admits(user, offer.public_key, offer.algorithm);
        Ok(if admits { Auth::Accept } else { Auth::reject() })
    }

    async fn auth_publickey(
        &mut self,
        user: &str,
        key: VerifiedPublicKey<'_>,
    ) -> Result<Auth, Failure> {
        if !self.admits(user, key.public_key, key.algorithm) {
            return Ok(Auth::reject());
        }
        self.with_tmux = user.ends_with(TMUX_SUFFIX);
        Ok(Auth::Accept)
    }

    async fn auth_succeeded(&mut self, _session: &mut Session) -> Result<(), Failure> {
        self.admitted.send_replace(true);
        Ok(())
    }

    async fn channel_open_session(
        &mut self,
        channel: Channel<Msg>,
        reply: ChannelOpenHandle,
        session: &mut Session,
    ) -> Result<(), Failure> {
        match self.new_channel() {
            Ok(permit) => {
                let id = channel.id();
                let (input, output) = self.shared.split(channel, &session.handle(), permit);
                let waiting = Waiting {
                    input,
                    output,
                    terminal: None,
                    variables: Variables::default(),
                };
                self.waiting.insert(id, waiting);
                reply.accept().await;
            }
            Err(refusal) => reply.reject(refusal).await,
        }
        Ok(())
    }

    async fn channel_open_direct_tcpip(
        &mut self,
        channel: Channel<Msg>,
        host: &str,
        port: u32,
        _originator: &str,
        _originator_port: u32,
        reply: ChannelOpenHandle,
        session: &mut Session,
    ) -> Result<(), Failure> {
        let (host, port) = match (
            tunnel::is_own(host, &*self.shared.access),
            u16::try_from(port),
        ) {
            (true, Ok(port)) if port > 0 => (host.to_owned(), port),
            (is_own, _) => {
                let reason = if is_own {
                    tr_sent!("{port} isn't a valid port", port)
                } else {
                    tunnel::elsewhere(host)
                };
                let code = PROHIBITED;
                reply
                    .reject(ChannelOpenFailure::Other { code, reason })
                    .await;
                return Ok(());
            }
        };
        match self.new_channel() {
            Ok(permit) => {
                let (shared, session) = (Arc::clone(&self.shared), session.handle());
                tokio::spawn(async move {
                    let dialed = tunnel::dial(&*shared.access, &shared.gone, host, port).await;
                    match dialed {
                        Ok(stream) => {
                            let (input, output) = shared.split(channel, &session, permit);
                            reply.accept().await;
                            let access = Arc::clone(&shared.access);
                            tunnel::carry(stream, access, input, output).await;
                        }
                        Err(failure) => {
                            let reason = failure.sentence();
                            let code = CONNECT_FAILED;
                            reply
                                .reject(ChannelOpenFailure::Other { code, reason })
                                .await;
                        }
                    }
                });
            }
            Err(refusal) => reply.reject(refusal).await,
        }
        Ok(())
    }

    async fn channel_open_direct_streamlocal(
        &mut self,
        _channel: Channel<Msg>,
        _path: &str,
        reply: ChannelOpenHandle,
        _session: &mut Session,
    ) -> Result<(), Failure> {
        let reason = tr_sent!("Unix sockets aren't forwarded. Forward a port").to_owned();
        let code = PROHIBITED;
        reply
            .reject(ChannelOpenFailure::Other { code, reason })
            .await;
        Ok(())
    }

    async fn channel_close(
        &mut self,
        channel: ChannelId,
        _session: &mut Session,
    ) -> Result<(), Failure> {
        self.waiting.remove(&channel);
        Ok(())
    }

    async fn pty_request(
        &mut self,
        channel: ChannelId,
        term: &str,
        columns: u32,
        rows: u32,
        _width: u32,
        _height: u32,
        _modes: &[(Pty, u32)],
        session: &mut Session,
    ) -> Result<(), Failure> {
        match self.waiting.get_mut(&channel) {
            Some(waiting) => {
                waiting.terminal = Some(Terminal::new(term, columns, rows));
                session.channel_success(channel)?;
            }
            None => session.channel_failure(channel)?,
        }
        Ok(())
    }

    async fn env_request(
        &mut self,
        channel: ChannelId,
        name: &str,
        value: &str,
        session: &mut Session,
    ) -> Result<(), Failure> {
        let waiting = self.waiting.get_mut(&channel);
        if waiting.is_some_and(|waiting| waiting.variables.accept(name, value)) {
            session.channel_success(channel)?;
        } else {
            session.channel_failure(channel)?;
        }
        Ok(())
    }

    async fn shell_request(&mut self, channel: ChannelId, session: &mut Session) -> Started {
        self.start(channel, session, Program::Shell)
    }

    async fn exec_request(
        &mut self,
        channel: ChannelId,
        data: &[u8],
        session: &mut Session,
    ) -> Started {
        self.start(channel, session, Program::Command(data.to_vec()))
    }

    async fn subsystem_request(
        &mut self,
        channel: ChannelId,
        name: &str,
        session: &mut Session,
    ) -> Started {
        if name == "sftp" {
            return self.start(channel, session, Program::Sftp);
        }
        session.channel_failure(channel)?;
        Ok(())
    }

    async fn window_change_request(
        &mut self,
        channel: ChannelId,
        columns: u32,
        rows: u32,
        _width: u32,
        _height: u32,
        _session: &mut Session,
    ) -> Result<(), Failure> {
        let waiting = self.waiting.get_mut(&channel);
        if let Some(terminal) = waiting.and_then(|waiting| waiting.terminal.as_mut()) {
            terminal.size = command::size(columns, rows);
        }
        Ok(())
    }

    async fn x11_request(
        &mut self,
        channel: ChannelId,
        _single: bool,
        _protocol: &str,
        _cookie: &str,
        _screen: u32,
        session: &mut Session,
    ) -> Result<(), Failure> {
        session.channel_failure(channel)?;
        Ok(())
    }

    async fn tcpip_forward(
        &mut self,
        address: &str,
        port: &mut u32,
        session: &mut Session,
    ) -> Result<bool, Failure> {
        let handle = session.handle();
        match self
            .forwards
            .open(&self.shared, handle, address, *port)
            .await
        {
            Ok(listening) => {
                *port = u32::from(listening);
                Ok(true)
            }
            Err(failure) => {
                // The answer to a refused forward has no room for a reason. Clients show this one on request.
                session.debug(true, &failure.sentence(), "")?;
                Ok(false)
            }
        }
    }

    async fn cancel_tcpip_forward(
        &mut self,
        address: &str,
        port: u32,
        _session: &mut Session,
    ) -> Result<bool, Failure> {
        Ok(self.forwards.close(address, port))
    }
}
