//! Stop hooks on real containers: what they leave, and that one that hangs is ended.

use serde_json::Value;

use crate::{
    cli::sessions::until,
    machine::{LARGE, Machine, launch},
};

fn begin(machine: &Machine, name: &str, more: &[&str]) {
    let wait: &[&str] = &["--wait", "--wait-timeout", "2m"];
    machine.ok(&launch(name, &[more, wait].concat()));
}

fn ended(machine: &Machine, name: &str) {
    let over = || machine.json(&["show", name, "--json"])["status"] == "TERMINATED";
    until(&format!("{name} is ended"), over);
}

/// Result and message of its stop hook.
fn stop_hook(machine: &Machine, name: &str) -> (String, String) {
    let history = machine.json(&["history", name, "--json"]);
    let entries = history.as_array().unwrap();
    let stop_hooks: Vec<&Value> = entries
        .iter()
        .filter(|it| it["phase"] == "stop-hook")
        .collect();
    assert_eq!(stop_hooks.len(), 1, "{history}");
    let text = |key: &str| stop_hooks[0][key].as_str().unwrap_or_default().to_owned();
    (text("result"), text("message"))
}

#[test]
fn a_session_that_is_reclaimed_leaves_what_was_to_be_saved_in_a_folder() {
    let machine = Machine::new();
    let rules = format!("{LARGE}[idle]\nsession-lifetime = \"6s\"\n");
    std::fs::write(machine.path("config/resources.toml"), rules).unwrap();
    machine.ok(&["folder", "create", "kept"]);
    let more = [
        "--mount",
        "kept",
        "--stop-hook",
        "echo made > out/late; echo done",
        "--save",
        "out",
        "--save-into",
        "kept",
        "--bootstrap",
        "mkdir -p out; echo early > out/early",
    ];
    begin(&machine, "will-reclaimed", &more);
    let shown = machine.ok(&["show", "will-reclaimed"]);
    assert!(shown.contains("saves out to kept"), "{shown}");
    ended(&machine, "will-reclaimed");
    let (result, message) = stop_hook(&machine, "will-reclaimed");
    assert_eq!(result, "SUCCESS", "{message}");
    assert!(
        message.starts_with("done; saved to /home/work/kept/"),
        "{message}"
    );
    let id = machine.json(&["show", "will-reclaimed", "--json"])["id"].clone();
    let id: String = id.as_str().unwrap().chars().take(8).collect();
    let out = machine.path(&format!("data/folders/kept/will-reclaimed-{id}/out"));
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    assert_eq!(
        (read("early"), read("late")),
        ("early\n".into(), "made\n".into())
    );
}

#[test]
fn without_a_folder_it_is_saved_on_this_machine_and_force_does_nothing() {
    let machine = Machine::new();
    let more = ["--save", "out.txt", "--stop-hook", "echo words > out.txt"];
    begin(&machine, "will-archived", &more);
    begin(&machine, "will-forced", &more);
    machine.ok(&["terminate", "will-archived", "--yes"]);
    machine.ok(&["terminate", "will-forced", "--force", "--yes"]);
    ended(&machine, "will-archived");
    ended(&machine, "will-forced");
    let (result, message) = stop_hook(&machine, "will-archived");
    assert_eq!(result, "SUCCESS", "{message}");
    let files: Vec<_> = std::fs::read_dir(machine.path("data/saved"))
        .unwrap()
        .collect();
    let [Ok(file)] = files.as_slice() else {
        panic!("{files:?}");
    };
    let archive = std::fs::read(file.path()).unwrap();
    assert!(String::from_utf8_lossy(&archive).contains("words"));
    assert!(
        message.contains("will-archived-") && message.contains(".tar"),
        "{message}"
    );
    let history = machine.ok(&["history", "will-forced"]);
    assert!(!history.contains("stop-hook"), "{history}");
}

#[test]
fn one_that_hangs_is_ended_at_its_timeout_and_one_that_fails_is_reported() {
    let machine = Machine::new();
    let hangs = ["--stop-hook", "sleep 600", "--stop-hook-timeout", "2s"];
    begin(&machine, "will-hangs", &hangs);
    begin(
        &machine,
        "will-fails",
        &[
            "--stop-hook",
            "echo no network >&2; exit 3",
            "--save",
            "nofile",
        ],
    );
    machine.ok(&["terminate", "will-hangs", "--yes"]);
    let output = machine.workbay(&["terminate", "will-fails", "--yes", "--wait"]);
    let warned = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        warned.contains("the stop hook of will-fails failed: its command ended"),
        "{warned}"
    );
    ended(&machine, "will-hangs");
    let (result, message) = stop_hook(&machine, "will-hangs");
    assert_eq!(
        (result.as_str(), message.as_str()),
        ("EXPIRED", "it didn't end within 2 seconds")
    );
    ended(&machine, "will-fails");
    let (result, message) = stop_hook(&machine, "will-fails");
    assert_eq!(result, "FAILURE");
    assert_eq!(
        message,
        "its command ended with exit code 3: no network; nothing was saved: 'nofile': not found in \
         the session"
    );
    assert!(machine.containers().is_empty());
}

#[test]
fn what_it_cannot_do_is_refused_and_a_recipe_keeps_what_it_can() {
    let machine = Machine::new();
    for (more, why) in [
        (
            &["--save", "out", "--save-into", "nowhere"][..],
            "isn't mounted",
        ),
        (&["--save-into", "kept"][..], "needs a command"),
        (
            &["--stop-hook", "true", "--stop-hook-timeout", "1h"][..],
            "1s to 10m",
        ),
    ] {
        let output = machine.workbay(&launch("will-refused", more));
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("--stop-hook") && said.contains(why), "{said}");
    }
    let more = [
        "--stop-hook",
        "git push",
        "--save",
        "a b",
        "--stop-hook-timeout",
        "2m",
    ];
    begin(&machine, "will-kept", &more);
    let recipe = machine.ok(&["export", "will-kept"]);
    for line in [
        "stop-hook = \"git push\"",
        "save = [\"a b\"]",
        "stop-hook-timeout = \"2m\"",
    ] {
        assert!(recipe.contains(line), "{recipe}");
    }
    let again = machine.ok(&["relaunch", "will-kept", "--dry-run"]);
    let words = "--stop-hook 'git push' --save 'a b' --stop-hook-timeout 2m";
    assert!(again.contains(words), "{again}");
}

#[test]
fn what_a_quota_leaves_no_room_for_is_not_saved_and_named() {
    let machine = Machine::new();
    machine.ok(&["folder", "create", "kept", "--quota", "1m"]);
    let make = "head -c 3000000 /dev/zero > large; echo small > small";
    let more = [
        "--mount",
        "kept",
        "--save",
        "large",
        "--save",
        "small",
        "--save-into",
        "kept",
        "--stop-hook",
        make,
    ];
    begin(&machine, "will-exceed", &more);
    machine.ok(&["terminate", "will-exceed", "--yes"]);
    ended(&machine, "will-exceed");
    let (result, message) = stop_hook(&machine, "will-exceed");
    assert_eq!(result, "FAILURE");
    assert!(
        message.contains("but not 'large' (") && message.contains("the quota of the folder leaves"),
        "{message}"
    );
    let folder = machine.path("data/folders/kept");
    let [Ok(entry)] = &std::fs::read_dir(folder).unwrap().collect::<Vec<_>>()[..] else {
        panic!("one directory of the session");
    };
    let saved = |name: &str| entry.path().join(name).exists();
    assert!(saved("small") && !saved("large"));
}
