use super::*;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

/// The report of an honest tmux outside of copy mode.
const SHELL: Reported = Reported {
    copy_mode: Some(false),
    vi: None,
    takes_mouse: false,
};

fn mode(vi: bool) -> Reported {
    Reported {
        copy_mode: Some(true),
        vi: Some(vi),
        takes_mouse: false,
    }
}

fn type_keys(copying: &mut Copying, keys: &str, reported: Reported) -> Vec<Did> {
    keys.split(' ')
        .map(|key| copying.key(key.parse().unwrap(), reported, NOW))
        .collect()
}

fn click(copying: &mut Copying, kind: MouseKind, column: u16, reported: Reported) -> Did {
    let mouse = Mouse {
        kind,
        column,
        row: 3,
        ctrl: false,
        alt: false,
        shift: false,
    };
    copying.mouse(mouse, reported, NOW)
}

#[test]
fn keys_at_a_shell_never_copy() {
    // The same if tmux claims to be in copy mode.
    for reported in [SHELL, mode(true), mode(false), Reported::default()] {
        let mut copying = Copying::default();
        let did = type_keys(
            &mut copying,
            "y enter alt-w ctrl-w ctrl-k A D ctrl-j",
            reported,
        );
        assert_eq!(did, [Did::Other; 8]);
    }
}

#[test]
fn copying_keys_count_after_the_user_entered_copy_mode() {
    for (keys, reported) in [
        ("enter", mode(true)),
        ("y", mode(true)),
        ("D", mode(true)),
        ("alt-w", mode(false)),
        ("ctrl-w", mode(false)),
        ("enter", Reported::default()),
        ("alt-w", Reported::default()),
    ] {
        let mut copying = Copying::default();
        copying.enter();
        assert_eq!(
            type_keys(&mut copying, keys, reported),
            [Did::Copy],
            "{keys}"
        );
        for entering in ["ctrl-b [", "ctrl-b pageup"] {
            let mut copying = Copying::default();
            let did = type_keys(&mut copying, &format!("{entering} k {keys}"), reported);
            assert_eq!(did.last(), Some(&Did::Copy), "{entering} {keys}");
        }
    }
}

#[test]
fn the_keys_of_the_other_kind_do_not_copy() {
    let mut copying = Copying::default();
    copying.enter();
    assert_eq!(type_keys(&mut copying, "alt-w", mode(true)), [Did::Other]);
    assert_eq!(type_keys(&mut copying, "y", mode(false)), [Did::Other]);
}

#[test]
fn leaving_copy_mode_ends_it() {
    for (leaving, reported) in [
        ("q", mode(true)),
        ("ctrl-c", mode(true)),
        ("esc", mode(false)),
        ("ctrl-b n", mode(true)),
    ] {
        let mut copying = Copying::default();
        copying.enter();
        let did = type_keys(&mut copying, leaving, reported);
        assert_eq!(did.last(), Some(&Did::Leave), "{leaving}");
        assert_eq!(
            type_keys(&mut copying, "enter alt-w", reported),
            [Did::Other; 2],
            "{leaving}"
        );
    }
}

#[test]
fn a_tmux_that_claims_copy_mode_for_ever_gets_one_copy() {
    let mut copying = Copying::default();
    copying.enter();
    assert_eq!(type_keys(&mut copying, "enter", mode(true)), [Did::Copy]);
    let enter = "enter".parse().unwrap();
    assert_eq!(
        copying.key(enter, mode(true), after(NOW, WINDOW)),
        Did::Other
    );
}

#[test]
fn a_report_that_the_mode_is_over_ends_it() {
    let mut copying = Copying::default();
    copying.enter();
    copying.reported(SHELL);
    assert!(copying.is_copying(SHELL, NOW), "from before it was entered");
    copying.reported(mode(true));
    copying.reported(SHELL);
    assert!(!copying.is_copying(SHELL, NOW));
    copying.reported(mode(true));
    assert!(!copying.is_copying(mode(true), NOW), "no report begins it");
}

#[test]
fn enter_in_a_prompt_of_copy_mode_is_no_copy() {
    let mut copying = Copying::default();
    copying.enter();
    let did = type_keys(&mut copying, "/ y enter f y y", mode(true));
    assert_eq!(did[..5], [Did::Other; 5]);
    assert_eq!(did[5], Did::Copy);
}

#[test]
fn a_drag_and_a_double_click_copy() {
    let press = MouseKind::Press(Button::Left);
    let release = MouseKind::Release(Button::Left);
    let mut copying = Copying::default();
    click(&mut copying, press, 4, SHELL);
    assert_eq!(
        click(&mut copying, release, 4, SHELL),
        Did::Other,
        "a click"
    );
    click(&mut copying, press, 4, SHELL);
    assert_eq!(
        click(&mut copying, release, 4, SHELL),
        Did::Copy,
        "the second"
    );
    click(&mut copying, press, 9, SHELL);
    click(&mut copying, MouseKind::Drag(Button::Left), 12, SHELL);
    assert_eq!(click(&mut copying, release, 12, SHELL), Did::Copy, "a drag");
    let program = Reported {
        takes_mouse: true,
        ..SHELL
    };
    click(&mut copying, press, 20, program);
    click(&mut copying, MouseKind::Drag(Button::Left), 22, program);
    assert_eq!(click(&mut copying, release, 22, program), Did::Other);
}

#[test]
fn the_wheel_counts_only_while_tmux_is_in_copy_mode() {
    let mut copying = Copying::default();
    click(&mut copying, MouseKind::WheelUp, 4, SHELL);
    assert_eq!(type_keys(&mut copying, "enter", SHELL), [Did::Other]);
    assert_eq!(type_keys(&mut copying, "enter", mode(true)), [Did::Copy]);
}
