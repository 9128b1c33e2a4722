//! One open terminal: its place, its screen, and what is typed into it.

mod connection;
mod place;

pub use connection::PaneState;
pub use place::ShellPlace;

use jiff::Timestamp;

use super::{PaneId, copying::Copying, saved::SavedPane};
use crate::{
    app::{effect::Effect, step::Step},
    key::Key,
    model::{
        inside, link_schemes::LinkSchemes, shell_start::ShellStart, status::Status, text::Clean,
    },
    protocol::message::{Origin, StreamId},
    terminal::{
        defaults::DefaultColors,
        emulator::{ClipboardText, Emulator},
        encode::{self, Modes},
    },
};

/// Maximum bytes of typed keys that wait while a terminal opens.
const TYPED_AHEAD: usize = 4 * 1024;

#[derive(Debug)]
pub struct Pane {
    pub id: PaneId,
    pub place: ShellPlace,
    /// The name of the session or the machine.
    pub name: Clean,
    pub state: PaneState,
    pub emulator: Emulator,
    /// The program has printed something since the pane was last visible.
    pub has_unseen_output: bool,
    /// The program has printed something since the pane was opened, so its tmux session exists.
    pub has_begun: bool,
    pub stream: StreamId,
    /// An open connection counts as use of the session, so it stays open only while the pane is visible.
    pub keeps_alive: bool,
    /// The session's container is paused, so its shell waits.
    pub session_paused: bool,
    /// The session has ended, so no shell can be opened in it.
    pub session_over: bool,
    /// Its shell ended normally, without a failure.
    pub(super) ended_by_itself: bool,
    /// The window that it showed in tmux's last list.
    pub(super) window: Option<u32>,
    /// The id of that window.
    pub(super) window_id: Option<u32>,
    /// The id of the window that it has to show, until tmux has listed it.
    pub(super) wanted_window: Option<u32>,
    /// You want to relaunch its session, and the pane follows the new one.
    pub(super) follows_name: bool,
    /// Since when the pane isn't visible.
    hidden_since: Option<Timestamp>,
    /// It is a floating shell, on no tab.
    pub(super) floats: bool,
    /// The settings that its shell starts with.
    pub start: ShellStart,
    tag: String,
    /// The state is `Opening`, but the terminal hasn't been requested yet.
    unasked: bool,
    typed_ahead: Vec<u8>,
    /// The keys and pastes since the last output. They may be lost if the connection breaks now.
    unanswered: usize,
    /// Those of connections that broke, until a toast reports them.
    maybe_lost: usize,
    attempts: u32,
    rang_at: Option<Timestamp>,
    /// A text for the clipboard that nothing has taken yet.
    copied: Option<ClipboardText>,
    /// Your actions in tmux's copy mode in this pane.
    pub(super) copying: Copying,
}

impl Pane {
    /// Creates a pane, which [`Pane::set_size`] opens. `tag` permanently names its terminal to the engine.
    pub fn new(id: PaneId, place: ShellPlace, name: Clean, tag: String, stream: StreamId) -> Self {
        Self {
            id,
            place,
            name,
            state: PaneState::Opening,
            emulator: Emulator::new(80, 24).in_place(id.number()),
            has_unseen_output: false,
            has_begun: false,
            stream,
            keeps_alive: false,
            session_paused: false,
            session_over: false,
            ended_by_itself: false,
            window: None,
            window_id: None,
            wanted_window: None,
            follows_name: false,
            hidden_since: None,
            floats: false,
            start: ShellStart::default(),
            tag,
            unasked: true,
            typed_ahead: Vec::new(),
            unanswered: 0,
            maybe_lost: 0,
            attempts: 0,
            rang_at: None,
            copied: None,
            copying: Copying::default(),
        }
    }

    /// Sets the schemes that links of its programs may have.
    #[must_use]
    pub fn with_link_schemes(mut self, schemes: LinkSchemes) -> Self {
        self.emulator = self.emulator.with_link_schemes(schemes);
        self
    }

    /// Sets the default colors that its programs get when they ask for them.
    #[must_use]
    pub fn with_colors(mut self, colours: DefaultColors) -> Self {
        self.emulator = self.emulator.with_colors(colours);
        self
    }

    /// The saved form of the pane.
    pub(super) fn saved(&self) -> SavedPane {
        SavedPane {
            session: self.place.session(),
            kernel: self.place.kernel(),
            name: self.name.clone(),
            tag: self.tag.clone(),
            start: self.start.clone(),
            window: self.window_id.or(self.wanted_window),
        }
    }

    /// Whether its session has ended, so that only a relaunch gives it a shell again.
    pub(super) fn is_without_session(&self) -> bool {
        self.session_over && self.place.session().is_some()
    }

    /// Its terminal has been requested.
    pub(super) fn is_asked(&self) -> bool {
        !self.unasked
    }

    /// What permanently names its terminal to the engine.
    pub(super) fn tag(&self) -> &str {
        &self.tag
    }

    /// The name of the tmux session that belongs to this pane.
    pub fn tmux_session(&self) -> String {
        inside::pane_session(&self.tag)
    }

    /// Takes the text for the clipboard from you or a program.
    pub fn take_copied(&mut self) -> Option<ClipboardText> {
        self.copied.take()
    }

    /// Keys go to the shell now, or when it is open.
    pub fn takes_keys(&self) -> bool {
        !matches!(self.state, PaneState::Ended { .. })
    }

    /// The ended shell can be reopened.
    pub fn can_reopen(&self) -> bool {
        !self.takes_keys() && !self.session_over
    }

    /// Its session has ended, so nothing is opened.
    pub(super) fn begin_over(&mut self, why: Clean) {
        self.unasked = false;
        self.session_over = true;
        self.finish(why);
    }

    /// Takes the status of its session. After the session has ended, the pane doesn't reconnect.
    pub(super) fn status_changed(&mut self, status: &Status) {
        let was_over = std::mem::replace(&mut self.session_over, status.is_final());
        let tries = matches!(self.state, PaneState::Lost { .. } | PaneState::Paused);
        // Why it couldn't be opened while the session was ending isn't true any more.
        let never_began = !was_over && !self.has_begun && !self.takes_keys();
        if self.session_over && (tries || never_began) {
            self.finish(tr!("the session has ended").into());
        }
    }

    pub fn modes(&self) -> Modes {
        self.emulator.modes()
    }

    /// Takes the size of the pane's area. Opens a terminal that waits for its size.
    pub fn set_size(&mut self, columns: u16, rows: u16) -> Option<Step> {
        let before = self.emulator.size();
        self.emulator.resize(columns, rows);
        let (columns, rows) = self.emulator.size();
        if self.unasked {
            self.unasked = false;
            return Some(self.open());
        }
        let open = matches!(self.state, PaneState::Opening | PaneState::Live);
        (open && before != (columns, rows)).then_some(Step::Do(Effect::ResizeStream {
            stream: self.stream,
            columns,
            rows,
        }))
    }

    /// Changes the size and restores it, so that the program repaints its screen.
    fn paint_again(&self) -> [Step; 2] {
        let (columns, rows) = self.emulator.size();
        let other = if rows > 1 { rows - 1 } else { rows + 1 };
        [other, rows].map(|rows| {
            Step::Do(Effect::ResizeStream {
                stream: self.stream,
                columns,
                rows,
            })
        })
    }

    /// Whether it runs one of your own commands on this machine, which another TUI doesn't run again.
    pub(super) fn runs_command_here(&self) -> bool {
        self.place == ShellPlace::Host && !self.start.command.is_empty()
    }

    pub fn type_key(&mut self, key: Key) -> Option<Step> {
        self.send(Origin::Typed, encode::key(key, self.modes()))
    }

    /// Sends bytes to the shell. They wait while the shell opens, and are dropped while the connection is
    /// broken, because their effect wouldn't be visible.
    pub fn send(&mut self, origin: Origin, bytes: Vec<u8>) -> Option<Step> {
        if bytes.is_empty() {
            return None;
        }
        if origin == Origin::Typed && matches!(self.state, PaneState::Live | PaneState::Opening) {
            self.unanswered += 1;
        }
        self.transmit(origin, bytes)
    }

    fn transmit(&mut self, origin: Origin, bytes: Vec<u8>) -> Option<Step> {
        match self.state {
            PaneState::Live => Some(Step::Do(Effect::Send {
                stream: self.stream,
                origin,
                bytes: bytes.into(),
            })),
            PaneState::Opening => {
                if self.typed_ahead.len() + bytes.len() <= TYPED_AHEAD {
                    self.typed_ahead.extend(bytes);
                }
                None
            }
            PaneState::Ended { .. } | PaneState::Lost { .. } | PaneState::Paused => None,
        }
    }
}
