use std::ffi::OsString;

use super::{
    testing::{directory, file, listing},
    *,
};
use crate::{
    action::Action,
    app::{
        panels::Panel as _,
        testing::TestEnv,
        transfers::{FileClipboard, TransferJob, TransferStep},
    },
    key::Key,
    model::{files::FileListing, id::ContextName},
};

fn place() -> FilePlace {
    FilePlace::Folder {
        context: ContextName::local(),
        folder: "data".to_owned(),
    }
}

fn name(text: &str) -> FileName {
    FileName(OsString::from(text))
}

/// Answers the page that the explorer needs.
fn load(explorer: &mut Explorer, listing: FileListing) {
    let step = explorer.ask_page().expect("a page is missing");
    let Step::Ask {
        purpose: Purpose::Explorer(asked),
        ..
    } = step
    else {
        panic!("{step:?}");
    };
    explorer.answered(asked, Ok(Reply::Files { listing }));
}

fn loaded() -> Explorer {
    let mut explorer = Explorer::new(place(), FilePath::root());
    explorer.laid_out(10, &TestEnv::default().env());
    let entries = vec![directory("models"), file("a.txt", 1), file("b.txt", 2)];
    load(&mut explorer, listing(entries));
    explorer
}

fn act(explorer: &mut Explorer, action: Action) -> Vec<Step> {
    explorer.action(action, None, &TestEnv::default().env())
}

#[test]
fn the_marked_entry_stays_marked_when_others_appear() {
    let mut explorer = loaded();
    act(&mut explorer, Action::ListLast);
    assert_eq!(explorer.entry().unwrap().name, name("b.txt"));
    explorer.reload();
    let mut entries = vec![directory("models")];
    entries.extend((0..50).map(|n| file(&format!("a-{n}"), n)));
    entries.push(file("b.txt", 2));
    load(&mut explorer, listing(entries));
    assert_eq!(explorer.entry().unwrap().name, name("b.txt"));
    explorer.reload();
    load(&mut explorer, listing(vec![file("c.txt", 3)]));
    assert_eq!(explorer.entry().unwrap().name, name("c.txt"));
}

#[test]
fn the_directory_that_was_left_is_marked_above_it() {
    let mut explorer = loaded();
    act(&mut explorer, Action::ExplorerOpen);
    assert_eq!(explorer.directory.path().to_string(), "models");
    load(&mut explorer, listing(vec![file("x", 1)]));
    act(&mut explorer, Action::ExplorerParent);
    let entries = vec![directory("a"), directory("models"), file("a.txt", 1)];
    load(&mut explorer, listing(entries));
    assert_eq!(explorer.entry().unwrap().name, name("models"));
    let steps = act(&mut explorer, Action::ExplorerParent);
    assert!(matches!(steps[..], [Step::Toast { .. }]), "{steps:?}");
    assert!(explorer.directory.path().is_root());
}

#[test]
fn chosen_entries_that_are_gone_arent_chosen() {
    let mut explorer = loaded();
    act(&mut explorer, Action::ListDown);
    act(&mut explorer, Action::ExplorerMark);
    act(&mut explorer, Action::ExplorerMark);
    assert_eq!(explorer.chosen(), (2, 3));
    explorer.reload();
    load(&mut explorer, listing(vec![file("a.txt", 1)]));
    assert_eq!(explorer.chosen(), (1, 1));
    act(&mut explorer, Action::ExplorerMarkAll);
    assert_eq!(explorer.chosen().0, 0);
}

#[test]
fn after_an_engine_is_connected_again_the_marks_are_unchanged() {
    let mut explorer = loaded();
    act(&mut explorer, Action::ListLast);
    act(&mut explorer, Action::ExplorerMark);
    explorer.reload();
    let step = explorer.ask_page().expect("a page is missing");
    let Step::Ask {
        purpose: Purpose::Explorer(asked),
        ..
    } = step
    else {
        panic!("{step:?}");
    };
    explorer.answered(asked, Err(Failure::lost("the engine is disconnected")));
    assert_eq!((explorer.directory.count(), explorer.chosen()), (0, (1, 2)));
    assert!(explorer.ask_page().is_none(), "it isn't asked in a loop");
    explorer.engine_up(ContextName::new("other").unwrap());
    assert!(explorer.ask_page().is_none());
    explorer.engine_up(ContextName::local());
    let entries = vec![directory("models"), file("a.txt", 1), file("b.txt", 2)];
    load(&mut explorer, listing(entries));
    assert_eq!(explorer.chosen(), (1, 2));
    assert_eq!(explorer.entry().unwrap().name, name("b.txt"));
}

#[test]
fn escape_closes_the_innermost_thing() {
    let mut explorer = loaded();
    let env = TestEnv::default();
    act(&mut explorer, Action::ExplorerFilter);
    for letter in "txt".chars() {
        explorer.key(Key::char(letter), &env.env());
    }
    assert_eq!(explorer.directory.options().filter.as_deref(), Some("txt"));
    load(&mut explorer, listing(vec![file("a.txt", 1)]));
    explorer.submit(&env.env());
    act(&mut explorer, Action::ExplorerMark);
    act(&mut explorer, Action::Back);
    assert_eq!(explorer.directory.options().filter, None);
    assert_eq!(explorer.chosen().0, 1);
    act(&mut explorer, Action::Back);
    assert_eq!(explorer.chosen().0, 0);
    assert_eq!(act(&mut explorer, Action::Back), [Step::CLOSE]);
}

#[test]
fn a_directory_isnt_pasted_into_itself() {
    let mut env = TestEnv::default();
    env.connect();
    let mut explorer = loaded();
    act(&mut explorer, Action::ExplorerOpen);
    let clip = |paths: &[&str], moves| {
        let path = |text: &&str| FilePath::parse(text.as_ref()).unwrap();
        TransferStep::Clip(FileClipboard {
            from: place(),
            paths: paths.iter().map(path).collect(),
            moves,
        })
    };
    env.transfers.step(clip(&["models"], false));
    let steps = explorer.action(Action::ExplorerPaste, None, &env.env());
    assert!(matches!(steps[..], [Step::Toast { .. }]), "{steps:?}");
    env.transfers.step(clip(&["models/x"], true));
    let steps = explorer.action(Action::ExplorerPaste, None, &env.env());
    assert!(matches!(steps[..], [Step::Toast { .. }]), "{steps:?}");
    env.transfers.step(clip(&["a.txt"], true));
    let steps = explorer.action(Action::ExplorerPaste, None, &env.env());
    assert!(
        matches!(
            &steps[..],
            [Step::Transfer(TransferStep::Start(TransferJob::Copy {
                moves: true,
                ..
            }))]
        ),
        "{steps:?}"
    );
}

#[test]
fn a_name_that_isnt_text_is_renamed_byte_by_byte() {
    use std::os::unix::ffi::OsStringExt as _;
    let mut env = TestEnv::default();
    env.connect();
    let mut explorer = Explorer::new(place(), FilePath::root());
    let mut odd = file("", 1);
    odd.name = FileName(OsString::from_vec(b"bad\xff\x1b[31m".to_vec()));
    let exact = odd.name.clone();
    load(&mut explorer, listing(vec![odd]));
    explorer.action(Action::ExplorerRename, None, &env.env());
    let shown = explorer.prompt_line().unwrap().input.text().to_owned();
    assert!(!shown.contains('\x1b'));
    explorer.key(Key::char('x'), &env.env());
    let steps = explorer.submit(&env.env());
    let [
        Step::Ask {
            request:
                Request::Files {
                    request: FileRequest::Rename { from, to },
                    ..
                },
            ..
        },
    ] = &steps[..]
    else {
        panic!("{steps:?}");
    };
    assert_eq!(from.name(), Some(exact.0.as_os_str()));
    assert_eq!(
        to.name().unwrap().to_str(),
        Some(format!("{shown}x").as_str())
    );
}
