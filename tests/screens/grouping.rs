//! The list in groups, and cluster sessions with their containers.

use std::collections::BTreeMap;

use workbay::{
    app::{
        effect::Effect,
        sessions::lines::{Folds, ListRow},
    },
    model::{
        change::Change,
        figures::{Figures, Metric, Series},
        id::{KernelId, SessionKey},
        kernel::Kernel,
        request::SessionRequest,
        resources::{Bytes, Cpu, ResourceSlots},
        session::Session,
        status::Status,
    },
    protocol::message::{Reply, Request},
    rules::grouping::Grouping,
};

use crate::{
    cluster::{in_full, two},
    screen::{Screen, noon},
    world::{busy, day, image, key, many, session, snapshot},
};

/// Six sessions of three owners.
fn team() -> Vec<Session> {
    let mut all = many(6);
    for (at, session) in all.iter_mut().enumerate() {
        session.owner = ["ada", "bob", "진"][at % 3].into();
        session.environment = image("python", if at < 4 { "3.12" } else { "3.11" });
    }
    all
}

fn grouped(columns: u16, rows: u16) -> Screen {
    let screen = Screen::new(columns, rows).daemon(snapshot(team()));
    let screen = screen.press(":").typed("group owner").press("enter");
    assert_eq!(screen.app.sessions.grouping(), Some(Grouping::Owner));
    screen
}

fn group_row(screen: &Screen) -> Option<usize> {
    screen.app.sessions.selected_group().map(|(at, _)| at)
}

#[test]
fn groups_have_their_counts_and_sums_80x24() {
    let screen = Screen::new(80, 24).daemon(snapshot(day()));
    let screen = screen.notice(Change::Usage { samples: busy() });
    let screen = screen.press("z");
    assert_eq!(screen.app.sessions.grouping(), Some(Grouping::Environment));
    insta::assert_snapshot!(screen.text());
}

#[test]
fn groups_on_a_large_screen_with_a_folded_one_140x40() {
    let screen = grouped(140, 40).press("g left enter");
    let screen = screen.press("j left");
    insta::assert_snapshot!(screen.text());
}

#[test]
fn a_key_groups_by_each_useful_value_and_at_last_by_none() {
    let mut screen = Screen::new(80, 24).daemon(snapshot(team()));
    let mut seen = Vec::new();
    for _ in 0..4 {
        screen = screen.press("z");
        seen.push(screen.app.sessions.grouping());
    }
    let useful = [Grouping::Environment, Grouping::Owner, Grouping::Status];
    let expected: Vec<Option<Grouping>> = useful.into_iter().map(Some).chain([None]).collect();
    assert_eq!(seen, expected);
    // Each tab has its own.
    let screen = screen.press("z 2");
    assert_eq!(screen.app.sessions.grouping(), None);
    let wrong = screen.press(":").typed("group node").press("enter");
    assert!(wrong.sees("isn't a key for groups"), "{}", wrong.text());
}

#[test]
fn folding_hides_sessions_and_selects_their_group() {
    let screen = grouped(80, 24).press("g j");
    assert_eq!(screen.app.sessions.selected(), Some(key(0)));
    let screen = screen.press("left");
    assert_eq!(group_row(&screen), Some(0));
    assert!(!screen.sees("worker-000") && screen.sees("worker-001"));
    assert_eq!(screen.app.sessions.len(), 6, "folded sessions still count");
    // Enter, and a double click, unfold it.
    let screen = screen.press("enter");
    assert!(screen.sees("worker-000"));
    let screen = screen.press("Z");
    assert!(!screen.sees("worker-0"), "{}", screen.text());
    assert_eq!(screen.app.sessions.rows().len(), 3);
    assert!(screen.press("Z").sees("worker-005"));
}

#[test]
fn a_mark_on_a_group_marks_its_sessions() {
    let screen = grouped(80, 24).press("g space");
    let marked: Vec<SessionKey> = screen.app.sessions.marks.keys().collect();
    assert_eq!(marked, [key(0), key(3)]);
    // Once more removes them. A folded group in a range is marked as a whole.
    let screen = screen.press("g space");
    assert!(screen.app.sessions.marks.is_empty());
    let screen = screen.press("g left j j space k k k v");
    let marked: Vec<SessionKey> = screen.app.sessions.marks.keys().collect();
    assert_eq!(marked.len(), 3, "{marked:?}");
    let all = screen.press("*");
    assert_eq!(all.app.sessions.marks.len(), 6);
}

#[test]
fn an_action_on_a_group_says_how_to_mark_its_sessions() {
    let screen = grouped(80, 24).press("g x");
    assert!(
        screen.sees("A group is selected. Press space to mark its sessions"),
        "{}",
        screen.text()
    );
}

#[test]
fn the_selection_stays_on_its_session_while_groups_move() {
    let screen = grouped(80, 24).press("g j j");
    let selected = screen.app.sessions.selected();
    let mut other = session(9, "new-one", Status::Running, 1);
    other.owner = "aaron".into();
    let changed = |session: Session| Change::Session {
        session: Box::new(session),
    };
    let screen = screen.notice(changed(other));
    assert_eq!(screen.app.sessions.selected(), selected);
    // It moves to a group that is folded: the group is selected, and nothing acts on a hidden session.
    let screen = screen.press("g left");
    assert_eq!(group_row(&screen), Some(0));
    let mut moved = screen.app.mirror.session(key(1)).unwrap().clone();
    let screen = screen.press("G");
    moved.owner = "aaron".into();
    let screen = screen.notice(changed(moved));
    assert!(screen.app.sessions.selected().is_some());
}

#[test]
fn a_filter_and_the_order_work_inside_groups() {
    let screen = grouped(80, 24).press("o o");
    let names: Vec<String> = screen
        .app
        .sessions
        .keys()
        .iter()
        .map(|key| screen.app.mirror.session(*key).unwrap().name.to_string())
        .collect();
    let of_ada: Vec<&String> = names.iter().take(2).collect();
    assert_eq!(of_ada, ["worker-000", "worker-003"], "{names:?}");
    let screen = screen.press("/").typed("env:3.11").press("enter");
    assert_eq!(screen.app.sessions.groups().len(), 2);
    assert_eq!(screen.app.sessions.len(), 2);
}

#[test]
fn groups_are_saved_with_the_state_and_in_views() {
    let mut screen = Screen::new(80, 24);
    screen.app = screen
        .app
        .saving_state(workbay::app::saved::SavedState::default());
    let screen = screen
        .daemon(snapshot(team()))
        .press(":")
        .typed("group owner")
        .press("enter g left :")
        .typed("view-save mine")
        .press("enter");
    let saved = screen
        .effects()
        .iter()
        .rev()
        .find_map(|effect| match effect {
            Effect::SaveState(state) => Some(state.clone()),
            _ => None,
        });
    let saved = saved.expect("the state is saved");
    assert_eq!(saved.folds.groupings[0], Some(Grouping::Owner));
    assert!(
        saved
            .folds
            .folded
            .contains(&(Grouping::Owner, "ada".into()))
    );
    assert_eq!(saved.views[0].grouping, Some(Grouping::Owner));
    let json = serde_json::to_string(&saved.folds).unwrap();
    assert_eq!(serde_json::from_str::<Folds>(&json).unwrap(), saved.folds);
    // The state of an earlier version has no groups.
    assert_eq!(
        serde_json::from_str::<Folds>("{}").unwrap(),
        Folds::default()
    );
}

#[test]
fn the_panel_next_to_the_list_shows_the_selected_group() {
    let screen = grouped(140, 40).press("g j enter k");
    assert!(screen.sees("Grouped by"), "{}", screen.text());
    insta::assert_snapshot!(screen.text());
    let screen = screen.press("j");
    assert!(!screen.sees("Grouped by") && screen.sees("Environment"));
}

#[test]
fn the_use_of_a_group_is_only_shown_when_it_is_known_of_all() {
    let screen = grouped(120, 30);
    let usage = |n, cpu| crate::world::usage(n, cpu, 100);
    let screen = screen.notice(Change::Usage {
        samples: vec![usage(0, 500)],
    });
    let groups = screen.app.sessions.groups();
    assert_eq!(groups[0].used, None, "worker-003 isn't sampled");
    let screen = screen.notice(Change::Usage {
        samples: vec![usage(3, 250)],
    });
    let group = &screen.app.sessions.groups()[0];
    assert_eq!(group.used, Some((Cpu::from_millis(750), Bytes::mib(200))));
    assert_eq!(
        group.requested,
        ResourceSlots::new(Cpu::from_millis(2000), Bytes::mib(1024))
    );
    assert!(screen.sees("0.75/2"), "{}", screen.text());
    // The sessions of a folded group are sampled, too.
    let screen = screen.press("Z");
    let watched = screen.questions().filter_map(|(_, it)| match it {
        Request::Watch { sessions } => Some(sessions.len()),
        _ => None,
    });
    assert_eq!(watched.last(), Some(6));
}

#[test]
fn ten_thousand_rows_have_groups() {
    let mut all = many(10_000);
    for (at, session) in all.iter_mut().enumerate() {
        session.owner = format!("user-{:02}", at % 40).as_str().into();
    }
    let screen = Screen::new(120, 40).daemon(snapshot(all));
    let screen = screen.press(":").typed("group owner").press("enter G");
    assert_eq!(screen.app.sessions.rows().len(), 10_040);
    let last = screen.app.sessions.selected();
    let screen = screen.press("Z");
    assert_eq!(screen.app.sessions.rows().len(), 40);
    assert_eq!(group_row(&screen), Some(39));
    assert!(screen.sees("user-39") && last.is_some());
}

/// A cluster of two containers on this machine.
fn pair() -> Session {
    let mut it = session(30, "두-노드-학습", Status::Running, 40);
    it.placement.cluster_size = 2;
    it.requested_slots = ResourceSlots::new(Cpu::from_millis(4000), Bytes::mib(2048));
    it.kernels[0].agent = Some("i-node-01".into());
    it.kernels.push(Kernel {
        container_id: Some("5f2a9c0d1e2b4c5d6e7f8091a2b3c4d5".into()),
        started_at: it.started_at,
        agent: Some("i-node-02".into()),
        ..Kernel::new(KernelId::from_u128(31), "sub1".into(), Status::Running)
    });
    it
}

fn of_container(cpu: u64, mib: u64) -> Figures {
    let series = |metric, value| Series {
        metric,
        values: vec![Some(value)],
        average: Some(value),
        peak: Some(value),
        limit: None,
        total: None,
    };
    Figures {
        at: vec![noon()],
        series: vec![
            series(Metric::Cpu, cpu),
            series(Metric::Mem, Bytes::mib(mib).0),
        ],
        ..Figures::default()
    }
}

fn with_pair(columns: u16, rows: u16) -> Screen {
    let mut all = many(2);
    all.push(pair());
    Screen::new(columns, rows).daemon(snapshot(all)).press("G")
}

fn expanded(columns: u16, rows: u16) -> Screen {
    let screen = with_pair(columns, rows).press("right");
    let figures = Figures {
        kernels: BTreeMap::from([
            (KernelId::from_u128(30), of_container(1250, 512)),
            (KernelId::from_u128(31), of_container(300, 128)),
        ]),
        ..Figures::default()
    };
    let wants = |request: &Request| {
        matches!(
            request,
            Request::Session {
                request: SessionRequest::Figures,
                ..
            }
        )
    };
    let figures = Box::new(figures);
    screen.answer(wants, Ok(Reply::Figures { figures }))
}

#[test]
fn a_cluster_session_expands_into_its_containers_80x24() {
    insta::assert_snapshot!(expanded(80, 24).text());
}

#[test]
fn a_cluster_session_expands_into_its_containers_140x40() {
    let screen = expanded(140, 40);
    insta::assert_snapshot!(screen.text());
    let screen = screen.press("left");
    assert!(!screen.sees("sub1"));
}

#[test]
fn actions_on_a_container_go_to_that_container() {
    let screen = expanded(120, 30).press("j j");
    assert_eq!(screen.app.sessions.selected_container(), Some((key(30), 1)));
    let of_second = |screen: &Screen| {
        screen
            .effects()
            .iter()
            .any(|effect| format!("{effect:?}").contains(&format!("{:?}", KernelId::from_u128(31))))
    };
    assert!(!of_second(&screen));
    assert!(of_second(&screen.press("s")), "the shell");
    let screen = expanded(120, 30).press("j j l");
    assert!(screen.sees("sub1"), "{}", screen.text());
    let screen = expanded(120, 30).press("j j Y");
    let copies = screen
        .effects()
        .iter()
        .any(|effect| matches!(effect, Effect::Copy { text, .. } if text.starts_with("5f2a9c0d")));
    assert!(copies, "the container's id");
    // Folded, the selection is on the session again.
    let screen = expanded(120, 30).press("j j left");
    assert_eq!(
        screen.app.sessions.selected_row(),
        Some(ListRow::Session(key(30)))
    );
}

#[test]
fn a_session_of_one_container_has_nothing_to_expand() {
    let screen = with_pair(80, 24).press("g right");
    assert!(screen.sees("has one container"), "{}", screen.text());
    assert_eq!(screen.app.sessions.rows().len(), 3);
}

#[test]
fn the_containers_of_a_manager_s_row_are_read_when_it_expands() {
    let mut all = two();
    for session in &mut all.sessions {
        if session.name.as_str() == "train-vit-large" {
            session.placement.cluster_size = 2;
            session.kernels.clear();
        }
    }
    let screen = Screen::new(120, 40).starting_in("seoul").daemon(all);
    let screen = screen.press("/").typed("vit").press("enter right");
    let wants = |request: &Request| {
        matches!(
            request,
            Request::Session {
                request: SessionRequest::Detail,
                ..
            }
        )
    };
    assert_eq!(screen.app.sessions.rows().len(), 1, "they aren't known yet");
    assert!(screen.questions().any(|(_, request)| wants(request)));
    let session = Box::new(in_full());
    let screen = screen.answer(wants, Ok(Reply::Session { session }));
    assert_eq!(screen.app.sessions.rows().len(), 3);
    assert!(screen.sees("i-gpu-node-02"), "{}", screen.text());
}
