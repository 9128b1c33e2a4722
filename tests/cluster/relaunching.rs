//! A session is launched once more as it was: our own record of its launch counts; where there is none,
//! what the manager does not report is named before anything starts.

use workbay::model::capability::Capability;

use crate::{
    built::{Named, machine},
    folder::Made,
    machine::Machine,
    support::{Bench, name},
};

/// Launches until it runs; rarely a node loses a container in the making.
fn launched(machine: &Machine, prefix: &str, more: &[&str]) -> String {
    for attempt in ["a", "b"] {
        let name = format!("{prefix}-{attempt}");
        let mut words = vec!["launch", "--wait", "--name", &name, "--cpu", "1"];
        words.extend(["--mem", "256m"]);
        words.extend(more);
        let output = machine.workbay(&words);
        if output.status.success() {
            return name;
        }
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
    }
    panic!("no session starts on this cluster");
}

#[tokio::test]
async fn variables_and_mounts_come_back_as_they_were() {
    let bench = Bench::new().await;
    let folder = Made::new(&bench).await;
    let prefix = name();
    let _ended = Named(prefix.clone());
    let own = machine("");
    let mount = format!("{}:sub:ro", folder.name());
    let name = launched(&own, &prefix, &["-e", "A=b", "--mount", &mount]);

    // Path and mode are shown as they are inside.
    let shown = own.ok(&["show", &name]);
    let at = format!("{} at /home/work/sub (read-only)", folder.name());
    assert!(shown.contains(&at), "{shown}");
    let inside = own.ok(&[
        "exec",
        &name,
        "--",
        "grep",
        " /home/work/sub ",
        "/proc/mounts",
    ]);
    let options = inside.split_whitespace().nth(3).unwrap_or_default();
    assert!(options.split(',').any(|it| it == "ro"), "{inside}");
    let json = own.json(&["show", &name, "--json"]);
    assert_eq!(json["mounts"][0]["target"], "/home/work/sub");
    assert_eq!(json["mounts"][0]["read_only"], true);

    // The same with a daemon that knows only what was written down.
    own.ok(&["daemon", "stop"]);
    assert!(own.ok(&["show", &name]).contains(&at));
    for words in [
        ["relaunch", &name, "--dry-run"].as_slice(),
        &["export", &name],
    ] {
        let output = own.ok(words);
        assert!(output.contains(&mount), "{output}");
        assert!(
            output.contains("A=b") || output.contains("A = \"b\""),
            "{output}"
        );
    }

    // Another machine has no record: it says what the manager does not report, and launches nothing.
    let other = machine("");
    let refused = other.workbay(&["relaunch", &name]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(
        said.contains(folder.name()) && said.contains("--mount"),
        "{said}"
    );
    let shown = other.ok(&["show", &name]);
    assert!(
        shown.contains(folder.name()) && !shown.contains(" at /home/work"),
        "{shown}"
    );
    // Given again it is enough, where variables are reported.
    let mut again = vec!["relaunch", &name, "--mount", &mount, "--dry-run"];
    if let Some(why) = bench.lack(Capability::LaunchRecord) {
        assert!(why.contains("variables and the bootstrap script"), "{why}");
        let refused = other.workbay(&again);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && said.contains("-e"), "{said}");
        again.extend(["-e", "A=b", "--incomplete"]);
    }
    let given = other.ok(&again);
    assert!(given.contains("A=b") && given.contains(&mount), "{given}");
    let exported = other.ok(&["export", &name]);
    assert!(
        exported.starts_with("# not reported by the cluster"),
        "{exported}"
    );

    own.ok(&["terminate", &name, "--yes", "--force", "--wait"]);
    let again = own.ok(&["relaunch", &name, "--dry-run"]);
    assert!(again.contains(&mount) && again.contains("A=b"), "{again}");
}
