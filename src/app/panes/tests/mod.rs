use bytes::Bytes;
use jiff::SignedDuration;
use unicode_width::UnicodeWidthStr as _;

use super::*;
use crate::{
    action::Action,
    app::{
        effect::Effect,
        msg::{Button, Mouse, MouseKind, StreamEvent},
        step::Go,
    },
    key::Key,
    model::{failure::Failure, id::SessionId, log::LogSource, status::Status, testing},
    protocol::message::{StreamEnd, StreamId, StreamOpen},
};

const NOW: Timestamp = Timestamp::UNIX_EPOCH;
/// A single pane has 80x22 cells in this area.
const PAGE: Rect = Rect::new(0, 0, 80, 23);

/// The panes, with the actions of a user and the daemon.
struct World {
    panes: Panes,
    ids: Ids,
    now: Timestamp,
}

fn session(number: u128) -> SessionKey {
    SessionKey::local(SessionId::from_u128(number))
}

impl World {
    fn new() -> Self {
        Self {
            panes: Panes::new("face"),
            ids: Ids::default(),
            now: NOW,
        }
    }

    fn open(&mut self, number: u128) -> Vec<Step> {
        let name = Clean::new(&format!("work-{number}"));
        let mut steps = self
            .panes
            .open_session(session(number), &name, false, &mut self.ids);
        steps.extend(self.panes.set_page(PAGE));
        steps
    }

    fn stream(&self) -> StreamId {
        self.panes.active().unwrap().stream
    }

    fn happens(&mut self, event: StreamEvent) -> Vec<Step> {
        let stream = self.stream();
        self.panes.stream(stream, &event, self.now).unwrap()
    }

    fn prints(&mut self, text: &str) -> Vec<Step> {
        self.happens(StreamEvent::Data {
            source: LogSource::Stdout,
            bytes: Bytes::copy_from_slice(text.as_bytes()),
        })
    }

    fn live(number: u128) -> Self {
        let mut world = Self::new();
        world.open(number);
        world.happens(StreamEvent::Opened);
        world
    }

    fn press(&mut self, key: &str) -> Option<Vec<Step>> {
        self.panes
            .key(key.parse().unwrap(), &mut self.ids, self.now)
    }

    fn after(&mut self, seconds: i64) -> Vec<Step> {
        self.now += SignedDuration::from_secs(seconds);
        self.panes.tick(&mut self.ids, self.now)
    }

    /// The daemon reports a session.
    fn session_changed(&mut self, number: u128, name: &Clean, info: Option<&str>) -> Vec<Step> {
        let mut session = testing::session(number, name.as_str());
        session.status = Status::Running;
        session.status_info = info.map(Into::into);
        self.panes.session_changed(&session, &mut self.ids)
    }

    fn act(&mut self, action: Action) -> Vec<Step> {
        let mut steps = self.panes.action(action, None, &mut self.ids, self.now);
        steps.extend(self.panes.set_page(PAGE));
        steps
    }

    fn mouse(&mut self, kind: MouseKind, column: u16, row: u16) -> Vec<Step> {
        let mouse = Mouse {
            kind,
            column,
            row,
            ctrl: false,
            alt: false,
            shift: false,
        };
        let (tabs, panes, borders) = self.panes.place(PAGE);
        let ground = MouseLayout {
            tabs,
            panes: &panes,
            borders: &borders,
        };
        let mut steps = self.panes.mouse(mouse, ground, self.now);
        steps.extend(self.panes.set_page(PAGE));
        steps
    }

    fn state(&self) -> &PaneState {
        &self.panes.active().unwrap().state
    }
}

fn sent(steps: &[Step]) -> String {
    steps
        .iter()
        .filter_map(|step| match step {
            Step::Do(Effect::Send { bytes, .. }) => Some(String::from_utf8_lossy(bytes)),
            _ => None,
        })
        .collect()
}

/// The tags and sizes of the terminals that these steps open.
fn opened(steps: &[Step]) -> Vec<(String, u16, u16)> {
    steps
        .iter()
        .filter_map(|step| match step {
            Step::Do(Effect::Open {
                open:
                    StreamOpen::Terminal {
                        tag, columns, rows, ..
                    },
                ..
            }) => Some((tag.clone(), *columns, *rows)),
            _ => None,
        })
        .collect()
}

fn lost() -> StreamEvent {
    StreamEvent::Ended(StreamEnd::Lost {
        why: "the line broke".into(),
    })
}

#[test]
fn a_pane_is_opened_once_with_its_own_size() {
    let mut world = World::new();
    let name = Clean::new("work-1");
    let early = world
        .panes
        .open_session(session(1), &name, false, &mut world.ids);
    assert_eq!(opened(&early), [], "its size is not known yet");
    let steps = world.panes.set_page(PAGE);
    assert_eq!(opened(&steps), [("face-1".to_owned(), 80, 22)]);
    assert_eq!(
        world.open(1),
        [],
        "a second press comes back to the same shell"
    );
    world.open(2);
    assert_eq!(world.panes.count(), 2);
    assert_eq!(world.panes.active_tab(), 1);
    world.open(1);
    assert_eq!(world.panes.active_tab(), 0);
}

#[test]
fn keys_typed_while_it_opens_arrive_then() {
    let mut world = World::new();
    world.open(1);
    assert_eq!(world.press("l"), Some(Vec::new()));
    assert_eq!(world.press("s"), Some(Vec::new()));
    assert_eq!(sent(&world.happens(StreamEvent::Opened)), "ls");
    assert_eq!(sent(&world.press("enter").unwrap()), "\r");
}

#[test]
fn sizes_are_reported_to_every_open_pane() {
    let mut world = World::live(1);
    world.open(2);
    world.happens(StreamEvent::Opened);
    assert_eq!(world.panes.set_page(PAGE), []);
    let steps = world.panes.set_page(Rect::new(0, 0, 100, 31));
    assert_eq!(steps.len(), 2);
    assert!(matches!(
        steps[0],
        Step::Do(Effect::ResizeStream {
            columns: 100,
            rows: 30,
            ..
        })
    ));
}

#[test]
fn after_the_leader_keys_are_ours() {
    let mut world = World::live(1);
    let leader: Key = "ctrl-]".parse().unwrap();
    assert_eq!(world.panes.scope(), Scope::Terminal);
    world.panes.action(
        Action::TerminalLeader,
        Some(leader),
        &mut world.ids,
        world.now,
    );
    assert_eq!(world.panes.scope(), Scope::Leader);
    assert_eq!(world.press("X"), Some(Vec::new()), "unknown: not typed");
    assert_eq!(world.panes.scope(), Scope::Terminal);

    let act = |world: &mut World, action| {
        world
            .panes
            .action(action, Some(leader), &mut world.ids, world.now)
    };
    assert_eq!(sent(&act(&mut world, Action::PaneLiteral)), "\x1d");
    assert_eq!(sent(&act(&mut world, Action::PaneSendPrefix)), "\x02");
    assert_eq!(
        act(&mut world, Action::PaneDetach),
        [Step::Go(Go::Sessions)]
    );
    assert_eq!(world.panes.count(), 1, "detaching keeps the pane");
    let closed = act(&mut world, Action::PaneClose);
    assert!(matches!(closed[0], Step::Do(Effect::Close { .. })));
    assert_eq!(closed[1], Step::Go(Go::Sessions));
    assert!(world.panes.is_empty());
}

#[test]
fn leaving_closes_what_is_open() {
    let mut world = World::live(1);
    world.open(2);
    assert_eq!(world.panes.close_all().len(), 2);
    assert!(world.panes.is_empty());
    assert_eq!(world.panes.key(Key::char('x'), &mut world.ids, NOW), None);
    let ids = &mut world.ids;
    let steps = world.panes.action(Action::PaneNext, None, ids, world.now);
    assert!(matches!(steps[..], [Step::Toast { .. }]), "{steps:?}");
}

mod broadcast;
mod copies;
mod pane_tabs;
mod programs;
mod recording;
mod reopening;
