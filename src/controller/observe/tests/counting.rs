//! What the person holds is counted while somebody looks, soon after something moved, not too often.

use super::{super::fact::Fact, Play};
use crate::model::{
    catalogue::ResourceGroup,
    change::Change,
    resources::{Bytes, Cpu, ResourceSlots},
};

/// When it was counted, in seconds.
fn counted(play: &Play) -> Vec<i64> {
    let asked = play.requests.iter();
    let asked = asked.filter(|(_, what)| *what == "statistics");
    asked.map(|(at, _)| at / 1000).collect()
}

fn told(play: &Play) -> usize {
    let told = play.told.iter();
    told.filter(|change| matches!(change, Change::Statistics { .. }))
        .count()
}

fn offer(play: &mut Play, cores: u64) {
    play.held.groups = vec![ResourceGroup {
        name: "default".into(),
        using: ResourceSlots::new(Cpu::from_millis(cores * 1000), Bytes::mib(1)),
        remaining: ResourceSlots::default(),
        waiting: None,
        capacity: None,
    }];
}

#[test]
fn once_a_minute_while_somebody_looks_and_told_when_it_differs() {
    let mut play = Play::watched(2);
    play.pass(180);
    let times = counted(&play);
    assert!((3..=4).contains(&times.len()), "{times:?}");
    assert_eq!(told(&play), 1);
    offer(&mut play, 3);
    play.pass(61);
    assert_eq!(told(&play), 2);
    let known = play.observer.statistics().unwrap();
    assert_eq!(known.groups[0].using.cpu, Cpu::from_millis(3000));
    play.tell(Fact::Watched(false));
    let before = counted(&play).len();
    play.pass(600);
    assert_eq!(counted(&play).len(), before);
}

#[test]
fn soon_after_sessions_moved() {
    let mut play = Play::watched(1);
    let id = play.make("PENDING");
    play.tell(Fact::Event {
        line: play.line,
        session: id,
    });
    play.pass(30);
    let before = counted(&play).len();
    for status in ["PREPARING", "RUNNING", "TERMINATING", "TERMINATED"] {
        play.set(id, status);
        play.event(id);
        play.pass(4);
    }
    play.pass(16);
    let more = counted(&play).len() - before;
    assert!((1..=2).contains(&more), "{more}");
}

#[test]
fn a_lost_line_tells_nothing() {
    let mut play = Play::watched(1);
    assert!(play.observer.statistics().is_some());
    play.lose();
    assert_eq!(play.observer.statistics(), None);
}
