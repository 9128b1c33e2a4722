//! A launch done again because memory killed it, as it is offered.

use super::Launcher;
use crate::model::launch::amounts;

impl Launcher {
    /// What a person should know of a launch that was given more.
    pub fn grown_note(&self) -> Option<String> {
        let grown = self.grown?;
        grown.is_in(self.filled()).then(|| grown.note())
    }

    /// Limits became known: more than they allow is not offered, less than it had neither.
    pub(super) fn keep_within_limits(&mut self) {
        let Some(grown) = self.grown.filter(|it| it.is_in(&self.request)) else {
            return;
        };
        let offer = &self.offer;
        let group = offer.group(&self.request);
        let most = amounts::most(offer.catalogue.as_ref(), group).mem;
        let machine = offer.engine.as_ref().map(|engine| engine.memory);
        let machine = machine.filter(|all| all.0 > 0);
        let most = most.into_iter().chain(machine).min();
        let Some(grown) = most.and_then(|most| grown.within(most)) else {
            return;
        };
        self.grown = Some(grown);
        let mut launch = self.request.clone();
        grown.apply(&mut launch);
        self.fill(&launch);
    }
}
