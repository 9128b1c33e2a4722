//! The control connections: one to the tmux of each container with a live pane. They report changes of
//! windows and take commands, so that nothing is polled.

use std::collections::VecDeque;

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};

use super::ShellPlace;
use crate::{
    app::{
        effect::Effect,
        msg::StreamEvent,
        step::{Ids, Step},
    },
    model::{failure::FailureKind, log::LogSource, settings::CopyKeys, text::Clean},
    protocol::message::{Origin, StreamEnd, StreamId, StreamOpen},
    terminal::control::{Command, ControlEvent, Listing, Reader, ScreenSize},
};

/// Maximum number of commands that wait until a connection is attached.
const KEPT: usize = 32;
/// Maximum wait between two attempts, in seconds.
const LONGEST_WAIT: i64 = 30;
/// Maximum bytes of stderr kept from a connection without other output.
const LONGEST_COMPLAINT: usize = 512;

/// The purpose of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CommandPurpose {
    /// The list of windows.
    List,
    /// Your action. Only a refusal is shown.
    Act,
    /// A setting of the connection. Its answer isn't shown.
    Setting,
    /// The output of a pane, for this file.
    History(String),
    /// The screen, which has this size.
    Screen(ScreenSize),
    /// Whether this text was found. `done` means that you have finished typing it.
    Sought { text: String, done: bool },
}

/// A result from a connection.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Brought {
    Refused(Clean),
    History {
        file: String,
        printed: Vec<u8>,
    },
    /// Whether the output of the pane contains this text.
    Sought {
        text: String,
        done: bool,
        found: bool,
    },
    /// The windows in this place were listed again.
    Listed(ShellPlace),
    /// The screen of this place has changed.
    ScreenChanged(ShellPlace, ScreenSize),
    Screen(WatchedScreen),
}

/// The screen of a place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WatchedScreen {
    pub place: ShellPlace,
    pub size: ScreenSize,
    /// Its lines, with colors.
    pub printed: Vec<u8>,
}

#[derive(Debug, Default)]
pub(super) struct ControlConnections {
    list: Vec<ControlConnection>,
    copy_keys: CopyKeys,
}

#[derive(Debug)]
struct ControlConnection {
    place: ShellPlace,
    stream: StreamId,
    state: ControlState,
    reader: Reader,
    /// The purposes of the next answers.
    asked: VecDeque<CommandPurpose>,
    /// Commands to send when the connection is attached.
    kept: Vec<(Command, CommandPurpose)>,
    listing: Option<Listing>,
    /// The screen is watched.
    watches: bool,
    /// Something has changed since the pending list was requested.
    stale: bool,
    /// The stderr output before any other output.
    complaint: Vec<u8>,
    spoke: bool,
    attempts: u32,
}

#[derive(Debug)]
enum ControlState {
    /// tmux hasn't reported that its client is attached. It gets no commands until then: tmux 3.3a refuses some, and
    /// its client or its server may crash.
    Opening,
    Live,
    Lost {
        retry_at: Timestamp,
    },
    /// A connection to this session isn't possible.
    Refused(Clean),
}

impl ControlConnections {
    pub(super) fn new(copy_keys: CopyKeys) -> Self {
        Self {
            copy_keys,
            ..Self::default()
        }
    }

    /// Keeps a connection to each of these places and closes all others. Without `ids`, none can be opened
    /// now.
    pub(super) fn keep_only(&mut self, wanted: &[ShellPlace], ids: Option<&mut Ids>) -> Vec<Step> {
        let mut steps = Vec::new();
        self.list.retain(|connection| {
            let keep = wanted.contains(&connection.place);
            if !keep {
                steps.extend(connection.close());
            }
            keep
        });
        if let Some(ids) = ids {
            for place in wanted {
                if self.of(*place).is_none() {
                    let connection = ControlConnection::new(*place, ids.stream());
                    steps.extend(connection.open());
                    self.list.push(connection);
                }
            }
        }
        steps
    }

    /// Watches the screens of these places and of no others.
    pub(super) fn watch(&mut self, places: &[ShellPlace]) -> Vec<Step> {
        let mut steps = Vec::new();
        for connection in &mut self.list {
            let wanted = places.contains(&connection.place);
            let changed = wanted != std::mem::replace(&mut connection.watches, wanted);
            if changed && matches!(connection.state, ControlState::Live) {
                steps.push(connection.say(&Command::watch_screen(wanted), CommandPurpose::Setting));
            }
        }
        steps
    }

    /// Whether there is a connection to this place, or one is being made.
    pub(super) fn knows(&self, place: ShellPlace) -> bool {
        self.of(place).is_some()
    }

    pub(super) fn is_opening(&self, place: ShellPlace) -> bool {
        let connection = self.of(place);
        connection.is_some_and(|connection| matches!(connection.state, ControlState::Opening))
    }

    /// Why the connection to this place doesn't work.
    pub(super) fn problem(&self, place: ShellPlace) -> Option<Clean> {
        match &self.of(place)?.state {
            ControlState::Opening | ControlState::Live => None,
            ControlState::Lost { .. } => Some(tr!("connection lost; reconnecting").into()),
            ControlState::Refused(why) => Some(why.clone()),
        }
    }

    fn of(&self, place: ShellPlace) -> Option<&ControlConnection> {
        self.list
            .iter()
            .find(|connection| connection.place == place)
    }

    /// The last list from the tmux in this place.
    pub(super) fn listing(&self, place: ShellPlace) -> Option<&Listing> {
        self.of(place)?.listing.as_ref()
    }

    /// Sends a command, or returns why that isn't possible.
    pub(super) fn ask(
        &mut self,
        place: ShellPlace,
        command: Command,
        why: CommandPurpose,
    ) -> Result<Option<Step>, Clean> {
        let connection = self
            .list
            .iter_mut()
            .find(|connection| connection.place == place);
        let connection = connection.ok_or(tr!("the connection to its tmux isn't open"))?;
        match &connection.state {
            ControlState::Live => Ok(Some(connection.say(&command, why))),
            ControlState::Opening => {
                if connection.kept.len() < KEPT {
                    connection.kept.push((command, why));
                }
                Ok(None)
            }
            ControlState::Lost { .. } => {
                Err(tr!("the connection to its tmux broke; reconnecting").into())
            }
            ControlState::Refused(reason) => Err(reason.clone()),
        }
    }

    /// Returns `None` if the stream isn't a control connection.
    pub(super) fn stream(
        &mut self,
        stream: StreamId,
        event: &StreamEvent,
        now: Timestamp,
    ) -> Option<(Vec<Step>, Vec<Brought>)> {
        let connection = self
            .list
            .iter_mut()
            .find(|connection| connection.stream == stream)?;
        let mut brought = Vec::new();
        let steps = match event {
            StreamEvent::Opened => Vec::new(),
            StreamEvent::Data { source, bytes } => {
                let keys = self.copy_keys;
                connection.data(*source, bytes, keys, now, &mut brought)
            }
            StreamEvent::Ended(end) => {
                connection.ended(end, now);
                Vec::new()
            }
        };
        Some((steps, brought))
    }

    pub(super) fn tick(&mut self, ids: &mut Ids, now: Timestamp) -> Vec<Step> {
        let due =
            |connection: &&mut ControlConnection| connection.retry_at().is_some_and(|at| now >= at);
        let lines = self.list.iter_mut().filter(due);
        lines
            .filter_map(|connection| {
                *connection = ControlConnection {
                    attempts: connection.attempts,
                    watches: connection.watches,
                    listing: connection.listing.take(),
                    ..ControlConnection::new(connection.place, ids.stream())
                };
                connection.open()
            })
            .collect()
    }

    pub(super) fn wake_at(&self) -> Option<Timestamp> {
        self.list
            .iter()
            .filter_map(ControlConnection::retry_at)
            .min()
    }
}

impl ControlConnection {
    fn new(place: ShellPlace, stream: StreamId) -> Self {
        Self {
            place,
            stream,
            state: ControlState::Opening,
            reader: Reader::default(),
            asked: VecDeque::new(),
            kept: Vec::new(),
            listing: None,
            watches: false,
            stale: false,
            complaint: Vec::new(),
            spoke: false,
            attempts: 0,
        }
    }

    /// A shell of this machine has no control connection.
    fn open(&self) -> Option<Step> {
        Some(Step::Do(Effect::Open {
            stream: self.stream,
            open: StreamOpen::Control {
                session: self.place.session()?,
                kernel: self.place.kernel(),
            },
        }))
    }

    fn close(&self) -> Option<Step> {
        let open = matches!(self.state, ControlState::Opening | ControlState::Live);
        open.then_some(Step::Do(Effect::Close {
            stream: self.stream,
        }))
    }

    fn say(&mut self, command: &Command, why: CommandPurpose) -> Step {
        self.asked.push_back(why);
        Step::Do(Effect::Send {
            stream: self.stream,
            // Commands of the TUI don't count as use of the session.
            origin: Origin::Reply,
            bytes: command.line().into(),
        })
    }

    /// tmux reports that its client is attached, or that it shows another session.
    fn attached(&mut self, keys: CopyKeys) -> Vec<Step> {
        if matches!(self.state, ControlState::Live) {
            return self.list().into_iter().collect();
        }
        self.state = ControlState::Live;
        let mut steps = vec![self.say(&Command::watch(), CommandPurpose::Setting)];
        if let Some(vi) = keys.vi() {
            steps.push(self.say(&Command::copy_keys(vi), CommandPurpose::Setting));
        }
        if self.watches {
            steps.push(self.say(&Command::watch_screen(true), CommandPurpose::Setting));
        }
        steps.push(self.say(&Command::list(), CommandPurpose::List));
        for (command, why) in std::mem::take(&mut self.kept) {
            steps.push(self.say(&command, why));
        }
        steps
    }

    fn data(
        &mut self,
        source: LogSource,
        bytes: &Bytes,
        keys: CopyKeys,
        now: Timestamp,
        brought: &mut Vec<Brought>,
    ) -> Vec<Step> {
        if source == LogSource::Stderr {
            let room = LONGEST_COMPLAINT.saturating_sub(self.complaint.len());
            self.complaint
                .extend_from_slice(&bytes[..bytes.len().min(room)]);
            return Vec::new();
        }
        self.spoke = true;
        let mut events = Vec::new();
        self.reader.feed(bytes, |one| events.push(one));
        let mut steps = Vec::new();
        for one in events {
            match one {
                ControlEvent::Answer(answer) => {
                    self.attempts = 0;
                    match self.asked.pop_front() {
                        Some(CommandPurpose::List) => {
                            steps.extend(self.listed(answer));
                            brought.push(Brought::Listed(self.place));
                        }
                        Some(CommandPurpose::Screen(size)) => {
                            brought.extend(answer.ok().map(|printed| {
                                Brought::Screen(WatchedScreen {
                                    place: self.place,
                                    size,
                                    printed,
                                })
                            }));
                        }
                        Some(asked) => brought.extend(Self::answered(asked, answer)),
                        None => {}
                    }
                }
                ControlEvent::Attached => steps.extend(self.attached(keys)),
                ControlEvent::Screen(size) => {
                    brought.push(Brought::ScreenChanged(self.place, size));
                }
                ControlEvent::Changed => steps.extend(self.list()),
                ControlEvent::Exit => self.lost(now),
            }
        }
        steps
    }

    /// Requests the list of windows. Only one request is sent at a time.
    fn list(&mut self) -> Option<Step> {
        if self.asked.contains(&CommandPurpose::List) {
            self.stale = true;
            return None;
        }
        Some(self.say(&Command::list(), CommandPurpose::List))
    }

    fn listed(&mut self, answer: Result<Vec<u8>, String>) -> Option<Step> {
        if let Ok(answer) = answer {
            self.listing = Some(Listing::read(&answer));
        }
        std::mem::take(&mut self.stale)
            .then(|| self.list())
            .flatten()
    }

    fn answered(asked: CommandPurpose, answer: Result<Vec<u8>, String>) -> Option<Brought> {
        match (asked, answer) {
            (CommandPurpose::List | CommandPurpose::Setting | CommandPurpose::Screen(_), _)
            | (CommandPurpose::Act, Ok(_)) => None,
            (CommandPurpose::History(file), Ok(printed)) => {
                Some(Brought::History { file, printed })
            }
            (CommandPurpose::Sought { text, done }, Ok(answer)) => {
                let found = answer.trim_ascii() != b"0";
                Some(Brought::Sought { text, done, found })
            }
            (CommandPurpose::Sought { .. }, Err(_)) => None,
            (CommandPurpose::Act | CommandPurpose::History(_), Err(why)) => {
                Some(Brought::Refused(Clean::new(&tr!("tmux: {why}", why))))
            }
        }
    }

    fn ended(&mut self, end: &StreamEnd, now: Timestamp) {
        match end {
            StreamEnd::Failed { failure } if failure.kind != FailureKind::Unreachable => {
                self.state = ControlState::Refused(failure.message().clone());
            }
            // The connection couldn't even start, so a retry wouldn't help.
            StreamEnd::Exited { .. } if !self.spoke => {
                let said = String::from_utf8_lossy(&self.complaint);
                let said = said.lines().next().unwrap_or_default();
                self.state = ControlState::Refused(if said.is_empty() {
                    tr!("the session has no connection to its tmux").into()
                } else {
                    Clean::new(said)
                });
            }
            _ => self.lost(now),
        }
    }

    fn lost(&mut self, now: Timestamp) {
        if matches!(self.state, ControlState::Lost { .. }) {
            return;
        }
        self.attempts = self.attempts.saturating_add(1);
        let wait = 1i64 << (self.attempts - 1).min(5);
        let wait = SignedDuration::from_secs(wait.min(LONGEST_WAIT));
        self.state = ControlState::Lost {
            retry_at: now.saturating_add(wait).unwrap_or(Timestamp::MAX),
        };
    }

    fn retry_at(&self) -> Option<Timestamp> {
        match self.state {
            ControlState::Lost { retry_at } => Some(retry_at),
            _ => None,
        }
    }
}
