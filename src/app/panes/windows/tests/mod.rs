use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};

use super::*;
use crate::{
    app::{effect::Effect, msg::StreamEvent},
    model::{
        failure::Failure,
        id::{KernelId, SessionId, SessionKey},
        log::LogSource,
        settings::{CopyKeys, TerminalSettings},
    },
    protocol::message::{Origin, StreamEnd, StreamId, StreamOpen},
};

mod alone;
mod containers;

/// Panes in one session, with the daemon's side of their streams.
struct WindowsTest {
    panes: Panes,
    ids: Ids,
    now: Timestamp,
    /// The streams that are open, and the commands to each control connection.
    controls: Vec<StreamId>,
    /// The containers of the opened connections, in order.
    led: Vec<Option<KernelId>>,
    said: Vec<String>,
    toasts: Vec<String>,
    saved: Vec<(PathBuf, Vec<u8>)>,
    number: u32,
}

const SESSION: SessionKey = SessionKey::local(SessionId::from_u128(1));

impl WindowsTest {
    fn new(settings: TerminalSettings) -> Self {
        Self {
            panes: Panes::new("f").with(&settings),
            ids: Ids::default(),
            now: Timestamp::UNIX_EPOCH,
            controls: Vec::new(),
            led: Vec::new(),
            said: Vec::new(),
            toasts: Vec::new(),
            saved: Vec::new(),
            number: 0,
        }
    }

    fn opening() -> Self {
        let mut world = Self::new(TerminalSettings::default());
        let opened = world
            .panes
            .open_session(SESSION, &"work/1".into(), false, &mut world.ids);
        world.begin(opened);
        world
    }

    /// Opens a pane and its shell.
    fn begin(&mut self, opened: Vec<Step>) {
        self.take(opened);
        let lines = self.controls.len();
        let page = ratatui::layout::Rect::new(0, 0, 80, 23);
        let sized = self.panes.set_page(page);
        self.take(sized);
        self.terminal(StreamEvent::Opened);
        assert_eq!(
            self.controls.len(),
            lines,
            "its tmux session may not stand yet"
        );
        self.terminal(StreamEvent::Data {
            source: LogSource::Stdout,
            bytes: Bytes::from_static(b"$ "),
        });
    }

    /// Opens a pane with a shell and a control connection that has listed these windows.
    fn live(windows: &[(u32, &str)]) -> Self {
        let mut world = Self::opening();
        world.attaches();
        world.answer("");
        world.lists(windows);
        world.said.clear();
        world
    }

    fn take(&mut self, steps: Vec<Step>) {
        for step in steps {
            match step {
                Step::Do(Effect::Open {
                    stream,
                    open: StreamOpen::Control { kernel, .. },
                }) => {
                    self.controls.push(stream);
                    self.led.push(kernel);
                }
                Step::Do(Effect::Close { stream }) => self.controls.retain(|it| *it != stream),
                Step::Do(Effect::Send {
                    stream,
                    origin,
                    bytes,
                }) if self.controls.contains(&stream) => {
                    assert_eq!(origin, Origin::Reply, "it would count as use");
                    let line = String::from_utf8(bytes.to_vec()).unwrap();
                    self.said.push(line.trim_end().to_owned());
                }
                Step::Toast { text, .. } => self.toasts.push(text.to_string()),
                Step::Save { path, contents } => self.saved.push((path, contents)),
                _ => {}
            }
        }
    }

    fn happens(&mut self, stream: StreamId, event: StreamEvent) {
        let steps = self.panes.stream(stream, &event, self.now).unwrap();
        self.take(steps);
        let steps = self.panes.look(true, &mut self.ids, self.now);
        self.take(steps);
    }

    fn terminal(&mut self, event: StreamEvent) {
        let stream = self.panes.active().unwrap().stream;
        self.happens(stream, event);
    }

    fn control(&mut self, event: StreamEvent) {
        let stream = *self.controls.last().expect("a control connection");
        self.happens(stream, event);
    }

    fn prints(&mut self, text: &str) {
        self.control(StreamEvent::Data {
            source: LogSource::Stdout,
            bytes: Bytes::copy_from_slice(text.as_bytes()),
        });
    }

    /// The control connection opens, and its client attaches.
    fn attaches(&mut self) {
        self.control(StreamEvent::Opened);
        self.prints("%begin 17 0 0\n%end 17 0 0\n%session-changed $0 main\n");
    }

    /// The answer to the oldest command.
    fn answer(&mut self, text: &str) {
        self.number += 1;
        let mark = format!("17 {} 1", self.number);
        self.prints(&format!("%begin {mark}\n{text}%end {mark}\n"));
    }

    /// Windows of the pane's own session, the first of them shown.
    fn lists(&mut self, windows: &[(u32, &str)]) {
        let rows: Vec<String> = windows
            .iter()
            .enumerate()
            .map(|(at, (index, command))| {
                let active = u8::from(at == 0);
                format!(
                    "wb-f-1\t{index}\t{active}\t0\t0\t1\t0\t\t\t\t0\t24\t0\temacs\t{command}\t{command}\n"
                )
            })
            .collect();
        self.answer(&rows.concat());
    }

    fn act(&mut self, action: Action) {
        let steps = self.panes.action(action, None, &mut self.ids, self.now);
        self.take(steps);
    }

    fn type_(&mut self, text: &str) {
        for c in text.chars() {
            let steps = self.panes.key(Key::char(c), &mut self.ids, self.now);
            self.take(steps.unwrap());
        }
    }

    fn windows(&self) -> Vec<u32> {
        let pane = self.panes.active().unwrap();
        let group = self.panes.windows(pane);
        group.map_or_else(Vec::new, |group| {
            group.windows.iter().map(|window| window.index).collect()
        })
    }
}

#[test]
fn one_connection_to_a_session_as_long_as_a_pane_is_live() {
    let mut world = WindowsTest::live(&[(1, "bash"), (2, "vim")]);
    assert_eq!(world.windows(), [1, 2]);
    assert_eq!(world.controls.len(), 1);
    world.terminal(StreamEvent::Ended(StreamEnd::Exited { exit_code: Some(0) }));
    assert!(world.controls.is_empty(), "closed with its last pane");
    assert!(world.windows().is_empty());
}

#[test]
fn a_change_is_looked_at_once_and_once_more() {
    let mut world = WindowsTest::live(&[(1, "bash")]);
    world.prints("%window-add @2\n%session-window-changed $1 @2\n%window-renamed @2 x\n");
    assert_eq!(world.said.len(), 1, "{:?}", world.said);
    assert!(world.said[0].starts_with("list-panes"));
    world.lists(&[(1, "bash")]);
    assert_eq!(world.said.len(), 2, "what came meanwhile is asked for");
    world.lists(&[(2, "bash"), (1, "bash")]);
    assert_eq!(world.said.len(), 2, "and then there is peace");
    assert_eq!(world.windows(), [2, 1]);
}

#[test]
fn acts_are_commands_to_the_panes_own_session() {
    let mut world = WindowsTest::live(&[(1, "bash"), (2, "vim")]);
    for action in [
        Action::WindowNew,
        Action::WindowNext,
        Action::WindowThree,
        Action::PaneScroll,
        Action::PaneCopyMode,
    ] {
        world.act(action);
    }
    assert_eq!(
        world.said,
        [
            "new-window -t '=wb-f-1:'",
            "next-window -t '=wb-f-1:'",
            "select-window -t '=wb-f-1:3'",
            "copy-mode -eu -t '=wb-f-1:'",
            "copy-mode -t '=wb-f-1:'",
        ]
    );
    world.number += 1;
    world.prints("%begin 1 9 1\ncan't find window: 3\n%error 1 9 1\n");
    assert_eq!(world.toasts, ["tmux: can't find window: 3"]);
}

#[test]
fn a_window_is_renamed_in_the_status_line() {
    let mut world = WindowsTest::live(&[(4, "bash")]);
    world.act(Action::WindowRename);
    let prompt = world.panes.prompt().unwrap();
    assert_eq!(prompt.input.text(), "bash");
    assert_eq!(world.panes.scope(), crate::action::Scope::Input);
    world.type_("-학습");
    world.act(Action::InputSubmit);
    assert_eq!(world.said, ["rename-window -t '=wb-f-1:4' -- '-학습'"]);
    assert!(world.panes.prompt().is_none());
    world.act(Action::WindowRename);
    world.act(Action::InputCancel);
    assert_eq!(world.said.len(), 1);
}

#[test]
fn ending_a_window_is_asked_with_what_runs_there() {
    let mut world = WindowsTest::live(&[(2, "vim")]);
    world.act(Action::WindowClose);
    assert!(world.panes.prompt().unwrap().label().contains("vim"));
    world.type_("x");
    assert!(world.said.is_empty(), "no other key ends it");
    world.act(Action::ConfirmNo);
    assert!(world.panes.prompt().is_none());
    world.act(Action::WindowClose);
    world.act(Action::ConfirmYes);
    assert_eq!(world.said, ["kill-window -t '=wb-f-1:2'"]);
}

#[test]
fn a_text_is_looked_for_as_it_is_typed_and_as_it_is() {
    let mut world = WindowsTest::live(&[(1, "bash")]);
    world.act(Action::PaneSearch);
    world.type_("'#");
    assert_eq!(
        world.said,
        [
            "copy-mode -t '=wb-f-1:'",
            "send-keys -t '=wb-f-1:' -X search-backward-incremental '='\\'''",
            "display-message -p -t '=wb-f-1:' '#{search_present}'",
            "copy-mode -t '=wb-f-1:'",
            "send-keys -t '=wb-f-1:' -X search-backward-incremental '='\\''#'",
            "display-message -p -t '=wb-f-1:' '#{search_present}'",
        ]
    );
    world.act(Action::InputSubmit);
    assert_eq!(
        world.said.len(),
        7,
        "whether it was found is asked once more"
    );
    assert!(world.panes.prompt().is_none());
}

#[test]
fn what_is_not_found_is_reported_while_one_types_and_after_it() {
    let mut world = WindowsTest::live(&[(1, "bash")]);
    world.act(Action::PaneSearch);
    world.type_("z");
    for answer in ["", "", "0\n"] {
        world.answer(answer);
    }
    assert_eq!(world.panes.prompt().unwrap().label(), "Not found:");
    world.act(Action::InputSubmit);
    assert!(world.toasts.is_empty());
    world.answer("0\n");
    assert!(world.toasts[0].contains("z not found in the output"));
}

#[test]
fn a_search_that_is_left_leaves_copy_mode_where_it_entered_it() {
    let mut world = WindowsTest::live(&[(1, "bash")]);
    world.act(Action::PaneSearch);
    world.act(Action::InputCancel);
    assert!(world.said.is_empty(), "nothing was looked for");
    world.act(Action::PaneSearch);
    world.type_("z");
    world.act(Action::InputCancel);
    let last = world.said.last().unwrap();
    assert_eq!(last, "send-keys -t '=wb-f-1:' -X cancel");
}

#[test]
fn the_history_goes_to_a_file_of_the_sessions_name() {
    let mut world = WindowsTest::live(&[(2, "bash")]);
    world.act(Action::PaneSaveHistory);
    assert!(world.said[0].starts_with("capture-pane -p -J -S -"));
    world.answer("한글\nx\n");
    let saved = (
        PathBuf::from("work_1-2-history.txt"),
        "한글\nx\n".as_bytes().to_vec(),
    );
    assert_eq!(world.saved, [saved]);
}

#[test]
fn without_a_connection_the_key_says_why() {
    let mut world = WindowsTest::opening();
    let failure = Failure::refused("this engine has no control connection");
    world.control(StreamEvent::Ended(StreamEnd::Failed { failure }));
    world.act(Action::WindowNew);
    assert!(world.toasts[0].contains("this engine has no control connection"));
    world.act(Action::WindowRename);
    assert_eq!(world.toasts.len(), 2, "{:?}", world.toasts);

    let mut world = WindowsTest::new(TerminalSettings::default());
    let steps = world.panes.open_host("here", &mut world.ids);
    world.take(steps);
    world.act(Action::WindowNew);
    assert!(
        world.toasts[0].contains("this machine"),
        "{:?}",
        world.toasts
    );
}

#[test]
fn an_old_session_that_knows_no_such_connection_says_so_once() {
    let mut world = WindowsTest::opening();
    world.control(StreamEvent::Opened);
    world.control(StreamEvent::Data {
        source: LogSource::Stderr,
        bytes: Bytes::from_static(b"error: unrecognized subcommand 'control'\n\nUsage: ...\n"),
    });
    world.control(StreamEvent::Ended(StreamEnd::Exited { exit_code: Some(2) }));
    assert_eq!(world.panes.wake_at(), None, "it is not tried again");
    world.act(Action::WindowNew);
    assert!(world.toasts[0].contains("unrecognized subcommand"));
}

#[test]
fn a_lost_connection_is_opened_again_and_keeps_what_was_known() {
    let mut world = WindowsTest::live(&[(1, "bash"), (2, "vim")]);
    let old = world.controls[0];
    world.control(StreamEvent::Ended(StreamEnd::Lost { why: "x".into() }));
    assert_eq!(world.windows(), [1, 2]);
    let at = world.panes.wake_at().expect("it is tried again");
    world.now = at;
    let steps = world.panes.tick(&mut world.ids, at);
    world.take(steps);
    assert_ne!(*world.controls.last().unwrap(), old);
    world.attaches();
    world.answer("");
    world.lists(&[(3, "bash")]);
    assert_eq!(world.windows(), [3]);
    assert!(at <= Timestamp::UNIX_EPOCH + SignedDuration::from_secs(2));
}

#[test]
fn what_is_asked_before_the_client_is_attached_is_said_then() {
    let mut world = WindowsTest::opening();
    world.act(Action::WindowNew);
    assert!(world.said.is_empty());
    world.control(StreamEvent::Opened);
    world.prints("%begin 17 0 0\n%end 17 0 0\n");
    world.act(Action::WindowNext);
    assert!(world.said.is_empty(), "tmux may crash: {:?}", world.said);
    world.prints("%session-changed $0 main\n");
    assert!(world.said[0].starts_with("refresh-client"));
    assert!(world.said[1].starts_with("list-panes"));
    assert_eq!(world.said[2], "new-window -t '=wb-f-1:'");
    assert_eq!(world.said[3], "next-window -t '=wb-f-1:'");
}

#[test]
fn chosen_keys_are_set_and_auto_leaves_them() {
    for (copy_keys, expected) in [
        (CopyKeys::Auto, None),
        (CopyKeys::Vi, Some("set-option -gw mode-keys vi")),
    ] {
        let mut world = WindowsTest::opening();
        world.panes = std::mem::take(&mut world.panes).with(&TerminalSettings {
            copy_keys,
            ..TerminalSettings::default()
        });
        world.controls.clear();
        let steps = world.panes.look(true, &mut world.ids, world.now);
        world.take(steps);
        world.attaches();
        let set = world.said.iter().find(|line| line.contains("mode-keys "));
        assert_eq!(set.map(String::as_str), expected);
    }
}
