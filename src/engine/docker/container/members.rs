//! Finds the containers of a session.

use std::sync::PoisonError;

use bollard::models::ContainerSummary;

use super::{labels, list::summaries};
use crate::{
    engine::{
        api::Result,
        docker::{DockerEngine, connect::connection::EngineConnection},
    },
    model::{
        failure::Failure,
        id::{InstanceId, KernelId, SessionId},
    },
};

/// A container of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine::docker) struct Member {
    pub(in crate::engine::docker) id: String,
    pub(in crate::engine::docker) kernel: KernelId,
    /// 0 is the main container.
    pub(in crate::engine::docker) place: u32,
}

impl DockerEngine {
    /// All containers of the session, the main one first; empty when there are none.
    pub(in crate::engine::docker) async fn members(
        &self,
        connection: &EngineConnection,
        session: SessionId,
    ) -> Result<Vec<Member>> {
        if let Some(known) = self.remembered(session) {
            return Ok(known);
        }
        let found = find(connection, self.config.instance, session).await?;
        self.remember(session, &found);
        Ok(found)
    }

    /// The id of the session's main container, or `NotFound`.
    pub(in crate::engine::docker) async fn container(
        &self,
        connection: &EngineConnection,
        session: SessionId,
    ) -> Result<String> {
        self.container_of(connection, session, None).await
    }

    /// The id of the container `kernel`, or of the main container by default.
    pub(in crate::engine::docker) async fn container_of(
        &self,
        connection: &EngineConnection,
        session: SessionId,
        kernel: Option<KernelId>,
    ) -> Result<String> {
        let wanted = |member: &Member| match kernel {
            Some(kernel) => member.kernel == kernel,
            None => member.place == 0,
        };
        let members = self.members(connection, session).await?;
        members
            .into_iter()
            .find(wanted)
            .map(|member| member.id)
            .ok_or_else(|| Failure::session_not_found(session))
    }

    pub(in crate::engine::docker) fn remembered(&self, session: SessionId) -> Option<Vec<Member>> {
        let map = self
            .containers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        map.get(&session).cloned()
    }

    /// Caches the containers once the main one exists: it is created last, so the session is then complete.
    pub(in crate::engine::docker) fn remember(&self, session: SessionId, members: &[Member]) {
        if members.first().is_none_or(|first| first.place != 0) {
            return;
        }
        let mut map = self
            .containers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        map.insert(session, members.to_vec());
    }

    pub(in crate::engine::docker) fn forget_container(&self, session: SessionId) {
        let mut map = self
            .containers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        map.remove(&session);
    }
}

/// The session's containers of this instance as the engine lists them, the main one first.
pub(in crate::engine::docker) async fn find(
    connection: &EngineConnection,
    instance: InstanceId,
    session: SessionId,
) -> Result<Vec<Member>> {
    let wanted = [
        format!("{}={instance}", labels::INSTANCE),
        format!("{}={session}", labels::SESSION),
    ];
    let found = summaries(connection, &wanted, true).await?;
    let mut members: Vec<Member> = found
        .into_iter()
        .filter_map(|one| member(one, instance))
        .collect();
    members.sort_by_key(|member| member.place);
    Ok(members)
}

fn member(summary: ContainerSummary, instance: InstanceId) -> Option<Member> {
    let labels = summary.labels?;
    let (_, kernel) = labels::identity(&labels, instance)?;
    Some(Member {
        id: summary.id?,
        kernel,
        place: labels::place(&labels),
    })
}
