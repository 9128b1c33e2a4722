//! The extensions and exemptions that you are allowed in each context, as far as the daemon has reported
//! them.

use std::collections::HashMap;

use super::step::{Purpose, Step};
use crate::{
    model::{
        failure::Failure, id::ContextName, idle::ReprieveRules, request::ContextRequest,
        text::Clean,
    },
    protocol::message::{Reply, Request},
};

/// What is known about one context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RulesState {
    Asked,
    Rules(ReprieveRules),
    Failed(Clean),
}

#[derive(Clone, Debug, Default)]
pub struct ExtensionRules {
    states: HashMap<ContextName, RulesState>,
}

impl ExtensionRules {
    pub fn state(&self, context: ContextName) -> Option<&RulesState> {
        self.states.get(&context)
    }

    pub fn rules(&self, context: ContextName) -> Option<&ReprieveRules> {
        match self.state(context)? {
            RulesState::Rules(rules) => Some(rules),
            RulesState::Asked | RulesState::Failed(_) => None,
        }
    }

    /// Requests the rules again. The earlier rules are shown until the answer arrives.
    pub fn ask(&mut self, context: ContextName) -> Step {
        if self.rules(context).is_none() {
            self.states.insert(context, RulesState::Asked);
        }
        Step::Ask {
            request: Request::context(
                context,
                ContextRequest::Catalogue {
                    project: None,
                    refresh: false,
                },
            ),
            purpose: Purpose::ExtensionRules(context),
        }
    }

    /// Requests the rules if they haven't been requested yet.
    pub fn ask_once(&mut self, context: ContextName) -> Option<Step> {
        let unknown = !self.states.contains_key(&context);
        unknown.then(|| self.ask(context))
    }

    pub fn answered(&mut self, context: ContextName, result: Result<Reply, Failure>) {
        let state = match result {
            Ok(Reply::Catalogue { catalogue }) => RulesState::Rules(catalogue.reprieve),
            Ok(_) => return,
            Err(failure) => RulesState::Failed(failure.message()),
        };
        self.states.insert(context, state);
    }

    /// Forgets the rules, because a broken connection sends no answers and a new daemon can have other rules.
    pub fn forget(&mut self) {
        self.states.clear();
    }
}
