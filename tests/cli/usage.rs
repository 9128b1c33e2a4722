//! Wrong use is told before anything is asked: exit code 2 and a sentence.

use crate::{machine::Machine, run};

#[track_caller]
fn refused(arguments: &[&str], sentence: &str) {
    let machine = Machine::new();
    let (code, out, err) = run(&machine, arguments);
    assert_eq!(code, 2, "{arguments:?}: {out}{err}");
    assert!(err.contains(sentence), "{arguments:?}: {err}");
    assert_eq!(out, "", "{arguments:?}");
    assert!(
        !machine.path("state").exists(),
        "{arguments:?} started a daemon"
    );
}

#[test]
fn values_that_cannot_be_are_refused_with_the_reason() {
    refused(
        &["launch", "--cpu", "many"],
        "'many' is no number of cores: write 0.5, 1 or 2",
    );
    refused(
        &["launch", "--mem", "1q"],
        "'1q' is no amount of memory: write 256m, 1g",
    );
    refused(
        &["launch", "--name", "ab"],
        "the name 'ab' is too short: 4 to 64 characters",
    );
    refused(
        &["launch", "--name", "세션/세션"],
        "the name must not hold '/'",
    );
    refused(
        &["launch", "-e", "WBT_NOT_SET"],
        "-e: WBT_NOT_SET is not set in your environment",
    );
    refused(
        &["launch", "-e", "1A=x"],
        "-e: '1A' is no name of a variable",
    );
    refused(
        &["launch", "--env", "host", "--image", "busybox"],
        "cannot be used with",
    );
    refused(&["launch", "--wait-timeout", "3"], "--wait");
    refused(&["rename", "some", "a b c d"], "the name must not hold ' '");
    refused(&["ls", "--tab", "runing"], "running, finished, others, all");
    refused(&["exec", "some"], "<CMD>");
    refused(&["frobnicate"], "unrecognized subcommand");
}

#[test]
fn a_shell_needs_a_terminal() {
    refused(
        &["shell", "some"],
        "`workbay exec some -- CMD` works without one",
    );
}

#[test]
fn directories_must_be_absolute() {
    let mut machine = Machine::new();
    machine.set("WORKBAY_STATE_DIR", "here");
    let (code, _, err) = run(&machine, &["ls"]);
    assert_eq!(code, 2);
    assert!(err.contains("WORKBAY_STATE_DIR is 'here'"), "{err}");
}

#[test]
fn each_rule_of_a_launch_names_its_option() {
    for (words, told) in [
        ("--batch", "--command: a batch session needs a command"),
        ("--command make", "--command: only a batch session has"),
        ("--start-at +2h", "add --batch to have one"),
        ("--timeout 3 --wait", "how long to wait is --wait-timeout"),
        (
            "--batch --command make --start-at yesterday",
            "--start-at: 'yesterday' is no time",
        ),
        (
            "--batch --command make --start-at 2020-01-01T00:00:00Z",
            "--start-at: the start time has passed",
        ),
        (
            "--batch --command make --timeout 0s",
            "--timeout: a timeout is at least 1 second",
        ),
        ("--timeout soon", "'soon' is no length of time"),
        (
            "--shm 1g --mem 1g",
            "--shm: shared memory (1 GiB) is a part of the memory",
        ),
        ("--count 0", "--count: 0 sessions are nothing to launch"),
        ("--count 101", "--count: 101 sessions at once: 100 at most"),
        (
            "--count 2 --cluster-size 2",
            "--count: clusters are launched one at a time",
        ),
        (
            "--cluster-size 0",
            "--cluster-size: 0 containers are no session",
        ),
        ("--cluster-mode both", "single-node, multi-node"),
        (
            "--agent i-1 --cluster-size 2",
            "--agent: an agent is chosen",
        ),
        ("--priority 101", "--priority: priority 101: 0 to 100"),
        ("--priority -1", "--priority: priority -1: 0 to 100"),
        ("--accelerator cuda.device", "must be SLOT=N"),
        ("--accelerator gpu=1", "'gpu' is no kind of accelerator"),
        ("--accelerator cuda.device=x", "'x' is no amount"),
        ("--preopen 80", "--preopen: port 80: only 1024 to 65535"),
        ("--preopen 9000,9000", "--preopen: port 9000 is given twice"),
        ("--preopen 2200", "--preopen: port 2200 is reserved"),
        (
            "--preopen 9002-9000",
            "--preopen: 9002-9000: a range goes up",
        ),
        (
            "--mount data:../up",
            "--mount: data: ../up: a path must not climb",
        ),
        (
            "--mount data --mount data:/etc",
            "--mount: data: /etc is a directory of the system",
        ),
        ("--mount :in", "':in' names no folder"),
        (
            "--owner ada",
            "'ada' isn't an owner: write EMAIL or EMAIL/ACCESS-KEY",
        ),
        (
            "--bootstrap @/nowhere/script",
            "--bootstrap: /nowhere/script cannot be read",
        ),
        (
            "-e API_TOKEN=",
            "-e API_TOKEN takes it from your environment",
        ),
        (
            "--from /nowhere/launch.toml",
            "/nowhere/launch.toml: cannot be read",
        ),
    ] {
        let mut arguments = vec!["launch"];
        arguments.extend(words.split(' '));
        refused(&arguments, told);
    }
    refused(
        &["launch", "--image", "bu sy"],
        "--image: 'bu sy' is no image",
    );
    refused(&["folder", "create", "a/b"], "'/' cannot be in the name");
    refused(&["recent", "pin", "first"], "`workbay recent ls` prints");
    let soon = ["daemon", "stop", "--end-sessions", "--timeout", "soon"];
    refused(&soon, "is no length of time");
    refused(&["recent", "rename", "1", " "], "an empty title");
    refused(&["export", "some", "--force"], "--output");
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let machine = Machine::new();
    let words = ["launch", "--name", "x", "--count", "0", "--preopen", "80"];
    let (code, _, err) = run(&machine, &words);
    assert_eq!(code, 2);
    for option in [
        "workbay: --name: ",
        "workbay: --count: ",
        "workbay: --preopen: ",
    ] {
        assert!(err.contains(option), "{err}");
    }
}
