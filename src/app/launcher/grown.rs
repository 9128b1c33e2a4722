//! Relaunches a session that ran out of memory with more memory.

use super::Launcher;
use crate::rules::launch::amounts;

impl Launcher {
    /// A note about a launch with more memory.
    pub fn grown_note(&self) -> Option<String> {
        let grown = self.grown?;
        grown.is_in(self.filled()).then(|| grown.note())
    }

    /// Applies limits when they become known: the memory isn't more than they allow, and isn't less than the
    /// session had.
    pub(super) fn keep_within_limits(&mut self) {
        let Some(grown) = self.grown.filter(|it| it.is_in(&self.request)) else {
            return;
        };
        let info = &self.info;
        let group = info.group(&self.request);
        let most = amounts::most(info.catalogue.as_ref(), group).mem;
        let machine = info.engine.as_ref().map(|engine| engine.memory);
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
