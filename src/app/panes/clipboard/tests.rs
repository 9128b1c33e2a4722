use base64::{Engine as _, engine::general_purpose::STANDARD};

use crate::model::id::{SessionId, SessionKey};

use super::*;

const SESSION: ShellPlace = ShellPlace::Session(SessionKey::local(SessionId::from_u128(1)));
const OTHER: ShellPlace = ShellPlace::Session(SessionKey::local(SessionId::from_u128(2)));
const PANE: PaneId = PaneId(1);

struct ClipboardTest {
    clipboard: Clipboard,
    now: Timestamp,
}

impl ClipboardTest {
    fn new(policy: ClipboardPolicy) -> Self {
        Self {
            clipboard: Clipboard::new(policy),
            now: Timestamp::UNIX_EPOCH,
        }
    }

    fn write(&mut self, text: &str, change: impl FnOnce(&mut Write)) -> Vec<Step> {
        let mut write = Write {
            pane: PANE,
            copied: Copied {
                place: SESSION,
                name: "train".into(),
                text: text.to_owned(),
            },
            mixed: false,
            seen: true,
        };
        change(&mut write);
        self.clipboard.came(write, self.now)
    }

    fn comes(&mut self, text: &str) -> Vec<Step> {
        self.write(text, |_| {})
    }

    /// The user copies in the pane.
    fn copies(&mut self) -> Vec<Step> {
        self.clipboard.permit(PANE, SESSION, self.now)
    }

    fn until_rest(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        while let Some(at) = self.clipboard.wake_at() {
            assert!(at > self.now, "it would never rest");
            self.now = at;
            steps.extend(self.clipboard.tick(at));
        }
        steps
    }

    fn held(&self) -> Option<&str> {
        self.clipboard.held.as_ref().map(|it| it.text.as_str())
    }
}

fn sent(steps: &[Step]) -> Vec<&str> {
    let mut texts = Vec::new();
    for step in steps {
        match step {
            Step::Copy(text) => texts.push(text.as_str()),
            Step::Toast { .. } => {}
            other => panic!("{other:?}"),
        }
    }
    texts
}

fn toasts(steps: &[Step]) -> usize {
    let toast = |step: &&Step| matches!(step, Step::Toast { .. });
    steps.iter().filter(toast).count()
}

#[test]
fn what_the_user_copied_goes_out_unasked_and_once() {
    for policy in ClipboardPolicy::ALL {
        let mut world = ClipboardTest::new(policy);
        world.copies();
        assert!(world.comes("한글 line").is_empty(), "another may come");
        assert_eq!(sent(&world.until_rest()), ["한글 line"]);
        assert!(world.now < after(Timestamp::UNIX_EPOCH, WINDOW));
        assert_eq!(world.clipboard.wake_at(), None);
        // The permit is used up.
        if policy != ClipboardPolicy::Allow {
            assert!(sent(&world.comes("EVIL")).is_empty(), "{policy:?}");
        }
    }
}

#[test]
fn without_a_permit_a_text_is_a_programs() {
    for policy in [ClipboardPolicy::Ask, ClipboardPolicy::Refuse] {
        let mut world = ClipboardTest::new(policy);
        let mut steps = world.comes("EVIL");
        steps.extend(world.until_rest());
        assert!(sent(&steps).is_empty(), "{policy:?}");
    }
}

#[test]
fn a_permit_is_over_after_its_time() {
    let mut world = ClipboardTest::new(ClipboardPolicy::Ask);
    world.copies();
    world.now = after(world.now, WINDOW);
    let mut steps = world.comes("EVIL");
    steps.extend(world.until_rest());
    assert!(sent(&steps).is_empty());
    assert_eq!(world.held(), Some("EVIL"));
}

#[test]
fn a_permit_is_for_one_session() {
    let mut world = ClipboardTest::new(ClipboardPolicy::Refuse);
    world.copies();
    let mut steps = world.write("EVIL", |it| {
        it.copied.place = OTHER;
        it.pane = PaneId(2);
    });
    steps.extend(world.until_rest());
    assert!(sent(&steps).is_empty());
}

#[test]
fn a_permit_is_for_one_pane_of_a_session() {
    let mut world = ClipboardTest::new(ClipboardPolicy::Refuse);
    world.copies();
    let mut steps = world.write("EVIL", |it| it.pane = PaneId(2));
    steps.extend(world.until_rest());
    assert!(sent(&steps).is_empty());
}

#[test]
fn two_panes_of_one_session_bring_the_same_copy() {
    for first in [PANE, PaneId(2)] {
        let second = PaneId(3 - first.0);
        let mut world = ClipboardTest::new(ClipboardPolicy::Refuse);
        world.copies();
        let mut steps = world.write("mine", |it| it.pane = first);
        steps.extend(world.write("mine", |it| it.pane = second));
        steps.extend(world.until_rest());
        assert_eq!(sent(&steps), ["mine"]);
        assert_eq!(toasts(&steps), 0);
        assert!(world.write("mine", |it| it.pane = second).is_empty());
    }
}

#[test]
fn where_a_program_writes_at_the_same_time_nothing_goes_out() {
    let contested: [fn(&mut ClipboardTest) -> Vec<Step>; 4] = [
        // A program's text before, after, in the same bytes, and from another pane.
        |world| {
            let mut steps = world.comes("EVIL");
            steps.extend(world.copies());
            steps.extend(world.comes("mine"));
            steps
        },
        |world| {
            let mut steps = world.copies();
            steps.extend(world.comes("mine"));
            steps.extend(world.comes("EVIL"));
            steps
        },
        |world| {
            let mut steps = world.copies();
            steps.extend(world.write("EVIL", |it| it.mixed = true));
            steps
        },
        |world| {
            let mut steps = world.copies();
            steps.extend(world.write("EVIL", |it| it.pane = PaneId(2)));
            steps.extend(world.comes("mine"));
            steps
        },
    ];
    for policy in [ClipboardPolicy::Ask, ClipboardPolicy::Refuse] {
        for contest in contested {
            let mut world = ClipboardTest::new(policy);
            let mut steps = contest(&mut world);
            steps.extend(world.until_rest());
            assert!(sent(&steps).is_empty(), "{policy:?}");
            assert!(toasts(&steps) > 0, "the user is not left in the dark");
        }
    }
}

#[test]
fn something_else_ends_the_permit() {
    let mut world = ClipboardTest::new(ClipboardPolicy::Refuse);
    world.copies();
    assert!(world.clipboard.end_permit().is_empty());
    let mut steps = world.comes("EVIL");
    steps.extend(world.until_rest());
    assert!(sent(&steps).is_empty());
    // A text that has arrived before that is the user's.
    let mut world = ClipboardTest::new(ClipboardPolicy::Refuse);
    world.copies();
    world.comes("mine");
    assert_eq!(sent(&world.clipboard.end_permit()), ["mine"]);
}

#[test]
fn what_a_program_wrote_waits_for_the_user() {
    let mut world = ClipboardTest::new(ClipboardPolicy::Ask);
    world.comes("first");
    world.comes("second");
    assert_eq!(world.held(), Some("second"));
    assert_eq!(
        sent(&world.clipboard.allow(SESSION, &"train".into())),
        ["second"]
    );
    assert_eq!(sent(&world.comes("third")), ["third"], "it is remembered");
}

#[test]
fn nothing_is_written_by_a_pane_that_is_not_on_the_screen() {
    let mut world = ClipboardTest::new(ClipboardPolicy::Allow);
    let steps = world.write("x", |it| it.seen = false);
    assert!(sent(&steps).is_empty());
    assert_eq!(toasts(&steps), 1);
}

#[test]
fn refused_writes_are_reported_once_and_counted() {
    let mut world = ClipboardTest::new(ClipboardPolicy::Refuse);
    assert_eq!(toasts(&world.comes("one")), 1);
    assert_eq!(toasts(&world.comes("two")), 0);
    let steps = world.clipboard.allow(SESSION, &"train".into());
    let Step::Toast { text, .. } = &steps[0] else {
        panic!("{steps:?}");
    };
    assert!(text.as_str().contains("2 writes were blocked"), "{text}");
}

#[test]
fn a_refusal_is_remembered_and_drops_what_is_held() {
    for policy in [ClipboardPolicy::Allow, ClipboardPolicy::Ask] {
        let mut world = ClipboardTest::new(policy);
        world.clipboard.forbid(SESSION, &"train".into());
        for _ in 0..3 {
            assert!(sent(&world.comes("x")).is_empty());
        }
        assert!(world.clipboard.held.is_none());
    }
}

/// The base64 form has one character more than terminals accept.
fn too_long() -> String {
    let text = "x".repeat(56_245);
    assert!(STANDARD.encode(&text).len() > crate::terminal::clipboard::LONGEST);
    text
}

#[test]
fn a_program_cannot_write_what_is_too_long_and_no_file_is_made_of_it() {
    for policy in ClipboardPolicy::ALL {
        let mut world = ClipboardTest::new(policy);
        let mut steps = world.comes(&too_long());
        steps.extend(world.until_rest());
        assert!(
            matches!(steps.as_slice(), [Step::Toast { .. }]),
            "{steps:?}"
        );
        assert!(world.clipboard.held.is_none());
        assert!(world.clipboard.too_long.is_none());
    }
}

#[test]
fn what_the_user_copied_and_is_too_long_is_asked_about() {
    let mut world = ClipboardTest::new(ClipboardPolicy::Refuse);
    world.copies();
    let mut steps = world.comes(&too_long());
    steps.extend(world.until_rest());
    assert!(steps.is_empty(), "{steps:?}");
    assert_eq!(world.clipboard.too_long, Some(PANE));
}

#[test]
fn of_a_shell_of_this_host_everything_is_a_programs() {
    let mut world = ClipboardTest::new(ClipboardPolicy::Ask);
    world.write("x", |it| it.copied.place = ShellPlace::Host);
    assert_eq!(world.held(), Some("x"));
}
