//! A launch done again because memory killed it: with twice as much, as far as there is so much.

use super::Launcher;
use crate::model::{launch::amounts, resources::Bytes, spec::LaunchRequest};

/// What it had, and what it is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grown {
    was: Bytes,
    now: Bytes,
}

impl Grown {
    /// Twice as much as one container had.
    #[must_use]
    pub fn from(was: Bytes) -> Self {
        Self {
            was,
            now: Bytes(was.0.saturating_mul(2)),
        }
    }

    /// By hand: a preset's memory was too little.
    pub fn apply(self, launch: &mut LaunchRequest) {
        launch.mem = Some(self.now);
    }

    pub fn note(self) -> String {
        let Self { was, now } = self;
        if now > was {
            format!("memory is {now} now: with {was} it ran out")
        } else {
            format!("with {was} of memory it ran out, and there is no more to be had here")
        }
    }
}

impl Launcher {
    /// What a person should know of a launch that was given more.
    pub fn grown_note(&self) -> Option<String> {
        let grown = self.grown?;
        (self.filled().mem == Some(grown.now)).then(|| grown.note())
    }

    /// Limits became known: more than they allow is not offered, less than it had neither.
    pub(super) fn keep_within_limits(&mut self) {
        let Some(grown) = self.grown else {
            return;
        };
        if self.request.mem != Some(grown.now) {
            return;
        }
        let offer = &self.offer;
        let group = offer.group(&self.request);
        let most = amounts::most(offer.catalogue.as_ref(), group).mem;
        let machine = offer.engine.as_ref().map(|engine| engine.memory);
        let machine = machine.filter(|all| all.0 > 0);
        let most = most.into_iter().chain(machine).min();
        let Some(most) = most.filter(|most| *most < grown.now) else {
            return;
        };
        let whole = Bytes(most.0 / Bytes::MIB * Bytes::MIB);
        let now = whole.max(grown.was);
        self.grown = Some(Grown { now, ..grown });
        let mut launch = self.request.clone();
        launch.mem = Some(now);
        self.fill(&launch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_twice_as_much_and_says_so() {
        let grown = Grown::from(Bytes::mib(96));
        let mut launch = LaunchRequest::default();
        grown.apply(&mut launch);
        assert_eq!(launch.mem, Some(Bytes::mib(192)));
        assert_eq!(
            grown.note(),
            "memory is 192 MiB now: with 96 MiB it ran out"
        );
        let stuck = Grown {
            now: grown.was,
            ..grown
        };
        assert!(stuck.note().contains("no more to be had"));
    }
}
