//! A launch as it is stored for a relaunch.

use crate::{
    daemon::clock,
    model::{
        environment::EnvironmentSource, id::ContextName, record::Write, secret_rules,
        session::Session, spec::LaunchRequest, text::Clean,
    },
};

/// A launch as it is stored, without secrets.
#[derive(Debug)]
pub(in crate::daemon) struct Memory {
    context: ContextName,
    /// The name of several sessions; a single session is listed under its own name.
    title: Option<Clean>,
    launch: Box<LaunchRequest>,
}

impl Memory {
    pub fn new(context: ContextName, title: Option<&str>, request: &LaunchRequest) -> Self {
        let launch = LaunchRequest {
            env: secret_rules::blanked(request),
            home_of: None,
            ..request.clone().without_key()
        };
        Self {
            context,
            title: title.map(Clean::new),
            launch: Box::new(launch),
        }
    }

    /// The entry for the recent launches, under the name of the launched session. It names the environment
    /// even if that was the default.
    pub fn write(&self, session: &Session) -> Write {
        let mut launch = self.launch.clone();
        if launch.image.is_none() && launch.environment.is_none() {
            let environment = &session.environment;
            // The version of this machine's own programs may change later.
            let label = match environment.source {
                EnvironmentSource::Host => environment.name.to_string(),
                EnvironmentSource::Image { .. } => environment.label(),
            };
            launch.environment = Some(label).filter(|label| !label.is_empty());
        }
        Write::Recent {
            at: clock::now(),
            context: self.context,
            title: self.title.as_ref().unwrap_or(&session.name).clone(),
            launch,
        }
    }

    /// The record of how this session was launched.
    pub fn record(&self, session: &Session) -> Write {
        let mut launch = self.launch.clone();
        launch.count = None;
        let named = launch.name.is_some() || self.title.is_some();
        launch.name = named.then(|| session.name.to_string());
        Write::Launch {
            session: session.key(),
            launch,
        }
    }
}
