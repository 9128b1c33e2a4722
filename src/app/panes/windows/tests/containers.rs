//! Tests of panes in other containers of a cluster session: each container has a tmux of its own.

use super::*;
use crate::{
    app::{panes::PaneId, testing::session},
    model::{id::KernelId, kernel::Kernel, session::Session, status::Status},
};

const SUB: KernelId = KernelId::from_u128(22);

fn cluster() -> Session {
    let kernel = |id, name: &str| Kernel::new(id, name.into(), Status::Running);
    Session {
        kernels: vec![
            kernel(KernelId::from_u128(21), "main1"),
            kernel(SUB, "sub1"),
        ],
        ..session(1, "work")
    }
}

/// A pane in the main container, and a focused one in another container.
fn two() -> WindowsTest {
    let mut world = WindowsTest::live(&[(1, "bash"), (2, "vim")]);
    let opened = world
        .panes
        .open_container(&cluster(), SUB, false, &mut world.ids);
    world.begin(opened);
    world.attaches();
    world.answer("");
    world.answer(
        "wb-f-2\t1\t1\t0\t0\t1\t0\t\t\t\t0\t24\t0\temacs\ttop\ttop\n\
         wb-f-2\t7\t0\t0\t0\t1\t0\t\t\t\t0\t24\t0\temacs\tsh\tsh\n",
    );
    world.said.clear();
    world
}

#[test]
fn a_pane_in_another_container_has_a_connection_there_and_its_windows() {
    let mut world = two();
    assert_eq!(world.led, [None, Some(SUB)]);
    assert_eq!(world.windows(), [1, 7]);
    world.act(Action::WindowNext);
    world.act(Action::PaneScroll);
    assert_eq!(
        world.said,
        ["next-window -t '=wb-f-2:'", "copy-mode -eu -t '=wb-f-2:'"]
    );
    assert!(world.toasts.is_empty(), "{:?}", world.toasts);
    // The connection closes with the pane. That of the main container stays open.
    world.terminal(StreamEvent::Ended(StreamEnd::Exited { exit_code: Some(0) }));
    assert_eq!(world.controls.len(), 1);
}

#[test]
fn a_text_is_looked_for_in_another_container() {
    let mut world = two();
    world.act(Action::PaneSearch);
    world.type_("z");
    let searched = world.said.iter().any(|line| line.contains("'=wb-f-2:'"));
    assert!(searched, "{:?}", world.said);
    world.act(Action::InputCancel);
    world.act(Action::PaneSaveHistory);
    let history = world.said.last().unwrap();
    assert!(history.starts_with("capture-pane"), "{history}");
}

#[test]
fn windows_of_two_containers_with_one_number_are_two() {
    let mut world = two();
    let main = PaneId(1);
    // Window 1 of the main container is in a pane. That doesn't affect a pane of another container.
    world.act(Action::WindowOne);
    assert_ne!(world.panes.active().unwrap().id, main);
    assert_eq!(world.said, ["select-window -t '=wb-f-2:1'"]);
    let pane = world.panes.pane(main).unwrap();
    assert_eq!(world.panes.windows(pane).unwrap().windows.len(), 2);
}
