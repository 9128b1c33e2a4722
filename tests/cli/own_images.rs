//! Images of sessions on the command line: commit, list, launch, push, export, import, remove.

use std::{fs, process::Command};

use crate::{
    machine::{Machine, docker, launch},
    private_engine::PrivateEngine,
    registry::{self, Registry},
};

fn launched(machine: &Machine, name: &str) -> String {
    let image = base(name);
    machine.ok(&[
        "launch",
        "--env",
        &image,
        "--name",
        name,
        "--mem",
        "64m",
        "--set",
        "TOKEN=hunter2-cli",
        "--wait",
    ]);
    let write = "echo kept > /scratch/x; echo lost > /home/work/y";
    machine.ok(&["exec", name, "--", "sh", "-c", write]);
    image
}

/// An image of a static busybox with a directory that all users may write.
fn base(name: &str) -> String {
    let reference = format!("workbay-test/cli-{name}-{}:1", std::process::id());
    let dir = tempfile::tempdir().unwrap();
    let archive = archive(&dir);
    docker(&["import", archive.to_str().unwrap(), &reference]);
    reference
}

/// The files of that image.
fn archive(dir: &tempfile::TempDir) -> std::path::PathBuf {
    let archive = dir.path().join("base.tar");
    let script = "mkdir -p bin scratch && cp /bin/busybox bin/ && chmod 777 scratch && for it in sh \
                  cat echo ls test sleep env dd rm du; do ln -s busybox bin/$it; done && tar -cf base.tar bin \
                  scratch && chmod 644 base.tar";
    let made = Command::new("sh")
        .args(["-c", script])
        .current_dir(dir.path())
        .status()
        .unwrap();
    assert!(made.success());
    archive
}

/// Removes the images of a test, also after a failure.
struct Images {
    references: Vec<String>,
    /// Of the image that was created from a session.
    name: String,
}

impl Drop for Images {
    fn drop(&mut self) {
        let filter = format!("label=ai.backend.customized-image.name={}", self.name);
        let made = docker_out(&["images", "-q", "--filter", &filter]);
        let made = made.lines().map(str::to_owned);
        for image in self.references.drain(..).chain(made) {
            let _ = Command::new("docker").args(["rmi", "-f", &image]).output();
        }
    }
}

#[test]
fn an_image_of_a_session_is_created_listed_launched_and_travels() {
    let machine = Machine::new();
    // Tests of other programs may have images of this user, too.
    let config = machine.path("config").join("config.toml");
    let settings = "[launch]\ncpu = 0.2\n[images]\nlimit = 0\n";
    fs::write(config, settings).unwrap();
    let name = format!("own-{}", std::process::id());
    let mut images = Images {
        references: vec![launched(&machine, "own-src")],
        name: name.clone(),
    };

    // A bad name and an unknown session.
    let (code, _, err) = crate::cli::run(&machine, &["commit", "own-src", "no"]);
    assert_eq!(code, 2, "{err}");
    let said = machine.ok(&["commit", "own-src", &name, "--wait"]);
    assert!(said.contains("localhost/workbay/"), "{said}");
    let listed = machine.json(&["image", "ls", "--mine", "--json"]);
    let all = listed.as_array().unwrap();
    let mine = all.iter().find(|it| it["name"] == name.as_str()).unwrap();
    let reference = mine["reference"].as_str().unwrap().to_owned();
    images.references.push(reference.clone());
    let inspected = docker_out(&["inspect", &reference]);
    assert!(!inspected.contains("hunter2-cli"), "{inspected}");

    // The name is taken.
    let (code, _, err) = crate::cli::run(&machine, &["commit", "own-src", &name]);
    assert_ne!(code, 0);
    assert!(err.contains("exists") && err.contains("image rm"), "{err}");

    // It is launched by its name, and isn't removed while it is used.
    machine.ok(&[
        "launch", "--env", &name, "--name", "own-use", "--mem", "64m", "--wait",
    ]);
    let seen = machine.ok(&[
        "exec",
        "own-use",
        "--",
        "sh",
        "-c",
        "cat /scratch/x; ls /home/work",
    ]);
    assert_eq!(seen, "kept\n");
    let (code, _, err) = crate::cli::run(&machine, &["image", "rm", &name, "--yes"]);
    assert_ne!(code, 0);
    assert!(err.contains("own-use"), "{err}");
    machine.ok(&["terminate", "own-use", "--force", "--yes", "--wait"]);

    // To a registry and back.
    let registry = Registry::start();
    let target = format!("{}/team/{}:1", registry.host(), registry::random_name());
    let (code, _, err) = crate::cli::run(&machine, &["image", "push", &name]);
    assert_eq!(code, 2, "it has no registry: {err}");
    let said = machine.ok(&["image", "push", &name, &target]);
    assert_eq!(said, format!("pushed {target}\n"));
    images.references.push(target.clone());
    let file = machine.path("image.tar");
    let file = file.to_str().unwrap();
    machine.ok(&["image", "export", &name, file]);
    let (code, _, err) = crate::cli::run(&machine, &["image", "export", &name, file]);
    assert_ne!(code, 0);
    assert!(err.contains("--force"), "{err}");
    let removed = machine.ok(&["image", "rm", &name, "--yes"]);
    assert_eq!(removed, format!("removed {reference}\n"));
    machine.ok(&["env", "pull", &target]);
    assert!(registry::is_here(&target));
    docker(&["rmi", &target]);

    // From the file.
    let foreign = machine.path("foreign");
    fs::write(&foreign, "not an archive").unwrap();
    let (code, _, err) = crate::cli::run(&machine, &["image", "import", foreign.to_str().unwrap()]);
    assert_ne!(code, 0);
    assert!(err.contains("isn't an archive"), "{err}");
    let half = machine.path("half.tar");
    let bytes = fs::read(file).unwrap();
    fs::write(&half, &bytes[..bytes.len() / 2]).unwrap();
    let (code, _, err) = crate::cli::run(&machine, &["image", "import", half.to_str().unwrap()]);
    assert_ne!(code, 0, "{err}");
    let said = machine.ok(&["image", "import", file]);
    assert_eq!(said, format!("imported {reference}\n"));
    let again = machine.json(&["image", "ls", "--mine", "--json"]);
    let again = again.as_array().unwrap().iter();
    let again: Vec<_> = again.filter(|it| it["name"] == name.as_str()).collect();
    assert_eq!(again[0]["id"], mine["id"], "it is the same image");
    machine.ok(&["image", "rm", &name, "--yes"]);
    machine.ok(&["terminate", "own-src", "--force", "--yes", "--wait"]);
}

fn docker_out(args: &[&str]) -> String {
    let output = Command::new("docker").args(args).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn batch_sessions_and_the_host_environment_have_no_image() {
    let machine = Machine::new();
    machine.ok(&launch("own-host", &["--wait"]));
    let (code, _, err) = crate::cli::run(&machine, &["commit", "own-host", "my-host"]);
    assert_ne!(code, 0);
    assert!(err.contains("host environment"), "{err}");
    assert!(
        err.contains("programs are those of this machine")
            && err.contains("in a session with an image"),
        "{err}"
    );
    machine.ok(&[
        "launch",
        "--env",
        "host",
        "--name",
        "own-batch",
        "--mem",
        "64m",
        "--batch",
        "--command",
        "sleep 600",
    ]);
    machine.ok(&["wait", "own-batch", "--for", "running"]);
    let (code, _, err) = crate::cli::run(&machine, &["commit", "own-batch", "my-batch"]);
    assert_ne!(code, 0);
    assert!(err.contains("interactive"), "{err}");
    machine.ok(&["terminate", "--all", "--force", "--yes", "--wait"]);
}

#[test]
fn an_image_is_pushed_to_a_registry_with_a_login_and_refused_without() {
    let mut machine = Machine::new();
    let config = machine.path("config").join("config.toml");
    fs::write(config, "[launch]\ncpu = 0.2\n[images]\nlimit = 0\n").unwrap();
    let registry = Registry::private();
    let target = format!("{}/team/{}:1", registry.host(), registry::random_name());
    let logins = machine.path("logins");
    let name = format!("login-{}", std::process::id());
    let mut images = Images {
        references: vec![target.clone()],
        name: name.clone(),
    };
    machine.set("DOCKER_CONFIG", &logins.to_string_lossy());
    images.references.push(launched(&machine, "own-login"));
    machine.ok(&["commit", "own-login", &name, "--wait"]);
    let push = ["image", "push", &name, &target];
    let refused = |machine: &Machine| {
        let (code, _, err) = crate::cli::run(machine, &push);
        assert_ne!(code, 0);
        assert!(!err.contains(registry::PASSWORD), "{err}");
        err
    };
    let err = refused(&machine);
    assert!(err.contains("login"), "{err}");
    registry::write_login(&logins, &registry.host(), "wrong");
    refused(&machine);
    // The login is read when it is needed: the daemon keeps running.
    registry::write_login(&logins, &registry.host(), registry::PASSWORD);
    assert_eq!(machine.ok(&push), format!("pushed {target}\n"));
    machine.ok(&["image", "rm", &name, "--yes"]);
    docker_out(&["rmi", "-f", &target]);
    machine.ok(&["env", "pull", &target]);
    assert!(registry::is_here(&target));
    machine.ok(&["terminate", "own-login", "--force", "--yes", "--wait"]);
}

/// The disk takes the session's files once and not twice. It has room for their bytes, so only storing them finds out.
#[test]
fn a_commit_on_a_full_disk_keeps_no_image_and_the_session_keeps_running() {
    let Some(engine) = PrivateEngine::start_on(6_000) else {
        return;
    };
    let mut machine = Machine::new();
    machine.set("DOCKER_HOST", &engine.endpoint());
    let settings = format!(
        "[launch]\ncpu = 0.5\n[images]\nlimit = 0\n[disk]\nlaunch-reserve = \"0\"\nkeep-free = \"0\"\n\
         [engine]\nendpoint = \"{}\"\n",
        engine.endpoint()
    );
    fs::write(machine.path("config/config.toml"), settings).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let archive = archive(&dir);
    engine.docker(&["import", archive.to_str().unwrap(), "base:1"]);
    machine.ok(&[
        "launch", "--env", "base:1", "--name", "own-full", "--mem", "64m", "--wait",
    ]);
    let sh = |line: &str| machine.ok(&["exec", "own-full", "--", "sh", "-c", line]);
    sh("i=0; while [ $i -lt 3500 ]; do echo $i > /scratch/$i; i=$((i + 1)); done");
    let commit = ["commit", "own-full", "too-large", "--wait"];
    let (code, _, err) = crate::cli::run(&machine, &commit);
    assert_ne!(code, 0);
    assert!(
        err.contains("its disk is full") && err.contains("docker system df"),
        "{err}"
    );
    let mine = || machine.json(&["image", "ls", "--mine", "--json"]);
    assert_eq!(mine(), serde_json::json!([]));
    let dangling = ["images", "-q", "--filter", "dangling=true"];
    assert_eq!(engine.docker(&dangling), "");
    assert_eq!(sh("cat /scratch/3499"), "3499\n");
    let session = machine.json(&["show", "own-full", "--json"]);
    assert_eq!(session["status"], "RUNNING");
    assert_eq!(session["pending_request"], serde_json::Value::Null);

    // With space, the same order succeeds.
    sh("rm -r /scratch/1* /scratch/2*");
    machine.ok(&commit);
    assert_eq!(mine()[0]["name"], "too-large");
    assert_eq!(engine.docker(&dangling), "");
    machine.ok(&["terminate", "own-full", "--force", "--yes", "--wait"]);
}
