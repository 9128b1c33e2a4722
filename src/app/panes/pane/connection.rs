//! The connection of a pane to its shell: opens it, retries, closes it while the pane is hidden, and follows its events.

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};

use super::{Pane, ShellPlace};
use crate::{
    app::{
        effect::Effect,
        msg::StreamEvent,
        step::{Ids, Step},
    },
    key::{Key, KeyCode},
    model::{
        failure::{Failure, FailureKind},
        id::SessionKey,
        inside,
        notice::Level,
        shell_start::ShellStart,
        text::Clean,
    },
    protocol::message::{Origin, StreamEnd, StreamId, StreamOpen},
};

/// Minimum time between two rings of the bell.
const BELL_EVERY: SignedDuration = SignedDuration::from_secs(1);
/// How long a pane that keeps its session alive can be hidden before its connection is closed.
const HIDDEN_FOR: SignedDuration = SignedDuration::from_secs(60);
/// Maximum wait between two attempts, in seconds.
const LONGEST_WAIT: i64 = 30;

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

impl Pane {
    pub(super) fn open(&self) -> Step {
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
        let typed = (!typed.is_empty()).then(|| self.transmit(Origin::Typed, typed));
        let lost = self.report_lost_keys();
        typed.flatten().into_iter().chain(lost).collect()
    }

    /// Nothing confirms that a key has reached the shell, but output after it makes that likely. The rest is reported when
    /// you can check it.
    fn report_lost_keys(&mut self) -> Option<Step> {
        let text = match std::mem::take(&mut self.maybe_lost) {
            0 => return None,
            1 => tr!("connection restored: your last key or paste may not have arrived").to_owned(),
            count => tr!(
                "connection restored: your last {count} keys or pastes may not have arrived",
                count
            ),
        };
        Some(Step::toast(Level::Warning, text))
    }

    fn data(&mut self, bytes: &Bytes, now: Timestamp) -> Vec<Step> {
        self.attempts = 0;
        self.unanswered = 0;
        self.has_unseen_output = true;
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
                let why = tr!("shell ended by signal {code}", code = code - 128);
                self.lost(Clean::new(&why), Some(now));
            }
            StreamEnd::Exited {
                exit_code: Some(code),
            } if *code == i64::from(inside::NO_SHELL) && !self.start.toolbox => {
                // The reopened terminal uses the bundled shell.
                self.start.toolbox = true;
                self.finish(tr!("no shell in this environment: Enter opens workbay's own").into());
            }
            StreamEnd::Exited { exit_code } => {
                // 126 and 127 mean that the shell couldn't be run.
                self.ended_by_itself = !matches!(exit_code, Some(126 | 127)) && self.has_begun;
                let why = match exit_code {
                    Some(code) if *code != 0 => tr!("shell ended with code {code}", code),
                    _ => tr!("shell ended").to_owned(),
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

    pub(super) fn finish(&mut self, why: Clean) {
        self.typed_ahead.clear();
        (self.unanswered, self.maybe_lost) = (0, 0);
        self.state = PaneState::Ended { why };
    }

    /// The connection broke. `now` retries after a while, `None` waits for the daemon.
    pub fn lost(&mut self, why: Clean, now: Option<Timestamp>) {
        self.typed_ahead.clear();
        self.maybe_lost += std::mem::take(&mut self.unanswered);
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
