//! Whatever is pressed on whatever screen: it draws, and stays within it.

use jiff::Timestamp;
use proptest::prelude::*;
use workbay::{
    app::msg::{Button, MouseKind, Msg},
    model::{
        change::Change,
        failure::Failure,
        notice::{Level, Notice},
        request::{ContextRequest, SessionRequest},
        text::Clean,
    },
    protocol::message::Reply,
};

use crate::{
    cluster::{attempts, catalogue, in_full, long, three, two},
    screen::Screen,
    world::{busy, day, many, session, snapshot},
};

/// One thing that can happen.
#[derive(Clone, Debug)]
enum Happening {
    Key(&'static str),
    Typed(String),
    Resize(u16, u16),
    Mouse(MouseKind, u16, u16),
    Lost,
    Back(u8),
    /// The daemon comes back with so many contexts.
    Contexts(u8),
    /// A page of a long list, or a catalogue, was answered.
    Answered,
    Changed(u8),
    Notified(String),
    Waited(u8),
}

const KEYS: &[&str] = &[
    "up",
    "down",
    "left",
    "right",
    "enter",
    "esc",
    "tab",
    "shift-tab",
    "pageup",
    "pagedown",
    "home",
    "end",
    "backspace",
    "delete",
    "ctrl-u",
    "ctrl-w",
    "ctrl-d",
    "ctrl-c",
    "alt-b",
    "F1",
    "ctrl-]",
    "/",
    "n",
    "alt-2",
    "alt-3",
    "alt-5",
    "alt-enter",
    "alt-r",
    "alt-x",
    "ctrl-n",
    "ctrl-r",
    "ctrl-t",
    "space",
    "+",
    ".",
    "H",
    "y",
    "x",
    "r",
    "l",
    "s",
    "o",
    "O",
    "?",
    "q",
    "G",
    "g",
    "t",
    "!",
    "2",
    "3",
    "1",
    "y",
    "f",
    "m",
    "c",
    ":",
    "F2",
    "C",
    "i",
    "v",
    "R",
];

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        8 => prop::sample::select(KEYS).prop_map(Happening::Key),
        2 => "[a-z가-힣👩‍🔬\u{301} ]{1,6}".prop_map(Happening::Typed),
        2 => (0u16..160, 0u16..50).prop_map(|(c, r)| Happening::Resize(c, r)),
        2 => (mouse(), 0u16..160, 0u16..50).prop_map(|(m, c, r)| Happening::Mouse(m, c, r)),
        1 => Just(Happening::Lost),
        1 => any::<u8>().prop_map(Happening::Back),
        2 => (1u8..5).prop_map(Happening::Contexts),
        1 => Just(Happening::Answered),
        1 => any::<u8>().prop_map(Happening::Changed),
        1 => "[a-z가-힣 ]{0,200}".prop_map(Happening::Notified),
        1 => (0u8..20).prop_map(Happening::Waited),
    ]
}

fn mouse() -> impl Strategy<Value = MouseKind> {
    prop::sample::select(vec![
        MouseKind::Press(Button::Left),
        MouseKind::Release(Button::Left),
        MouseKind::WheelUp,
        MouseKind::WheelDown,
    ])
}

fn happen(screen: Screen, happening: Happening) -> Screen {
    match happening {
        Happening::Key(key) => screen.press(key),
        Happening::Typed(text) => screen.typed(&text),
        Happening::Resize(columns, rows) => screen.resize(columns, rows),
        Happening::Mouse(kind, column, row) => screen.mouse(kind, column, row),
        Happening::Lost => screen.daemon_lost("gone"),
        Happening::Back(count) => screen.daemon(snapshot(many(u128::from(count)))),
        Happening::Contexts(count) => screen.daemon(match count {
            1 => snapshot(day()),
            2 => two(),
            3 => three(),
            _ => long(150, 12_000),
        }),
        Happening::Answered => answered(screen),
        Happening::Changed(n) => {
            let status = workbay::model::status::KNOWN[usize::from(n) % 13].clone();
            let changed = session(u128::from(n % 9), "데이터-바뀐-세션", status, 3);
            screen.notice(Change::Session {
                session: Box::new(changed),
            })
        }
        Happening::Notified(text) => screen.notice(Change::Notice {
            notice: Box::new(Notice::message(
                crate::screen::noon(),
                Level::Error,
                Clean::new(&text),
            )),
        }),
        Happening::Waited(seconds) => screen.wait(i64::from(seconds)),
    }
}

/// Whatever was asked last is answered, if it can be.
fn answered(screen: Screen) -> Screen {
    let last = screen.questions().last().map(|(ticket, request)| {
        let result = match (request.of_session(), request.of_context()) {
            (_, Some(ContextRequest::Catalogue { .. })) => Ok(Reply::Catalogue {
                catalogue: Box::new(catalogue()),
            }),
            (Some(SessionRequest::Detail), _) => Ok(Reply::Session {
                session: Box::new(in_full()),
            }),
            (Some(SessionRequest::History), _) => Ok(Reply::History {
                entries: attempts(),
            }),
            (_, Some(ContextRequest::Reach { .. })) => Ok(Reply::Reached { total: 12_000 }),
            _ => Err(Failure::internal("not that")),
        };
        Msg::Answer { ticket, result }
    });
    match last {
        Some(msg) => screen.send(msg),
        None => screen,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_a_user_does_breaks_the_tui(happenings in prop::collection::vec(happening(), 1..40)) {
        let mut screen = Screen::new(80, 24)
            .daemon(snapshot(day()))
            .notice(Change::Usage { samples: busy() });
        for one in happenings {
            screen = happen(screen, one);
            let seen = screen.app.sessions.visible().len();
            prop_assert!(seen <= screen.app.sessions.rows().len());
            if let Some(id) = screen.app.sessions.selected() {
                prop_assert!(screen.app.mirror.session(id).is_some());
            }
            prop_assert!(screen.app.wake_at(Timestamp::UNIX_EPOCH).is_none_or(|at| at > Timestamp::UNIX_EPOCH));
        }
    }
}
