//! What the user's sessions use is counted while a client watches, soon after a change, but not too
//! often.

use std::collections::BTreeSet;

use super::{
    super::fact::{Fact, ObserverRequest},
    Play,
};
use crate::{
    model::{
        catalogue::ResourceGroup,
        change::Change,
        request::ContextRequest,
        resources::{Bytes, Cpu, ResourceSlots},
        statistics::Statistics,
    },
    state_machine::Answer,
};

/// The times of the counts, in seconds.
fn counted(play: &Play) -> Vec<i64> {
    let asked = play.requests.iter();
    let asked = asked.filter(|(_, what)| *what == "statistics");
    asked.map(|(at, _)| at / 1000).collect()
}

fn reported(play: &Play) -> usize {
    let reported = play.reported.iter();
    reported
        .filter(|change| matches!(change, Change::Statistics { .. }))
        .count()
}

fn offer(play: &mut Play, cores: u64) {
    play.held.groups = vec![ResourceGroup {
        name: "default".into(),
        using: ResourceSlots::new(Cpu::from_millis(cores * 1000), Bytes::mib(1)),
        remaining: ResourceSlots::default(),
        waiting: None,
        capacity: None,
        free: None,
        free_by_agent: None,
    }];
}

#[test]
fn once_a_minute_while_a_client_watches_and_published_when_it_differs() {
    let mut play = Play::watched(2);
    play.pass(180);
    let times = counted(&play);
    assert!((3..=4).contains(&times.len()), "{times:?}");
    assert_eq!(reported(&play), 1);
    offer(&mut play, 3);
    play.pass(61);
    assert_eq!(reported(&play), 2);
    let known = play.observer.statistics().unwrap();
    assert_eq!(known.groups[0].using.cpu, Cpu::from_millis(3000));
    play.report(Fact::Watched(false));
    let before = counted(&play).len();
    play.pass(600);
    assert_eq!(counted(&play).len(), before);
}

#[test]
fn soon_after_sessions_moved() {
    let mut play = Play::watched(1);
    let id = play.make("PENDING");
    play.report(Fact::Events {
        connection: play.connection,
        sessions: BTreeSet::from([id]),
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
fn a_lost_connection_reports_nothing() {
    let mut play = Play::watched(1);
    assert!(play.observer.statistics().is_some());
    play.lose();
    assert_eq!(play.observer.statistics(), None);
}

/// A group of 4 CPU. The engine reports 1 as used and 3 as available.
fn late_figures(play: &mut Play) {
    offer(play, 1);
    play.held.groups[0].remaining = ResourceSlots::new(Cpu::from_millis(3000), Bytes::mib(8));
    // The limits leave less than what is available.
    play.held.groups[0].free = Some(ResourceSlots::new(Cpu::from_millis(3500), Bytes::mib(8)));
    play.held.groups[0].capacity = Some(ResourceSlots::new(Cpu::from_millis(4000), Bytes::mib(16)));
    play.held.sessions = Some(0);
}

/// A session with 2 CPU in the group, as the engine lists it.
fn hold(play: &mut Play, status: &str) -> crate::model::id::SessionId {
    let id = play.make(status);
    let session = play.there.get_mut(&id).unwrap();
    session.requested_slots = ResourceSlots::new(Cpu::from_millis(2000), Bytes::mib(1));
    session.placement.resource_group = Some("default".into());
    id
}

#[test]
fn what_sessions_prove_counts_at_once_and_no_more_than_there_is() {
    let mut play = Play::watched(0);
    late_figures(&mut play);
    let first = hold(&mut play, "RUNNING");
    let second = hold(&mut play, "PENDING");
    play.pass(61);
    let known = |play: &Play| {
        let reported = play.observer.statistics().unwrap().clone();
        let group = &reported.groups[0];
        let (using, left) = (group.using.cpu.millis(), group.remaining.cpu.millis());
        (using, left, reported.sessions, group.waiting)
    };
    // The waiting session doesn't use anything yet.
    assert_eq!(known(&play), (2000, 2000, Some(1), Some(1)));
    // The engine's figures haven't changed yet.
    play.set(second, "PREPARING");
    play.event(second);
    play.settle();
    assert_eq!(known(&play), (4000, 0, Some(2), None));
    let reported = play.observer.statistics().unwrap();
    let free = |reported: &Statistics| reported.groups[0].free.as_ref().unwrap().cpu;
    assert_eq!(
        free(reported),
        Cpu::from_millis(0),
        "never more than there is"
    );
    play.set(first, "TERMINATED");
    play.event(first);
    play.settle();
    assert_eq!(known(&play), (2000, 2000, Some(1), None));
    let reported = play.observer.statistics().unwrap();
    assert_eq!(free(reported), Cpu::from_millis(2000));
    // A launch has the same available resources.
    play.offer.resource_groups.clone_from(&play.held.groups);
    let ticket = play.ask(ObserverRequest::Context(ContextRequest::Catalogue {
        project: None,
        refresh: true,
    }));
    play.work_off();
    let Ok(Answer::Catalogue(catalogue)) = &play.answers[&ticket] else {
        panic!("{:?}", play.answers);
    };
    let left = catalogue.resource_groups[0].remaining.cpu;
    assert_eq!(left, Cpu::from_millis(2000));
}
