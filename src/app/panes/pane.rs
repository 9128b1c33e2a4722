//! One open terminal: its place, its screen, and the state of its connection.

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};

use super::{PaneId, copying::Copying, saved::SavedPane};
use crate::{
    app::{
        effect::Effect,
        msg::StreamEvent,
        step::{Ids, Step},
    },
    key::{Key, KeyCode},
    model::{
        failure::{Failure, FailureKind},
        id::{KernelId, SessionKey},
        inside,
        link_schemes::LinkSchemes,
        shell_start::ShellStart,
        status::Status,
        text::Clean,
    },
    protocol::message::{Origin, StreamEnd, StreamId, StreamOpen},
    terminal::{
        defaults::DefaultColors,
        emulator::{ClipboardText, Emulator},
        encode::{self, Modes},
    },
};

/// Maximum bytes of typed keys that wait while a terminal opens.
const TYPED_AHEAD: usize = 4 * 1024;
/// Minimum time between two rings of the bell.
const BELL_EVERY: SignedDuration = SignedDuration::from_secs(1);
/// How long a pane that keeps its session alive can be hidden before its connection is closed.
const HIDDEN_FOR: SignedDuration = SignedDuration::from_secs(60);
/// Maximum wait between two attempts, in seconds.
const LONGEST_WAIT: i64 = 30;

/// Where the shell runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShellPlace {
    Session(SessionKey),
    /// A container of a cluster session other than its main one.
    Container(SessionKey, KernelId),
    Host,
}

impl ShellPlace {
    /// The container, if it isn't the main one.
    pub fn kernel(self) -> Option<KernelId> {
        match self {
            Self::Container(_, kernel) => Some(kernel),
            Self::Session(_) | Self::Host => None,
        }
    }

    /// The session of the place, for any of its containers.
    pub fn session(self) -> Option<SessionKey> {
        match self {
            Self::Session(session) | Self::Container(session, _) => Some(session),
            Self::Host => None,
        }
    }
}

/// The state of the connection to the shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaneState {
    /// Requested, or about to be requested when the size is known.
    Opening,
    Live,
    /// The shell has ended or couldn't be opened. You decide what to do.
    Ended {
        why: Clean,
    },
    /// Closed because the pane was hidden. It reopens when it is shown.
    Paused,
    /// The connection broke. It reconnects automatically.
    Lost {
        why: Clean,
        attempt: u32,
        /// `None` waits until the daemon is connected again.
        retry_at: Option<Timestamp>,
    },
}

#[derive(Debug)]
pub struct Pane {
    pub id: PaneId,
    pub place: ShellPlace,
    /// The name of the session or the machine.
    pub name: Clean,
    pub state: PaneState,
    pub emulator: Emulator,
    /// The program has printed something since the pane was last visible.
    pub has_news: bool,
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
            has_news: false,
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
            self.finish("the session has ended".into());
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

    fn open(&self) -> Step {
        let (columns, rows) = self.emulator.size();
        Step::Do(match self.place {
            ShellPlace::Host => Effect::OpenHostShell {
                stream: self.stream,
                command: self.start.command.clone(),
                columns,
                rows,
            },
            ShellPlace::Session(session) => self.open_in(session, self.start.clone()),
            ShellPlace::Container(session, kernel) => {
                let start = ShellStart {
                    kernel: Some(kernel),
                    ..self.start.clone()
                };
                self.open_in(session, start)
            }
        })
    }

    fn open_in(&self, session: SessionKey, start: ShellStart) -> Effect {
        let (columns, rows) = self.emulator.size();
        Effect::Open {
            stream: self.stream,
            open: StreamOpen::Terminal {
                session,
                tag: self.tag.clone(),
                columns,
                rows,
                start,
            },
        }
    }

    /// Reopens the terminal with the same tag. It is the same shell if that still runs.
    pub fn reopen(&mut self, stream: StreamId) -> Step {
        self.stream = stream;
        self.state = PaneState::Opening;
        self.unasked = false;
        self.ended_by_itself = false;
        self.window = None;
        self.open()
    }

    /// Takes whether the pane is visible. A connection that keeps the session alive is closed after the pane
    /// has been hidden for a while, and reopened when the pane is visible. Without `ids`, it can't be opened
    /// now.
    pub fn look(&mut self, seen: bool, ids: Option<&mut Ids>, now: Timestamp) -> Option<Step> {
        if seen {
            self.hidden_since = None;
            let ids = ids.filter(|_| self.state == PaneState::Paused)?;
            return Some(self.reopen(ids.stream()));
        }
        self.hidden_since.get_or_insert(now);
        if self.pause_at().is_none_or(|at| now < at) {
            return None;
        }
        let close = self.close();
        self.typed_ahead.clear();
        self.state = PaneState::Paused;
        close
    }

    /// Whether the pane is visible.
    pub fn is_seen(&self) -> bool {
        self.hidden_since.is_none()
    }

    /// When the connection will be closed because the pane is hidden.
    pub fn pause_at(&self) -> Option<Timestamp> {
        let held = !matches!(self.state, PaneState::Paused | PaneState::Ended { .. });
        let hidden = self.hidden_since.filter(|_| self.keeps_alive && held)?;
        Some(hidden.saturating_add(HIDDEN_FOR).unwrap_or(Timestamp::MAX))
    }

    pub fn close(&self) -> Option<Step> {
        let open = matches!(self.state, PaneState::Opening | PaneState::Live) && !self.unasked;
        open.then_some(Step::Do(Effect::Close {
            stream: self.stream,
        }))
    }

    pub fn type_key(&mut self, key: Key) -> Option<Step> {
        self.send(Origin::Typed, encode::key(key, self.modes()))
    }

    /// Sends bytes to the shell. They wait while the shell opens, and are dropped while the connection is
    /// broken, because their effect wouldn't be visible.
    pub fn send(&mut self, origin: Origin, bytes: Vec<u8>) -> Option<Step> {
        match self.state {
            _ if bytes.is_empty() => None,
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

    pub fn event(&mut self, event: &StreamEvent, now: Timestamp) -> Vec<Step> {
        // The last output of a connection that the pane has closed.
        if self.state == PaneState::Paused {
            return Vec::new();
        }
        match event {
            StreamEvent::Opened => self.opened(),
            StreamEvent::Data { bytes, .. } => self.data(bytes, now),
            StreamEvent::Ended(end) => {
                self.ended(end, now);
                Vec::new()
            }
        }
    }

    fn opened(&mut self) -> Vec<Step> {
        // Starts with an empty screen, because the shell's side paints everything again.
        self.emulator = self.emulator.fresh();
        self.has_begun = false;
        self.copying.leave();
        self.state = PaneState::Live;
        let typed = std::mem::take(&mut self.typed_ahead);
        self.send(Origin::Typed, typed).into_iter().collect()
    }

    fn data(&mut self, bytes: &Bytes, now: Timestamp) -> Vec<Step> {
        self.attempts = 0;
        self.has_news = true;
        self.has_begun = true;
        self.emulator.feed(bytes, now);
        let answers = self.emulator.take_answers();
        let mut steps: Vec<Step> = self.send(Origin::Reply, answers).into_iter().collect();
        if self.emulator.take_fall() {
            steps.extend(self.paint_again());
        }
        let quiet = self
            .rang_at
            .is_none_or(|at| now.duration_since(at) >= BELL_EVERY);
        if self.emulator.take_bell() && quiet {
            self.rang_at = Some(now);
            steps.push(Step::Do(Effect::Bell));
        }
        if let Some(text) = self.emulator.take_clipboard() {
            self.copied = Some(text);
        }
        steps
    }

    fn ended(&mut self, end: &StreamEnd, now: Timestamp) {
        match end {
            // A signal killed the terminal's client, which doesn't mean that the shell ended.
            StreamEnd::Exited {
                exit_code: Some(code @ 129..=159),
            } if self.place != ShellPlace::Host => {
                let why = format!("shell ended by signal {}", code - 128);
                self.lost(Clean::new(&why), Some(now));
            }
            StreamEnd::Exited {
                exit_code: Some(code),
            } if *code == i64::from(inside::NO_SHELL) && !self.start.toolbox => {
                // The reopened terminal uses the bundled shell.
                self.start.toolbox = true;
                self.finish("no shell in this environment: Enter opens workbay's own".into());
            }
            StreamEnd::Exited { exit_code } => {
                // 126 and 127 mean that the shell couldn't be run.
                self.ended_by_itself = !matches!(exit_code, Some(126 | 127)) && self.has_begun;
                let why = match exit_code {
                    Some(code) if *code != 0 => format!("shell ended with code {code}"),
                    _ => "shell ended".to_owned(),
                };
                self.finish(Clean::new(&why));
            }
            StreamEnd::Failed { failure } if failure.kind == FailureKind::Unreachable => {
                self.lost(failure.message().clone(), Some(now));
            }
            // An engine opens nothing in a paused container, but will when the container continues.
            StreamEnd::Failed { failure } if self.session_paused => {
                self.lost(failure.message().clone(), Some(now));
            }
            StreamEnd::Failed { failure } => self.finish(sentence(failure)),
            StreamEnd::Lost { why } => self.lost(why.clone(), Some(now)),
        }
    }

    fn finish(&mut self, why: Clean) {
        self.typed_ahead.clear();
        self.state = PaneState::Ended { why };
    }

    /// The connection broke. `now` retries after a while, `None` waits for the daemon.
    pub fn lost(&mut self, why: Clean, now: Option<Timestamp>) {
        self.typed_ahead.clear();
        self.attempts = self.attempts.saturating_add(1);
        let wait = 1i64 << (self.attempts - 1).min(5);
        let wait = SignedDuration::from_secs(wait.min(LONGEST_WAIT));
        self.state = PaneState::Lost {
            why,
            attempt: self.attempts,
            retry_at: now.map(|now| now.saturating_add(wait).unwrap_or(Timestamp::MAX)),
        };
    }

    /// When the next attempt to open it is due.
    pub fn retry_at(&self) -> Option<Timestamp> {
        match self.state {
            PaneState::Lost { retry_at, .. } => retry_at,
            _ => None,
        }
    }

    /// Whether a key reopens an ended terminal, or one that waits for its next attempt.
    pub fn is_reopen_key(&self, key: Key) -> bool {
        key == Key::plain(KeyCode::Enter)
            && !self.session_over
            && matches!(
                self.state,
                PaneState::Ended { .. }
                    | PaneState::Lost {
                        retry_at: Some(_),
                        ..
                    }
            )
    }
}

fn sentence(failure: &Failure) -> Clean {
    match &failure.hint {
        Some(help) => Clean::new(&format!("{}. {help}", failure.message())),
        None => failure.message().clone(),
    }
}
