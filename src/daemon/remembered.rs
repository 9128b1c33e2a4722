//! A launch as it is remembered, to be done again.

use super::clock;
use crate::model::{
    id::ContextName, launch::secrets, record::Write, spec::LaunchRequest, text::Clean,
};

/// A launch as it is remembered: without any secret.
#[derive(Debug)]
pub(super) struct Memory {
    context: ContextName,
    /// Of several sessions; one alone gives it its own name.
    title: Option<Clean>,
    launch: Box<LaunchRequest>,
}

impl Memory {
    pub fn new(context: ContextName, title: Option<&str>, request: &LaunchRequest) -> Self {
        let launch = LaunchRequest {
            env: secrets::blanked(request),
            home_of: None,
            ..request.clone().without_key()
        };
        Self {
            context,
            title: title.map(Clean::new),
            launch: Box::new(launch),
        }
    }

    pub fn write(&self, name: &Clean) -> Write {
        Write::Recent {
            at: clock::now(),
            context: self.context,
            title: self.title.as_ref().unwrap_or(name).clone(),
            launch: self.launch.clone(),
        }
    }
}
