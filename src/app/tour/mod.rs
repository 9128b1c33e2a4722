//! The tour: which step is next, and when it is done. It only watches the state of the TUI. The keys that it names come
//! from the keymap in use.

mod guide;
#[cfg(test)]
mod tests;

use crate::{
    action::{Action, Scope},
    model::{id::SessionKey, status::Tab},
};

/// A step of the tour, done when the TUI shows its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TourStep {
    /// Open the details.
    Details,
    Log,
    Shell,
    /// Leave the shell with the leader key.
    Leader,
    Filter,
    Apps,
    Palette,
    Help,
    Terminate,
    Finished,
}

impl TourStep {
    pub const ALL: [Self; 10] = [
        Self::Details,
        Self::Log,
        Self::Shell,
        Self::Leader,
        Self::Filter,
        Self::Apps,
        Self::Palette,
        Self::Help,
        Self::Terminate,
        Self::Finished,
    ];

    /// Its number, from 1.
    pub fn number(self) -> usize {
        self as usize + 1
    }
}

/// The view or panel that has the keys, as far as the steps differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TourPlace {
    List,
    Filter,
    Detail,
    Log,
    Shell,
    Apps,
    Palette,
    Help,
    /// The question before the session is terminated.
    Terminate,
    OtherPanel,
}

/// What the TUI shows, as far as the tour is concerned. "The session" is always that of the tour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TourScene {
    pub place: TourPlace,
    pub tab: Tab,
    /// Whether the session is selected in the list.
    pub is_selected: bool,
    /// Whether its details are open.
    pub has_detail: bool,
    /// Whether the open log is that of the session.
    pub has_log: bool,
    /// Whether the focused shell is in the session, and runs.
    pub has_shell: bool,
    pub is_filtered: bool,
    /// Whether the session is being terminated, or has ended.
    pub is_ending: bool,
}

/// A part of what the guide says: text, or the key of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuidePart {
    Text(String),
    Key(Scope, Action),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tour {
    pub session: SessionKey,
    /// `None` = every step is done.
    step: Option<TourStep>,
}

impl Tour {
    pub fn new(session: SessionKey) -> Self {
        Self {
            session,
            step: Some(TourStep::Details),
        }
    }

    /// `None` = every step is done.
    pub fn step(&self) -> Option<TourStep> {
        self.step
    }

    /// Goes past the steps whose result the scene shows. Returns whether the step changed.
    pub fn follow(&mut self, scene: &TourScene) -> bool {
        let before = self.step;
        while let Some(step) = self.step
            && is_done(step, scene)
        {
            self.skip();
        }
        before != self.step
    }

    /// Goes to the next step.
    pub fn skip(&mut self) {
        let next = self.step.map(|step| step as usize + 1);
        self.step = next.and_then(|at| TourStep::ALL.get(at)).copied();
    }

    /// What to do now.
    pub fn guide(&self, name: &str, scene: &TourScene) -> Vec<GuidePart> {
        guide::of(self.step, name, scene)
    }
}

fn is_done(step: TourStep, scene: &TourScene) -> bool {
    match step {
        // Without its session, only the last step is left.
        TourStep::Finished => scene.tab == Tab::Finished && scene.place == TourPlace::List,
        _ if scene.is_ending => true,
        TourStep::Details => scene.has_detail,
        TourStep::Log => scene.has_log,
        TourStep::Shell => scene.has_shell,
        TourStep::Leader => matches!(scene.place, TourPlace::List | TourPlace::Detail),
        TourStep::Filter => scene.is_filtered && scene.place != TourPlace::Filter,
        TourStep::Apps => scene.place == TourPlace::Apps,
        TourStep::Palette => scene.place == TourPlace::Palette,
        TourStep::Help => scene.place == TourPlace::Help,
        TourStep::Terminate => false,
    }
}
