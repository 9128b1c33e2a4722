//! Why an image is not available: logins, addresses, architectures, each a sentence.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use crate::{
    machine::Machine,
    registry::{Here, Image, PASSWORD, Registry, USER, is_here, write_login},
    wait,
};

/// The error of a pull that fails.
#[track_caller]
fn refused(machine: &Machine, image: &str) -> String {
    let output = machine.workbay(&["env", "pull", image]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{image} was pulled");
    said
}

/// A machine whose own Docker configuration is this one.
fn logged_in(config: &Path) -> Machine {
    let mut machine = Machine::new();
    machine.set("DOCKER_CONFIG", &config.to_string_lossy());
    machine
}

/// None of our files contains the login.
fn assert_nothing_reported(machine: &Machine) {
    let mut folders = vec![machine.path("state")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a directory").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(bytes) = fs::read(&path) {
                let text = String::from_utf8_lossy(&bytes);
                assert!(!text.contains(PASSWORD), "{} contains it", path.display());
            }
        }
    }
}

#[test]
fn a_private_registry_is_logged_in_to_as_docker_does() {
    let registry = Registry::private();
    let reference = format!("{}/{}", registry.host(), registry.put(&Image::small()));
    let image = Here(reference);
    let dir = tempfile::tempdir().expect("a directory");

    let none = dir.path().join("none");
    fs::create_dir(&none).expect("a directory");
    let said = refused(&logged_in(&none), &image.0);
    assert!(said.contains("requires a login"), "{said}");
    assert!(
        said.contains(&format!("docker login {}", registry.host())),
        "{said}"
    );

    let wrong = dir.path().join("wrong");
    write_login(&wrong, &registry.host(), "another");
    let said = refused(&logged_in(&wrong), &image.0);
    assert!(said.contains("the login of"), "{said}");
    assert!(said.contains("wrong/config.json"), "{said}");

    let broken = dir.path().join("broken");
    fs::create_dir(&broken).expect("a directory");
    fs::write(broken.join("config.json"), "{\"auths\": {\"secret").expect("a file");
    let said = refused(&logged_in(&broken), &image.0);
    assert!(said.contains("can't be read from"), "{said}");
    assert!(!said.contains("secret"), "{said}");

    let right = dir.path().join("right");
    write_login(&right, &registry.host(), PASSWORD);
    let machine = logged_in(&right);
    machine.ok(&["env", "pull", &image.0]);
    assert!(is_here(&image.0));
    assert_nothing_reported(&machine);
}

#[test]
fn a_credential_helper_is_asked() {
    let registry = Registry::private();
    let reference = format!("{}/{}", registry.host(), registry.put(&Image::small()));
    let image = Here(reference);
    let dir = tempfile::tempdir().expect("a directory");
    let (host, config) = (registry.host(), dir.path().join("config"));
    let helpers = format!(r#"{{"credHelpers": {{"{host}": "workbay-test"}}}}"#);
    fs::create_dir(&config).expect("a directory");
    fs::write(config.join("config.json"), helpers).expect("a file");
    let script = format!(
        "#!/bin/sh\nread server || :\n[ \"$1 $server\" = \"get {host}\" ] || exit 1\n\
         echo '{{\"ServerURL\":\"{host}\",\"Username\":\"{USER}\",\"Secret\":\"{PASSWORD}\"}}'\n"
    );
    let helper = dir.path().join("docker-credential-workbay-test");
    fs::write(&helper, script).expect("a file");
    fs::set_permissions(&helper, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let path = std::env::var("PATH").unwrap_or_default();

    let said = refused(&logged_in(&config), &image.0);
    assert!(said.contains("docker-credential-workbay-test"), "{said}");

    let mut machine = logged_in(&config);
    machine.set("PATH", &format!("{}:{path}", dir.path().display()));
    machine.ok(&["env", "pull", &image.0]);
    assert!(is_here(&image.0));
    assert_nothing_reported(&machine);
}

#[test]
fn what_cannot_be_had_is_a_sentence() {
    let registry = Registry::start();
    let machine = Machine::new();
    for (image, sentence) in [
        (
            "127.0.0.1:1/team/tool:1".to_owned(),
            "the registry 127.0.0.1:1 can't be reached: no program listens at this address",
        ),
        (
            "registry.invalid/team/tool:1".to_owned(),
            "the registry registry.invalid can't be reached",
        ),
        (format!("{}/team/tool:1", registry.host()), "has no image"),
        ("Not An Image".to_owned(), "invalid image"),
    ] {
        let said = refused(&machine, &image);
        assert!(said.contains(sentence), "{image}: {said}");
    }
    // The same error for a session, and nothing is left of it.
    let words = [
        "launch",
        "--image",
        "127.0.0.1:1/team/tool:1",
        "--name",
        "luckless",
    ];
    machine.ok(&words);
    let ended = wait::until(
        "it is reported",
        || machine.json(&["show", "luckless", "--json"]),
        |it| it["status"] == "ERROR",
    );
    assert_eq!(ended["status_info"], "pull-failed");
    let why = ended["status_message"].as_str().unwrap_or_default();
    assert!(why.contains("no program listens at this address"), "{why}");
    assert!(machine.containers().is_empty());
}

#[test]
fn an_image_of_another_architecture_is_refused_and_not_kept() {
    let registry = Registry::start();
    let reference = format!("{}/{}", registry.host(), registry.put(&Image::foreign()));
    let image = Here(reference);
    let said = refused(&Machine::new(), &image.0);
    assert!(said.contains("is for s390x processors"), "{said}");
    assert!(said.contains("the engine's machine is"), "{said}");
    assert!(!is_here(&image.0));
}
