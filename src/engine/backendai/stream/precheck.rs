//! Checks a session before a stream to it is opened.

use serde_json::json;

use super::super::{
    BackendAiEngine,
    request::{gql::Schema, lenient_json::Node, manager_error::declined},
};
use crate::{
    engine::api::Result,
    model::{
        failure::Failure,
        id::{KernelId, SessionId},
        status::{Status, Tab},
        text::Clean,
    },
};

/// The one query that finds a session by its id, ended or not, on old and new managers.
const STANDING: &str = "query($id: UUID!) { compute_session(id: $id) \
     { name type status user_email main_kernel_id } }";

const CONTAINERS: &str = "query($id: UUID!) { compute_session(id: $id) \
     { main_kernel_id containers { id cluster_hostname } } }";

/// A container of a session other than the main one.
#[derive(Clone, Debug)]
pub(super) struct Container {
    pub(super) id: KernelId,
    /// The host name, for example `sub1`.
    pub(super) host: Clean,
}

/// The state of a session, as far as streams need it.
#[derive(Clone, Debug)]
pub(super) struct StreamSession {
    name: Clean,
    status: Status,
    owner: Option<Clean>,
    batch: bool,
    main_kernel: Option<KernelId>,
}

impl BackendAiEngine {
    pub(super) async fn standing(&self, session: SessionId) -> Result<StreamSession> {
        let http = &self.core.connection().await?.http;
        let data = http
            .ask(Schema::One, STANDING, json!({ "id": session }))
            .await?;
        let node = Node::new(&data).node("compute_session");
        let Some(status) = node.str("status") else {
            return Err(Failure::session_not_found(session));
        };
        let kind = node.str("type").unwrap_or_default();
        Ok(StreamSession {
            name: node.text("name").unwrap_or_default(),
            status: Status::from(status),
            owner: node.text("user_email"),
            batch: kind.eq_ignore_ascii_case("batch"),
            main_kernel: node.str("main_kernel_id").and_then(|id| id.parse().ok()),
        })
    }

    /// Checks that a connection to this session can be opened. The manager finds the session of a
    /// stream by its *name* among the caller's own sessions that haven't ended. For an ended
    /// session, or one of another user, it would open our session of the same name.
    pub(in super::super) async fn must_be_open(&self, session: SessionId) -> Result<()> {
        let standing = self.standing(session).await?;
        if !standing.runs() {
            return Err(Failure::engine_refused(tr_sent!(
                "the session isn't running (it is {status})",
                status = standing.status.word()
            )));
        }
        let me = self.core.connection().await?.me.user.email.clone();
        match standing.owner {
            Some(owner) if !me.is_empty() && owner != me => Err(declined(tr_sent!(
                "session '{name}' belongs to {owner}. The manager opens terminals and connections \
                 only in your own sessions",
                name = standing.name,
                owner
            ))),
            _ => Ok(()),
        }
    }

    /// The container, if it isn't the main one. The manager itself connects only to the main
    /// container.
    pub(super) async fn other_container(
        &self,
        session: SessionId,
        kernel: KernelId,
    ) -> Result<Option<Container>> {
        let http = &self.core.connection().await?.http;
        let asked = http.ask(Schema::One, CONTAINERS, json!({ "id": session }));
        let data = asked.await?;
        let node = Node::new(&data).node("compute_session");
        let id = |node: Node<'_>, name: &str| node.str(name).and_then(|id| id.parse().ok());
        if id(node, "main_kernel_id") == Some(kernel) {
            return Ok(None);
        }
        let containers = node.list("containers").iter().map(Node::new);
        let mut this = containers.filter(|it| id(*it, "id") == Some(kernel));
        let host = this.next().and_then(|it| it.text("cluster_hostname"));
        let Some(host) = host.filter(is_a_name) else {
            return Err(declined(tr_sent!(
                "the session doesn't have this container"
            )));
        };
        Ok(Some(Container { id: kernel, host }))
    }
}

/// Whether the host name is safe to look up in the session's network.
fn is_a_name(host: &Clean) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    !host.is_empty() && host.as_str().bytes().all(plain)
}

impl StreamSession {
    pub(super) fn runs(&self) -> bool {
        matches!(self.status, Status::Running | Status::RunningDegraded)
    }

    pub(super) fn has_ended(&self) -> bool {
        self.status.tab() == Tab::Finished
    }

    /// Whether the session has run, or may have run, so that it may have a log.
    pub(super) fn has_begun(&self) -> bool {
        self.runs() || matches!(self.status, Status::Terminating | Status::Restarting)
    }

    /// The kernel whose task log is read, if the session is a batch session.
    pub(super) fn task(&self) -> Option<KernelId> {
        self.main_kernel.filter(|_| self.batch)
    }

    pub(super) fn status(&self) -> &Status {
        &self.status
    }
}
