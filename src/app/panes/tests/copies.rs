//! Tests which texts reach your clipboard.

use super::*;

/// The text that goes to the clipboard, and the message about it.
fn clipboard_of(steps: &[Step]) -> (Vec<&str>, usize) {
    let copied = steps.iter().filter_map(|step| match step {
        Step::Copy(text) => Some(text.as_str()),
        _ => None,
    });
    let toasts = steps
        .iter()
        .filter(|it| matches!(it, Step::Toast { .. }))
        .count();
    (copied.collect(), toasts)
}

const WRITE: &str = "\x1b]52;c;aGVsbG8=\x07";

fn refusing() -> World {
    let settings = crate::model::settings::TerminalSettings {
        clipboard: crate::model::settings::ClipboardPolicy::Refuse,
        ..Default::default()
    };
    let mut world = World::live(1);
    world.panes = std::mem::take(&mut world.panes).with(&settings);
    // Reports the mouse as tmux does.
    world.prints("\x1b[?1002h\x1b[?1006h$ ");
    world
}

fn settled(world: &mut World, mut steps: Vec<Step>) -> (Vec<String>, usize) {
    steps.extend(world.after(1));
    let (copied, toasts) = clipboard_of(&steps);
    (copied.into_iter().map(str::to_owned).collect(), toasts)
}

#[test]
fn a_copy_by_tmuxs_own_keys_goes_out() {
    let mut world = refusing();
    for key in ["ctrl-b", "[", "k", "space", "enter"] {
        world.press(key).unwrap();
    }
    let steps = world.prints(WRITE);
    assert_eq!(settled(&mut world, steps), (vec!["hello".to_owned()], 0));
    let again = world.prints("\x1b]52;c;RVZJTA==\x07");
    assert_eq!(settled(&mut world, again), (vec![], 1), "one text only");
}

#[test]
fn a_copy_by_a_drag_goes_out() {
    let mut world = refusing();
    world.mouse(MouseKind::Press(Button::Left), 3, 5);
    world.mouse(MouseKind::Drag(Button::Left), 9, 5);
    world.mouse(MouseKind::Release(Button::Left), 9, 5);
    let steps = world.prints(WRITE);
    assert_eq!(settled(&mut world, steps), (vec!["hello".to_owned()], 0));
}

#[test]
fn a_copy_is_void_when_the_list_is_shown_or_a_shell_has_the_keys() {
    let mut world = refusing();
    world.press("enter").unwrap();
    let steps = world.prints(WRITE);
    assert_eq!(settled(&mut world, steps), (vec![], 1), "at a shell");
    let mut world = refusing();
    world.act(Action::PaneCopyMode);
    world.press("enter").unwrap();
    world.panes.look(false, &mut world.ids, world.now);
    let steps = world.prints(WRITE);
    assert_eq!(
        settled(&mut world, steps),
        (vec![], 1),
        "while the list is shown"
    );
}
