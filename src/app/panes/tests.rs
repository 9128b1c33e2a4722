use bytes::Bytes;
use jiff::SignedDuration;
use unicode_width::UnicodeWidthStr as _;

use super::*;
use crate::{
    action::Action,
    app::{
        effect::Effect,
        msg::{Button, Mouse, MouseKind},
        step::Go,
    },
    key::Key,
    model::{
        environment::{EnvironmentRef, EnvironmentSource},
        id::SessionId,
        log::LogSource,
        status::Status,
    },
    protocol::message::{Failure, FailureKind, StreamEnd, StreamOpen},
};

const NOW: Timestamp = Timestamp::UNIX_EPOCH;
/// A pane alone has 80x22 cells on it.
const PAGE: Rect = Rect::new(0, 0, 80, 23);

/// The panes with what a person and the daemon do to them.
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

    /// The daemon tells of a session.
    fn told(&mut self, number: u128, name: &Clean, info: Option<&str>) -> Vec<Step> {
        let environment = EnvironmentRef {
            name: "host".into(),
            version: "1".into(),
            source: EnvironmentSource::Host,
        };
        let mut told = Session::new(session(number), name.clone(), environment, NOW);
        told.status = Status::Running;
        told.status_info = info.map(Into::into);
        self.panes.told(&told, &mut self.ids)
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
        let ground = Ground {
            tabs,
            panes: &panes,
            borders: &borders,
        };
        let mut steps = self.panes.mouse(mouse, ground, self.now);
        steps.extend(self.panes.set_page(PAGE));
        steps
    }

    fn state(&self) -> &State {
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

/// The tag and size of the terminals these steps open.
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
    assert_eq!(world.panes.active_desk(), 1);
    world.open(1);
    assert_eq!(world.panes.active_desk(), 0);
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
fn sizes_are_told_to_every_open_pane() {
    let mut world = World::live(1);
    world.open(2);
    world.happens(StreamEvent::Opened);
    assert_eq!(world.panes.set_page(PAGE), []);
    let told = world.panes.set_page(Rect::new(0, 0, 100, 31));
    assert_eq!(told.len(), 2);
    assert!(matches!(
        told[0],
        Step::Do(Effect::ResizeStream {
            columns: 100,
            rows: 30,
            ..
        })
    ));
}

#[test]
fn questions_of_the_program_are_answered_to_it_alone() {
    let mut world = World::live(1);
    assert_eq!(sent(&world.prints("\x1b[c")), "\x1b[?62;22c");
    let steps = world.prints("\x07\x07\x1b]52;c;aGk=\x07");
    assert!(steps.contains(&Step::Do(Effect::Bell)));
    assert_eq!(world.prints("\x07"), [], "a bell a second is enough");
}

#[test]
fn links_of_the_program_lead_where_the_settings_say() {
    let settings = TerminalSettings {
        link_schemes: ["ssh"].iter().map(|it| it.parse().unwrap()).collect(),
        ..TerminalSettings::default()
    };
    let mut world = World::new();
    world.panes = world.panes.with(&settings);
    world.open(1);
    // Opened again after it was lost, as much as the first time.
    for _ in 0..2 {
        world.happens(StreamEvent::Opened);
        world.prints("\x1b]8;;http://a.example\x07a\x1b]8;;ssh://b.example\x07b");
        let emulator = &world.panes.active().unwrap().emulator;
        let addresses: Vec<&str> = emulator.links().map(|link| link.address()).collect();
        assert_eq!(addresses, ["ssh://b.example"]);
        world.happens(lost());
        world.after(60);
    }
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
fn a_shell_that_ended_is_opened_anew_or_closed() {
    let mut world = World::live(1);
    world.happens(StreamEvent::Ended(StreamEnd::Exited { exit_code: Some(0) }));
    assert_eq!(
        world.state(),
        &State::Ended {
            why: "shell ended".into()
        }
    );
    assert_eq!(world.panes.scope(), Scope::Panes);
    assert_eq!(world.panes.open_in(session(1)), 0);
    assert_eq!(world.press("x"), None, "free for the global keys");
    let again = world.press("enter").unwrap();
    assert_eq!(opened(&again), [("face-1".to_owned(), 80, 22)]);
    world.happens(StreamEvent::Opened);
    world.happens(StreamEvent::Ended(StreamEnd::Exited { exit_code: None }));
    assert_eq!(world.press("esc"), Some(vec![Step::Go(Go::Sessions)]));
    assert!(world.panes.is_empty());
}

#[test]
fn a_broken_line_is_opened_again_with_growing_patience() {
    let mut world = World::live(1);
    let mut waits = Vec::new();
    for _ in 0..7 {
        world.happens(lost());
        assert_eq!(
            world.press("x"),
            Some(Vec::new()),
            "nothing is typed blindly"
        );
        let due = world.panes.wake_at().unwrap();
        waits.push(due.as_second() - world.now.as_second());
        assert_eq!(world.after(0), []);
        world.now = due;
        let again = world.after(0);
        assert_eq!(opened(&again), [("face-1".to_owned(), 80, 22)]);
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30]);
    world.happens(StreamEvent::Opened);
    world.prints("$ ");
    world.happens(lost());
    let due = world.panes.wake_at().unwrap();
    assert_eq!(due.as_second() - world.now.as_second(), 1);
    let now = world.press("enter").unwrap();
    assert_eq!(opened(&now).len(), 1, "Enter does not wait");
}

#[test]
fn a_killed_terminal_client_is_no_ended_shell() {
    let mut world = World::live(1);
    world.happens(StreamEvent::Ended(StreamEnd::Exited {
        exit_code: Some(137),
    }));
    assert!(matches!(
        world.state(),
        State::Lost {
            retry_at: Some(_),
            ..
        }
    ));
}

#[test]
fn what_cannot_be_opened_says_why_and_how() {
    let mut world = World::new();
    world.open(1);
    let failure =
        Failure::new(FailureKind::Refused, "work-1 is not running").with_help("launch it");
    world.happens(StreamEvent::Ended(StreamEnd::Failed { failure }));
    let why = "work-1 is not running. launch it".into();
    assert_eq!(world.state(), &State::Ended { why });
}

#[test]
fn while_the_daemon_is_away_panes_wait_for_it() {
    let mut world = World::live(1);
    world.panes.open_host("here", &mut world.ids);
    world.panes.set_page(PAGE);
    world.happens(StreamEvent::Opened);
    world
        .panes
        .action(Action::PanePrevious, None, &mut world.ids, world.now);
    let old = world.stream();
    world
        .panes
        .link_down(&"the daemon went away".into(), world.now);
    assert!(matches!(world.state(), State::Lost { retry_at: None, .. }));
    assert_eq!(
        world.panes.wake_at(),
        None,
        "no timer while nothing can be done"
    );
    let late = world.panes.stream(old, &lost(), world.now);
    assert_eq!(late, Some(Vec::new()));
    assert_eq!(world.panes.wake_at(), None);
    let steps = world.panes.link_up(&mut world.ids, world.now);
    assert_eq!(
        opened(&steps),
        [("face-1".to_owned(), 80, 22)],
        "the host's shell never went away"
    );
    assert_eq!(world.panes.stream(old, &lost(), world.now), None);
}

#[test]
fn focus_is_told_to_programs_that_asked() {
    let mut world = World::live(1);
    world.prints("\x1b[?1004h");
    assert_eq!(sent(&world.panes.focus(true)), "\x1b[I");
    assert_eq!(sent(&world.panes.focus(true)), "");
    world.open(2);
    assert_eq!(
        sent(
            &world
                .panes
                .action(Action::PanePrevious, None, &mut world.ids, world.now)
        ),
        "\x1b[I"
    );
    assert_eq!(
        sent(
            &world
                .panes
                .action(Action::PaneNext, None, &mut world.ids, world.now)
        ),
        "\x1b[O"
    );
    assert_eq!(
        sent(&world.panes.focus(false)),
        "",
        "the second did not ask"
    );
}

#[test]
fn pastes_are_bracketed_where_asked() {
    let mut world = World::live(1);
    assert_eq!(sent(&world.panes.paste("a b")), "a b");
    assert_eq!(
        world.panes.paste("a\nb"),
        [],
        "each line would run: asked first"
    );
    assert_eq!(world.panes.scope(), Scope::Confirm);
    let leave = world
        .panes
        .action(Action::ConfirmNo, None, &mut world.ids, world.now);
    assert_eq!(leave, []);
    world.panes.paste("a\nb");
    let paste = world
        .panes
        .action(Action::ConfirmPress, None, &mut world.ids, world.now);
    assert_eq!(sent(&paste), "a\rb");
    world.prints("\x1b[?2004h");
    assert_eq!(sent(&world.panes.paste("a\nb")), "\x1b[200~a\rb\x1b[201~");
}

#[test]
fn leaving_closes_what_is_open() {
    let mut world = World::live(1);
    world.open(2);
    assert_eq!(world.panes.close_all().len(), 2);
    assert!(world.panes.is_empty());
    assert_eq!(world.panes.key(Key::char('x'), &mut world.ids, NOW), None);
    assert_eq!(
        world
            .panes
            .action(Action::PaneNext, None, &mut world.ids, world.now),
        []
    );
}

#[test]
fn what_a_paused_container_refused_is_opened_when_it_goes_on() {
    let mut world = World::live(1);
    let name = Clean::new("work-1");
    world.told(1, &name, Some(Session::PAUSED));
    let failure = Failure::new(FailureKind::Refused, "the container is paused");
    world.happens(StreamEvent::Ended(StreamEnd::Failed { failure }));
    assert!(matches!(world.state(), State::Lost { .. }));
    let steps = world.told(1, &name, None);
    assert_eq!(opened(&steps), [("face-1".to_owned(), 80, 22)]);
    assert_eq!(world.told(1, &name, None), [], "once");
}

#[test]
fn movement_is_wanted_only_by_a_program_that_asked() {
    let mut world = World::live(1);
    world.prints("\x1b[?1002h");
    assert!(!world.panes.want_moves());
    world.prints("\x1b[?1003h");
    assert!(world.panes.want_moves());
}

#[test]
fn an_environment_without_a_shell_gets_the_toolbox_s_by_enter() {
    let mut world = World::live(1);
    let no_shell = StreamEvent::Ended(StreamEnd::Exited {
        exit_code: Some(crate::model::inside::NO_SHELL.into()),
    });
    world.happens(no_shell.clone());
    let State::Ended { why } = world.state() else {
        panic!("{:?}", world.state());
    };
    assert!(
        why.to_string()
            .contains("no shell in this environment: Enter opens workbay's own"),
        "{why}"
    );
    let steps = world.press("enter").unwrap();
    let toolbox = steps.iter().any(|step| match step {
        Step::Do(Effect::Open {
            open: StreamOpen::Terminal { start, .. },
            ..
        }) => start.toolbox,
        _ => false,
    });
    assert!(toolbox, "{steps:?}");
    // Without one of its own it is not offered for ever.
    world.happens(no_shell);
    let State::Ended { why } = world.state() else {
        panic!("{:?}", world.state());
    };
    assert!(why.to_string().contains("ended with code 69"), "{why}");
}

mod copies;
mod desks;
