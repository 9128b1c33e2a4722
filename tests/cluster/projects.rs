//! A second project with limits and a policy of its own.

use crate::{
    built::{Named, machine},
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
    // Releases before 26.8 call a project a group.
    let reason = "resource quota exceeded";
    shows(&machine, &second, &["PENDING", reason]).await;
    machine.ok(&["terminate", "--yes", &first]);
    shows(&machine, &second, &["RUNNING"]).await;

    the_policy_allows_one_folder(&machine);
}

/// What the administrator's command about folders makes of it.
fn folder(administrator: &Machine, words: &[&str]) -> std::process::Output {
    administrator.workbay(&[&["--context", "everyone", "folder"], words].concat())
}

/// Deletes the folders of the project, also those of an earlier run.
fn clear(administrator: &Machine) {
    let listed = administrator.json(&["--context", "everyone", "folder", "ls", "--json"]);
    for found in listed.as_array().unwrap() {
        if found["group"] == "lab" {
            let id = found["id"].as_str().unwrap();
            folder(administrator, &["rm", id]);
            folder(administrator, &["purge", "--yes", id]);
        }
    }
}

fn the_policy_allows_one_folder(machine: &Machine) {
    let administrator = administrator();
    clear(&administrator);
    let (one, two) = (name(), name());
    let made = folder(&administrator, &["create", &one, "--project", "lab"]);
    assert!(made.status.success(), "{made:?}");
    let listed = machine.json(&["folder", "ls", "--json"]);
    let mut folders = listed.as_array().unwrap().iter();
    let found = folders.find(|it| it["name"] == one.as_str());
    assert_eq!(found.unwrap()["group"], "lab", "{listed}");
    let refused = folder(&administrator, &["create", &two, "--project", "lab"]);
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    let expected = "cannot create more";
    assert!(
        !refused.status.success() && error.contains(expected),
        "{error}"
    );
    clear(&administrator);
}
