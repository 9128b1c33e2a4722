//! What was launched before, launched again: from a session, from the list of launches, from a recipe.

use jiff::SignedDuration;
use workbay::{
    app::panels::recents::Recents,
    app::{effect::Effect, msg::Msg},
    model::{
        id::ContextName,
        recent::{Recent, RecentEdit},
        request::SessionRequest,
        resources::{Bytes, Cpu},
        spec::LaunchRequest,
        text::Clean,
    },
    protocol::message::{Reply, Request},
};

use super::{SIZES, launches, offer, opened};
use crate::{
    screen::{Screen, noon},
    steps::{answered, working_day},
};

/// As the daemon remembers it: with a secret that it does not.
fn before() -> LaunchRequest {
    LaunchRequest {
        name: Some("train-resnet".to_owned()),
        environment: Some("python:3.12-slim".to_owned()),
        cpu: Some(Cpu::from_millis(2000)),
        mem: Some(Bytes(4 * Bytes::GIB)),
        mounts: vec!["models:out".parse().unwrap()],
        preopen_ports: vec![8080],
        ..LaunchRequest::default()
    }
}

fn again(screen: Screen, launch: LaunchRequest) -> Screen {
    let launch = Box::new(launch);
    screen.answer(
        |r| matches!(r.of_session(), Some(SessionRequest::Again)),
        Ok(Reply::Again {
            launch,
            missing: Vec::new(),
        }),
    )
}

#[test]
fn a_regular_launches_again_with_two_keys() {
    let screen = again(working_day(80, 24).press("j j ."), before());
    assert!(screen.sees("train-resnet-"), "{}", screen.text());
    let screen = answered(screen, offer()).press("enter");
    let [launch] = &launches(&screen)[..] else {
        panic!("{}", screen.text());
    };
    let name = launch.name.clone().unwrap();
    assert_eq!(name, "train-resnet-2", "the one of before runs");
    let mut expected = before();
    expected.name = Some(name);
    assert_eq!(launch.mounts, expected.mounts);
    assert_eq!((launch.cpu, launch.mem), (expected.cpu, expected.mem));
    assert_eq!(launch.preopen_ports, expected.preopen_ports);
    // One without a folder went without one before: it is not asked for again.
    let mut bare = before();
    bare.mounts.clear();
    let screen = answered(again(working_day(80, 24).press("j j ."), bare), offer());
    assert_eq!(launches(&screen.press("enter")).len(), 1);
}

#[test]
fn launched_again_what_is_gone_or_kept_nowhere_is_asked_for() {
    let mut launch = before();
    launch.environment = Some("vanished:1.0".to_owned());
    launch.env.insert("API_TOKEN".to_owned(), String::new());
    launch.mounts.push("gone".parse().unwrap());
    let screen = answered(again(working_day(80, 24).press("j j ."), launch), offer());
    insta::assert_snapshot!(screen.text());
    let blocked = screen.press("enter");
    assert!(launches(&blocked).is_empty(), "{}", blocked.text());
}

#[test]
fn a_made_up_name_is_made_up_again() {
    let mut launch = before();
    launch.name = Some("a1b2c3d4-session".to_owned());
    let screen = answered(again(working_day(80, 24).press("j ."), launch), offer()).press("enter");
    assert_eq!(launches(&screen)[0].name, None);
}

fn recents() -> Vec<Recent> {
    let recent = |id, title: &str, minutes, pinned| Recent {
        id,
        at: noon() - SignedDuration::from_mins(minutes),
        context: ContextName::local(),
        title: Clean::new(title),
        pinned,
        launch: before(),
    };
    let mut all = vec![
        recent(4, "매일 밤 학습", 4000, true),
        recent(9, "train-resnet", 3, false),
        recent(8, "notebook", 75, false),
    ];
    all[2].launch.environment = Some("vanished:1.0".to_owned());
    all
}

fn recalled(screen: Screen) -> Screen {
    let entries = recents();
    screen.answer(
        |r| matches!(r, Request::Recents | Request::EditRecent { .. }),
        Ok(Reply::Recents { entries }),
    )
}

#[test]
fn earlier_launches_take_one_key() {
    for (columns, rows) in SIZES {
        let screen = recalled(working_day(columns, rows).press("H"));
        insta::assert_snapshot!(
            format!("recents_{columns}x{rows}"),
            screen.press("down down").text()
        );
    }
    let screen = recalled(working_day(80, 24).press("H")).press("down enter");
    assert!(screen.sees("train-resnet-") && !screen.is_open::<Recents>());
    assert_eq!(launches(&answered(screen, offer()).press("enter")).len(), 1);
    let screen = recalled(working_day(80, 24).press("H")).press("down p");
    let edit = RecentEdit::Pin { pinned: true };
    assert!(
        screen
            .wishes()
            .contains(&&Request::EditRecent { id: 9, edit })
    );
    let screen = recalled(screen)
        .press("r ctrl-u")
        .typed("mine")
        .press("enter");
    let edit = RecentEdit::Rename {
        title: "mine".to_owned(),
    };
    assert!(
        screen
            .wishes()
            .contains(&&Request::EditRecent { id: 9, edit })
    );
    let screen = recalled(screen).press("esc");
    assert!(!screen.is_open::<Recents>());
}

#[test]
fn an_earlier_launch_does_not_take_the_place_of_a_typed_one_unasked() {
    let typed = || recalled(opened(80, 24).typed("half-done").press("ctrl-t"));
    let asked = typed().press("down enter");
    assert!(
        asked.sees("The chosen launch replaces this one"),
        "{}",
        asked.text()
    );
    let kept = asked.press("enter");
    assert!(
        kept.sees("half-done"),
        "Enter loses nothing: {}",
        kept.text()
    );
    let replaced = typed().press("down enter y");
    assert!(replaced.sees("train-resnet-"), "{}", replaced.text());
    // The settings of a session may arrive while another launch is typed.
    let late = again(
        working_day(80, 24).press("j j . n").typed("half-done"),
        before(),
    );
    assert!(late.sees("The chosen launch replaces this one"));
    assert!(late.press("enter").sees("half-done"));
    // Nothing was typed: nothing is asked.
    let fresh = recalled(opened(80, 24).press("ctrl-t")).press("down enter");
    assert!(fresh.sees("train-resnet-"), "{}", fresh.text());
}

#[test]
fn recipes_are_saved_and_opened() {
    let screen = opened(80, 24).typed("train-1").press("ctrl-r s enter");
    let saved = screen.effects().iter().find_map(|effect| match effect {
        Effect::SaveRecipe { path, launch, .. } => Some((path.clone(), launch.name.clone())),
        _ => None,
    });
    let (path, name) = saved.unwrap();
    assert_eq!(path.to_str(), Some("train-1.toml"));
    assert_eq!(name.as_deref(), Some("train-1"));
    let screen = opened(80, 24)
        .press("ctrl-r o")
        .typed("mine.toml")
        .press("enter");
    let Some(Effect::ReadRecipe { ticket, path }) = screen.effects().last().cloned() else {
        panic!("{:?}", screen.effects().last());
    };
    assert_eq!(path.to_str(), Some("mine.toml"));
    let why = "mine.toml:3:1: there is no setting 'cpus': did you mean cpu?";
    let result = Err(Clean::new(why));
    let broken = screen.send(Msg::Recipe { ticket, result });
    assert!(broken.sees("did you mean cpu?") && broken.sees("mine.toml"));
    let screen = broken.press("enter");
    let Some(Effect::ReadRecipe { ticket, .. }) = screen.effects().last().cloned() else {
        panic!("{:?}", screen.effects().last());
    };
    let mut recipe = before();
    recipe.name = Some("from-a-recipe".to_owned());
    let result = Ok(Box::new(recipe));
    let screen = screen.send(Msg::Recipe { ticket, result });
    assert!(screen.sees("from-a-recipe"), "{}", screen.text());
    let screen = screen.press("enter");
    assert_eq!(launches(&screen)[0].name.as_deref(), Some("from-a-recipe"));
}
