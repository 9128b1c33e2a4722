//! The launcher: its pages, what is wrong on each, what lies on top of it, and the way through it.

use jiff::SignedDuration;
use workbay::{
    app::{effect::Effect, msg::Msg},
    model::{
        catalogue::{Catalogue, Folder, OwnerChoices, Policy, ResourceGroup},
        change::Change,
        id::ContextName,
        launch::LaunchField as Field,
        recent::{Recent, RecentEdit},
        resources::{Bytes, Cpu, ResourceSlots},
        session::SessionType,
        span::Span,
        spec::LaunchRequest,
        status::Status,
        text::Clean,
    },
    protocol::message::{Failure, FailureKind, Reply, Request},
};

use crate::{
    screen::{Screen, noon},
    world::{busy, day, key, session, snapshot},
};

fn slots(cores: u64, gib: u64) -> ResourceSlots {
    ResourceSlots::new(Cpu::from_millis(cores * 1000), Bytes(gib * Bytes::GIB))
}

fn folder(name: &str, permission: &str) -> Folder {
    Folder {
        permission: Clean::new(permission),
        is_owner: permission == "rw",
        ..Folder::own(name, "local")
    }
}

/// What this machine offers.
fn offer() -> Catalogue {
    Catalogue {
        resource_groups: vec![ResourceGroup {
            name: Clean::new("default"),
            using: slots(5, 17),
            remaining: slots(3, 14),
            waiting: Some(0),
            capacity: Some(slots(8, 31)),
        }],
        folders: vec![
            folder("datasets", "ro"),
            folder("models", "rw"),
            folder("자료-모음", "rw"),
            folder(".cache", "rw"),
        ],
        policy: Policy {
            max_containers_per_session: Some(4),
            ..Policy::default()
        },
        ..Catalogue::default()
    }
}

fn told(screen: Screen, offer: Catalogue) -> Screen {
    let catalogue = Box::new(offer);
    screen.answer(
        |r| matches!(r, Request::Catalogue { .. }),
        Ok(Reply::Catalogue { catalogue }),
    )
}

fn list(columns: u16, rows: u16) -> Screen {
    Screen::new(columns, rows)
        .daemon(snapshot(day()))
        .notice(Change::Usage { samples: busy() })
}

/// The launcher, opened, the catalogue told.
fn opened(columns: u16, rows: u16) -> Screen {
    told(list(columns, rows).press("n"), offer())
}

fn launches(screen: &Screen) -> Vec<LaunchRequest> {
    let asked = screen.questions().filter_map(|(_, request)| match request {
        Request::Launch { launch, .. } => Some((**launch).clone()),
        _ => None,
    });
    asked.collect()
}

const SIZES: [(u16, u16); 2] = [(80, 24), (140, 40)];

fn shown(name: &str, keys: &str, pages: impl Fn(Screen) -> Screen) {
    for (columns, rows) in SIZES {
        let screen = pages(opened(columns, rows).press(keys));
        insta::assert_snapshot!(format!("{name}_{columns}x{rows}"), screen.text());
    }
}

/// Of a batch session, everything of the first page filled in.
fn batch(screen: Screen) -> Screen {
    screen
        .press("up right down")
        .typed("nightly")
        .press("tab")
        .typed("python train.py")
        .press("enter")
        .typed("python report.py")
        .press("tab")
        .typed("+2h")
        .press("tab")
        .typed("90m")
}

#[test]
fn page_one() {
    shown("type", "", |screen| screen);
    shown("type_of_a_batch_session", "", batch);
    shown("type_with_problems", "up right down", |screen| {
        screen
            .typed("세션")
            .press("tab tab")
            .typed("yesterday")
            .press("tab")
            .typed("soon")
            .press("tab")
            .typed("101")
    });
}

#[test]
fn page_three() {
    shown("data", "alt-3 down space", |screen| screen);
    shown(
        "data_with_a_problem",
        "alt-3 space down down down space down",
        |screen| screen.typed("../etc"),
    );
    shown("data_with_a_new_folder", "alt-3 +", |screen| {
        screen.typed("models")
    });
}

#[test]
fn page_four() {
    shown("network", "alt-4", |screen| screen.typed("8080, 9000-9002"));
    shown("network_with_a_problem", "alt-4", |screen| {
        screen.typed("8080 7681")
    });
}

#[test]
fn page_five() {
    shown("review", "ctrl-r", |screen| screen);
    shown("review_of_a_batch_session", "", |screen| {
        batch(screen)
            .press("alt-3 down space alt-4")
            .typed("8080")
            .press("ctrl-r")
    });
    shown("review_with_problems", "", |screen| {
        screen
            .typed("no")
            .press("alt-4")
            .typed("80")
            .press("ctrl-r up")
    });
    shown("review_asks_twice", "alt-enter", |screen| screen);
}

#[test]
fn on_a_small_terminal() {
    for (page, name) in [(1, "type"), (3, "data"), (4, "network"), (5, "review")] {
        let screen = opened(60, 16).press(&format!("alt-{page}"));
        insta::assert_snapshot!(format!("small_{name}"), screen.text());
    }
    let screen = opened(50, 10);
    assert!(!screen.sees("Launch"), "{}", screen.text());
    assert!(screen.resize(80, 24).sees("Launch a session"));
}

#[test]
fn every_field_is_explained() {
    let screen = opened(80, 24).press("F1");
    insta::assert_snapshot!(screen.text());
    assert!(!screen.press("F1").sees("made up: eight"));
    let screen = opened(80, 24).press("alt-4 F1");
    assert!(screen.sees("10 at most"), "{}", screen.text());
    // Who types on has read it.
    let screen = screen.typed("8080");
    assert!(!screen.sees("10 at most") && screen.sees("8080"));
}

#[test]
fn a_newcomers_first_launch_takes_four_keys() {
    let screen = told(list(80, 24).press("n"), offer()).press("ctrl-r enter");
    assert!(launches(&screen).is_empty());
    assert!(screen.sees("no folder is mounted"), "{}", screen.text());
    let screen = screen.press("enter");
    let [launch] = &launches(&screen)[..] else {
        panic!("{:?}", screen.wishes());
    };
    assert!(launch.environment.as_deref().unwrap().starts_with("host"));
    assert_eq!(launch.name, None);
}

#[test]
fn going_on_step_by_step_comes_to_the_launch() {
    let screen = opened(80, 24)
        .typed("train-1")
        .press("enter enter space enter enter");
    assert!(screen.sees("Command line"), "{}", screen.text());
    let screen = screen.press("enter");
    let [launch] = &launches(&screen)[..] else {
        panic!("{}", screen.text());
    };
    assert_eq!(launch.name.as_deref(), Some("train-1"));
    assert_eq!(launch.mounts[0].to_string(), "datasets:ro");
}

#[test]
fn a_batch_session_is_asked_for_as_it_was_typed() {
    let screen = batch(opened(80, 24)).press("alt-enter enter");
    let [launch] = &launches(&screen)[..] else {
        panic!("{}", screen.text());
    };
    assert_eq!(launch.session_type, SessionType::Batch);
    let command = "python train.py\npython report.py";
    assert_eq!(launch.startup_command.as_deref(), Some(command));
    assert_eq!(launch.timeout, Some(Span(5_400)));
    assert_eq!(
        launch.starts_at,
        Some(noon() + SignedDuration::from_hours(2))
    );
}

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
        |r| matches!(r, Request::Again { .. }),
        Ok(Reply::Again { launch }),
    )
}

#[test]
fn a_regular_launches_again_with_two_keys() {
    let screen = again(list(80, 24).press("j j ."), before());
    assert!(screen.sees("train-resnet-"), "{}", screen.text());
    let screen = told(screen, offer()).press("enter");
    let [launch] = &launches(&screen)[..] else {
        panic!("{}", screen.text());
    };
    let name = launch.name.clone().unwrap();
    assert!(name.starts_with("train-resnet-") && name.len() == "train-resnet-".len() + 4);
    let mut expected = before();
    expected.name = Some(name);
    assert_eq!(launch.mounts, expected.mounts);
    assert_eq!((launch.cpu, launch.mem), (expected.cpu, expected.mem));
    assert_eq!(launch.preopen_ports, expected.preopen_ports);
    // One without a folder went without one before: it is not asked for again.
    let mut bare = before();
    bare.mounts.clear();
    let screen = told(again(list(80, 24).press("j j ."), bare), offer());
    assert_eq!(launches(&screen.press("enter")).len(), 1);
}

#[test]
fn launched_again_what_is_gone_or_kept_nowhere_is_asked_for() {
    let mut launch = before();
    launch.environment = Some("vanished:1.0".to_owned());
    launch.env.insert("API_TOKEN".to_owned(), String::new());
    launch.mounts.push("gone".parse().unwrap());
    let screen = told(again(list(80, 24).press("j j ."), launch), offer());
    insta::assert_snapshot!(screen.text());
    let blocked = screen.press("enter");
    assert!(launches(&blocked).is_empty(), "{}", blocked.text());
}

#[test]
fn a_made_up_name_is_made_up_anew() {
    let mut launch = before();
    launch.name = Some("a1b2c3d4-session".to_owned());
    let screen = told(again(list(80, 24).press("j ."), launch), offer()).press("enter");
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
fn launches_of_before_are_a_key_away() {
    for (columns, rows) in SIZES {
        let screen = recalled(list(columns, rows).press("H"));
        insta::assert_snapshot!(
            format!("recents_{columns}x{rows}"),
            screen.press("down down").text()
        );
    }
    let screen = recalled(list(80, 24).press("H")).press("down enter");
    assert!(screen.sees("train-resnet-") && screen.app.recents.is_none());
    assert_eq!(launches(&told(screen, offer()).press("enter")).len(), 1);
    let screen = recalled(list(80, 24).press("H")).press("down p");
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
    assert!(screen.app.recents.is_none());
}

#[test]
fn nothing_typed_is_lost_without_a_question() {
    assert!(opened(80, 24).press("esc").app.launcher.is_none());
    let screen = opened(80, 24).typed("train-1").press("ctrl-n esc");
    insta::assert_snapshot!(screen.text());
    let kept = screen.press("esc alt-1");
    assert!(kept.sees("train-1"), "{}", kept.text());
    // Enter presses the harmless button.
    let kept = kept.press("esc enter");
    assert!(kept.app.launcher.is_some());
    let reset = kept.press("alt-r y");
    assert!(!reset.sees("train-1"), "{}", reset.text());
    assert!(reset.press("esc").app.launcher.is_none());
    let closed = opened(80, 24).typed("train-1").press("esc y");
    assert!(closed.app.launcher.is_none());
}

#[test]
fn a_refusal_stands_beside_its_field() {
    let failure = Failure::new(
        FailureKind::Refused,
        "the name 'train-2' is taken by a session",
    )
    .with_help("choose another name")
    .about(Field::Name);
    let screen = opened(80, 24)
        .typed("train-2")
        .press("alt-enter enter")
        .answer(|r| matches!(r, Request::Launch { .. }), Err(failure));
    insta::assert_snapshot!(screen.text());
    // It is mended on the spot.
    let screen = screen.typed("b").press("alt-enter enter");
    assert_eq!(launches(&screen).len(), 2);
    assert_eq!(launches(&screen)[1].name.as_deref(), Some("train-2b"));
}

#[test]
fn what_was_launched_is_told_with_the_keys_for_it() {
    let launched = session(50, "brand-new", Status::Pending, 0);
    let reply = Reply::Launched {
        sessions: vec![launched.clone()],
        failure: None,
    };
    let screen = opened(80, 24)
        .press("alt-enter enter")
        .answer(|r| matches!(r, Request::Launch { .. }), Ok(reply))
        .notice(Change::Session {
            session: Box::new(launched),
        });
    insta::assert_snapshot!(screen.text());
    assert_eq!(screen.app.sessions.selected(), Some(key(50)));
}

#[test]
fn a_folder_is_made_in_place_and_mounted() {
    let screen = opened(80, 24)
        .press("alt-3 +")
        .typed("results")
        .press("enter");
    let wish = Request::CreateFolder {
        context: ContextName::local(),
        name: "results".to_owned(),
    };
    assert_eq!(screen.wishes(), [&wish]);
    let screen = screen.answer(
        |r| matches!(r, Request::CreateFolder { .. }),
        Ok(Reply::Folder {
            folder: folder("results", "rw"),
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
        screen.sees("there is a folder models already"),
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
fn the_command_line_that_does_the_same_is_copied() {
    let screen = opened(80, 24).typed("train-1").press("ctrl-r y");
    let copied = screen.effects().iter().find_map(|effect| match effect {
        Effect::Copy { text, .. } => Some(text.clone()),
        _ => None,
    });
    let line = copied.unwrap();
    assert!(
        line.starts_with("workbay launch --name train-1 --env host"),
        "{line}"
    );
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
    let screen = screen.tell(Msg::Edited { ticket, result });
    assert!(screen.sees("echo two"), "{}", screen.text());
    // An editor that failed changes nothing.
    let screen = screen.press("alt-e");
    let Some(Effect::Edit { ticket, .. }) = screen.effects().last().cloned() else {
        panic!("{:?}", screen.effects().last());
    };
    let result = Err(Clean::new("the editor failed"));
    let screen = screen.tell(Msg::Edited { ticket, result });
    assert!(screen.sees("echo two") && screen.sees("the editor failed"));
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
    let broken = screen.tell(Msg::Recipe { ticket, result });
    assert!(broken.sees("did you mean cpu?") && broken.sees("mine.toml"));
    let screen = broken.press("enter");
    let Some(Effect::ReadRecipe { ticket, .. }) = screen.effects().last().cloned() else {
        panic!("{:?}", screen.effects().last());
    };
    let mut recipe = before();
    recipe.name = Some("from-a-recipe".to_owned());
    let result = Ok(Box::new(recipe));
    let screen = screen.tell(Msg::Recipe { ticket, result });
    assert!(screen.sees("from-a-recipe"), "{}", screen.text());
    let screen = screen.press("enter");
    assert_eq!(launches(&screen)[0].name.as_deref(), Some("from-a-recipe"));
}

#[test]
fn an_owner_is_looked_up_before_a_key_is_chosen() {
    let screen = opened(80, 24).press("tab tab tab").typed("kim@lab.example");
    assert!(screen.sees("look the person up first"), "{}", screen.text());
    let screen = screen.press("enter");
    let wish = Request::FindOwner {
        context: ContextName::local(),
        email: "kim@lab.example".to_owned(),
    };
    assert_eq!(screen.wishes(), [&wish]);
    let owner = OwnerChoices {
        email: Clean::new("kim@lab.example"),
        access_keys: vec![Clean::new("AKIA1"), Clean::new("AKIA2")],
        projects: vec![Clean::new("vision")],
    };
    let screen = screen.answer(
        |r| matches!(r, Request::FindOwner { .. }),
        Ok(Reply::Owner { owner }),
    );
    insta::assert_snapshot!(screen.text());
    let screen = screen.press("tab right ctrl-r");
    let launcher = screen.app.launcher.as_ref().unwrap();
    let owner = launcher.request().owner.clone().unwrap();
    assert_eq!(owner.access_key, "AKIA2");
    assert_eq!(launcher.request().project.as_deref(), Some("vision"));
}

#[test]
fn a_click_goes_to_a_step_and_to_a_row() {
    let screen = opened(80, 24);
    let text = screen.text();
    let (y, line) = text
        .lines()
        .enumerate()
        .find(|(_, line)| line.contains("3 Data"))
        .unwrap();
    let x = line.split("3 Data").next().unwrap().chars().count();
    let screen = screen.click(u16::try_from(x).unwrap(), u16::try_from(y).unwrap());
    assert!(screen.sees("create a folder"), "{}", screen.text());
    let text = screen.text();
    let y = text
        .lines()
        .position(|line| line.contains("models"))
        .unwrap();
    let screen = screen
        .click(10, u16::try_from(y).unwrap())
        .press("space alt-enter");
    assert_eq!(launches(&screen)[0].mounts[0].folder, "models");
}
