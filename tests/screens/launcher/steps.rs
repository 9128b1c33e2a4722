//! The launcher's steps by Enter, there and back, and what they show.

use workbay::{
    app::launcher::Launcher,
    app::{effect::Effect, launcher::FolderRow},
    model::{
        catalogue::Catalogue,
        folder::Folder,
        id::ContextName,
        request::{ContextRequest, SessionRequest},
        spec::LaunchRequest,
    },
    protocol::message::{Reply, Request},
};

use super::{launches, offer};
use crate::{
    screen::Screen,
    steps::{answered, working_day},
};

/// The launcher, opened on a machine with these folders.
fn opened(columns: u16, rows: u16, folders: &[&str]) -> Screen {
    let catalogue = Catalogue {
        folders: folders.iter().map(|it| Folder::own(it, "local")).collect(),
        ..offer()
    };
    answered(working_day(columns, rows).press("n"), catalogue)
}

/// The line below the one with `above`.
fn below(screen: &Screen, above: &str) -> String {
    let text = screen.text();
    let mut lines = text.lines().skip_while(|line| !line.contains(above));
    lines.nth(1).unwrap_or_default().to_owned()
}

/// The last line: the keys that matter.
fn footer(screen: &Screen) -> String {
    let text = screen.text();
    text.lines().last().unwrap_or_default().to_owned()
}

#[test]
fn enter_alone_comes_from_the_list_to_a_session() {
    for folders in [&[][..], &["data", "models"][..]] {
        let mut screen = opened(80, 24, folders);
        for heading in [
            "Type ",
            "Preset",
            "create a folder",
            "Open ports",
            "Launch ",
        ] {
            assert!(screen.sees(heading), "{heading}: {}", screen.text());
            screen = screen.press("enter");
        }
        assert!(launches(&screen).is_empty(), "it asks for a folder once");
        let screen = screen.press("enter");
        assert_eq!(launches(&screen).len(), 1, "{}", screen.text());
        assert!(screen.wishes().len() == 1, "{:?}", screen.wishes());
    }
}

#[test]
fn a_letter_on_its_line_begins_a_new_folder() {
    let screen = opened(80, 24, &[]).press("alt-3");
    insta::assert_snapshot!(screen.text());
    // None of these is a key of the launcher or of the list here.
    let screen = screen.typed("qrs");
    insta::assert_snapshot!(screen.text());
    assert!(footer(&screen).contains("create"), "{}", footer(&screen));
    let screen = screen.press("enter");
    let wish = Request::context(ContextName::local(), ContextRequest::create_folder("qrs"));
    assert_eq!(screen.wishes(), [&wish]);
    // Keys typed while it is created mean nothing else, and launch nothing without it.
    let screen = screen.typed("q").press("alt-enter");
    assert!(screen.sees("being created") && launches(&screen).is_empty());
    let screen = screen.answer(
        |r| matches!(r.of_context(), Some(ContextRequest::Folder { .. })),
        Ok(Reply::Folder {
            folder: Box::new(Folder::own("qrs", "local")),
        }),
    );
    assert!(screen.sees("[▪] qrs"), "{}", screen.text());
    let screen = screen.press("enter");
    assert!(screen.sees("Open ports"), "{}", screen.text());
    let screen = screen.press("enter enter");
    assert_eq!(launches(&screen)[0].mounts[0].folder, "qrs");
}

#[test]
fn escape_drops_the_name_and_then_closes() {
    let screen = opened(80, 24, &[]).press("alt-3 space").typed("data");
    let screen = screen.press("esc");
    assert!(!screen.sees("data ") && screen.sees("create a folder"));
    // Begun and left empty: Enter is the Enter of any line.
    let screen = screen.press("+ enter");
    assert!(screen.sees("Open ports") && screen.wishes().is_empty());
    assert!(!screen.press("esc").is_open::<Launcher>());
    // A search is left the same way.
    let screen = opened(80, 24, &["data", "models"]).press("alt-3 /");
    let screen = screen.typed("mo");
    assert!(!screen.sees("data"), "{}", screen.text());
    let screen = screen.press("esc");
    assert!(screen.sees("data") && screen.is_open::<Launcher>());
}

/// Three folders mounted, the first and the last of them where they cannot be.
fn badly_mounted(columns: u16, rows: u16) -> Screen {
    opened(columns, rows, &["a-one", "b-two", "c-three"])
        .press("alt-3 space down")
        .typed("../etc")
        .press("down space down")
        .typed("same")
        .press("down space down")
        .typed("same")
}

#[test]
fn what_is_wrong_with_a_folder_is_below_its_own_path() {
    for (columns, rows) in [(80, 24), (140, 40)] {
        let screen = badly_mounted(columns, rows);
        let first = below(&screen, "../etc");
        assert!(
            first.contains("a-one") && first.contains("Don't use the parts"),
            "{first}"
        );
        let text = screen.text();
        let at = |what: &str| text.lines().position(|line| line.contains(what));
        let last = at("c-three: another folder").unwrap();
        assert_eq!(last, at("c-three").unwrap() + 2, "{text}");
        assert!(last < at("create a folder").unwrap());
        assert!(!text.contains("b-two:"), "that one is right: {text}");
        insta::assert_snapshot!(format!("folders_wrong_{columns}x{rows}"), text);
    }
}

#[test]
fn a_card_leads_to_what_is_wrong_and_enter_leads_back() {
    let screen = badly_mounted(80, 24).press("ctrl-r up up enter");
    let row = screen.panel::<Launcher>().row();
    assert_eq!(FolderRow::of(row), FolderRow::Path(0));
    // Fixed, then straight back to the next one that is wrong.
    let screen = screen.press("ctrl-u").typed("in");
    assert!(footer(&screen).contains("back to review"));
    let screen = screen.press("enter up up enter");
    let row = screen.panel::<Launcher>().row();
    assert_eq!(FolderRow::of(row), FolderRow::Path(2));
    let screen = screen.press("ctrl-u enter");
    assert!(screen.sees("Command line"), "{}", screen.text());
    let screen = screen.press("enter");
    let paths: Vec<String> = launches(&screen)[0]
        .mounts
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(paths, ["a-one:in", "b-two:same", "c-three"]);
}

#[test]
fn on_the_way_enter_goes_to_the_next_step_and_from_the_review_back_to_it() {
    let screen = opened(80, 24, &[]);
    assert!(footer(&screen).contains("next step"));
    let screen = screen.press("ctrl-r alt-1");
    assert!(footer(&screen).contains("back to review") && !footer(&screen).contains("next step"));
    let screen = screen.press("enter");
    assert!(screen.sees("Command line"), "{}", screen.text());
    // Another key goes page by page.
    let screen = screen.press("alt-1 ctrl-n");
    assert!(screen.sees("Preset"), "{}", screen.text());
}

#[test]
fn launching_and_each_card_are_explained() {
    let screen = opened(80, 24, &[]).press("ctrl-r F1");
    insta::assert_snapshot!(screen.text());
    assert!(screen.sees("PENDING"));
    let mut screen = screen;
    for answered in [
        "Ports of programs",
        "outlive",
        "resources of each",
        "batch session",
    ] {
        screen = screen.press("F1 up F1");
        assert!(screen.sees(answered), "{answered}: {}", screen.text());
    }
}

#[test]
fn nothing_is_promised_while_something_is_wrong() {
    for (columns, rows) in [(100, 30), (140, 40), (200, 50)] {
        let screen = opened(columns, rows, &[]);
        assert!(screen.sees("starts now"), "{}", screen.text());
        let screen = screen.press("up right");
        assert!(!screen.sees("starts now") && screen.sees("1 problem"));
        assert!(!screen.press("ctrl-r").sees("starts now"));
    }
}

#[test]
fn a_step_has_its_whole_name() {
    for (columns, rows) in [(100, 30), (140, 40), (200, 50)] {
        let screen = opened(columns, rows, &[]);
        let text = screen.text();
        let mut words = text.split(|c: char| c == '│' || c.is_whitespace());
        assert!(text.contains("2 Environments &"), "{text}");
        assert!(words.any(|word| word == "allocation"), "{text}");
    }
    insta::assert_snapshot!(opened(200, 50, &[]).press("ctrl-r").text());
    insta::assert_snapshot!(opened(100, 16, &[]).text());
}

#[test]
fn the_name_of_a_recipe_is_replaced_by_what_is_typed() {
    let saved = |screen: &Screen| {
        let saved = screen.effects().iter().find_map(|effect| match effect {
            Effect::SaveRecipe { path, .. } => Some(path.to_string_lossy().into_owned()),
            _ => None,
        });
        saved.unwrap()
    };
    let asked = || opened(80, 24, &[]).typed("train-1").press("ctrl-r s");
    assert_eq!(saved(&asked().press("enter")), "train-1.toml");
    assert_eq!(saved(&asked().typed("same").press("enter")), "same.toml");
    assert_eq!(saved(&asked().typed("a.toml").press("enter")), "a.toml");
    let screen = asked().press("home").typed("my-").press("enter");
    assert_eq!(saved(&screen), "my-train-1.toml");
}

#[test]
fn launched_again_a_session_keeps_its_name_while_that_is_free() {
    for (keys, ended) in [("2 .", true), ("j j .", false)] {
        let screen = working_day(80, 24).press(keys);
        let name = screen
            .app
            .mirror
            .sessions()
            .find(|it| Some(it.key()) == screen.app.sessions.selected())
            .unwrap()
            .name
            .to_string();
        let launch = Box::new(LaunchRequest {
            name: Some(name.clone()),
            environment: Some("python:3.12-slim".to_owned()),
            ..LaunchRequest::default()
        });
        let screen = screen.answer(
            |r| matches!(r.of_session(), Some(SessionRequest::Again)),
            Ok(Reply::Again {
                launch,
                missing: Vec::new(),
            }),
        );
        let screen = screen.press("enter");
        let wanted = if ended { name } else { format!("{name}-2") };
        assert_eq!(launches(&screen)[0].name.as_deref(), Some(wanted.as_str()));
    }
}

#[test]
fn the_list_says_how_to_launch_again_where_there_is_room() {
    let wide = footer(&working_day(140, 40));
    assert!(
        wide.contains(". relaunch") && wide.contains("H recent"),
        "{wide}"
    );
    let narrow = footer(&working_day(80, 24));
    assert!(
        narrow.contains("? help") && narrow.contains("q quit"),
        "{narrow}"
    );
}
