//! Images that you created from sessions: copying their reference, and removing them. And the prompt for another one.

use workbay::{
    app::{effect::Effect, launcher::Launcher, panels::commit::CommitForm},
    model::{
        capability::{Capability, EngineState},
        environment::{Customized, Environment, EnvironmentSource, ImageFacts},
        failure::Failure,
        own_image::ImageRequest,
        request::ContextRequest,
        status::Status,
        text::Clean,
    },
    protocol::message::{Reply, Request},
};

use super::offer;
use crate::{
    screen::Screen,
    steps::answered,
    world::{environments, image, session, snapshot},
};

fn reference(name: &str) -> String {
    format!("localhost/workbay/kim/python:3.12-customized_{name}")
}

fn own(name: &str) -> Environment {
    let chip = format!("Customized: {name}");
    Environment {
        name: Clean::new("python"),
        version: Clean::new(&format!("3.12-customized_{name}")),
        source: EnvironmentSource::Image {
            reference: reference(name),
        },
        size: None,
        unavailable: None,
        absent: false,
        facts: ImageFacts {
            group: Some(Clean::new("My environments")),
            chips: vec![Clean::new(&chip)],
            customized: Some(Customized {
                name: Clean::new(name),
                owner: None,
            }),
            ..ImageFacts::default()
        },
    }
}

/// A context with own images, and a running session of an image.
fn with_images(columns: u16, rows: u16, names: &[&str]) -> Screen {
    let mut train = session(1, "train", Status::Running, 10);
    train.environment = image("python", "3.12-slim");
    train.home = Some("/data/sessions/1/home".to_owned());
    let mut snapshot = snapshot(vec![train]);
    if let EngineState::Connected { info } = &mut snapshot.contexts[0].engine {
        let missing = &mut info.capabilities.missing;
        missing.retain(|(capability, _)| *capability != Capability::Commit);
    }
    let all = environments().into_iter();
    snapshot.contexts[0].environments = all.chain(names.iter().map(|it| own(it))).collect();
    Screen::new(columns, rows).daemon(snapshot)
}

/// The launcher, with the image in the search.
fn searched(columns: u16, rows: u16) -> Screen {
    let screen = answered(
        with_images(columns, rows, &["my-tools"]).press("n"),
        offer(),
    );
    screen.press("ctrl-n").typed("my-tools")
}

fn removals(screen: &Screen) -> Vec<String> {
    let asked = screen
        .questions()
        .filter_map(|(_, request)| match request.of_context() {
            Some(ContextRequest::Image {
                request: ImageRequest::Remove { reference },
            }) => Some(reference.clone()),
            _ => None,
        });
    asked.collect()
}

fn is_removal(request: &Request) -> bool {
    matches!(
        request.of_context(),
        Some(ContextRequest::Image {
            request: ImageRequest::Remove { .. }
        })
    )
}

#[test]
fn the_reference_of_an_own_image_is_copied() {
    let screen = searched(120, 40);
    for text in [
        "Customized: my-tools",
        "alt-y copy reference",
        "ctrl-x remove image",
    ] {
        assert!(screen.sees(text), "{text}: {}", screen.text());
    }
    insta::assert_snapshot!("an_image_of_your_own", screen.text());
    let screen = screen.press("alt-y");
    let copied = screen.effects().iter().any(
        |effect| matches!(effect, Effect::Copy { text, .. } if *text == reference("my-tools")),
    );
    assert!(copied, "{}", screen.text());
}

#[test]
fn an_own_image_is_removed_after_a_question_and_not_while_a_session_uses_it() {
    let asked = searched(120, 40).press("ctrl-x");
    assert!(
        asked.sees("Your image my-tools is deleted"),
        "{}",
        asked.text()
    );
    assert!(removals(&asked.press("n")).is_empty());
    let asked = searched(120, 40).press("ctrl-x y");
    assert_eq!(removals(&asked), [reference("my-tools")]);
    let removed = asked.answer(is_removal, Ok(Reply::Done));
    assert!(
        removed.is_open::<Launcher>() && removed.sees("Image my-tools removed"),
        "{}",
        removed.text()
    );
    let refused = Failure::refused("the image is used by train").hint("terminate train first");
    let refused = searched(120, 40)
        .press("ctrl-x y")
        .answer(is_removal, Err(refused));
    assert!(refused.is_open::<Launcher>());
    assert!(
        refused.sees("he image is used by train"),
        "{}",
        refused.text()
    );
}

#[test]
fn only_own_images_can_be_removed() {
    let screen = answered(with_images(120, 40, &["my-tools"]).press("n"), offer());
    let screen = screen.press("ctrl-n").typed("pytorch").press("ctrl-x");
    assert!(
        screen.sees("Only images that you created"),
        "{}",
        screen.text()
    );
    assert!(removals(&screen).is_empty());
    let host = answered(with_images(120, 40, &[]).press("n"), offer());
    let host = host.press("ctrl-n").typed("host").press("alt-y");
    assert!(
        host.sees("This environment has no image"),
        "{}",
        host.text()
    );
}

#[test]
fn the_prompt_for_an_image_shows_how_many_you_may_have() {
    let screen = with_images(120, 40, &["my-tools", "cuda-base"]).press("i");
    assert!(screen.is_open::<CommitForm>());
    assert!(
        screen.sees("2 of 3 used (my-tools, cuda-base)"),
        "{}",
        screen.text()
    );
    let screen = with_images(80, 24, &["one-image", "my-tools", "cuda-base"]).press("i");
    assert!(screen.sees("3 of 3 used"), "{}", screen.text());
    insta::assert_snapshot!("no_more_images_80x24", screen.text());
    let screen = screen.typed("fourth").press("enter");
    assert!(screen.is_open::<CommitForm>() && screen.sees("Remove one in the launcher"));
}
