//! What a launch runs in, on an engine of ours: images by hand, a search that is taken back.

use workbay::{
    app::launcher::{Launcher, Page, StepMark},
    model::{
        catalogue::{AcceleratorKind, Catalogue, ResourceGroup},
        change::Change,
        environment::Environment,
        launch_field::LaunchField,
        request::ContextRequest,
        resources::{Bytes, Cpu, ResourceSlots},
        text::Clean,
    },
    protocol::message::{Reply, Request},
};

use crate::{
    screen::Screen,
    world::{day, environments, snapshot},
};

fn page(columns: u16, rows: u16) -> Screen {
    Screen::new(columns, rows)
        .daemon(snapshot(day()))
        .press("n alt-2")
}

fn mark(screen: &Screen) -> StepMark {
    screen.panel::<Launcher>().mark(Page::Allocation)
}

fn chosen(screen: &Screen) -> Option<String> {
    let launcher = screen.panel::<Launcher>();
    launcher.request().environment.clone()
}

/// How often environments were asked for.
fn asked(screen: &Screen) -> usize {
    let questions = screen.questions();
    let of =
        questions.filter(|(_, it)| matches!(it.of_context(), Some(ContextRequest::Environments)));
    of.count()
}

#[test]
fn a_missing_image_is_reported_while_it_is_typed_and_may_be_launched() {
    let screen = page(80, 24).press("tab").typed("busibox:1.35");
    let why = "not on this engine yet: will be pulled from docker.io";
    assert!(screen.sees(why), "{}", screen.text());
    assert!(screen.sees("you mean busybox:1.35?"), "{}", screen.text());
    insta::assert_snapshot!(screen.text());
    let right = screen
        .press("ctrl-u")
        .typed("docker.io/library/busybox:1.35");
    assert!(right.sees("is busybox:1.35"), "{}", right.text());
    assert_eq!(mark(&right), StepMark::Done);
    let review = right
        .press("ctrl-u")
        .typed("quay.io/team/tool:1")
        .press("ctrl-r");
    assert!(
        review.sees("will be pulled from quay.io"),
        "{}",
        review.text()
    );
    assert!(!review.sees(": not on this engine"), "{}", review.text());
    // The second time is for the folder that is not mounted.
    let launched = review.press("enter enter");
    let sent = |(_, it): (_, &Request)| matches!(it, Request::Launch { .. });
    assert!(launched.questions().any(sent), "{}", launched.text());
}

#[test]
fn what_would_have_to_be_pulled_is_dim_below_what_is_here() {
    for (columns, rows) in [(80, 24), (140, 40)] {
        let context = workbay::model::id::ContextName::local();
        let screen = page(columns, rows).notice(Change::Environments {
            context,
            environments: with_catalogue(),
        });
        insta::assert_snapshot!(screen.text());
        assert!(screen.sees("not pulled yet"), "{}", screen.text());
        let chosen = screen.typed("jupyter").press("tab");
        let why = "not on this engine yet: will be pulled from quay.io";
        assert!(chosen.sees(why), "{}", chosen.text());
    }
}

/// What is here, and some of the catalogue that is not.
fn with_catalogue() -> Vec<Environment> {
    let absent = |label: &str, image: &str| {
        let (name, version) = label.split_once(':').unwrap();
        let mut absent = Environment {
            name: Clean::new(name),
            version: Clean::new(version),
            ..Environment::of_image(image)
        };
        absent.facts.known_as = Some(Clean::new(label));
        absent
    };
    let mut all = environments();
    all.truncate(3);
    all.extend([
        absent("python:3.13", "docker.io/library/python:3.13"),
        absent("python:3.12", "docker.io/library/python:3.12"),
        absent(
            "jupyter:python-3.12",
            "quay.io/jupyter/scipy-notebook:python-3.12",
        ),
        absent("alpine:3.21", "docker.io/library/alpine:3.21"),
    ]);
    all
}

#[test]
fn amounts_follow_the_environment_that_is_moved_to() {
    let mut all = with_catalogue();
    all[1].facts.minimum.mem = Bytes(2 * Bytes::GIB);
    let context = workbay::model::id::ContextName::local();
    let screen = page(80, 24).notice(Change::Environments {
        context,
        environments: all,
    });
    let mem = |screen: &Screen| screen.panel::<Launcher>().request().mem;
    let before = mem(&screen);
    let below = screen.press("down");
    assert!(
        mem(&below) >= Some(Bytes(2 * Bytes::GIB)),
        "{}",
        below.text()
    );
    assert_eq!(mem(&below.press("up")), before);
}

#[test]
fn an_image_that_was_pulled_meanwhile_is_looked_for() {
    let screen = page(80, 24).press("tab").typed("new:1");
    let before = asked(&screen);
    let screen = screen.press("tab");
    assert_eq!(asked(&screen), before + 1);
    let mut all = environments();
    all[1].source = workbay::model::environment::EnvironmentSource::Image {
        reference: "new:1".to_owned(),
    };
    let context = workbay::model::id::ContextName::local();
    let screen = screen.notice(Change::Environments {
        context,
        environments: all,
    });
    assert_eq!(mark(&screen), StepMark::Done, "{}", screen.text());
    // One that is there is not looked for.
    let before = asked(&screen);
    assert_eq!(asked(&screen.press("shift-tab tab")), before);
}

#[test]
fn esc_takes_a_search_back_and_leaving_keeps_what_it_found() {
    let screen = page(80, 24).typed("torch");
    assert_eq!(chosen(&screen).as_deref(), Some("pytorch:2.4-cuda12"));
    insta::assert_snapshot!(screen.text());
    let screen = screen.press("esc");
    assert_eq!(chosen(&screen).as_deref(), Some("host:debian-12"));
    assert!(screen.is_open::<Launcher>(), "Esc took the search only");
    let left = screen.typed("torch").press("tab shift-tab ctrl-u");
    assert_eq!(chosen(&left).as_deref(), Some("pytorch:2.4-cuda12"));
    let closed = page(80, 24).press("esc");
    assert!(!closed.is_open::<Launcher>(), "nothing was searched");
}

/// A machine with shares of a GPU.
fn shares(columns: u16, rows: u16) -> Screen {
    let mut slots = ResourceSlots::new(Cpu::from_millis(8000), Bytes(16 * Bytes::GIB));
    slots.accelerators.insert("cuda.shares".to_owned(), 5000);
    let catalogue = Catalogue {
        resource_groups: vec![ResourceGroup {
            name: Clean::new("default"),
            using: ResourceSlots::default(),
            remaining: slots.clone(),
            waiting: Some(0),
            capacity: Some(slots),
            free: None,
            free_by_agent: None,
        }],
        accelerators: vec![AcceleratorKind {
            slot: "cuda.shares".to_owned(),
            unit: Clean::new("fGPU"),
            note: Some(Clean::new("5 fGPU = 1 GPU")),
            shares_per_device: Some(5),
        }],
        quanta: [("cuda.shares".to_owned(), 100)].into(),
        ..Catalogue::default()
    };
    let reply = Reply::Catalogue {
        catalogue: Box::new(catalogue),
    };
    Screen::new(columns, rows)
        .daemon(snapshot(day()))
        .press("n")
        .answer(
            |it| matches!(it.of_context(), Some(ContextRequest::Catalogue { .. })),
            Ok(reply),
        )
        .press("alt-2")
}

/// To the row of a field.
fn to(mut screen: Screen, field: LaunchField) -> Screen {
    for _ in 0..20 {
        if screen.panel::<Launcher>().row().field == field {
            return screen;
        }
        screen = screen.press("tab");
    }
    panic!("no row {field:?}\n{}", screen.text());
}

#[test]
fn shares_have_one_unit_and_a_cluster_says_why_they_are_whole() {
    let screen = to(shares(140, 40), LaunchField::Accelerator).typed("0.5");
    let screen = to(screen, LaunchField::ClusterSize).typed("3");
    let why = "fGPU (cuda.shares) must be whole in a cluster session. Use 1, 2 or more";
    assert!(screen.sees(why), "{}", screen.text());
    let review = screen.press("ctrl-r");
    insta::assert_snapshot!(review.text());
    for expected in ["0.5 fGPU", "1.5 fGPU", "5 fGPU = 1 GPU", "cuda.shares=0.5"] {
        assert!(review.sees(expected), "{expected}: {}", review.text());
    }
}
