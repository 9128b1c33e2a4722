use proptest::prelude::*;

use super::*;

const AREA: Rect = Rect::new(0, 1, 101, 30);

fn id(number: u32) -> PaneId {
    PaneId(number)
}

fn one() -> Tree {
    Tree::Pane(id(1))
}

/// 1 | 2 over 3
fn three() -> Tree {
    let mut tree = one();
    assert!(tree.split(id(1), id(2), Axis::Beside, AREA));
    assert!(tree.split(id(2), id(3), Axis::Below, AREA));
    tree
}

fn area(tree: &Tree, pane: u32) -> Rect {
    let placed = tree.place(AREA).0;
    placed.iter().find(|it| it.pane == id(pane)).unwrap().area
}

#[test]
fn halves_and_the_lines_between_them_fill_the_place() {
    let tree = three();
    assert_eq!(area(&tree, 1), Rect::new(0, 1, 50, 30));
    assert_eq!(area(&tree, 2), Rect::new(51, 1, 50, 15));
    assert_eq!(area(&tree, 3), Rect::new(51, 16, 50, 15));
    let borders = tree.place(AREA).1;
    assert_eq!(borders[0].area, Rect::new(50, 1, 1, 30));
    assert_eq!(borders[1].area, Rect::new(51, 16, 50, 1));
}

#[test]
fn the_focus_moves_to_the_longest_common_edge() {
    let tree = three();
    let go = |from: u32, side| tree.beside(id(from), side, AREA);
    assert_eq!(go(2, Side::Left), Some(id(1)));
    assert_eq!(go(3, Side::Up), Some(id(2)));
    assert_eq!(go(2, Side::Down), Some(id(3)));
    assert_eq!(go(1, Side::Left), None);
    assert_eq!(go(1, Side::Down), None);
    assert!(go(1, Side::Right).is_some());
}

#[test]
fn borders_are_pushed_and_dragged_as_far_as_both_halves_stay_usable() {
    let mut tree = three();
    assert!(tree.push_border(id(3), Side::Left, 5, AREA));
    assert_eq!(area(&tree, 1).width, 45);
    assert!(tree.push_border(id(3), Side::Down, 3, AREA));
    assert_eq!(area(&tree, 2).height, 18);
    assert!(!tree.push_border(id(1), Side::Down, 3, AREA), "none there");
    tree.drag_border(0, Position::new(70, 9), AREA);
    assert_eq!(area(&tree, 1).width, 70);
    tree.drag_border(1, Position::new(70, 11), AREA);
    assert_eq!(area(&tree, 2).height, 10);
    tree.drag_border(0, Position::new(0, 0), AREA);
    assert_eq!(area(&tree, 1).width, LEAST.0);
}

#[test]
fn a_pane_that_goes_leaves_its_place_to_its_neighbour() {
    let tree = three().without(id(2)).unwrap();
    assert_eq!(area(&tree, 3), Rect::new(51, 1, 50, 30));
    let tree = tree.without(id(1)).unwrap();
    assert_eq!(tree, Tree::Pane(id(3)));
    assert_eq!(tree.without(id(3)), None);
}

#[test]
fn what_would_be_too_small_is_not_split() {
    let mut tree = one();
    let narrow = Rect::new(0, 0, 40, 7);
    assert!(!tree.split(id(1), id(2), Axis::Beside, narrow));
    assert!(!tree.split(id(1), id(2), Axis::Below, narrow));
    assert_eq!(tree, one());
}

proptest! {
    #[test]
    fn whatever_is_done_every_cell_belongs_to_one_pane_or_line(
        steps in prop::collection::vec((0u8..4, 0u32..12, 0u16..140, 0u16..50), 0..40),
        (width, height) in (1u16..200, 1u16..60),
    ) {
        let mut tree = Tree::Pane(id(0));
        let mut next = 1;
        for (what, pane, x, y) in steps {
            match what {
                0 if tree.split(id(pane), id(next), Axis::Beside, AREA) => next += 1,
                1 if tree.split(id(pane), id(next), Axis::Below, AREA) => next += 1,
                2 => tree.drag_border(pane as usize, Position::new(x, y), AREA),
                3 => tree = tree.clone().without(id(pane)).unwrap_or(tree),
                _ => {}
            }
        }
        let whole = Rect::new(3, 2, width, height);
        let (panes, borders) = tree.place(whole);
        let cells: u32 = panes.iter().map(|it| it.area.area()).sum();
        // A border below is the head of a pane, a border beside has cells of its own.
        let lines: u32 = borders.iter().filter(|it| it.axis == Axis::Beside).map(|it| it.area.area()).sum();
        prop_assert_eq!(cells + lines, whole.area());
        for one in &panes {
            prop_assert_eq!(one.area.intersection(whole), one.area);
        }
    }
}
