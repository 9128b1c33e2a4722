//! Launches by every option, again, from recipes; the folders and rules they use.

use std::fs;

use crate::{
    cli::run,
    cli::sessions::until,
    machine::{LARGE, Machine},
};

fn configured(resources: &str) -> Machine {
    let machine = Machine::new();
    fs::create_dir_all(machine.path("config")).unwrap();
    fs::write(machine.path("config").join("resources.toml"), resources).unwrap();
    machine
}

#[test]
fn a_dry_run_prints_the_whole_command_and_starts_nothing() {
    let mut machine = Machine::new();
    machine.set("API_TOKEN", "hush");
    let line = "workbay launch --context prod --name train --batch --command 'make -j2' --timeout 2h \
                --cpu 0.5 --mem 1536m --accelerator cuda.shares=0.5 -e API_TOKEN -e STAGE=test \
                --mount data:in:ro --preopen 8080,9000-9002";
    let out = machine.ok(&[
        "--context",
        "prod",
        "launch",
        "--dry-run",
        "--name",
        "train",
        "--batch",
        "--command",
        "make -j2",
        "--timeout",
        "7200",
        "--cpu",
        ".5",
        "--mem",
        "1.5g",
        "--accelerator",
        "cuda.shares=0.50",
        "-e",
        "API_TOKEN",
        "-e",
        "STAGE=test",
        "--folder",
        "data:in:ro",
        "--preopen",
        "8080 9000:9002",
    ]);
    assert_eq!(out, format!("{line}\n"));
    assert!(!machine.path("state").exists(), "a daemon was started");
}

#[test]
fn a_recipe_with_faults_launches_nothing_and_reports_each_place() {
    let machine = Machine::new();
    let file = machine.path("bad.toml");
    fs::write(&file, "nmae = \"x\"\ncpu = \"many\"\n").unwrap();
    let file = file.to_str().unwrap();
    let (code, out, err) = run(&machine, &["launch", "--from", file]);
    assert_eq!((code, out.as_str()), (2, ""));
    for message in [
        "bad.toml:1:1: unknown setting of a launch 'nmae' (did you mean 'name'?)",
        "bad.toml:2:7: invalid CPU amount 'many'",
    ] {
        assert!(err.contains(message), "{err}");
    }
}

#[test]
fn a_recipe_asks_for_its_secrets_again() {
    let mut machine = Machine::new();
    let file = machine.path("train.toml");
    fs::write(&file, "name = \"train\"\nsecrets = [\"API_TOKEN\"]\n").unwrap();
    let file = file.to_str().unwrap();
    let (code, _, err) = run(&machine, &["launch", "--from", file]);
    assert_eq!(code, 2);
    assert!(
        err.contains("API_TOKEN has no value") && err.contains("-e API_TOKEN"),
        "{err}"
    );
    machine.set("API_TOKEN", "hush");
    let out = machine.ok(&["launch", "--from", file, "-e", "API_TOKEN", "--dry-run"]);
    assert_eq!(out, "workbay launch --name train -e API_TOKEN\n");
}

#[test]
fn several_sessions_are_a_line_each_and_one_list() {
    let machine = Machine::new();
    let common = [
        "launch", "--env", "host", "--cpu", "0.1", "--mem", "64m", "--count", "2",
    ];
    let words = |name: &'static str| {
        let mut words = common.to_vec();
        words.extend(["--name", name]);
        words
    };
    let out = machine.ok(&words("copy"));
    let names: Vec<&str> = out
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(names, ["copy-1", "copy-2"]);
    let mut json = words("twin");
    json.extend(["--json", "--wait"]);
    let list = machine.json(&json);
    assert_eq!(list[0]["name"], "twin-1");
    assert_eq!(list[1]["status"], "RUNNING");
    // One of the names is taken: nothing is made.
    let (code, out, err) = run(&machine, &words("copy"));
    assert_ne!(code, 0);
    assert_eq!(out, "");
    assert!(err.contains("--name: the name 'copy-1' is taken"), "{err}");
}

#[test]
fn a_batch_is_exported_and_launched_again() {
    let machine = Machine::new();
    machine.ok(&[
        "launch",
        "--env",
        "host",
        "--name",
        "once",
        "--cpu",
        "0.2",
        "--mem",
        "64m",
        "--batch",
        "--command",
        "echo $STAGE; exit 3",
        "-e",
        "STAGE=test",
        "-e",
        "MY_TOKEN=hush",
        "--timeout",
        "2h",
        "--wait",
    ]);
    until("it has ended", || {
        machine.json(&["show", "once", "--json"])["result"] == "failure"
    });
    let shown = machine.ok(&["show", "once"]);
    for part in ["exit 3", "Timeout", "2h", "echo $STAGE"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let log = machine.ok(&["logs", "once"]);
    assert!(log.lines().any(|line| line == "test"), "{log}");
    let history = machine.ok(&["history", "once"]);
    assert!(history.contains("schedule-sessions"), "{history}");
    assert!(machine.json(&["history", "once", "--json"])[0]["phase"].is_string());

    let file = machine.path("once.toml");
    let file = file.to_str().unwrap();
    machine.ok(&["export", "once", "--output", file]);
    let recipe = fs::read_to_string(file).unwrap();
    assert_eq!(recipe, machine.ok(&["export", "once"]));
    assert!(!recipe.contains("hush"), "{recipe}");
    let (code, _, err) = run(&machine, &["export", "once", "--output", file]);
    assert_eq!(code, 1);
    assert!(
        err.contains("already exists") && err.contains("--force"),
        "{err}"
    );
    machine.ok(&["export", "once", "--output", file, "--force"]);

    // Its name is free again; its secret was not kept.
    let (code, _, err) = run(&machine, &["relaunch", "once"]);
    assert_eq!(code, 2);
    assert!(err.contains("-e MY_TOKEN"), "{err}");
    let out = machine.ok(&[
        "relaunch",
        "once",
        "-e",
        "MY_TOKEN=hush",
        "--command",
        "sleep 600",
        "--wait",
    ]);
    assert!(out.starts_with("once "), "{out}");
    // While that one runs, the next free number.
    let out = machine.ok(&["relaunch", "once", "-e", "MY_TOKEN=hush"]);
    assert!(out.starts_with("once-2 "), "{out}");
    let out = machine.ok(&[
        "launch",
        "--from",
        file,
        "--name",
        "third",
        "-e",
        "MY_TOKEN=x",
    ]);
    assert!(out.starts_with("third "), "{out}");
}

#[test]
fn earlier_launches_are_listed_pinned_and_done_again() {
    let machine = Machine::new();
    let launch = |name: &str| {
        machine.ok(&[
            "launch", "--env", "host", "--name", name, "--cpu", "0.1", "--mem", "64m",
        ]);
    };
    launch("first");
    let entries = machine.json(&["recent", "ls", "--json"]);
    assert_eq!(entries[0]["title"], "first");
    let id = entries[0]["id"].to_string();
    machine.ok(&["recent", "pin", &id]);
    machine.ok(&["recent", "rename", &id, "my usual"]);
    launch("second");
    let text = machine.ok(&["recent", "ls"]);
    let first = text.lines().nth(1).unwrap();
    assert!(
        first.contains("my usual") && first.contains("yes"),
        "{text}"
    );
    assert!(text.contains("second"), "{text}");
    let out = machine.ok(&["recent", "launch", &id, "--mem", "80m"]);
    assert!(out.starts_with("first-"), "the name is taken: {out}");
    let name = out.split(' ').next().unwrap();
    let session = machine.json(&["show", name, "--json"]);
    assert_eq!(session["requested_slots"]["mem"], 80 << 20);
    machine.ok(&["recent", "unpin", &id]);
    machine.ok(&["recent", "rm", &id]);
    let (code, _, err) = run(&machine, &["recent", "launch", &id]);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("`workbay recent ls` lists them"), "{err}");
}

#[test]
fn a_folder_is_made_listed_and_mounted() {
    let machine = Machine::new();
    let path = machine.path("data").join("folders/data");
    let path = path.to_str().unwrap();
    assert_eq!(
        machine.ok(&["folder", "create", "data"]),
        format!("data {path}\n")
    );
    assert!(std::path::Path::new(path).is_dir());
    let list = machine.json(&["folder", "ls", "--json"]);
    assert_eq!(list[0]["name"], "data");
    assert_eq!(list[0]["path"], path);
    let text = machine.ok(&["folder", "ls"]);
    assert!(text.contains(path), "{text}");
    let (code, _, err) = run(&machine, &["folder", "create", "data"]);
    assert_ne!(code, 0);
    assert!(err.contains("data"), "{err}");
    machine.ok(&[
        "launch",
        "--env",
        "host",
        "--name",
        "mounts",
        "--mem",
        "64m",
        "--mount",
        "data:in:ro",
        "--wait",
    ]);
    let (code, _, _) = run(&machine, &["exec", "mounts", "--", "touch", "in/x"]);
    assert_ne!(code, 0, "it is read-only");
    let shown = machine.ok(&["show", "mounts"]);
    assert!(
        shown.contains("data at /home/work/in (read-only)"),
        "{shown}"
    );
}

#[test]
fn rules_of_resources_toml_are_in_force_and_shown() {
    let machine = configured(&format!(
        "{LARGE}[group.small]\ncpu = 0.5\nmem = \"256m\"\n\
         [preset.tiny]\ncpu = 0.2\nmem = \"64m\"\ngroup = \"small\"\n\
         [preset.large]\ncpu = 2\nmem = \"64m\"\ngroup = \"small\"\n\
         [limits]\nmem-per-container = \"128m\"\ncontainers-per-session = 2\n",
    ));
    let (code, out, _) = run(&machine, &["config", "check"]);
    assert_eq!(code, 0);
    assert!(out.contains("resources.toml"), "{out}");
    let info = machine.json(&["info", "--json"]);
    let set = info["resources"].as_array().unwrap();
    let limit = set
        .iter()
        .find(|row| row["key"] == "limits.containers-per-session")
        .unwrap();
    assert_eq!(
        (&limit["value"], &limit["origin"]),
        (&"2".into(), &"user".into())
    );

    let text = machine.ok(&["resources"]);
    let row = |name: &str| {
        let mut lines = text.lines();
        let found = lines.find(|line| line.starts_with(name));
        found.unwrap_or_else(|| panic!("no {name} in {text}"))
    };
    assert!(row("small").contains("0.5 CPU"), "{text}");
    assert!(row("tiny").contains("yes"), "{text}");
    assert!(row("large").contains("more CPU than the limit"), "{text}");

    let small = ["launch", "--env", "host", "--cpu", "0.1", "--mem", "64m"];
    for (words, message) in [
        (
            ["--mem", "256m"],
            "--mem: 256 MiB memory is above the limit (max: 128 MiB",
        ),
        (
            ["--preset", "large"],
            "--preset: preset large isn't available",
        ),
        (
            ["--cluster-size", "3"],
            "--cluster-size: 3 containers are above the limit of your resource policy",
        ),
    ] {
        let whole = if words[0] == "--cluster-size" {
            &small[..]
        } else {
            &small[..3]
        };
        let (code, _, err) = run(&machine, &[whole, &words].concat());
        assert_ne!(code, 0);
        assert!(err.contains(message), "{err}");
    }
    machine.ok(&[
        "launch",
        "--env",
        "host",
        "--name",
        "by-preset",
        "--preset",
        "tiny",
        "--wait",
    ]);
    let session = machine.json(&["show", "by-preset", "--json"]);
    assert_eq!(session["requested_slots"]["cpu"], 0.2);
    assert_eq!(session["placement"]["resource_group"], "small");
    let (code, _, err) = run(&machine, &["launch", "--group", "smal", "--env", "host"]);
    assert_ne!(code, 0);
    assert!(err.contains("available: default, small"), "{err}");
}

#[test]
fn a_broken_resources_file_is_reported_by_every_command() {
    let machine = configured("[limits]\ncpu = 2\nmmeory = 1\n");
    let (code, out, _) = run(&machine, &["config", "check"]);
    assert_eq!(code, 1);
    assert!(
        out.contains("resources.toml:3:1: unknown limit 'mmeory'"),
        "{out}"
    );
    let (code, _, err) = run(&machine, &["info"]);
    assert_eq!(code, 0);
    assert!(
        err.contains("resources.toml:3:1") && err.contains("is ignored"),
        "{err}"
    );
    let (_, out, _) = run(&machine, &["doctor"]);
    assert!(out.contains("unknown limit"), "{out}");
}

#[test]
fn the_printed_example_of_resources_is_without_a_fault() {
    let machine = Machine::new();
    let machine = {
        let text = machine.ok(&["config", "print-default", "--resources"]);
        configured(&text)
    };
    let (code, out, _) = run(&machine, &["config", "check"]);
    assert_eq!(code, 0, "{out}");
}

#[test]
fn a_folder_is_renamed_cloned_deleted_and_restored() {
    let machine = Machine::new();
    let root = machine.path("data").join("folders");
    machine.ok(&["folder", "create", "data"]);
    std::fs::write(root.join("data/file"), "x").unwrap();
    let renamed = machine.json(&["folder", "rename", "data", "inputs", "--json"]);
    assert_eq!(renamed["name"], "inputs");
    assert_eq!(
        machine.json(&["folder", "clone", "inputs", "copy", "--json"])["name"],
        "copy"
    );
    assert_eq!(
        std::fs::read_to_string(root.join("copy/file")).unwrap(),
        "x"
    );
    assert_eq!(
        machine.json(&["folder", "rm", "inputs", "--json"])[0],
        "inputs"
    );
    let text = machine.ok(&["folder", "ls"]);
    assert!(text.contains("copy") && !text.contains("inputs"), "{text}");
    let trash = machine.json(&["folder", "ls", "--trash", "--json"]);
    assert_eq!(trash[0]["name"], "inputs");
    assert!(
        machine
            .ok(&["folder", "ls", "--trash"])
            .contains(trash[0]["id"].as_str().unwrap())
    );
    machine.ok(&["folder", "create", "inputs"]);
    let (code, _, err) = run(&machine, &["folder", "restore", "inputs"]);
    assert!(code == 1 && err.contains("folder rename inputs"), "{err}");
    machine.ok(&["folder", "rename", "inputs", "other"]);
    machine.json(&["folder", "restore", "inputs", "--json"]);
    assert_eq!(
        std::fs::read_to_string(root.join("inputs/file")).unwrap(),
        "x"
    );
    machine.ok(&["folder", "rm", "inputs", "other"]);
    let (code, _, err) = run(&machine, &["folder", "purge", "inputs"]);
    assert!(code == 2 && err.contains("--yes"), "{err}");
    let gone = machine.json(&["folder", "purge", "--all", "--yes", "--json"]);
    assert_eq!(gone.as_array().unwrap().len(), 2);
    assert_eq!(
        machine.json(&["folder", "ls", "--trash", "--json"]),
        serde_json::json!([])
    );
    let (code, _, err) = run(&machine, &["folder", "restore", "inputs"]);
    assert!(code == 3 && err.contains("folder ls --trash"), "{err}");
    assert_eq!(
        machine.json(&["folder", "hosts", "--json"])["default"],
        "local"
    );
    let (code, _, err) = run(&machine, &["folder", "invitations"]);
    assert!(code == 1 && err.contains("yours alone"), "{err}");
    let (code, _, err) = run(&machine, &["folder", "create", ".ssh"]);
    assert!(code == 2 && err.contains("is reserved"), "{err}");
}
