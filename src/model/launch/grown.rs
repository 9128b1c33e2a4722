//! A launch done again because memory killed it: with twice as much, as far as there is so much.

use super::super::{resources::Bytes, spec::LaunchRequest};

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

    /// Whether a launch has the memory that is offered.
    pub fn is_in(self, launch: &LaunchRequest) -> bool {
        launch.mem == Some(self.now)
    }

    /// By hand: a preset's memory was too little.
    pub fn apply(self, launch: &mut LaunchRequest) {
        launch.mem = Some(self.now);
    }

    /// No more than `most` is offered, and no less than it had; `None` = it stays as it is.
    pub fn within(self, most: Bytes) -> Option<Self> {
        (most < self.now).then(|| {
            let whole = Bytes(most.0 / Bytes::MIB * Bytes::MIB);
            Self {
                now: whole.max(self.was),
                ..self
            }
        })
    }

    pub fn note(self) -> String {
        let Self { was, now } = self;
        if now > was {
            format!("memory is now {now}: it ran out with {was}")
        } else {
            format!("ran out of memory with {was}, and more isn't available on this engine")
        }
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
            "memory is now 192 MiB: it ran out with 96 MiB"
        );
        assert_eq!(grown.within(Bytes::mib(192)), None);
        let stuck = grown.within(Bytes::mib(95)).unwrap();
        assert!(stuck.note().contains("more isn't available"));
    }
}
