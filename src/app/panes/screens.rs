//! The screens of sessions for the control room. The tmux of a session reports that its screen has changed, at most
//! once a second, and is asked for the screen then. So the cost doesn't depend on how much a program prints, and no
//! window changes its size.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::{
    PaneState, Panes, ShellPlace,
    control::{CommandPurpose, WatchedScreen},
    copying::after,
};
use crate::{
    app::step::Step,
    model::{id::SessionKey, inside, text::Clean},
    terminal::{
        control::{Command, Listing, ScreenSize, Target},
        emulator::Emulator,
    },
};

/// tmux compares the times of output in seconds. Output right after a report is read after this time.
const CONFIRM_AFTER: SignedDuration = SignedDuration::from_millis(1200);
/// Screens that arrive within this time are shown in one frame.
const REDRAW_EVERY: SignedDuration = SignedDuration::from_millis(250);

/// What is known of a session's screen.
#[derive(Debug)]
pub enum ScreenView<'a> {
    /// The screen that its terminal showed a moment ago.
    Shown(&'a Emulator),
    Loading,
    /// Why there is none.
    Missing(Clean),
}

#[derive(Debug, Default)]
pub(super) struct Screens {
    watched: Vec<SessionKey>,
    known: BTreeMap<SessionKey, Thumbnail>,
    redraw_at: Option<Timestamp>,
}

#[derive(Debug)]
struct Thumbnail {
    screen: Emulator,
    size: ScreenSize,
    confirm_at: Option<Timestamp>,
}

impl Screens {
    pub(super) fn wake_at(&self) -> Option<Timestamp> {
        let confirms = self.known.values().filter_map(|it| it.confirm_at);
        confirms.chain(self.redraw_at).min()
    }
}

impl Panes {
    /// Watches the screens of these sessions and of no others.
    pub fn watch_screens(&mut self, sessions: Vec<SessionKey>) {
        if sessions == self.screens.watched {
            return;
        }
        self.screens.known.retain(|key, _| sessions.contains(key));
        self.screens.watched = sessions;
    }

    /// The screen of a watched session.
    pub fn screen(&self, session: SessionKey) -> ScreenView<'_> {
        if let Some(known) = self.screens.known.get(&session) {
            return ScreenView::Shown(&known.screen);
        }
        match self.lines.problem(ShellPlace::Session(session)) {
            Some(why) => ScreenView::Missing(why),
            None => ScreenView::Loading,
        }
    }

    /// Whether the bell rang in a window of a watched session that nobody has looked at since.
    pub fn rang(&self, session: SessionKey) -> bool {
        let listing = self.lines.listing(ShellPlace::Session(session));
        listing.is_some_and(Listing::has_bell)
    }

    /// Whether the connection that watches the session is being made. No shell may be opened meanwhile: the server
    /// of tmux 3.3a crashes if a session is created while a control client is half connected.
    pub fn is_connecting_screen(&self, session: SessionKey) -> bool {
        self.lines.is_opening(ShellPlace::Session(session))
    }

    /// The places whose screens are watched now. A place where a shell is being opened has to wait.
    pub(super) fn watched_places(&self) -> Vec<ShellPlace> {
        let watched = self.screens.watched.iter();
        watched
            .map(|session| ShellPlace::Session(*session))
            .filter(|place| {
                let begins = self.list.iter().any(|pane| {
                    let is_open = pane.state == PaneState::Live && pane.has_begun;
                    let is_closed = matches!(
                        pane.state,
                        PaneState::Paused | PaneState::Ended { .. } | PaneState::Lost { .. }
                    );
                    pane.place.session() == place.session()
                        && pane.is_asked()
                        && !is_open
                        && !is_closed
                });
                self.lines.knows(*place) || !begins
            })
            .collect()
    }

    /// A screen has changed: asks for it.
    pub(super) fn screen_changed(&mut self, place: ShellPlace, size: ScreenSize) -> Option<Step> {
        let asked = self.ask_screen(place, size);
        if let Some(known) = place
            .session()
            .and_then(|it| self.screens.known.get_mut(&it))
        {
            known.size = size;
        }
        asked
    }

    fn ask_screen(&mut self, place: ShellPlace, size: ScreenSize) -> Option<Step> {
        let command = Command::screen(&Target::session(inside::TMUX_SESSION));
        let asked = self.lines.ask(place, command, CommandPurpose::Screen(size));
        asked.ok().flatten()
    }

    /// Takes the screen of a session.
    pub(super) fn screen_came(&mut self, came: &WatchedScreen, now: Timestamp) {
        let Some(session) = came.place.session() else {
            return;
        };
        if !self.screens.watched.contains(&session) {
            return;
        }
        let mut screen = Emulator::new(came.size.columns, came.size.rows);
        // A full line must not scroll the screen, and the last line break would.
        let lines = came.printed.strip_suffix(b"\n").unwrap_or(&came.printed);
        let mut bytes = Vec::with_capacity(lines.len() + 64);
        let lines: Vec<&[u8]> = lines.split(|byte| *byte == b'\n').collect();
        // The cursor stays at the end of the text, so that the newest lines are those with text.
        let last = lines.iter().rposition(|line| !line.is_empty());
        for (at, line) in lines[..last.map_or(0, |at| at + 1)].iter().enumerate() {
            if at > 0 {
                bytes.extend_from_slice(b"\r\n");
            }
            bytes.extend_from_slice(line);
        }
        screen.feed(&bytes, now);
        let before = self.screens.known.insert(
            session,
            Thumbnail {
                screen,
                size: came.size,
                confirm_at: (!came.size.confirms).then(|| after(now, CONFIRM_AFTER)),
            },
        );
        if came.size.confirms
            && let Some(known) = self.screens.known.get_mut(&session)
        {
            // A change that was reported meanwhile has its own confirmation.
            known.confirm_at = before.and_then(|it| it.confirm_at);
        }
        let due = after(now, REDRAW_EVERY);
        self.screens.redraw_at.get_or_insert(due);
    }

    pub(super) fn tick_screens(&mut self, now: Timestamp) -> Vec<Step> {
        if self.screens.redraw_at.is_some_and(|at| at <= now) {
            self.screens.redraw_at = None;
        }
        let mut due = Vec::new();
        for (session, known) in &mut self.screens.known {
            if known.confirm_at.is_some_and(|at| at <= now) {
                known.confirm_at = None;
                due.push((ShellPlace::Session(*session), known.size));
            }
        }
        let asked = due.into_iter().filter_map(|(place, size)| {
            let size = size.confirming();
            self.ask_screen(place, size)
        });
        asked.collect()
    }
}
