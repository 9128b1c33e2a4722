//! Tests that the environment of a launch exists, as far as this is known without the engine.

use crate::rules::launch::{check::warnings, tests::*};

fn host(unavailable: Option<&str>) -> Environment {
    Environment {
        name: "host".into(),
        version: "debian-12".into(),
        source: EnvironmentSource::Host,
        unavailable: unavailable.map(Into::into),
        ..environment()
    }
}

/// An engine that workbay schedules.
fn ours() -> Capabilities {
    Capabilities {
        missing: vec![(Capability::Schedules, "workbay decides".into())],
        open_streams_keep_alive: false,
    }
}

/// The problems and the warnings.
fn said(
    request: &LaunchRequest,
    all: &[Environment],
    capabilities: Option<&Capabilities>,
) -> [Vec<(LaunchField, String)>; 2] {
    let ground = Ground {
        environment: super::super::environment::find(request, all, "host"),
        environments: all,
        capabilities,
        ..Ground::at(now())
    };
    let mut warned = reported(warnings(request, &ground));
    warned.retain(|(field, _)| *field == LaunchField::Image);
    [reported(check(request, &ground)), warned]
}

fn image(text: &str) -> LaunchRequest {
    LaunchRequest {
        image: Some(text.to_owned()),
        ..LaunchRequest::default()
    }
}

#[test]
fn an_image_that_is_not_on_an_engine_of_ours_is_pulled() {
    let all = [host(None), environment()];
    for fine in ["python:3.12", "docker.io/library/python:3.12", "python"] {
        assert_eq!(said(&image(fine), &all, Some(&ours())), [[], []], "{fine}");
    }
    for (missing, sentence) in [
        (
            "python:3.13",
            "not on this engine yet: will be pulled from docker.io (did you mean python:3.12?)",
        ),
        (
            "quay.io/nothing/like:it",
            "not on this engine yet: will be pulled from quay.io",
        ),
    ] {
        let word = (LaunchField::Image, sentence.to_owned());
        let said = said(&image(missing), &all, Some(&ours()));
        assert_eq!(said, [vec![], vec![word]]);
    }
    // An invalid image reference is reported once.
    let [problems, _] = said(&image("a b"), &all, Some(&ours()));
    assert_eq!(problems.len(), 1, "{problems:?}");
    let absent = Environment {
        absent: true,
        ..environment()
    };
    let chosen = LaunchRequest {
        environment: Some("python".to_owned()),
        ..LaunchRequest::default()
    };
    let ground = Ground {
        environment: Some(&absent),
        ..Ground::at(now())
    };
    let warned = reported(warnings(&chosen, &ground));
    assert_eq!(warned[0].0, LaunchField::Environment);
}

#[test]
fn a_manager_may_take_an_image_that_it_does_not_list() {
    let all = [environment()];
    let [problems, warned] = said(&image("python:3.13"), &all, Some(&able()));
    assert_eq!(problems, []);
    let word = "not in the image list of this cluster. Did you mean python:3.12?";
    assert_eq!(warned, [(LaunchField::Image, word.to_owned())]);
    assert_eq!(said(&image("python:3.12"), &all, Some(&able())), [[], []]);
}

#[test]
fn nothing_is_said_of_images_before_they_are_reported() {
    for capabilities in [None, Some(ours()), Some(able())] {
        let said = said(&image("python:3.13"), &[], capabilities.as_ref());
        assert_eq!(said, [[], []]);
    }
    // The kind of engine must be known too.
    assert_eq!(
        said(&image("python:3.13"), &[environment()], None),
        [[], []]
    );
}

#[test]
fn an_environment_must_be_there_and_launchable() {
    let asked = |name: &str| LaunchRequest {
        environment: Some(name.to_owned()),
        ..LaunchRequest::default()
    };
    let problem = |name: &str, all: &[Environment]| {
        let [problems, _] = said(&asked(name), all, Some(&ours()));
        let only = problems.first().cloned();
        only.map(|(field, sentence)| {
            assert_eq!(field, LaunchField::Environment);
            sentence
        })
    };
    let all = [host(None), environment()];
    assert_eq!(problem("python", &all), None);
    assert_eq!(
        problem("hsot", &all).unwrap(),
        "environment 'hsot' not found on this engine. Did you mean host?"
    );
    assert_eq!(
        problem("nothing", &all).unwrap(),
        "environment 'nothing' not found on this engine. Choose another one"
    );
    assert_eq!(
        problem("host", &[host(Some("another machine's"))]).unwrap(),
        "host:debian-12 isn't available on this engine: another machine's"
    );
}
