//! Relaunches a session that ran out of memory with twice as much, or as much as is available.

use crate::model::{resources::Bytes, spec::LaunchRequest};

/// The earlier memory, and the memory that is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grown {
    was: Bytes,
    now: Bytes,
}

impl Grown {
    /// Offers twice as much as one container had.
    #[must_use]
    pub fn from(was: Bytes) -> Self {
        Self {
            was,
            now: Bytes(was.0.saturating_mul(2)),
        }
    }

    /// Whether a launch has the offered memory.
    pub fn is_in(self, launch: &LaunchRequest) -> bool {
        launch.mem == Some(self.now)
    }

    /// Sets a custom amount, because the preset's memory was too little.
    pub fn apply(self, launch: &mut LaunchRequest) {
        launch.mem = Some(self.now);
    }

    /// Limits the offer to `most`, but never below the earlier memory; `None` = `most` isn't exceeded.
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
            tr!("memory is now {now}: it ran out with {was}", now, was)
        } else {
            tr!(
                "ran out of memory with {was}, and more isn't available on this engine",
                was
            )
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
