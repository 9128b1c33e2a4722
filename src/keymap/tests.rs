use super::*;
use crate::key::parse_sequence;

fn keys(text: &str) -> Vec<Key> {
    parse_sequence(text).unwrap()
}

fn builtin(name: &str) -> Keymap {
    let (keymap, problems) = Keymap::load(name, None);
    assert_eq!(problems, [], "{name}");
    keymap
}

fn own(text: &str) -> (Keymap, Vec<Problem>) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("mine.toml"), text).unwrap();
    Keymap::load("mine", Some(dir.path()))
}

#[test]
fn the_directory_holds_the_embedded_keymaps_and_no_others() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("keymaps");
    let mut files: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|file| format!("keymaps/{}", file.unwrap().file_name().to_str().unwrap()))
        .collect();
    files.sort();
    let listed: Vec<&str> = builtin::KEYMAPS.iter().map(|keymap| keymap.path).collect();
    assert_eq!(files, listed);
    for keymap in builtin::KEYMAPS {
        assert_eq!(keymap.path, format!("keymaps/{}.toml", keymap.name));
        assert_eq!(keymap.text(), keymap.embedded, "{}", keymap.name);
    }
}

#[test]
fn every_action_has_a_key_in_every_keymap_with_letters() {
    for name in ["default", "vim", "emacs", "k9s"] {
        let keymap = builtin(name);
        for action in Action::ALL {
            let bound = Scope::ALL
                .iter()
                .any(|scope| !keymap.keys_for(*scope, *action).is_empty());
            assert!(bound, "{name} has no key for {}", action.name());
        }
    }
}

#[test]
fn the_keymap_without_letters_binds_none() {
    let arrows = builtin("arrows");
    for scope in Scope::ALL {
        for (keys, action) in arrows.bindings(scope) {
            let plain = |key: &Key| {
                let is_char = matches!(key.code, crate::key::KeyCode::Char(c) if c != ' ');
                is_char && !key.ctrl
            };
            let keys = super::tests::keys(&keys);
            assert!(
                !keys.iter().any(plain),
                "{} in {}",
                action.name(),
                scope.name()
            );
        }
    }
}

#[test]
fn ctrl_d_and_other_single_ctrl_letters_never_destroy() {
    for name in ["default", "vim", "emacs"] {
        let keymap = builtin(name);
        for scope in Scope::ALL {
            for action in [
                Action::SessionTerminate,
                Action::ConfirmYes,
                Action::PaneClose,
            ] {
                let found = keymap.keys_for(scope, action);
                assert!(
                    !found.iter().any(|key| key.starts_with("ctrl-")),
                    "{found:?}"
                );
            }
        }
    }
}

#[test]
fn no_binding_needs_a_key_that_terminals_cannot_distinguish() {
    for name in ["default", "vim", "emacs", "arrows", "k9s"] {
        let keymap = builtin(name);
        for scope in Scope::ALL {
            for (key, action) in keymap.bindings(scope) {
                let twin = ["ctrl-h", "ctrl-i", "ctrl-m", "ctrl-["].contains(&key.as_str());
                assert!(!twin, "{name}: {key} for {}", action.name());
            }
        }
    }
}

#[test]
fn lookup_finds_whole_prefix_and_nothing() {
    let vim = builtin("vim");
    assert_eq!(
        vim.lookup(Scope::Sessions, &keys("j")),
        Lookup::Matched(vec![Action::ListDown])
    );
    assert_eq!(
        vim.lookup(Scope::Sessions, &keys("g")),
        Lookup::Pending(vec![(Key::char('g'), Some(Action::ListFirst))])
    );
    assert_eq!(
        vim.lookup(Scope::Sessions, &keys("g g")),
        Lookup::Matched(vec![Action::ListFirst])
    );
    assert_eq!(vim.lookup(Scope::Sessions, &keys("g t")), Lookup::NotFound);
    assert_eq!(
        vim.lookup(Scope::Global, &keys("g t")),
        Lookup::Matched(vec![Action::TabNext])
    );
    assert_eq!(vim.lookup(Scope::Sessions, &keys("Q")), Lookup::NotFound);
    assert_eq!(vim.lookup(Scope::Sessions, &[]), Lookup::NotFound);
}

#[test]
fn the_terminal_scope_binds_the_leader_alone() {
    for name in ["default", "vim", "emacs", "arrows", "k9s"] {
        let bindings = builtin(name).bindings(Scope::Terminal);
        let actions: Vec<Action> = bindings.iter().map(|(_, action)| *action).collect();
        assert_eq!(actions, [Action::TerminalLeader; 2], "{name}");
    }
}

#[test]
fn hints_show_the_first_key_of_the_file_and_a_users_own_before_it() {
    let shown = builtin("default").keys_for(Scope::Sessions, Action::SessionTerminate);
    assert_eq!(shown, ["x", "delete"]);
    let (mine, problems) =
        own("inherits = \"default\"\n[sessions]\n\"D\" = \"session.terminate\"\n");
    assert_eq!(problems, []);
    let shown = mine.keys_for(Scope::Sessions, Action::SessionTerminate);
    assert_eq!(shown, ["D", "x", "delete"]);
}

#[test]
fn a_user_rebinds_unbinds_and_chains_key_by_key() {
    let (mine, problems) = own(
        "inherits = \"default\"\n[sessions]\n\"x\" = \"none\"\n\"j\" = \"list.up\"\n\"d\" = [\"session.terminate\", \"list.down\"]\n",
    );
    assert_eq!(problems, []);
    assert_eq!(mine.lookup(Scope::Sessions, &keys("x")), Lookup::NotFound);
    assert_eq!(
        mine.lookup(Scope::Sessions, &keys("j")),
        Lookup::Matched(vec![Action::ListUp])
    );
    assert_eq!(
        mine.lookup(Scope::Sessions, &keys("d")),
        Lookup::Matched(vec![Action::SessionTerminate, Action::ListDown])
    );
    assert_eq!(
        mine.lookup(Scope::Sessions, &keys("k")),
        Lookup::Matched(vec![Action::ListUp])
    );
}

#[test]
fn a_clash_asks_for_the_key_that_was_there_before() {
    let clash = |text: &str| {
        let (_, problems) = own(text);
        assert_eq!(problems.len(), 1, "{problems:?}");
        problems[0].help.clone().unwrap()
    };
    let vim = |line: &str| clash(&format!("inherits = \"vim\"\n[sessions]\n{line}\n"));
    // vim has `g g`. The new binding `g` is the one that the user intends.
    assert_eq!(
        vim("\"g\" = \"session.logs\""),
        "unbind the other one: \"g g\" = \"none\" in [sessions]"
    );
    assert_eq!(
        vim("\"j j\" = \"session.logs\""),
        "unbind the other one: \"j\" = \"none\" in [sessions]"
    );
}

#[test]
fn a_broken_keymap_is_rejected_whole() {
    let (mine, problems) = own("[sessions]\n\"j\" = \"list.donw\"\n\"k\" = \"list.up\"\n");
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(mine, Keymap::default());
}

#[test]
fn fuzz_keymap() {
    let dir = tempfile::tempdir().unwrap();
    let seeds = builtin::KEYMAPS.iter().map(|it| it.embedded.as_bytes());
    let seeds: Vec<&[u8]> = seeds.collect();
    crate::fuzz::parser("keymap", &seeds, |bytes, _| {
        std::fs::write(dir.path().join("mine.toml"), bytes).unwrap();
        let (_, problems) = Keymap::load("mine", Some(dir.path()));
        crate::fuzz::bounded(bytes, &problems);
    });
}
