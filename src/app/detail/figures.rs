//! What the session of the detail used over time: asked when it opens, and again when it moved.

use jiff::{SignedDuration, Timestamp};

use super::later;
use crate::model::{figures::Figures, text::Clean};

/// However often it moves it is asked no more often.
const PAUSE: SignedDuration = SignedDuration::from_secs(2);

/// What is known of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Used {
    #[default]
    Asked,
    Known(Figures),
    Failed(Clean),
    /// The engine tells no figures, with the reason.
    Lacking(Clean),
}

#[derive(Clone, Debug, Default)]
pub struct Watched {
    pub told: Used,
    /// When it was asked last.
    at: Option<Timestamp>,
    /// No answer has come yet.
    waits: bool,
    /// It moved since it was asked.
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

    pub fn answered(&mut self, told: Used) {
        self.waits = false;
        // What was known serves until more is.
        let known = matches!(self.told, Used::Known(_));
        if !(known && matches!(told, Used::Failed(_))) {
            self.told = told;
        }
    }

    /// When it is to be asked again, if ever.
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
        assert!(matches!(watched.told, Used::Known(_)));
    }
}
