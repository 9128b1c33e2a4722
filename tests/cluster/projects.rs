//! A second project with limits and a policy of its own.

use serde_json::Value;

use crate::{
    hand::{Named, machine},
    machine::Machine,
    owners::administrator,
    poll, script,
    support::{Bench, name},
};

/// The project `lab`, which has two CPUs, two GiB and one folder.
struct Lab;

impl Lab {
    fn open() -> Self {
        script::run("project", &["open"]);
        Self
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        script::run("project", &["close"]);
    }
}

fn launch<'a>(name: &'a str, cpu: &'a str) -> Vec<&'a str> {
    let mut words = vec!["launch", "--project", "lab", "--name", name, "--cpu", cpu];
    words.extend(["--mem", "256m"]);
    words
}

/// Waits until `workbay show` prints this.
async fn shows(machine: &Machine, session: &str, words: &[&str]) {
    let mut last = String::new();
    let found = poll::until(
        std::time::Duration::from_millis(500),
        std::time::Duration::from_secs(120),
        async || {
            last = machine.ok(&["show", session]);
            words.iter().all(|word| last.contains(word)).then_some(())
        },
    )
    .await;
    assert!(found.is_some(), "no {words:?} in\n{last}");
}

#[tokio::test]
async fn a_project_with_limits_and_a_policy_of_its_own() {
    let _bench = Bench::new().await;
    let _lab = Lab::open();
    let prefix = name();
    let _ended = Named(prefix.clone());
    let machine = machine("");

    // What is left for a launch there, beside a group with as much as the machine has.
    let resources = machine.json(&["resources", "--project", "lab", "--json"]);
    let left = &resources["limits"]["remaining"];
    assert_eq!(left["cpu"], 2.0, "{resources}");
    assert_eq!(left["mem"], 2_u64 << 30, "{resources}");
    let usual = machine.json(&["resources", "--json"]);
    assert_ne!(usual["limits"]["remaining"]["mem"], 2_u64 << 30, "{usual}");

    let (first, second) = (format!("{prefix}-1"), format!("{prefix}-2"));
    machine.ok(&launch(&first, "1"));
    shows(&machine, &first, &["RUNNING", "Project         lab"]).await;
    machine.ok(&launch(&second, "2"));
    let reason = "roject resource quota";
    shows(&machine, &second, &["PENDING", reason]).await;
    machine.ok(&["terminate", "--yes", &first]);
    shows(&machine, &second, &["RUNNING"]).await;

    the_policy_allows_one_folder(&machine);
}

fn the_policy_allows_one_folder(machine: &Machine) {
    let administrator = administrator();
    let (one, two) = (name(), name());
    let create = |name: &str| {
        let words = [
            "--context",
            "everyone",
            "folder",
            "create",
            name,
            "--project",
            "lab",
        ];
        administrator.workbay(&words)
    };
    let made = create(&one);
    assert!(made.status.success(), "{made:?}");
    let listed = machine.json(&["folder", "ls", "--json"]);
    let folders: Vec<&Value> = listed.as_array().unwrap().iter().collect();
    let found = folders.iter().find(|it| it["name"] == one.as_str());
    assert_eq!(found.unwrap()["group"], "lab", "{listed}");
    let refused = create(&two);
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && error.contains("cannot create more"),
        "{error}"
    );
    for words in [&["rm"][..], &["purge", "--yes"]] {
        let words = [&["--context", "everyone", "folder"], words, &[&one]].concat();
        administrator.ok(&words);
    }
}
