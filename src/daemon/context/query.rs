//! Requests that a manager answers directly: they decide nothing and change nothing that the observer knows. The
//! observer only admits them, because it knows the connection and what the manager can do.

use crate::{
    engine::{api::Result, manager::Manager},
    model::{
        capability::Capability,
        failure::Failure,
        id::SessionId,
        launch_field::LaunchField,
        request::{ContextRequest, SessionRequest},
        secret_rules::{self, SecretRules},
    },
    observer,
    protocol::message::Reply,
};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::daemon) enum Query {
    /// The scheduling history of a session.
    History(SessionId),
    /// The settings that a session was launched with, as far as the manager reports them.
    LaunchSettings(SessionId),
    /// The keys and projects of a user.
    Owner { email: String },
}

impl Query {
    /// The query of a request about a session, if the manager answers it directly.
    pub const fn of_session(session: SessionId, request: &SessionRequest) -> Option<Self> {
        match request {
            SessionRequest::History => Some(Self::History(session)),
            _ => None,
        }
    }

    /// The query of a request about a context, if the manager answers it directly.
    pub fn of_context(request: &ContextRequest) -> Option<Self> {
        match request {
            ContextRequest::FindOwner { email } => Some(Self::Owner {
                email: email.clone(),
            }),
            _ => None,
        }
    }

    /// The name in logs.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::History(_) => "history",
            Self::LaunchSettings(_) => "launch-settings",
            Self::Owner { .. } => "find-owner",
        }
    }

    /// What the manager must be able to do.
    pub const fn needs(&self) -> Option<Capability> {
        match self {
            Self::History(_) => SessionRequest::History.needs(),
            Self::LaunchSettings(_) => None,
            Self::Owner { .. } => Some(Capability::Owners),
        }
    }

    /// Names the launch field that the query is about in its failure.
    pub fn locate(&self, failure: Failure) -> Failure {
        match self {
            Self::Owner { .. } => failure.about(LaunchField::Owner),
            _ => failure,
        }
    }

    pub async fn ask(&self, manager: &dyn Manager) -> Result<Reply> {
        Ok(match self {
            Self::History(session) => Reply::History {
                entries: manager.history(*session).await?,
            },
            Self::LaunchSettings(session) => {
                let recalled = manager.recall(*session).await?;
                let recalled = recalled.ok_or_else(|| observer::vanished(*session))?;
                Reply::Again {
                    launch: Box::new(recalled.launch),
                    missing: recalled.missing,
                }
            }
            Self::Owner { email } => Reply::Owner {
                owner: manager.find_owner(email).await?,
            },
        })
    }
}

/// Removes secrets from launch settings that the manager reports.
pub(in crate::daemon) fn without_secrets(mut reply: Reply, rules: &SecretRules) -> Reply {
    if let Reply::Again { launch, .. } = &mut reply {
        rules.mark(launch);
        launch.env = secret_rules::blanked(launch);
    }
    reply
}
