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
        &["launch", "--name", "세션세션"],
        "the name must not hold '세'",
    );
    refused(
        &["launch", "-e", "NAME"],
        "'-e NAME' has no '=': write -e NAME=VALUE",
    );
    refused(&["launch", "-e", "1A=x"], "'1A' is no name of a variable");
    refused(
        &["launch", "--env", "host", "--image", "busybox"],
        "cannot be used with",
    );
    refused(&["launch", "--timeout", "3"], "--wait");
    refused(&["rename", "some", "a b c d"], "the name must not hold ' '");
    refused(&["ls", "--tab", "runing"], "running, finished, others, all");
    refused(&["exec", "some"], "<CMD>");
    refused(&["frobnicate"], "unrecognized subcommand");
}

#[test]
fn without_a_terminal_nothing_is_ended_unless_meant() {
    refused(
        &["terminate", "some"],
        "add --yes to end them without a question",
    );
    refused(&["terminate", "--all", "--force"], "add --yes");
    refused(&["terminate"], "<S>");
    refused(
        &["terminate", "some", "--all", "--yes"],
        "cannot be used with",
    );
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
