//! What the server needs of one session.

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{
    engine::api::{Attached, HelperTask},
    model::failure::Failure,
};

/// Both directions of a connection.
pub trait Io: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// One session, as its SSH server reaches it. A failure is shown to the client.
#[async_trait]
pub trait SessionAccess: Send + Sync + 'static {
    /// The account's name, `work`.
    fn user(&self) -> &str;

    /// Names by which clients may mean the session itself when they forward a port, besides `localhost` and loopback
    /// addresses: its name and the host name of its container.
    fn hosts(&self) -> Vec<String> {
        Vec::new()
    }

    /// Starts a command as the session's user in /home/work, with a terminal of `tty` columns and rows or with pipes.
    async fn exec(&self, argv: Vec<String>, tty: Option<(u16, u16)>) -> Result<Attached, Failure>;

    /// Attaches to the session's tmux, as `workbay shell` does. `tag` identifies this client; `size` is in columns and
    /// rows.
    async fn tmux(&self, tag: String, size: (u16, u16)) -> Result<Attached, Failure>;

    /// Starts a helper of workbay inside the container.
    async fn helper(&self, task: HelperTask) -> Result<Attached, Failure>;

    /// Connects to a port of the session's loopback. `host` is one of the names above or a loopback address.
    async fn dial(&self, host: String, port: u16) -> Result<Box<dyn Io>, Failure>;

    /// Notes that the session is used. It is called for each piece of input, so it must be cheap.
    fn used(&self);

    /// Whether clients may log in: the session runs.
    fn is_live(&self) -> bool;
}
