//! Short messages in the corner: bounded, going by themselves, errors staying longer.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};

use crate::model::{change::Level, text::Clean};

/// So many are kept; the oldest gives way.
const MAX: usize = 4;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toast {
    pub level: Level,
    pub text: Clean,
    pub until: Timestamp,
}

#[derive(Clone, Debug, Default)]
pub struct Toasts {
    shown: VecDeque<Toast>,
}

impl Toasts {
    /// The oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Toast> {
        self.shown.iter()
    }

    /// Shows `text`; the same text again only stays longer.
    pub fn push(&mut self, level: Level, text: Clean, now: Timestamp) {
        self.shown.retain(|toast| toast.text != text);
        if self.shown.len() == MAX {
            self.shown.pop_front();
        }
        let until = now.saturating_add(stay(level)).unwrap_or(Timestamp::MAX);
        self.shown.push_back(Toast { level, text, until });
    }

    /// Takes the expired ones away; `true` if there were any.
    pub fn expire(&mut self, now: Timestamp) -> bool {
        let before = self.shown.len();
        self.shown.retain(|toast| toast.until > now);
        before != self.shown.len()
    }

    /// Takes the newest away; `false` = there was none.
    pub fn dismiss(&mut self) -> bool {
        self.shown.pop_back().is_some()
    }

    pub fn wake_at(&self) -> Option<Timestamp> {
        self.shown.iter().map(|toast| toast.until).min()
    }
}

fn stay(level: Level) -> SignedDuration {
    SignedDuration::from_secs(match level {
        Level::Info | Level::Success => 4,
        Level::Warning => 8,
        Level::Error => 15,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toasts_are_bounded_and_go() {
        let mut toasts = Toasts::default();
        let start = Timestamp::UNIX_EPOCH;
        for n in 0..9 {
            toasts.push(Level::Info, Clean::new(&format!("toast {n}")), start);
        }
        toasts.push(Level::Error, Clean::new("bad"), start);
        assert_eq!(toasts.iter().count(), MAX);
        assert!(toasts.expire(start + SignedDuration::from_secs(5)));
        assert_eq!(
            toasts.iter().map(|t| t.text.as_str()).collect::<Vec<_>>(),
            ["bad"]
        );
        assert_eq!(
            toasts.wake_at(),
            Some(start + SignedDuration::from_secs(15))
        );
    }
}
