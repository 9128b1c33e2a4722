//! Requests about apps and forwards.

use crate::{
    daemon::{connection::inbound::ConnectionId, main_loop::core::Core},
    model::{
        failure::Failure,
        id::SessionKey,
        request::{AppRequest, ForwardRequest},
    },
    protocol::message::RequestId,
};

impl Core {
    pub(in crate::daemon) fn app_asked(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        _session: SessionKey,
        _request: AppRequest,
    ) {
        self.answer(connection, id, Err(Failure::unsupported("not yet")));
    }

    pub(in crate::daemon) async fn forward_asked(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        _request: ForwardRequest,
    ) {
        self.answer(connection, id, Err(Failure::unsupported("not yet")));
    }

    pub(in crate::daemon) fn ssh_asked(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        _session: SessionKey,
    ) {
        self.answer(connection, id, Err(Failure::unsupported("not yet")));
    }
}
