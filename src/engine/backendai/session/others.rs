//! Requests for sessions of other users. Managers of 26.4 and before look a session up among those of one access key. An
//! administrator may name the owner's key, in some requests.

use crate::{
    engine::{
        api::Result,
        backendai::{
            connect::connection::ManagerConnection,
            request::{
                call::{ManagerAnswer, ManagerCall},
                lenient_json::Node,
                manager_error::declined,
            },
        },
    },
    model::{
        failure::{Failure, FailureKind},
        id::SessionId,
        text::Clean,
    },
};

impl ManagerConnection {
    /// Sends a request for a session. If the manager refuses it and the session belongs to another user, sends it
    /// once more with the owner's access key.
    pub(in crate::engine::backendai) async fn send_for_owner(
        &self,
        session: SessionId,
        call: &ManagerCall,
    ) -> Result<ManagerAnswer> {
        let refused = match self.http.send(call).await {
            Err(refused) => refused,
            answered => return answered,
        };
        match self.key_of_other(session, &refused).await {
            Some(key) => self.http.send(&call.clone().for_owner(key.as_str())).await,
            None => Err(refused),
        }
    }

    /// The error of a request in which no owner can be named.
    pub(in crate::engine::backendai) async fn only_owner(
        &self,
        session: SessionId,
        refused: Failure,
    ) -> Failure {
        match self.key_of_other(session, &refused).await {
            Some(_) => declined(tr_sent!(
                "this manager accepts this request only from the session's owner"
            )),
            None => refused,
        }
    }

    /// The access key of a session that belongs to another user, if we are an administrator to whom a request was
    /// refused.
    async fn key_of_other(&self, session: SessionId, refused: &Failure) -> Option<Clean> {
        if refused.kind != FailureKind::Refused || !self.me.user.is_administrator() {
            return None;
        }
        let data = self.fields_of(session, "access_key user_id").await.ok()?;
        let node = Node::new(Node::new(&data).edges("compute_session_nodes").next()?);
        let is_other = node
            .str("user_id")
            .is_some_and(|id| self.me.id.as_str() != id);
        node.text("access_key").filter(|_| is_other)
    }
}
