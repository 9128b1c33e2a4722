use jiff::Timestamp;

use super::*;
use crate::{
    app::testing::TestEnv,
    model::{
        history::Outcome,
        history::SubStep,
        id::{ContextName, SessionId},
        status::Status,
    },
};

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(minute * 60).unwrap()
}

fn entry(id: &str, created: i64, updated: i64) -> HistoryEntry {
    let step = SubStep {
        step: "selector".into(),
        result: Outcome::Failure,
        error_code: None,
        message: Some(Clean::new(id)),
        started_at: None,
        ended_at: None,
    };
    HistoryEntry {
        id: Some(Clean::new(id)),
        until: Some(at(updated)),
        steps: vec![step; 2],
        ..HistoryEntry::new(
            SessionId::from_u128(1),
            at(created),
            "schedule-sessions",
            None,
            Status::Pending,
        )
    }
}

fn answered(entries: Vec<HistoryEntry>) -> HistoryTable {
    let key = SessionKey::new(ContextName::local(), SessionId::from_u128(1));
    let mut it = HistoryTable::new(key, "name".into());
    it.laid_out(3, &TestEnv::default().env());
    it.answered(key, Ok(Reply::History { entries }));
    it
}

fn order(it: &HistoryTable) -> Vec<&str> {
    it.shown()
        .filter_map(|entry| entry.id.as_ref())
        .map(Clean::as_str)
        .collect()
}

fn act(it: &mut HistoryTable, action: Action) {
    it.action(action, None, &TestEnv::default().env());
}

#[test]
fn it_is_sorted_by_either_time_both_ways() {
    let mut it = answered(vec![entry("a", 1, 9), entry("b", 2, 5), entry("c", 3, 7)]);
    assert_eq!(order(&it), ["a", "c", "b"]);
    act(&mut it, Action::HistorySort);
    assert_eq!(order(&it), ["c", "b", "a"]);
    act(&mut it, Action::HistoryReverse);
    assert_eq!(order(&it), ["a", "b", "c"]);
}

#[test]
fn steps_unfold_and_the_marked_one_stays_when_it_is_reported_again() {
    let mut it = answered(vec![entry("a", 1, 9), entry("b", 2, 5)]);
    act(&mut it, Action::ListLast);
    act(&mut it, Action::HistoryUnfold);
    let (first, second) = (ShownLine::Entry(0), ShownLine::Entry(1));
    let steps = [ShownLine::Step(1, 0), ShownLine::Step(1, 1)];
    assert_eq!(it.lines(), [first, second, steps[0], steps[1]]);
    assert_eq!(it.scroll(), 1, "entry and steps are seen");
    let key = it.session();
    let entries = vec![entry("new", 3, 10), entry("a", 1, 9), entry("b", 2, 6)];
    it.answered(key, Ok(Reply::History { entries }));
    assert_eq!(it.entry(it.marked()).unwrap().id, Some("b".into()));
    assert!(it.is_unfolded(2) && !it.is_unfolded(1));
}

#[test]
fn what_is_typed_filters_at_once_and_a_slip_keeps_the_list() {
    let mut it = answered(vec![entry("a", 1, 9), entry("b", 2, 5)]);
    act(&mut it, Action::HistoryFilter);
    let env = TestEnv::default();
    it.paste("id:b", &env.env());
    assert_eq!(order(&it), ["b"]);
    it.paste(" colour:x", &env.env());
    assert_eq!(order(&it), ["b"]);
    assert!(it.wrong().unwrap().contains("colour"));
    assert_eq!(it.back(&env.env()), [], "the filter goes first");
    assert_eq!(order(&it).len(), 2);
    assert_eq!(it.back(&env.env()), [Step::CLOSE]);
}

#[test]
fn each_step_of_an_unfolded_entry_can_be_marked() {
    let mut it = answered(vec![entry("a", 1, 9), entry("b", 2, 5)]);
    act(&mut it, Action::HistoryUnfold);
    act(&mut it, Action::ListDown);
    assert_eq!(it.marked_line(), ShownLine::Step(0, 0));
    assert!(it.marked_step().is_some());
    act(&mut it, Action::ListDown);
    act(&mut it, Action::ListDown);
    assert_eq!(it.marked_line(), ShownLine::Entry(1));
    assert_eq!(it.scroll(), 1);
    act(&mut it, Action::ListUp);
    assert_eq!(it.marked_line(), ShownLine::Step(0, 1));
    // Without its steps, the entry is marked.
    act(&mut it, Action::HistoryUnfold);
    assert_eq!(it.marked_line(), ShownLine::Entry(0));
    act(&mut it, Action::HistoryUnfold);
    act(&mut it, Action::ListDown);
    let key = it.session();
    let entries = vec![entry("new", 3, 10), entry("a", 1, 9)];
    it.answered(key, Ok(Reply::History { entries }));
    assert_eq!(it.marked_line(), ShownLine::Step(1, 0));
}

#[test]
fn nothing_reported_is_no_fall() {
    let mut it = answered(Vec::new());
    for action in [
        Action::ListDown,
        Action::HistoryUnfold,
        Action::HistoryCopyId,
    ] {
        act(&mut it, action);
    }
    assert_eq!(it.lines(), []);
}
