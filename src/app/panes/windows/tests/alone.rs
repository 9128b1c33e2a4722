//! Tests with several panes of one session: each window is in one of them.

use super::*;
use crate::{
    app::{
        mirror::Mirror,
        panels::shells::{ShellPicker, ShellTarget},
        panes::PaneId,
        testing::session,
    },
    model::status::Status,
};

const PAGE: ratatui::layout::Rect = ratatui::layout::Rect::new(0, 0, 80, 23);

/// Two panes side by side: the first shows window 1, the second, which has the focus, window 3.
fn two() -> WindowsTest {
    let mut world = WindowsTest::live(&[(1, "bash"), (2, "vim")]);
    world.act(Action::PaneSplitRight);
    let sized = world.panes.set_page(PAGE);
    world.take(sized);
    world.terminal(StreamEvent::Opened);
    world.terminal(StreamEvent::Data {
        source: LogSource::Stdout,
        bytes: Bytes::from_static(b"$ "),
    });
    list(&mut world, &[1, 2, 3], &[1, 3]);
    world
}

/// tmux lists these windows. Each pane shows one of them.
fn list(world: &mut WindowsTest, windows: &[u32], shown: &[u32]) {
    world.prints("%session-window-changed $1 @2\n");
    let row = |pane: u32, shows: u32, index: u32| {
        let active = u8::from(index == shows);
        format!(
            "wb-f-{pane}\t{index}\t{active}\t0\t0\t1\t0\t\t\t\t0\t24\t0\temacs\tname{index}\tsh\n"
        )
    };
    let of_pane = |(pane, shows): (u32, &u32)| -> String {
        windows
            .iter()
            .map(|index| row(pane, *shows, *index))
            .collect()
    };
    let rows: String = (1..).zip(shown).map(of_pane).collect();
    world.said.clear();
    world.answer(&rows);
}

fn active(world: &WindowsTest) -> PaneId {
    world.panes.active().unwrap().id
}

#[test]
fn a_window_that_is_in_a_pane_is_gone_to() {
    let mut world = two();
    assert_eq!(active(&world), PaneId(2));
    world.act(Action::WindowOne);
    assert_eq!(active(&world), PaneId(1));
    assert!(world.said.is_empty(), "{:?}", world.said);
    // The next window is the next one that no pane shows.
    world.act(Action::WindowNext);
    assert_eq!(world.said, ["select-window -t '=wb-f-1:2'"]);
    world.answer("");
    list(&mut world, &[1, 3], &[1, 3]);
    world.said.clear();
    world.act(Action::WindowPrevious);
    assert!(
        world.said.is_empty() && world.toasts.len() == 1,
        "{:?}",
        world.toasts
    );
}

#[test]
fn two_panes_that_tmux_brought_to_one_window_are_parted() {
    let mut world = two();
    // Ctrl-B 1 in the second pane: the first one gets the window that the second left, once.
    list(&mut world, &[1, 2, 3], &[1, 1]);
    assert_eq!(world.said, ["select-window -t '=wb-f-1:3'"]);
    world.answer("");
    list(&mut world, &[1, 2, 3], &[1, 1]);
    assert!(
        world.said.is_empty(),
        "a list that was under way: {:?}",
        world.said
    );
    list(&mut world, &[1, 2, 3], &[3, 1]);
    assert!(world.said.is_empty(), "{:?}", world.said);
    // A window that no pane shows causes no conflict.
    list(&mut world, &[1, 2, 3], &[3, 2]);
    assert!(world.said.is_empty(), "{:?}", world.said);
}

#[test]
fn a_split_goes_with_its_shell() {
    let mut world = two();
    list(&mut world, &[1, 2], &[1, 2]);
    assert_eq!(world.panes.count(), 1, "the other shell is shown nowhere");
    assert_eq!(active(&world), PaneId(1));
    // A single pane continues with the next window.
    list(&mut world, &[2], &[2]);
    assert_eq!(world.panes.count(), 1);
    // The same if the terminal itself ends, like a shell of this machine.
    let mut world = two();
    world.terminal(StreamEvent::Ended(StreamEnd::Exited { exit_code: Some(0) }));
    assert_eq!(world.panes.count(), 1);
    // A pane whose command couldn't be run stays open and shows the reason.
    let mut world = two();
    world.terminal(StreamEvent::Ended(StreamEnd::Exited {
        exit_code: Some(127),
    }));
    assert_eq!(world.panes.count(), 2);
}

#[test]
fn the_title_of_a_split_is_its_own_window() {
    let mut world = two();
    let titles = |world: &WindowsTest| -> Vec<Vec<u32>> {
        let of = |pane| {
            let group = world.panes.head_windows(pane).unwrap();
            group.windows.iter().map(|window| window.index).collect()
        };
        world.panes.iter().map(of).collect()
    };
    assert_eq!(titles(&world), [vec![1], vec![3]]);
    world.act(Action::PaneClose);
    assert_eq!(titles(&world), [vec![1, 2, 3]]);
}

#[test]
fn the_list_of_shells_has_each_window_once() {
    let world = two();
    let shells = ShellPicker::new(&Mirror::default(), &world.panes, "gpu1");
    let rows: Vec<(ShellTarget, String)> = shells
        .rows()
        .map(|row| (row.target, row.note.to_string()))
        .collect();
    assert_eq!(
        rows,
        [
            (ShellTarget::Pane(PaneId(1)), "window 1 name1".to_owned()),
            (ShellTarget::Window(PaneId(1), 2), "sh".to_owned()),
            (ShellTarget::Pane(PaneId(2)), "window 3 name3".to_owned()),
            (ShellTarget::Host, "this machine, not open".to_owned()),
        ]
    );
}

#[test]
fn in_a_session_that_has_ended_no_shell_is_offered() {
    let mut world = WindowsTest::live(&[(1, "bash")]);
    world.terminal(StreamEvent::Ended(StreamEnd::Exited { exit_code: Some(0) }));
    assert!(world.panes.active().unwrap().can_reopen());
    let mut over = session(1, "work");
    over.id = SESSION.id;
    over.status = Status::Terminated;
    let steps = world.panes.session_changed(&over, &mut world.ids);
    world.take(steps);
    assert!(!world.panes.active().unwrap().can_reopen());
    let enter = Key::plain(crate::key::KeyCode::Enter);
    let steps = world.panes.key(enter, &mut world.ids, world.now);
    let opens = |step: &Step| matches!(step, Step::Do(Effect::Open { .. }));
    assert!(!steps.unwrap_or_default().iter().any(opens));
    let id = active(&world);
    let steps = world.panes.go_to(id, &mut world.ids);
    assert!(!steps.iter().any(opens), "{steps:?}");
}

/// tmux lists these windows by index and id, of which each pane shows one.
fn list_ids(world: &mut WindowsTest, windows: &[(u32, u32)], shown: &[u32]) -> String {
    world.prints("%session-window-changed $1 @2\n");
    let row = |pane: u32, shows: u32, (index, id): (u32, u32)| {
        let active = u8::from(index == shows);
        format!(
            "wb-f-{pane}\t{index}@{id}\t{active}\t0\t0\t1\t0\t\t\t\t0\t24\t0\temacs\tname\tsh\n"
        )
    };
    let rows: String = (1..)
        .zip(shown)
        .flat_map(|(pane, shows)| windows.iter().map(move |it| row(pane, *shows, *it)))
        .collect();
    world.said.clear();
    world.answer(&rows);
    rows
}

/// The commands that change something.
fn orders(world: &WindowsTest) -> Vec<&str> {
    let said = world.said.iter().map(String::as_str);
    said.filter(|line| !line.starts_with("list-panes"))
        .collect()
}

/// The layout of two panes that show the windows with the ids 5 and 7.
fn saved_layout() -> (Vec<crate::app::panes::SavedPaneTab>, usize) {
    let mut world = two();
    list_ids(&mut world, &[(1, 5), (2, 6), (3, 7)], &[1, 3]);
    world.panes.saved()
}

/// Shows the layout in a new TUI. Each pane has printed something.
fn restored() -> WindowsTest {
    let mut world = WindowsTest::new(TerminalSettings::default());
    world.panes.set_page(PAGE);
    let find = |pane: &crate::app::panes::SavedPane| {
        crate::app::panes::FoundSession::Here(pane.session.unwrap())
    };
    let (_, steps) = world
        .panes
        .arrange(saved_layout(), find, true, &mut world.ids);
    world.take(steps);
    for at in [PaneId(1), PaneId(2)] {
        let stream = world.panes.pane(at).unwrap().stream;
        world.happens(stream, StreamEvent::Opened);
        let printed = StreamEvent::Data {
            source: LogSource::Stdout,
            bytes: Bytes::from_static(b"$ "),
        };
        world.happens(stream, printed);
    }
    world.attaches();
    world.answer("");
    world
}

#[test]
fn a_restored_pane_returns_to_its_window() {
    let mut world = restored();
    // Window 1 was closed, so the others have other numbers. The second pane shows its window already.
    let rows = list_ids(&mut world, &[(1, 6), (2, 7), (3, 5)], &[1, 2]);
    assert_eq!(orders(&world), ["select-window -t '=wb-f-1:@5'"]);
    // The list that was asked meanwhile, and the answer to the order.
    world.answer(&rows);
    world.answer("");
    list_ids(&mut world, &[(1, 6), (2, 7), (3, 5)], &[3, 2]);
    assert_eq!(orders(&world), [] as [&str; 0]);
    assert_eq!(saved_windows(world.panes.saved()), [Some(5), Some(7)]);
}

/// The ids of the windows of a saved layout, in reading order.
fn saved_windows((tabs, _): (Vec<crate::app::panes::SavedPaneTab>, usize)) -> Vec<Option<u32>> {
    let panes = tabs.iter().flat_map(crate::app::panes::SavedPaneTab::panes);
    panes.map(|pane| pane.window).collect()
}

#[test]
fn a_restored_pane_without_its_window_gets_one_of_its_own() {
    let mut world = restored();
    // The window of the first pane is gone, and tmux shows both panes the same one.
    list_ids(&mut world, &[(1, 7)], &[1, 1]);
    assert_eq!(orders(&world), ["new-window -t '=wb-f-1:'"]);
    assert_eq!(world.panes.count(), 2);
}
