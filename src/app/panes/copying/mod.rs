//! Finds out whether you have just copied in tmux, only from the keys, mouse events and commands that the TUI
//! has sent to the pane.
//!
//! Reports of the session's tmux prove nothing, because programs in the session can change them. A report can
//! end copy mode here, but never start it.

use jiff::{SignedDuration, Timestamp};

use super::{Pane, PaneId, PaneState, Panes, ShellPlace};
use crate::{
    app::{
        msg::{Button, Mouse, MouseKind},
        step::Step,
    },
    key::{Key, KeyCode},
    terminal::control::{Command, Target, Window},
};

/// How long after a copying key its text can arrive.
pub(super) const WINDOW: SignedDuration = SignedDuration::from_secs(2);
/// Two presses within this time are a double click.
const DOUBLE_CLICK: SignedDuration = SignedDuration::from_millis(500);

/// The report of tmux about the window that the pane shows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reported {
    /// It is in copy mode.
    copy_mode: Option<bool>,
    /// Copy mode has vi's keys.
    vi: Option<bool>,
    /// The program handles the mouse itself.
    takes_mouse: bool,
}

impl Reported {
    pub(super) fn of(window: Option<&Window>) -> Self {
        window.map_or_else(Self::default, |window| Self {
            copy_mode: Some(window.copy_mode.is_some()),
            vi: window.copy_mode.map(|it| it.vi),
            takes_mouse: window.takes_mouse,
        })
    }
}

/// The effect of a key or a click.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Did {
    /// It copies the selection.
    Copy,
    /// It leaves copy mode without a copy.
    Leave,
    Other,
}

/// How you entered copy mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entered {
    /// By a key or a command for it.
    Asked,
    /// By the wheel, which tmux may have passed to the program. It counts only while tmux reports copy mode.
    Scrolled,
}

/// A prompt of copy mode that takes keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CopyPrompt {
    #[default]
    None,
    /// A line, up to Enter.
    Line,
    /// One character.
    Character,
}

/// What you have done in one pane.
#[derive(Debug, Default)]
pub(super) struct Copying {
    entered: Option<Entered>,
    /// tmux has reported copy mode since you entered it.
    confirmed: bool,
    /// When copy mode ends after a copying key, whatever tmux reports.
    ends: Option<Timestamp>,
    /// The last key was tmux's prefix.
    prefix: bool,
    prompt: CopyPrompt,
    /// The position and time of the last left press, and the number of presses in a row.
    pressed: Option<(u16, u16, Timestamp)>,
    clicks: u8,
    dragged: bool,
}

impl Copying {
    /// A command of the TUI has entered copy mode.
    pub(super) fn enter(&mut self) {
        *self = Self {
            entered: Some(Entered::Asked),
            ..Self::default()
        };
    }

    /// You have left copy mode, or another window is shown.
    pub(super) fn leave(&mut self) {
        *self = Self::default();
    }

    /// Takes a new list of windows from tmux.
    pub(super) fn reported(&mut self, reported: Reported) {
        match reported.copy_mode {
            Some(true) => self.confirmed = true,
            // A list from before copy mode was entered doesn't end it.
            Some(false) if self.confirmed => self.leave_mode(),
            _ => {}
        }
    }

    fn leave_mode(&mut self) {
        self.entered = None;
        self.confirmed = false;
        self.ends = None;
        self.prompt = CopyPrompt::None;
    }

    fn is_copying(&self, reported: Reported, now: Timestamp) -> bool {
        let entered = match self.entered {
            Some(Entered::Asked) => true,
            Some(Entered::Scrolled) => reported.copy_mode == Some(true),
            None => false,
        };
        entered && self.ends.is_none_or(|at| now < at)
    }

    /// A copy is made now. Copy mode ends soon, unless you enter it again.
    fn copied(&mut self, now: Timestamp) -> Did {
        self.ends.get_or_insert(after(now, WINDOW));
        Did::Copy
    }

    /// Takes a key that is sent to the pane.
    pub(super) fn key(&mut self, key: Key, reported: Reported, now: Timestamp) -> Did {
        if std::mem::take(&mut self.prefix) {
            if key == Key::plain(KeyCode::Char('[')) || key == Key::plain(KeyCode::PageUp) {
                self.enter();
                return Did::Other;
            }
            // Takes another tmux command, which can show another window.
            self.leave_mode();
            return Did::Leave;
        }
        if key == Key::ctrl('b') {
            self.prefix = true;
            return Did::Other;
        }
        if !self.is_copying(reported, now) {
            return Did::Other;
        }
        match self.prompt {
            CopyPrompt::None => self.command(key, reported.vi, now),
            CopyPrompt::Character => {
                self.prompt = CopyPrompt::None;
                Did::Other
            }
            CopyPrompt::Line => {
                let ends = [
                    Key::plain(KeyCode::Enter),
                    Key::plain(KeyCode::Esc),
                    Key::ctrl('c'),
                    Key::ctrl('g'),
                ];
                if ends.contains(&key) {
                    self.prompt = CopyPrompt::None;
                }
                Did::Other
            }
        }
    }

    /// The effect of a key in copy mode, by tmux's bindings.
    fn command(&mut self, key: Key, vi: Option<bool>, now: Timestamp) -> Did {
        let (vi, emacs) = (vi != Some(false), vi != Some(true));
        match (key.code, key.ctrl, key.alt) {
            (KeyCode::Char('q'), false, false) | (KeyCode::Char('c'), true, false) => {
                self.leave_mode();
                Did::Leave
            }
            (KeyCode::Esc, ..) if emacs => {
                self.leave_mode();
                Did::Leave
            }
            (KeyCode::Enter, ..) | (KeyCode::Char('j'), true, false) if vi => self.copied(now),
            (KeyCode::Char('y' | 'A' | 'D'), false, false) if vi => self.copied(now),
            (KeyCode::Char('w'), _, true) | (KeyCode::Char('w' | 'k'), true, _) if emacs => {
                self.copied(now)
            }
            (KeyCode::Char('/' | '?' | ':'), false, false) if vi => self.ask(CopyPrompt::Line),
            (KeyCode::Char('r' | 's'), true, false) if emacs => self.ask(CopyPrompt::Line),
            (KeyCode::Char('g'), false, false) if !vi => self.ask(CopyPrompt::Line),
            (KeyCode::Char('f' | 'F' | 't' | 'T'), false, false) => self.ask(CopyPrompt::Character),
            _ => Did::Other,
        }
    }

    fn ask(&mut self, prompt: CopyPrompt) -> Did {
        self.prompt = prompt;
        Did::Other
    }

    /// Takes a mouse event over the pane's cells that is sent to tmux.
    pub(super) fn mouse(&mut self, mouse: Mouse, reported: Reported, now: Timestamp) -> Did {
        let copying = self.is_copying(reported, now);
        if mouse.ctrl || mouse.alt || mouse.shift || (reported.takes_mouse && !copying) {
            self.pressed = None;
            self.dragged = false;
            return Did::Other;
        }
        match mouse.kind {
            MouseKind::WheelUp if !copying => {
                self.leave_mode();
                self.entered = Some(Entered::Scrolled);
            }
            MouseKind::Press(Button::Left) => {
                let again = self.pressed.is_some_and(|(column, row, at)| {
                    (column, row) == (mouse.column, mouse.row)
                        && now.duration_since(at) <= DOUBLE_CLICK
                });
                self.clicks = if again {
                    self.clicks.saturating_add(1)
                } else {
                    1
                };
                self.pressed = Some((mouse.column, mouse.row, now));
                self.dragged = false;
            }
            MouseKind::Drag(Button::Left) if self.pressed.is_some() => self.dragged = true,
            // tmux copies a dragged text, a word at a double click, and a line at a triple click.
            MouseKind::Release(Button::Left) if self.pressed.is_some() => {
                let marked = self.clicks > 1 || std::mem::take(&mut self.dragged);
                return if marked { self.copied(now) } else { Did::Other };
            }
            _ => {}
        }
        Did::Other
    }
}

impl Panes {
    /// Takes a key that is sent to the focused pane.
    pub(super) fn watch_key(&mut self, key: Key, now: Timestamp) -> Vec<Step> {
        self.watch(None, now, |copying, reported| {
            copying.key(key, reported, now)
        })
    }

    /// Takes a mouse event over this pane that is sent to it.
    pub(super) fn watch_mouse(&mut self, mouse: Mouse, pane: PaneId, now: Timestamp) -> Vec<Step> {
        self.watch(Some(pane), now, |copying, reported| {
            copying.mouse(mouse, reported, now)
        })
    }

    /// `None` is the focused pane.
    fn watch(
        &mut self,
        pane: Option<PaneId>,
        now: Timestamp,
        did: impl FnOnce(&mut Copying, Reported) -> Did,
    ) -> Vec<Step> {
        let Some(pane) = pane.or_else(|| self.active().map(|pane| pane.id)) else {
            return Vec::new();
        };
        let reported = Reported::of(self.pane(pane).and_then(|pane| self.window(pane)));
        let live = |it: &&mut Pane| it.id == pane && it.state == PaneState::Live;
        let found = self.list.iter_mut().find(live);
        match found.map(|it| did(&mut it.copying, reported)) {
            Some(Did::Copy) => self.permit_copy(pane, now),
            Some(Did::Leave) => self.end_permit(pane),
            Some(Did::Other) | None => Vec::new(),
        }
    }

    /// Takes a command that enters copy mode in the focused pane.
    pub(super) fn enter_copy_mode(&mut self, make: impl FnOnce(&Target) -> Command) -> Vec<Step> {
        if let Some(pane) = self.active_mut() {
            pane.copying.enter();
        }
        self.tmux(make)
    }

    /// Takes a command that shows another window in the focused pane, or leaves copy mode.
    pub(super) fn leave_copy_mode(&mut self, make: impl FnOnce(&Target) -> Command) -> Vec<Step> {
        let mut steps = Vec::new();
        if let Some(pane) = self.active_mut() {
            pane.copying.leave();
            let id = pane.id;
            steps.extend(self.end_permit(id));
        }
        steps.extend(self.tmux(make));
        steps
    }

    /// Takes a new list of this container's windows from tmux.
    pub(super) fn note_copy_modes(&mut self, place: ShellPlace) {
        let reported: Vec<_> = self
            .list
            .iter()
            .map(|pane| (pane.place == place).then(|| Reported::of(self.window(pane))))
            .collect();
        for (pane, reported) in self.list.iter_mut().zip(reported) {
            if let Some(reported) = reported {
                pane.copying.reported(reported);
            }
        }
    }
}

pub(super) fn after(now: Timestamp, wait: SignedDuration) -> Timestamp {
    now.saturating_add(wait).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
