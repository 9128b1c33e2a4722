//! The open terminals: tabs, each with one pane or several side by side.

mod acts;
mod alone;
mod broadcast;
mod clipboard;
mod control;
mod copying;
mod events;
mod floating;
mod mouse;
mod opening;
mod page;
mod pane;
mod pane_tab;
mod prompt;
mod quick;
mod recording;
mod saved;
mod screens;
mod search;
mod strip;
mod tab_labels;
mod tree;
mod windows;

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::step::{Ids, Step};
use crate::{
    action::Scope,
    model::{
        id::{ContextName, SessionKey},
        link_schemes::LinkSchemes,
        session::Session,
        settings::TerminalSettings,
        text::Clean,
    },
    protocol::message::Origin,
    terminal::{
        defaults::DefaultColors,
        encode::{self, MouseMode},
    },
};

pub use clipboard::Copied;
pub use mouse::MouseLayout;
pub use pane::{Pane, PaneState, ShellPlace};
pub use pane_tab::{PaneArea, PaneTab};
pub use prompt::{PanePrompt, PaneQuestion};
pub use recording::{RecordOrder, RecordingEnd, RecordingId};
pub use saved::{Arranged, FoundSession, SavedPane, SavedPaneTab};
pub use screens::ScreenView;
pub use strip::{HeadPlaces, WindowTab, head_name, window_tabs};
pub use tab_labels::TabLabel;
pub use tree::{Axis, Border};

/// Identifies a pane while it is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PaneId(u32);

impl PaneId {
    pub(super) fn number(self) -> u32 {
        self.0
    }
}

#[derive(Debug, Default)]
pub struct Panes {
    /// In the order they were opened.
    list: Vec<Pane>,
    /// In the order of the tabs.
    tabs: Vec<PaneTab>,
    /// Position of the tab that is shown.
    active: usize,
    /// The leader key was pressed, so the next key is for workbay.
    leader: bool,
    /// A border was moved by key, and arrow keys continue to move it.
    moving: bool,
    /// What the held mouse button was pressed on.
    held: mouse::PressedPlace,
    /// The prefix of this TUI's terminal tags.
    tag: String,
    /// The number of panes opened so far. It makes tags unique.
    opened: u32,
    /// The area that the layout gives to tabs, heads and cells.
    page: Option<Rect>,
    /// The terminal view is shown and the outer terminal has the focus.
    in_focus: bool,
    daemon_is_up: bool,
    /// The control connections to the tmux of sessions.
    lines: control::ControlConnections,
    clipboard: clipboard::Clipboard,
    /// The default colors of the outer terminal.
    colours: DefaultColors,
    link_schemes: LinkSchemes,
    /// The prompt in the status line.
    prompt: Option<PanePrompt>,
    broadcast: broadcast::Broadcast,
    floating: Option<floating::Floating>,
    recordings: recording::Recordings,
    /// The screens that the control room shows.
    screens: screens::Screens,
    /// The labels on the screen of a pane.
    quick: Option<quick::PaneQuickSelect>,
}

impl Panes {
    /// `tag` is the prefix of this TUI's terminal tags.
    #[must_use]
    pub fn new(tag: &str) -> Self {
        Self {
            tag: tag.to_owned(),
            daemon_is_up: true,
            ..Self::default()
        }
    }

    /// Applies your settings.
    #[must_use]
    pub fn with(mut self, settings: &TerminalSettings) -> Self {
        self.lines = control::ControlConnections::new(settings.copy_keys);
        self.clipboard = clipboard::Clipboard::new(settings.clipboard);
        self.link_schemes = settings.link_schemes.clone();
        self
    }

    /// Sets the default colors of the outer terminal.
    #[must_use]
    pub fn on(mut self, colours: DefaultColors) -> Self {
        self.colours = colours;
        self
    }

    /// The colors of the outer terminal.
    pub fn colors(&self) -> DefaultColors {
        self.colours
    }

    /// The outer terminal has these colors from now on. Programs that ask again get them.
    pub fn set_colors(&mut self, colours: DefaultColors) {
        self.colours = colours;
    }

    /// Whether the terminal view is empty.
    pub fn is_empty(&self) -> bool {
        self.tabs.is_empty()
    }

    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// The panes of the terminal view.
    pub fn iter(&self) -> impl Iterator<Item = &Pane> {
        self.list.iter().filter(|pane| !pane.floats)
    }

    /// Position of a pane in the list.
    fn position(&self, id: PaneId) -> Option<usize> {
        self.list.iter().position(|pane| pane.id == id)
    }

    pub fn pane(&self, id: PaneId) -> Option<&Pane> {
        self.list.iter().find(|pane| pane.id == id)
    }

    /// The tab that is shown.
    pub fn tab(&self) -> Option<&PaneTab> {
        self.tabs.get(self.active)
    }

    pub fn tabs(&self) -> &[PaneTab] {
        &self.tabs
    }

    pub fn active_tab(&self) -> usize {
        self.active
    }

    /// The focused pane.
    pub fn active(&self) -> Option<&Pane> {
        self.pane(self.active_id()?)
    }

    fn active_mut(&mut self) -> Option<&mut Pane> {
        let at = self.position(self.active_id()?)?;
        self.list.get_mut(at)
    }

    /// The floating shell, otherwise the focused pane of the tab.
    fn active_id(&self) -> Option<PaneId> {
        match self.floating() {
            Some(pane) => Some(pane.id),
            None => Some(self.tab()?.focus),
        }
    }

    /// Whether the pane is visible while the terminal view is shown.
    fn is_seen(&self, id: PaneId) -> bool {
        self.seen().contains(&id)
    }

    /// How many panes show this session.
    pub fn open_in(&self, session: SessionKey) -> usize {
        let here = |pane: &&Pane| pane.place.session() == Some(session) && pane.takes_keys();
        self.list.iter().filter(here).count()
    }

    /// Terminal (keys go to the program), Leader (after the leader key), Input and Confirm (a prompt is
    /// open), Panes (no program runs in the pane).
    pub fn scope(&self) -> Scope {
        match self.active() {
            _ if self.leader => Scope::Leader,
            _ if self.quick_select().is_some() => Scope::Input,
            _ if self.prompt().is_some_and(PanePrompt::is_typed) => Scope::Input,
            _ if self.prompt().is_some() => Scope::Confirm,
            Some(pane) if pane.takes_keys() => Scope::Terminal,
            _ => Scope::Panes,
        }
    }

    /// Takes from the contexts whether open terminals count as use.
    pub fn know_contexts(&mut self, keeps_alive: impl Fn(ContextName) -> bool) {
        for pane in &mut self.list {
            if let Some(id) = pane.place.session() {
                // A disconnected context reports nothing, so its last report applies.
                pane.keeps_alive |= keeps_alive(id.context);
            }
        }
    }

    /// Updates which panes are visible: those of the shown tab, while the terminal view is shown.
    pub fn look(&mut self, on_page: bool, ids: &mut Ids, now: Timestamp) -> Vec<Step> {
        let seen = if on_page { self.seen() } else { Vec::new() };
        let mut steps = Vec::new();
        for pane in &mut self.list {
            // Nothing can be opened without the daemon. Visible panes open when it is connected again.
            let ids = self.daemon_is_up.then_some(&mut *ids);
            steps.extend(pane.look(seen.contains(&pane.id), ids, now));
        }
        steps.extend(self.keep_connections(ids));
        steps.extend(self.watch_permit(on_page));
        steps.extend(self.follow_broadcast(on_page));
        steps.extend(self.follow_recordings());
        steps
    }

    /// Takes back the leader key.
    pub fn cancel_leader(&mut self) {
        self.leader = false;
    }

    /// Focuses a pane and shows its tab.
    fn show(&mut self, id: PaneId) -> Vec<Step> {
        let contains = |tab: &PaneTab| tab.panes().contains(&id);
        let Some(at) = self.tabs.iter().position(contains) else {
            return Vec::new();
        };
        let mut steps = Vec::new();
        if at != self.active || self.tabs[at].focus != id {
            steps.extend(self.report_focus(false));
            self.active = at;
            self.tabs[at].focus = id;
            steps.extend(self.report_focus(true));
        }
        self.mark_seen();
        steps
    }

    /// Marks the output of visible panes as seen.
    fn mark_seen(&mut self) {
        let seen = self.seen();
        for pane in self.list.iter_mut().filter(|pane| seen.contains(&pane.id)) {
            pane.has_unseen_output = false;
        }
    }

    fn report_focus(&mut self, on: bool) -> Option<Step> {
        if !self.in_focus {
            return None;
        }
        let pane = self.active_mut()?;
        let report = encode::focus(on, pane.modes())?;
        pane.send(Origin::Focus, report.to_vec())
    }

    /// Takes changes of a session: its name, and whether its container is paused. A pane that waited for a
    /// paused container opens when the container continues.
    pub fn session_changed(&mut self, session: &Session, ids: &mut Ids) -> Vec<Step> {
        let here = Some(session.key());
        let mut steps = Vec::new();
        let of_session = |pane: &&mut Pane| pane.place.session() == here;
        for pane in self.list.iter_mut().filter(of_session) {
            let name = name_in(session, pane.place, &pane.name);
            if pane.name != name {
                pane.name = name;
            }
            pane.status_changed(&session.status);
            let paused = std::mem::replace(&mut pane.session_paused, session.is_paused());
            if paused && !pane.session_paused && matches!(pane.state, PaneState::Lost { .. }) {
                steps.push(pane.reopen(ids.stream()));
            }
        }
        steps.extend(self.follow_name(session, ids));
        steps
    }

    /// Takes whether the outer terminal has the focus and the terminal view is shown.
    pub fn focus(&mut self, on: bool) -> Vec<Step> {
        if on == self.in_focus {
            return Vec::new();
        }
        if !on {
            self.leader = false;
            self.moving = false;
            self.held = mouse::PressedPlace::default();
        }
        // A program gets the report while the view has the focus: before the focus is lost, and after it
        // returns.
        self.in_focus = true;
        let step = self.report_focus(on);
        self.in_focus = on;
        if on {
            self.mark_seen();
        }
        step.into_iter().collect()
    }

    /// The focused program has requested every movement of the mouse.
    pub fn want_moves(&self) -> bool {
        let pane = self.active().filter(|pane| pane.state == PaneState::Live);
        pane.is_some_and(|pane| pane.modes().mouse == MouseMode::Motion)
    }

    /// How many shells keep running without the TUI: those in sessions. A shell on this machine ends with it.
    pub fn kept_shells(&self) -> usize {
        let kept = |pane: &&Pane| pane.takes_keys() && pane.place != ShellPlace::Host;
        self.list.iter().filter(kept).count()
    }

    /// Closes all streams when the TUI exits.
    pub fn close_all(&mut self) -> Vec<Step> {
        self.tabs.clear();
        self.floating = None;
        let mut steps = self.lines.keep_only(&[], None);
        steps.extend(self.stop_recordings(|_| true));
        steps.extend(self.list.drain(..).filter_map(|pane| pane.close()));
        steps
    }
}

/// The name of a pane of the session. A pane of another container also shows the container's host name, if it
/// is known.
pub fn name_in(session: &Session, place: ShellPlace, known: &Clean) -> Clean {
    let ShellPlace::Container(_, kernel) = place else {
        return session.name.clone();
    };
    let found = session.kernels.iter().find(|one| one.id == kernel);
    found.map_or_else(
        || known.clone(),
        |kernel| Clean::new(&format!("{}/{}", session.name, kernel.hostname)),
    )
}

#[cfg(test)]
mod tests;
