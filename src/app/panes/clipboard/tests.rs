use crate::{app::panes::control::Lines, model::id::SessionId, model::settings::CopyKeys};

use super::*;

const SESSION: SessionKey = SessionKey::local(SessionId::from_u128(1));

fn copied(text: &str) -> Copied {
    Copied {
        place: Place::Session(SESSION),
        name: "train".into(),
        text: text.to_owned(),
    }
}

/// With a control line that is being opened: what is asked waits there.
struct World {
    clipboard: Clipboard,
    lines: Lines,
    now: Timestamp,
}

impl World {
    fn new(policy: ClipboardPolicy) -> Self {
        let mut lines = Lines::new(CopyKeys::Auto);
        lines.hold(&[SESSION], Some(&mut crate::app::step::Ids::default()));
        Self {
            clipboard: Clipboard::new(policy),
            lines,
            now: Timestamp::UNIX_EPOCH,
        }
    }

    fn comes(&mut self, text: &str) -> Vec<Step> {
        self.clipboard.came(copied(text), &mut self.lines, self.now)
    }

    fn told(&mut self, text: &str) -> Vec<Step> {
        let known = digest::of(text.as_bytes());
        self.clipboard.told(SESSION, &known, self.now)
    }

    fn until_over(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        while let Some(at) = self.clipboard.wake_at() {
            assert!(at > self.now, "it would never rest");
            self.now = at;
            steps.extend(self.clipboard.tick(&mut self.lines, at));
        }
        steps
    }
}

fn sent(steps: &[Step]) -> Vec<&str> {
    let mut texts = Vec::new();
    for step in steps {
        if let Step::CopyOrSave { text, .. } = step {
            texts.push(text.as_str());
        }
    }
    texts
}

#[test]
fn what_a_person_copied_goes_out_unasked() {
    for policy in ClipboardPolicy::ALL {
        let mut world = World::new(policy);
        assert!(world.comes("한글 line").is_empty());
        assert!(
            world.told("older copy").is_empty(),
            "its digest may still come"
        );
        assert_eq!(sent(&world.told("한글 line")), ["한글 line"]);
        assert_eq!(world.clipboard.wake_at(), None);
    }
}

#[test]
fn what_a_program_wrote_waits_for_the_person() {
    let mut world = World::new(ClipboardPolicy::Ask);
    world.comes("first");
    world.comes("second");
    world.told("something else");
    assert!(sent(&world.until_over()).is_empty());
    assert!(world.now <= Timestamp::UNIX_EPOCH + PATIENCE);
    assert_eq!(world.clipboard.held.as_ref().unwrap().text, "second");
    let place = Place::Session(SESSION);
    assert_eq!(
        sent(&world.clipboard.allow(place, &"train".into())),
        ["second"]
    );
    world.comes("third");
    assert_eq!(sent(&world.until_over()), ["third"], "it is remembered");
}

#[test]
fn a_program_cannot_push_the_persons_copy_out() {
    let mut world = World::new(ClipboardPolicy::Ask);
    world.comes("mine");
    world.comes("evil");
    assert_eq!(sent(&world.told("mine")), ["mine"]);
    world.until_over();
    assert_eq!(world.clipboard.held.as_ref().unwrap().text, "evil");
}

#[test]
fn refused_writes_are_told_once_and_counted() {
    let mut world = World::new(ClipboardPolicy::Refuse);
    world.comes("one");
    assert_eq!(world.until_over().len(), 1, "told");
    world.comes("two");
    assert!(world.until_over().is_empty());
    let steps = world
        .clipboard
        .allow(Place::Session(SESSION), &"train".into());
    let Step::Toast { text, .. } = &steps[0] else {
        panic!("{steps:?}");
    };
    assert!(text.as_str().contains("2 were refused"), "{text}");
}

#[test]
fn the_persons_no_is_remembered_and_drops_what_is_held() {
    let mut world = World::new(ClipboardPolicy::Allow);
    world
        .clipboard
        .forbid(Place::Session(SESSION), &"train".into());
    world.comes("x");
    assert!(sent(&world.until_over()).is_empty());
    assert!(world.clipboard.held.is_none());
}

#[test]
fn a_text_too_long_to_hold_is_refused() {
    let mut world = World::new(ClipboardPolicy::Ask);
    world.comes(&"x".repeat(LONGEST_HELD + 1));
    assert_eq!(world.until_over().len(), 1);
    assert!(world.clipboard.held.is_none());
}

#[test]
fn of_a_shell_without_tmux_everything_is_a_programs() {
    let mut world = World::new(ClipboardPolicy::Ask);
    let mut here = copied("x");
    here.place = Place::Host;
    let now = world.now;
    world.clipboard.came(here, &mut world.lines, now);
    assert!(world.clipboard.held.is_some());
}
