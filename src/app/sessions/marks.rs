//! The marked sessions of the list. Actions apply to all of them.

use std::collections::BTreeMap;

use crate::{
    app::mirror::Mirror,
    model::{id::SessionKey, session::Session},
};

#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// The marked sessions, and whether each had ended when it was marked.
    marked: BTreeMap<SessionKey, bool>,
    /// The session that was marked or unmarked last. A range begins there.
    anchor: Option<SessionKey>,
}

impl Marks {
    pub fn is_empty(&self) -> bool {
        self.marked.is_empty()
    }

    pub fn len(&self) -> usize {
        self.marked.len()
    }

    pub fn has(&self, key: SessionKey) -> bool {
        self.marked.contains_key(&key)
    }

    pub fn keys(&self) -> impl Iterator<Item = SessionKey> {
        self.marked.keys().copied()
    }

    pub fn anchor(&self) -> Option<SessionKey> {
        self.anchor
    }

    pub fn add(&mut self, session: &Session) {
        self.marked.insert(session.key(), session.has_ended());
    }

    pub fn remove(&mut self, key: SessionKey) {
        self.marked.remove(&key);
    }

    /// Marks a session, or removes its mark. A range begins there.
    pub fn toggle(&mut self, session: &Session) {
        let key = session.key();
        if self.marked.remove(&key).is_none() {
            self.add(session);
        }
        self.anchor = Some(key);
    }

    /// A range begins at this session.
    pub fn anchor_at(&mut self, key: SessionKey) {
        self.anchor = Some(key);
    }

    /// Removes all marks. Returns `false` if there were none.
    pub fn clear(&mut self) -> bool {
        let had = !self.marked.is_empty();
        self.marked.clear();
        self.anchor = None;
        had
    }

    /// Removes the marks of sessions that are gone or have ended since they were marked. A mark stays when its
    /// session moves to another tab.
    pub fn follow(&mut self, mirror: &Mirror) {
        self.marked.retain(|key, had_ended| {
            let session = mirror.session(*key);
            session.is_some_and(|session| *had_ended || !session.has_ended())
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::testing::{session, snapshot},
        model::{change::Change, status::Status},
    };

    fn put(mirror: &mut Mirror, session: &Session) {
        let session = Box::new(session.clone());
        mirror.apply(Change::Session { session }, jiff::Timestamp::UNIX_EPOCH);
    }

    #[test]
    fn a_mark_stays_in_another_tab_and_is_lost_at_the_end() {
        let mut one = session(1, "one");
        let mut mirror = Mirror::default();
        mirror.replace(snapshot(Vec::new()), jiff::Timestamp::UNIX_EPOCH);
        put(&mut mirror, &one);
        let mut marks = Marks::default();
        marks.toggle(&one);
        // It moves to the tab Others.
        one.status = Status::RunningDegraded;
        put(&mut mirror, &one);
        marks.follow(&mirror);
        assert!(marks.has(one.key()));
        one.status = Status::Terminated;
        put(&mut mirror, &one);
        marks.follow(&mirror);
        assert!(marks.is_empty());
        // One that had ended before can be marked, for its id or an export.
        marks.toggle(&one);
        marks.follow(&mirror);
        assert!(marks.has(one.key()));
    }
}
