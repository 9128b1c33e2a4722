//! Wrong use is reported before anything is asked: exit code 2 and a sentence.

use crate::{cli::run, machine::Machine};

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
        "invalid CPU amount 'many'. Use a number such as 2",
    );
    refused(
        &["launch", "--mem", "1q"],
        "invalid memory size '1q'. Use 256m, 1g",
    );
    refused(
        &["launch", "--mem", "5"],
        "a number alone is bytes: write 5m or 5g",
    );
    refused(
        &["launch", "--mount", "/tmp/cu:in"],
        "'/tmp/cu' is a path. --mount takes the name of a folder, see `workbay folder ls`",
    );
    refused(&["logs", "some", "--tail", "x"], "use a whole number");
    refused(&["ls", "--limit", "x"], "use a whole number");
    refused(&["ls", "--limit", "5000"], "use 1 to 4000");
    refused(&["launch", "--count", "x"], "use a whole number");
    refused(&["env", "pull", "host"], "'host' needs no image");
    refused(
        &["ps", "-a"],
        "workbay: unknown command 'ps'. Did you mean `workbay ls`?",
    );
    refused(
        &["launch", "--name", "ab"],
        "the name 'ab' is too short. Use 4 to 64 characters",
    );
    refused(
        &["launch", "--name", "세션/세션"],
        "'/' isn't allowed in a name",
    );
    refused(
        &["launch", "-e", "WBT_NOT_SET"],
        "-e: WBT_NOT_SET isn't set in your environment",
    );
    refused(&["launch", "-e", "1A=x"], "-e: invalid variable name '1A'");
    refused(
        &["launch", "--env", "host", "--image", "busybox"],
        "cannot be used with",
    );
    refused(&["launch", "--wait-timeout", "3"], "--wait");
    refused(
        &["rename", "some", "a b c d"],
        "' ' isn't allowed in a name",
    );
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
    for (words, message) in [
        ("--batch", "--command: a batch session needs a command"),
        ("--command make", "--command: only a batch session can have"),
        ("--start-at +2h", "add --batch for a batch session"),
        (
            "--timeout 3 --wait",
            "use --wait-timeout to limit how long the command waits",
        ),
        (
            "--batch --command make --start-at yesterday",
            "--start-at: invalid start time 'yesterday'",
        ),
        (
            "--batch --command make --start-at 2020-01-01T00:00:00Z",
            "--start-at: the start time has passed",
        ),
        (
            "--batch --command make --timeout 0s",
            "--timeout: the timeout must be at least 1 second",
        ),
        ("--timeout soon", "invalid duration 'soon'"),
        (
            "--shm 1g --mem 1g",
            "--shm: shared memory (1 GiB) must be less than the memory",
        ),
        (
            "--count 0",
            "--count: the number of sessions must be at least 1",
        ),
        (
            "--count 101",
            "--count: 101 sessions at once are too many (max: 100)",
        ),
        (
            "--count 2 --cluster-size 2",
            "--count: only one cluster session can be launched at a time",
        ),
        (
            "--cluster-size 0",
            "--cluster-size: cluster size must be at least 1",
        ),
        ("--cluster-mode both", "single-node, multi-node"),
        (
            "--agent i-1 --cluster-size 2",
            "--agent: an agent can only be chosen",
        ),
        (
            "--priority 101",
            "--priority: invalid priority 101. Use 0 to 100",
        ),
        (
            "--priority -1",
            "--priority: invalid priority -1. Use 0 to 100",
        ),
        ("--accelerator cuda.device", "must be SLOT=N"),
        ("--accelerator gpu=1", "invalid accelerator type 'gpu'"),
        ("--accelerator cuda.device=x", "invalid amount 'x'"),
        (
            "--preopen 80",
            "--preopen: invalid port 80. Use 1024 to 65535",
        ),
        (
            "--preopen 9000,9000",
            "--preopen: port 9000 is listed twice",
        ),
        ("--preopen 2200", "--preopen: port 2200 is reserved"),
        (
            "--preopen 9002-9000",
            "--preopen: invalid range '9002-9000'",
        ),
        ("--mount data:../up", "--mount: data: invalid path '../up'"),
        (
            "--mount data --mount data:in",
            "--mount: folder 'data' is mounted twice",
        ),
        (
            "--mount data:/etc",
            "--mount: data: /etc is a system directory",
        ),
        ("--mount :in", "invalid folder mount ':in'"),
        (
            "--owner ada",
            "invalid owner 'ada'. Use EMAIL or EMAIL/ACCESS-KEY",
        ),
        (
            "--bootstrap @/nowhere/script",
            "--bootstrap: /nowhere/script can't be read",
        ),
        (
            "-e API_TOKEN=",
            "use -e API_TOKEN (value from your environment)",
        ),
        (
            "--from /nowhere/launch.toml",
            "/nowhere/launch.toml: can't be read",
        ),
    ] {
        let mut arguments = vec!["launch"];
        arguments.extend(words.split(' '));
        refused(&arguments, message);
    }
    refused(
        &["launch", "--image", "bu sy"],
        "--image: invalid image 'bu sy'",
    );
    refused(
        &["folder", "create", "a/b"],
        "'/' isn't allowed in a folder name",
    );
    refused(&["recent", "pin", "first"], "`workbay recent ls` prints");
    let soon = [
        "daemon",
        "stop",
        "--terminate-sessions",
        "--wait-timeout",
        "soon",
    ];
    refused(&soon, "invalid duration");
    refused(&["recent", "rename", "1", " "], "the title is empty");
    refused(&["export", "some", "--force"], "--output");
}

#[test]
fn everything_that_is_wrong_is_reported_at_once() {
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

#[test]
fn a_problem_of_a_recipe_names_the_recipe() {
    let machine = Machine::new();
    let recipe = machine.path("train.toml");
    std::fs::write(&recipe, "command = \"make\"\n").unwrap();
    let file = recipe.to_str().unwrap();
    let (code, _, err) = run(&machine, &["launch", "--from", file]);
    assert_eq!(code, 2);
    let says = format!("workbay: {file}: command: only a batch session can have");
    assert!(err.contains(&says), "{err}");
    assert!(err.contains("type = \"batch\""), "{err}");
    let (_, _, err) = run(&machine, &["launch", "--from", file, "--command", "make"]);
    assert!(err.contains("workbay: --command: only a batch"), "{err}");
}
