use ratatui::layout::Rect;

use super::*;
use crate::{
    action::Action,
    app::{effect::Effect, step::Step},
    model::id::SessionId,
    protocol::message::StreamOpen,
};

const PAGE: Rect = Rect::new(0, 0, 100, 30);

fn key(n: u128) -> SessionKey {
    SessionKey::local(SessionId::from_u128(n))
}

fn act(panes: &mut Panes, ids: &mut Ids, action: Action) {
    panes.action(action, None, ids, jiff::Timestamp::UNIX_EPOCH);
    panes.set_page(PAGE);
}

/// A tab with three panes of one session, the second of them focused, and one pane of another session.
fn laid_out() -> Panes {
    let (mut panes, mut ids) = (Panes::new("old"), Ids::default());
    panes.open_session(key(2), &"two".into(), false, &mut ids);
    panes.set_page(PAGE);
    panes.open_session(key(1), &"one".into(), false, &mut ids);
    panes.set_page(PAGE);
    act(&mut panes, &mut ids, Action::PaneSplitRight);
    act(&mut panes, &mut ids, Action::PaneSplitBelow);
    act(&mut panes, &mut ids, Action::PaneUp);
    act(&mut panes, &mut ids, Action::PaneGrowLeft);
    panes
}

fn back(
    kept: (Vec<SavedPaneTab>, usize),
    wanted: impl Fn(&SavedPane) -> bool,
) -> (Panes, Vec<Step>) {
    let (mut panes, mut ids) = (Panes::new("new"), Ids::default());
    // Saves and reads it, as a file does.
    let text = serde_json::to_string(&kept.0).unwrap();
    let tabs = serde_json::from_str(&text).unwrap();
    panes.restore(tabs, kept.1, wanted, &mut ids);
    let steps = panes.set_page(PAGE);
    (panes, steps)
}

fn opened(steps: &[Step]) -> Vec<(SessionKey, String)> {
    let open = |step: &Step| match step {
        Step::Do(Effect::Open {
            open: StreamOpen::Terminal { session, tag, .. },
            ..
        }) => Some((*session, tag.clone())),
        _ => None,
    };
    steps.iter().filter_map(open).collect()
}

#[test]
fn tabs_come_back_as_they_were() {
    let before = laid_out();
    let (after, steps) = back(before.saved(), |_| true);
    let areas = |panes: &Panes| -> Vec<(Option<Rect>, Rect)> {
        let (_, placed, _) = panes.place(PAGE);
        placed.iter().map(|it| (it.head, it.cells)).collect()
    };
    assert_eq!(areas(&after), areas(&before));
    assert_eq!(after.active_tab(), 1);
    let focus = |panes: &Panes| {
        let tab = panes.tab().unwrap();
        tab.panes().iter().position(|id| *id == tab.focus())
    };
    assert_eq!((focus(&after), focus(&before)), (Some(1), Some(1)));
    // The shells are the same, because each pane is found by its tag.
    assert_eq!(
        opened(&steps),
        [
            (key(2), "old-1".to_owned()),
            (key(1), "old-2".to_owned()),
            (key(1), "old-3".to_owned()),
            (key(1), "old-4".to_owned()),
        ]
    );
    assert_eq!(after.saved(), before.saved());
    // A new pane gets a tag of its own.
    let (mut panes, _) = back(before.saved(), |_| true);
    let mut ids = Ids::default();
    panes.open_session(key(3), &"three".into(), false, &mut ids);
    assert_eq!(opened(&panes.set_page(PAGE))[0].1, "new-5");
}

#[test]
fn sessions_that_have_ended_are_left_out() {
    let (after, steps) = back(laid_out().saved(), |pane| pane.session == Some(key(2)));
    assert_eq!((after.count(), after.active_tab()), (1, 0));
    assert_eq!(opened(&steps).len(), 1);
    let (none, _) = back(laid_out().saved(), |_| false);
    assert!(none.is_empty() && none.tab().is_none());
}

#[test]
fn a_shell_of_this_host_restarts() {
    let (mut panes, mut ids) = (Panes::new("old"), Ids::default());
    panes.open_host("gpu1", &mut ids);
    let (after, steps) = back(panes.saved(), |_| true);
    assert_eq!(after.count(), 1);
    let host = |step: &Step| matches!(step, Step::Do(Effect::OpenHostShell { .. }));
    assert!(steps.iter().any(host));
}

#[test]
fn what_was_never_shown_is_not_opened_when_the_daemon_comes_back() {
    let (mut panes, mut ids) = (Panes::new("new"), Ids::default());
    let (tabs, active) = laid_out().saved();
    panes.restore(tabs, active, |_| true, &mut ids);
    panes.link_down(&"gone".into(), jiff::Timestamp::UNIX_EPOCH);
    let steps = panes.link_up(&mut ids, jiff::Timestamp::UNIX_EPOCH);
    assert_eq!(opened(&steps), []);
    assert_eq!(opened(&panes.set_page(PAGE)).len(), 4);
}

fn same(pane: &SavedPane) -> FoundSession {
    FoundSession::Here(pane.session.unwrap())
}

#[test]
fn a_layout_takes_open_panes_and_closes_the_others() {
    let mut panes = laid_out();
    let mut ids = Ids::default();
    let saved = panes.saved();
    panes.open_session(key(4), &"four".into(), false, &mut ids);
    panes.open_host("gpu1", &mut ids);
    panes.set_page(PAGE);
    let before: Vec<PaneId> = panes.tabs()[..2].iter().flat_map(PaneTab::panes).collect();
    let (arranged, steps) = panes.arrange(saved, same, true, &mut ids);
    let after: Vec<PaneId> = panes.tabs()[..2].iter().flat_map(PaneTab::panes).collect();
    assert_eq!(after, before, "the same panes");
    assert_eq!((arranged.panes, arranged.closed), (4, 1));
    // The shell of this machine would end with its pane.
    assert_eq!(panes.tabs().len(), 3);
    let last = panes.tabs()[2].panes();
    assert_eq!(panes.pane(last[0]).unwrap().place, ShellPlace::Host);
    let closed = |step: &&Step| matches!(step, Step::Do(Effect::Close { .. }));
    assert_eq!(steps.iter().filter(closed).count(), 1);
    assert_eq!(opened(&steps), []);
    assert_eq!(panes.active_tab(), 1);
}

#[test]
fn a_layout_opens_what_is_not_open() {
    let saved = laid_out().saved();
    let (mut panes, mut ids) = (Panes::new("new"), Ids::default());
    panes.set_page(PAGE);
    let (arranged, steps) = panes.arrange(saved.clone(), same, true, &mut ids);
    assert_eq!((arranged.panes, arranged.closed), (4, 0));
    let tags =
        |steps: &[Step]| -> Vec<String> { opened(steps).into_iter().map(|(_, tag)| tag).collect() };
    assert_eq!(tags(&steps), ["old-1", "old-2", "old-3", "old-4"]);
    // Another TUI may have the terminals of these tags.
    let (mut second, mut ids) = (Panes::new("new"), Ids::default());
    second.set_page(PAGE);
    let (_, steps) = second.arrange(saved, same, false, &mut ids);
    assert_eq!(tags(&steps), ["new-1", "new-2", "new-3", "new-4"]);
}

#[test]
fn an_ended_session_keeps_its_place_and_follows_a_relaunch() {
    let (saved, _) = laid_out().saved();
    let (mut panes, mut ids) = (Panes::new("new"), Ids::default());
    panes.set_page(PAGE);
    let find = |pane: &SavedPane| match pane.session {
        Some(session) if session == key(2) => FoundSession::Over("two has ended".into()),
        _ => same(pane),
    };
    let (arranged, steps) = panes.arrange((saved, 0), find, true, &mut ids);
    assert_eq!(arranged.over, [Clean::new("two")]);
    assert!(opened(&steps).iter().all(|(session, _)| *session != key(2)));
    let pane = panes.active().unwrap();
    assert!(pane.session_over && !pane.takes_keys() && !pane.can_reopen());
    assert_eq!(panes.scope(), crate::action::Scope::Panes);
    // It is saved again, too.
    assert_eq!(panes.saved().0.len(), 2);
    let relaunched = crate::app::testing::session(9, "two");
    assert_eq!(
        panes.session_changed(&relaunched, &mut ids),
        [],
        "not asked"
    );
    panes.follow_relaunch();
    let other = crate::app::testing::session(8, "other");
    assert_eq!(panes.session_changed(&other, &mut ids), []);
    let steps = panes.session_changed(&relaunched, &mut ids);
    assert_eq!(opened(&steps)[0].0, relaunched.key());
    assert_eq!(panes.session_changed(&relaunched, &mut ids), [], "once");
}
