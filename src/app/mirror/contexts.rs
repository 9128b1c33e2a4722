//! What the mirror knows of contexts and their engines.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{ContextState, DaemonConnection, Mirror};
use crate::{
    app::shown_contexts::ShownContexts,
    model::{
        capability::{Capability, EngineInfo, EngineState},
        environment::Environment,
        id::ContextName,
        text::Clean,
    },
};

impl Mirror {
    /// Your account in each context that has accounts.
    pub fn accounts(&self) -> BTreeMap<ContextName, Clean> {
        let account = |state: &ContextState| match &state.engine {
            EngineState::Connected { info } => {
                let user = info.user.as_ref()?;
                Some((state.context.name, user.email.clone()))
            }
            _ => None,
        };
        self.contexts().iter().filter_map(account).collect()
    }

    /// All contexts in the order of the configuration. Empty until the daemon's first message.
    pub fn contexts(&self) -> &[ContextState] {
        &self.contexts
    }

    /// With a single context, the TUI doesn't mention contexts.
    pub fn has_several_contexts(&self) -> bool {
        self.contexts.len() > 1
    }

    pub fn context(&self, name: ContextName) -> Option<&ContextState> {
        self.contexts
            .iter()
            .find(|state| state.context.name == name)
    }

    /// The position in the configuration. It decides the color of a context without a color of its own.
    pub fn position(&self, name: ContextName) -> usize {
        let found = self
            .contexts
            .iter()
            .position(|state| state.context.name == name);
        found.unwrap_or(0)
    }

    /// The contexts that are shown.
    pub fn shown(&self, shown: ShownContexts) -> impl Iterator<Item = &ContextState> {
        self.contexts
            .iter()
            .filter(move |state| shown.has(state.context.name))
    }

    /// Whether none of the shown engines is connected.
    pub fn has_lost(&self, shown: ShownContexts) -> bool {
        let mut all = self.shown(shown).peekable();
        all.peek().is_some() && all.all(|state| matches!(state.engine, EngineState::Lost { .. }))
    }

    pub fn environments(&self, context: ContextName) -> &[Environment] {
        self.context(context)
            .map_or(&[], |state| &state.environments)
    }

    pub fn engine(&self, context: ContextName) -> Option<&EngineState> {
        self.context(context).map(|state| &state.engine)
    }

    pub fn engine_info(&self, context: ContextName) -> Option<&EngineInfo> {
        match self.engine(context)? {
            EngineState::Connected { info } => Some(info),
            _ => None,
        }
    }

    /// Since when the shown data can be outdated, because the daemon or an engine is disconnected.
    pub fn stale_since(&self, shown: ShownContexts) -> Option<Timestamp> {
        match &self.connection {
            DaemonConnection::Down { since, .. } => Some(*since),
            _ => self
                .lost_since
                .iter()
                .filter(|(name, _)| shown.has(**name))
                .map(|(_, since)| *since)
                .min(),
        }
    }

    /// Whether the engine is disconnected, or hasn't reconnected yet.
    pub fn has_lost_engine(&self, context: ContextName) -> bool {
        self.lost_since.contains_key(&context)
    }

    /// Why the engine doesn't support the capability. `None` if it does, or hasn't reported it.
    pub fn why_not(&self, context: ContextName, capability: Capability) -> Option<&Clean> {
        self.engine_info(context)?.capabilities.why_not(capability)
    }

    /// The engine has reported that it supports the capability.
    pub fn can(&self, context: ContextName, capability: Capability) -> bool {
        self.engine_info(context)
            .is_some_and(|info| info.capabilities.has(capability))
    }

    /// An open terminal counts as use of its session in this context.
    pub fn streams_keep_alive(&self, context: ContextName) -> bool {
        self.engine_info(context)
            .is_some_and(|info| info.capabilities.open_streams_keep_alive)
    }
}
