//! Every key of every keymap on a real terminal, with real sessions: it invokes its action, and the action has an
//! effect that you can see. The keys come from the keymaps, the actions from the table in `src/action/mod.rs`.

mod typist;
mod views;

use std::fs;

use workbay::{
    action::{Action, Scope},
    key::Key,
    keymap::Keymap,
};

use crate::machine::{self, Machine};
use typist::{Typist, sequence};

/// Sessions, folders, forwards, files and layouts, so that every list has several rows.
fn ground() -> Machine {
    let machine = Machine::new();
    let contexts = "default = \"local\"\n[contexts.local]\nkind = \"docker\"\n[contexts.spare]\nkind = \
                    \"docker\"\nendpoint = \"unix:///nonexistent/docker.sock\"\n";
    fs::write(machine.path("config/contexts.toml"), contexts).expect("a file");
    let program = "for i in $(seq 300); do echo line $i of the log; done; exec sleep 1000000";
    for name in ["all-keys-1", "all-keys-2"] {
        machine.ok(&machine::launch(
            name,
            &["--wait", "--batch", "--command", program],
        ));
    }
    let files = "mkdir -p one two; echo text > file.txt; touch other upload.txt .hidden";
    for name in ["all-keys-1", "all-keys-2"] {
        machine.ok(&["exec", name, "--", "sh", "-c", files]);
        machine.ok(&["port", "open", name, "8000"]);
        machine.ok(&["port", "open", name, "8001"]);
    }
    for name in ["folder-1", "folder-2"] {
        machine.ok(&["folder", "create", name]);
    }
    fs::write(machine.path("upload.txt"), "from here\n").expect("a file");
    let layouts = machine.state().join("layouts");
    fs::create_dir(&layouts).expect("a directory");
    for name in ["first", "second"] {
        fs::write(layouts.join(format!("{name}.json")), LAYOUT).expect("a file");
    }
    machine
}

/// A shell of this machine.
const LAYOUT: &str = r#"{ "version": 1, "saved_at": "2026-01-01T00:00:00Z", "active": 0, "tabs": [
  { "tree": { "pane": { "session": null, "name": "here", "tag": "t-1", "start": {} } },
    "focus": 0, "zoomed": false } ] }"#;

/// Actions whose effect shows with the next key: tmux's prefix, then the key for its clock.
const SHOWN_BY: &[(Action, &str)] = &[(Action::PaneSendPrefix, "t")];

/// Actions that undo something, with what has to be done before.
const AFTER: &[(Action, Scope, Action)] = &[
    (Action::Back, Scope::Sessions, Action::SessionsMark),
    (
        Action::SessionsUnmarkAll,
        Scope::Sessions,
        Action::SessionsMark,
    ),
    (Action::SessionsFold, Scope::Sessions, Action::SessionsGroup),
    (
        Action::SessionsFoldAll,
        Scope::Sessions,
        Action::SessionsGroup,
    ),
    (
        Action::SessionsUnfold,
        Scope::Sessions,
        Action::SessionsGroup,
    ),
];

/// Actions that run another action, so that another one is reported.
const RUNS_OTHERS: &[Action] = &[Action::HelpRun, Action::PaletteRun];

/// Actions that ask the daemon first, and then open the launcher. It must not open when the next place is already shown.
const OPENS_LATER: &[Action] = &[Action::SessionAgain, Action::SessionSameHome];

/// The opposite of a movement, by which it leaves the end of a list or row.
fn opposite(action: Action) -> Option<Action> {
    const PAIRS: &[(&str, &str)] = &[
        ("down", "up"),
        ("first", "last"),
        ("next", "previous"),
        ("left", "right"),
        ("more", "less"),
        ("wider", "narrower"),
        ("unfold", "fold"),
        ("page-1", "page-2"),
        ("tab.running", "tab.finished"),
    ];
    let name = action.name();
    let others = PAIRS
        .iter()
        .flat_map(|(one, other)| [name.replace(one, other), name.replace(other, one)]);
    let mut found = others.filter(|it| it != name);
    found.find_map(|it| Action::from_name(&it))
}

/// Presses a key in the places of its scope. Returns why it is dead.
fn dead(
    typist: &mut Typist<'_>,
    (scope, is_there): (Scope, bool),
    keys: &str,
    action: Action,
) -> Option<String> {
    let mut why = String::new();
    let (places, fields) = (views::places(scope), views::fields(scope));
    for place in 0..places {
        if !is_there {
            typist.return_to_list();
            typist.reach(scope, place);
        }
        for field in 0..fields {
            let is_last = place + 1 == places && field + 1 == fields;
            why = match attempt(typist, scope, keys, action, is_last) {
                Ok(()) => return None,
                Err(why) => why,
            };
            if field + 1 < fields {
                typist.act(scope, Action::LauncherNext);
            }
        }
    }
    Some(why)
}

fn attempt(
    typist: &mut Typist<'_>,
    scope: Scope,
    keys: &str,
    action: Action,
    waits: bool,
) -> Result<(), String> {
    let mut pressed: Vec<Key> = sequence(keys);
    if let Some((_, more)) = SHOWN_BY.iter().find(|(it, _)| *it == action) {
        pressed.extend(sequence(more));
    }
    if let Some((_, of, before)) = AFTER.iter().find(|(it, ..)| *it == action)
        && matches!(scope, Scope::Global | Scope::Sessions)
    {
        typist.act(*of, *before);
        typist.drawn();
    }
    let other = opposite(action);
    let mut effect = typist.has_effect(&pressed, waits && other.is_none());
    if OPENS_LATER.contains(&action) {
        effect |= typist.launcher_opens();
    }
    if !effect && let Some(other) = other {
        if scope == Scope::Leader {
            typist.reach(scope, 0);
        }
        typist.act(scope, other);
        typist.drawn();
        if scope == Scope::Leader {
            typist.act(Scope::Terminal, Action::TerminalLeader);
            typist.drawn();
        }
        effect = typist.has_effect(&pressed, waits);
    }
    let wanted = (scope.name(), action.name());
    let invoked = typist.invoked();
    if !typist.terminal.has_ended() && !RUNS_OTHERS.contains(&action) && invoked != Some(wanted) {
        return Err(format!("invokes {invoked:?}"));
    }
    if effect {
        Ok(())
    } else {
        Err(format!("has no effect on\n{}", typist.screen()))
    }
}

/// The bindings to press: all, or those that differ from the keymap `base`.
fn bindings(keymap: &Keymap, base: Option<&Keymap>, scope: Scope) -> Vec<(String, Action)> {
    let mut all = keymap.bindings(scope);
    if let Some(base) = base {
        let known = base.bindings(scope);
        all.retain(|it| !known.contains(it));
    }
    if scope == Scope::Global {
        // The list has other meanings for some of these keys.
        let list = keymap.next_keys(Scope::Sessions, &[]);
        all.retain(|(keys, _)| {
            let first = keys.split(' ').next().unwrap_or_default();
            !list.iter().any(|(key, _)| key.to_string() == first)
        });
    }
    all
}

/// All scopes but that of the tour, which has a test of its own.
fn reached() -> Vec<Scope> {
    let all = Scope::ALL.into_iter();
    all.filter(|it| *it != Scope::Tour).collect()
}

fn press_all(name: &'static str, base: Option<&str>, scopes: &[Scope]) {
    let machine = ground();
    let mut typist = Typist::start(&machine, name);
    let base = base.map(|it| Keymap::builtin(it).expect("a keymap"));
    let mut all = Vec::new();
    let mut pressed = 0;
    // For trying some scopes by name: `WORKBAY_TEST_SCOPES="themes settings"`.
    let only = std::env::var("WORKBAY_TEST_SCOPES").ok();
    let is_wanted = |scope: &&Scope| {
        only.as_ref()
            .is_none_or(|only| only.split(' ').any(|it| it == scope.name()))
    };
    for scope in scopes.iter().filter(is_wanted) {
        typist.start_over();
        let keys = bindings(&typist.keymap.clone(), base.as_ref(), *scope);
        pressed += keys.len();
        all.extend(press_scope(&mut typist, *scope, keys));
    }
    assert!(
        all.is_empty(),
        "{} of {pressed} keys are dead:\n{}",
        all.len(),
        all.join("\n")
    );
}

/// Presses the keys of a scope. Returns the dead ones with the reasons.
fn press_scope(
    typist: &mut Typist<'_>,
    scope: Scope,
    bindings: Vec<(String, Action)>,
) -> Vec<String> {
    let mut all = Vec::new();
    // A movement stays in the view, so the next one needs no way back.
    let has_one_place = views::places(scope) == 1 && views::fields(scope) == 1;
    let keeps_keys = !matches!(
        scope,
        Scope::Leader | Scope::Terminal | Scope::Input | Scope::Global
    );
    let mut is_there = false;
    for (keys, action) in bindings {
        let place = format!(
            "{} [{}] {keys} -> {}",
            typist.name,
            scope.name(),
            action.name()
        );
        // What changes the list would change it for the next key.
        let of_list = matches!(scope, Scope::Global | Scope::Sessions | Scope::Columns);
        if of_list && !action.is_movement() {
            typist.start_over();
        }
        let stays = is_there && action.is_movement();
        let tried = || dead(typist, (scope, stays), &keys, action);
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(tried)) {
            Ok(why) => {
                is_there = has_one_place && keeps_keys && action.is_movement() && why.is_none();
                all.extend(why.map(|why| format!("{place}: {why}")));
            }
            // The way to the view is missing, so its other keys can't be pressed either.
            Err(_) => {
                all.push(format!("{place}: the view was never reached"));
                typist.start_again();
                break;
            }
        }
    }
    all
}

#[test]
#[ignore = "presses more than 500 keys, which takes minutes: run it by name"]
fn no_key_of_the_default_keymap_is_dead() {
    press_all("default", None, &reached());
}

#[test]
#[ignore = "presses hundreds of keys, which takes minutes: run it by name"]
fn no_key_of_the_vim_keymap_is_dead() {
    press_all("vim", Some("default"), &reached());
}

#[test]
#[ignore = "presses hundreds of keys, which takes minutes: run it by name"]
fn no_key_of_the_emacs_keymap_is_dead() {
    press_all("emacs", Some("default"), &reached());
}

#[test]
#[ignore = "presses hundreds of keys, which takes minutes: run it by name"]
fn no_key_of_the_k9s_keymap_is_dead() {
    press_all("k9s", Some("default"), &reached());
}

#[test]
#[ignore = "presses hundreds of keys, which takes minutes: run it by name"]
fn no_key_of_the_arrows_keymap_is_dead() {
    press_all("arrows", None, &reached());
}
