//! What single fields can do: explain themselves, find and make a folder, open the editor, look up a
//! user.

use workbay::{
    app::launcher::Launcher,
    app::{effect::Effect, msg::Msg},
    model::{catalogue::OwnerChoices, id::ContextName, request::ContextRequest, text::Clean},
    protocol::message::{Reply, Request},
};

use super::{folder, launches, opened};

#[test]
fn every_field_is_explained() {
    let screen = opened(80, 24).press("F1");
    insta::assert_snapshot!(screen.text());
    assert!(screen.sees("esc close"));
    let screen = screen.press("F1");
    assert!(!screen.sees("esc close"));
    // There is room for the explanation below the fields, too.
    assert!(screen.sees("generated: eight"), "{}", screen.text());
    let screen = opened(80, 24).press("alt-4 F1");
    assert!(screen.sees("max 10"), "{}", screen.text());
    // Who types on has read it.
    let screen = screen.typed("8080");
    assert!(!screen.sees("esc close") && screen.sees("8080"));
}

#[test]
fn a_folder_is_made_in_place_and_mounted() {
    let screen = opened(80, 24)
        .press("alt-3 +")
        .typed("results")
        .press("enter");
    let wish = Request::context(
        ContextName::local(),
        ContextRequest::create_folder("results"),
    );
    assert_eq!(screen.wishes(), [&wish]);
    let screen = screen.answer(
        |r| matches!(r.of_context(), Some(ContextRequest::Folder { .. })),
        Ok(Reply::Folder {
            folder: Box::new(folder("results", "rw")),
        }),
    );
    assert!(screen.sees("[▪] results"), "{}", screen.text());
    let screen = screen.press("alt-enter");
    assert_eq!(launches(&screen)[0].mounts[0].folder, "results");
    // A name that is taken is said before anything is asked.
    let screen = opened(80, 24)
        .press("alt-3 +")
        .typed("models")
        .press("enter");
    assert!(screen.wishes().is_empty());
    assert!(
        screen.sees("folder models already exists"),
        "{}",
        screen.text()
    );
}

#[test]
fn folders_are_searched() {
    let screen = opened(80, 24)
        .press("alt-3 /")
        .typed("자료")
        .press("enter space");
    assert!(!screen.sees("datasets"), "{}", screen.text());
    let screen = screen.press("alt-enter");
    assert_eq!(launches(&screen)[0].mounts[0].folder, "자료-모음");
}

#[test]
fn a_long_command_shows_where_it_is_typed() {
    let command = format!("python train.py {} --the-end", "--option value ".repeat(8));
    let screen = opened(80, 24).press("up right down tab").typed(&command);
    assert!(screen.sees("--the-end"), "{}", screen.text());
    assert!(!screen.sees("python train.py"), "{}", screen.text());
    let screen = screen.press("home");
    assert!(screen.sees("python train.py"), "{}", screen.text());
}

#[test]
fn a_command_is_written_in_the_editor() {
    let screen = opened(80, 24)
        .press("up right down tab")
        .typed("echo one")
        .press("alt-e");
    let Some(Effect::Edit { ticket, text }) = screen.effects().last().cloned() else {
        panic!("{:?}", screen.effects().last());
    };
    assert_eq!(text, "echo one");
    let result = Ok("echo one\necho two\n".to_owned());
    let screen = screen.send(Msg::Edited { ticket, result });
    assert!(screen.sees("echo two"), "{}", screen.text());
    // An editor that failed changes nothing.
    let screen = screen.press("alt-e");
    let Some(Effect::Edit { ticket, .. }) = screen.effects().last().cloned() else {
        panic!("{:?}", screen.effects().last());
    };
    let result = Err(Clean::new("the editor failed"));
    let screen = screen.send(Msg::Edited { ticket, result });
    assert!(screen.sees("echo two") && screen.sees("The editor failed"));
}

#[test]
fn an_owner_is_looked_up_before_a_key_is_chosen() {
    let screen = opened(80, 24)
        .press("tab tab tab tab tab tab")
        .typed("kim@lab.example");
    assert!(
        screen.sees("look the user up first: press Enter in this field"),
        "{}",
        screen.text()
    );
    let screen = screen.press("enter");
    let wish = Request::context(
        ContextName::local(),
        ContextRequest::FindOwner {
            email: "kim@lab.example".to_owned(),
        },
    );
    assert_eq!(screen.wishes(), [&wish]);
    let owner = OwnerChoices {
        email: Clean::new("kim@lab.example"),
        access_keys: vec![Clean::new("AKIA1"), Clean::new("AKIA2")],
        projects: vec![Clean::new("vision")],
    };
    let screen = screen.answer(
        |r| matches!(r.of_context(), Some(ContextRequest::FindOwner { .. })),
        Ok(Reply::Owner { owner }),
    );
    insta::assert_snapshot!(screen.text());
    let screen = screen.press("tab right ctrl-r");
    let launcher = screen.panel::<Launcher>();
    let owner = launcher.request().owner.clone().unwrap();
    assert_eq!(owner.access_key, "AKIA2");
    assert_eq!(launcher.request().project.as_deref(), Some("vision"));
}
