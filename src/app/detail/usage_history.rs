//! The use of the detail's session over time: requested when the detail opens, and again after a new sample.

use jiff::{SignedDuration, Timestamp};

use super::later;
use crate::model::{figures::Figures, text::Clean};

/// Minimum time between two requests, however often samples arrive.
const PAUSE: SignedDuration = SignedDuration::from_secs(2);

/// What is known about the use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Used {
    #[default]
    Asked,
    Known(Figures),
    Failed(Clean),
    /// The engine reports no use, for this reason.
    Lacking(Clean),
}

#[derive(Clone, Debug, Default)]
pub struct Watched {
    pub used: Used,
    /// The time of the last request.
    at: Option<Timestamp>,
    /// The last request hasn't been answered.
    waits: bool,
    /// A new sample has arrived since the last request.
    moved: bool,
}

impl Watched {
    pub fn moved(&mut self) {
        self.moved = true;
    }

    pub fn asked(&mut self, now: Timestamp) {
        self.at = Some(now);
        self.waits = true;
        self.moved = false;
    }

    pub fn answered(&mut self, used: Used) {
        self.waits = false;
        // The known values stay until new ones arrive.
        let known = matches!(self.used, Used::Known(_));
        if !(known && matches!(used, Used::Failed(_))) {
            self.used = used;
        }
    }

    /// When the next request is due, if there is one.
    pub fn due(&self) -> Option<Timestamp> {
        let at = self.at.filter(|_| self.moved && !self.waits)?;
        Some(later(at, PAUSE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_asked_when_it_moved_but_not_more_often_than_every_two_seconds() {
        let second = |n| Timestamp::from_second(n).unwrap();
        let mut watched = Watched::default();
        watched.asked(second(10));
        watched.moved();
        assert_eq!(watched.due(), None, "the first answer has not come");
        watched.answered(Used::Known(Figures::default()));
        assert_eq!(watched.due(), Some(second(12)));
        watched.asked(second(12));
        watched.answered(Used::Failed("away".into()));
        assert_eq!(watched.due(), None, "nothing moved");
        assert!(matches!(watched.used, Used::Known(_)));
    }
}
