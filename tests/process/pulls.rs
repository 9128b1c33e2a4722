//! Image pulls over good and bad connections, with the whole program and the real engine.

use std::process::{Command, Stdio};

use serde_json::Value;

use super::signal;
use crate::{
    bad_connection::BadConnection,
    machine::{BINARY, Machine},
    registry::{Here, Image, Registry, is_here},
    wait,
};

const NAME: &str = "puller";

/// More than the manifests of an image, less than the image.
const SOME: usize = 3 << 20;

/// The bytes of one small piece.
const SIP: usize = 16 << 10;

/// A registry behind a bad connection, an image there, and a machine without the image.
struct PullBench {
    machine: Machine,
    connection: BadConnection,
    image: Here,
    _registry: Registry,
}

impl PullBench {
    fn new(image: &Image) -> Self {
        let registry = Registry::start();
        let name = registry.put(image);
        let connection = BadConnection::to(registry.port);
        let image = Here(format!("{}/{name}", connection.host()));
        Self {
            machine: Machine::new(),
            connection,
            image,
            _registry: registry,
        }
    }

    fn image(&self) -> &str {
        &self.image.0
    }

    fn launch(&self, name: &str) {
        let words = ["launch", "--image", self.image(), "--name", name];
        self.machine.ok(&[&words[..], &["--mem", "64m"]].concat());
    }

    fn shown(&self, name: &str) -> Value {
        self.machine.json(&["show", name, "--json"])
    }

    /// Waits until some of it has come, and no more does.
    fn until_under_way(&self, name: &str) -> Value {
        wait::until(
            "some of the image has come",
            || self.shown(name),
            |it| it["pull"]["bytes_done"].as_u64() > Some(0),
        )
    }

    #[track_caller]
    fn until_status(&self, name: &str, wanted: &str) -> Value {
        wait::until(
            &format!("{name} is {wanted}"),
            || self.shown(name),
            |it| it["status"] == wanted || it["status"] == "ERROR",
        )
    }

    #[track_caller]
    fn comes(&self, name: &str) {
        let session = self.until_status(name, "RUNNING");
        assert_eq!(
            session["status"], "RUNNING",
            "{}",
            session["status_message"]
        );
    }

    /// An engine that waits for bytes notices with the next of them that nobody needs them: it gets
    /// some at each look, far fewer than the image has.
    fn until_nobody_pulls(&self) {
        let waiting = || {
            self.connection.let_pass(SIP);
            self.connection.waiting()
        };
        wait::until("the engine has given up", waiting, |n| *n == 0);
        assert!(!is_here(self.image()));
    }
}

#[test]
fn a_slow_pull_is_reported_and_ends_in_a_session_that_runs() {
    let bench = PullBench::new(&Image::slow());
    bench.connection.let_pass(SOME);
    bench.launch(NAME);
    let session = bench.until_under_way(NAME);
    assert_eq!(session["status"], "PULLING");
    let pull = &session["pull"];
    assert_eq!(pull["registry"], bench.connection.host());
    assert_eq!(pull["reference"], bench.image());
    assert_eq!(pull["layers"], 3);
    assert_eq!(pull["attempt"], 1);
    let text = bench.machine.ok(&["show", NAME]);
    assert!(text.contains("of 3 layers"), "{text}");
    assert!(bench.machine.ok(&["ls"]).contains("PULLING"));
    bench.connection.open();
    bench.comes(NAME);
    assert!(bench.shown(NAME)["pull"].is_null());
    let said = bench.machine.ok(&["exec", NAME, "--", "echo", "here"]);
    assert_eq!(said.trim(), "here");
    // The second time there is nothing to be pulled.
    bench.connection.shut();
    bench.launch("second-one");
    bench.comes("second-one");
}

#[test]
fn a_pull_that_is_given_up_leaves_nothing() {
    let bench = PullBench::new(&Image::slow());
    bench.connection.let_pass(SOME);
    bench.launch(NAME);
    bench.until_under_way(NAME);
    bench.machine.ok(&["terminate", NAME, "--yes"]);
    let session = bench.until_status(NAME, "CANCELLED");
    assert_eq!(session["status_info"], "user-requested");
    bench.until_nobody_pulls();
    assert!(bench.machine.containers().is_empty());
}

#[test]
fn a_session_that_shares_a_pull_keeps_it_when_the_other_goes() {
    let bench = PullBench::new(&Image::slow());
    bench.connection.let_pass(SOME);
    bench.launch("first-one");
    bench.launch("second-one");
    bench.until_under_way("first-one");
    bench.until_under_way("second-one");
    bench.machine.ok(&["terminate", "first-one", "--yes"]);
    bench.until_status("first-one", "CANCELLED");
    bench.connection.open();
    bench.comes("second-one");
}

#[test]
fn a_connection_that_breaks_is_opened_again() {
    let bench = PullBench::new(&Image::slow());
    bench.connection.shut();
    bench.launch(NAME);
    wait::until(
        "it is reported that the connection broke",
        || bench.shown(NAME),
        |it| it["pull"]["broken"].is_string(),
    );
    bench.connection.let_pass(SOME);
    bench.connection.open();
    bench.connection.let_pass(SOME);
    bench.until_under_way(NAME);
    // In the middle of a layer: the engine itself continues it.
    bench.connection.open();
    bench.connection.cut();
    bench.comes(NAME);
}

#[test]
fn a_daemon_that_is_killed_in_the_middle_begins_again() {
    let bench = PullBench::new(&Image::slow());
    bench.connection.let_pass(SOME);
    bench.launch(NAME);
    bench.until_under_way(NAME);
    bench.machine.kill_daemon();
    bench.connection.open();
    bench.comes(NAME);
}

#[test]
fn killed_before_or_after_a_pull_a_session_comes_to_run() {
    for point in ["before:pull", "after:pull"] {
        let mut bench = PullBench::new(&Image::small());
        bench.machine.set("WORKBAY_FAULT", point);
        bench
            .machine
            .workbay(&["launch", "--image", bench.image(), "--name", NAME]);
        wait::until(
            &format!("the daemon dies at {point}"),
            || bench.machine.daemon_pid(),
            Option::is_none,
        );
        bench.machine.set("WORKBAY_FAULT", "");
        bench.comes(NAME);
    }
}

#[test]
fn an_image_is_pulled_by_hand_and_ctrl_c_gives_it_up() {
    let bench = PullBench::new(&Image::slow());
    bench.connection.let_pass(SOME);
    let mut child = Command::new(BINARY)
        .args(["env", "pull", bench.image(), "--json"])
        .envs(bench.machine.env())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("workbay starts");
    wait::until(
        "the engine pulls",
        || bench.connection.waiting(),
        |n| *n > 0,
    );
    signal(child.id(), "INT");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    bench.until_nobody_pulls();
    bench.connection.open();
    let lines = bench.machine.ok(&["env", "pull", bench.image(), "--json"]);
    let last: Value = serde_json::from_str(lines.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["layers"], 3);
    assert!(is_here(bench.image()));
}

#[test]
fn the_catalogue_names_what_is_not_here_yet() {
    let bench = PullBench::new(&Image::small());
    let (image, version) = bench.image().rsplit_once(':').expect("a tag");
    let text = format!(
        "[environment.mine]\nabout = \"My own\"\nimage = \"{image}\"\nversions = [\"{version}\"]\n"
    );
    std::fs::write(bench.machine.path("config/environments.toml"), text).expect("a file");
    let listed = bench.machine.ok(&["env", "ls"]);
    let mine = listed
        .lines()
        .find(|line| line.starts_with("mine "))
        .expect("a line");
    assert!(mine.contains("not pulled yet; My own"), "{mine}");
    assert!(
        !bench
            .machine
            .ok(&["env", "ls", "--here"])
            .contains("not pulled yet")
    );
    let said = bench.machine.ok(&["env", "pull", "mine"]);
    assert_eq!(said.trim(), format!("pulled {}", bench.image()));
    let listed = bench.machine.ok(&["env", "ls", "--here"]);
    assert!(listed.contains("is mine:1; My own"), "{listed}");
    bench.machine.ok(&[
        "launch", "--env", "mine", "--name", NAME, "--mem", "64m", "--wait",
    ]);
    bench.comes(NAME);
}
