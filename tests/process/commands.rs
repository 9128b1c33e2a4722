//! Commands and clusters on the real engine whose daemon is killed: nothing is lost, doubled or stray,
//! and how a command ended is known.

use serde_json::Value;

use crate::{
    machine::{Machine, docker, launch},
    wait,
};

const NAME: &str = "victim";

fn batch(machine: &Machine, command: &str) {
    machine.workbay(&launch(
        NAME,
        &["--cpu", "0.1", "--batch", "--command", command],
    ));
}

const CLUSTER: [&str; 4] = ["--cpu", "0.1", "--cluster-size", "3"];

fn cluster(machine: &Machine) {
    machine.workbay(&launch(NAME, &[&CLUSTER[..], &["--wait"]].concat()));
}

/// Waits until the daemon has died of the fault; the next one has none.
fn revive(machine: &mut Machine, point: &str) {
    wait::until(
        &format!("the daemon dies at {point}"),
        || machine.daemon_pid(),
        Option::is_none,
    );
    machine.set("WORKBAY_FAULT", "");
}

fn until_status(machine: &Machine, wanted: &str) -> Value {
    wait::until(
        &format!("it is {wanted}"),
        || wait::status(machine, NAME),
        |status| status.as_deref() == Some(wanted),
    );
    machine.json(&["show", NAME, "--json"])
}

#[test]
fn a_command_runs_in_the_container_of_a_cluster_that_is_named() {
    let machine = Machine::new();
    cluster(&machine);
    let host = |kernel: &str| {
        let words = ["exec", NAME, "--kernel", kernel, "--", "sh", "-c"];
        let line = ["echo $BACKENDAI_CLUSTER_HOST"];
        machine.ok(&[&words[..], &line].concat()).trim().to_owned()
    };
    let shown = machine.json(&["show", NAME, "--json"]);
    for kernel in shown["kernels"].as_array().expect("its kernels") {
        let name = kernel["hostname"].as_str().expect("a host name");
        assert_eq!(host(name), name);
        assert_eq!(host(kernel["id"].as_str().expect("an id")), name);
    }
    let refused = machine.workbay(&["exec", NAME, "--kernel", "sub9", "--", "true"]);
    assert_eq!(refused.status.code(), Some(3));
    let refused = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.contains("has no container 'sub9'"), "{refused}");
    assert!(refused.contains("main1 ("), "{refused}");
}

#[test]
fn ports_opened_at_launch_are_shown_with_the_address_that_works() {
    let machine = Machine::new();
    machine.ok(&launch(
        NAME,
        &["--cpu", "0.1", "--preopen", "8080,9000", "--wait"],
    ));
    let known = || {
        let shown = machine.json(&["show", NAME, "--json"]);
        shown["kernels"][0]["address"].as_str().map(str::to_owned)
    };
    // The engine reports it a moment after the start.
    let address = wait::until("its address is known", known, Option::is_some);
    let address = address.expect("an address");
    let container = machine.containers().remove(0);
    let networks = "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}";
    assert_eq!(
        docker(&["inspect", "-f", networks, &container]).trim(),
        address
    );
    let text = machine.ok(&["show", NAME]);
    assert!(
        text.contains(&format!("{address}, ports 8080, 9000")),
        "{text}"
    );
    let tunnel = format!("ssh -L 8080:{address}:8080 -L 9000:{address}:9000 ");
    assert!(text.contains(&tunnel), "{text}");
}

#[test]
fn an_ended_session_leaves_no_container_and_keeps_its_log_and_its_home() {
    let machine = Machine::new();
    for code in [0, 3] {
        let name = format!("ends-{code}");
        let command = format!("echo made-{code} | tee made; exit {code}");
        machine.ok(&launch(
            &name,
            &["--cpu", "0.1", "--batch", "--command", &command],
        ));
        wait::until(
            "it has ended",
            || wait::status(&machine, &name),
            |status| status.as_deref() == Some("TERMINATED"),
        );
        assert!(
            machine.containers().is_empty(),
            "{:?}",
            machine.containers()
        );
        let log = machine.ok(&["logs", &name]);
        assert!(log.contains(&format!("made-{code}")), "{log}");
        let shown = machine.json(&["show", &name, "--json"]);
        assert_eq!(shown["kernels"][0]["exit_code"], code);
        let home = std::path::PathBuf::from(shown["home"].as_str().expect("its home"));
        let made = std::fs::read_to_string(home.join("made")).expect("its file");
        assert_eq!(made, format!("made-{code}\n"));
    }
}

#[test]
fn a_command_that_ends_while_the_daemon_is_dead_has_its_result_and_its_log() {
    for (code, result, info) in [
        (0, "success", "task-finished"),
        (3, "failure", "task-failed"),
    ] {
        let machine = Machine::new();
        let command = format!("echo made; while [ ! -e go ]; do sleep 0.1; done; exit {code}");
        batch(&machine, &command);
        let running = until_status(&machine, "RUNNING");
        let home = running["home"].as_str().expect("its home is reported");
        let container = machine.containers().remove(0);
        machine.kill_daemon();
        std::fs::write(std::path::Path::new(home).join("go"), "").expect("a file");
        docker(&["wait", &container]);
        let ended = until_status(&machine, "TERMINATED");
        assert_eq!(ended["result"], result);
        assert_eq!(ended["status_info"], info);
        assert_eq!(ended["kernels"][0]["exit_code"], code);
        assert!(machine.ok(&["logs", NAME]).contains("made"));
        assert!(machine.containers().is_empty());
    }
}

#[test]
fn killed_at_any_point_a_command_has_its_result() {
    for point in [
        "before:create",
        "after:create",
        "before:start",
        "after:start",
        "before:remove",
        "after:remove",
    ] {
        let mut machine = Machine::new();
        machine.set("WORKBAY_FAULT", point);
        eprintln!("the daemon is killed at {point}");
        batch(&machine, "exit 3");
        revive(&mut machine, point);
        let ended = until_status(&machine, "TERMINATED");
        assert_eq!(ended["result"], "failure", "{point}");
        assert_eq!(ended["status_info"], "task-failed", "{point}");
        assert_eq!(ended["kernels"][0]["exit_code"], 3, "{point}");
        assert!(machine.containers().is_empty(), "{point}");
    }
}

#[test]
fn killed_at_any_point_of_a_clusters_life_it_is_whole_or_gone() {
    for point in [
        "before:create",
        "after:create",
        "before:start",
        "after:start",
        "before:stop",
        "after:stop",
        "before:remove",
        "after:remove",
    ] {
        let mut machine = Machine::new();
        machine.set("WORKBAY_FAULT", point);
        eprintln!("the daemon is killed at {point}");
        let ends = point.ends_with("stop") || point.ends_with("remove");
        if ends {
            cluster(&machine);
            machine.workbay(&["terminate", NAME, "--force", "--yes"]);
        } else {
            // A launch that waits would start the next daemon.
            machine.workbay(&launch(NAME, &CLUSTER));
        }
        revive(&mut machine, point);
        let after = until_status(&machine, if ends { "TERMINATED" } else { "RUNNING" });
        let (containers, nets) = if ends { (0, 0) } else { (3, 1) };
        assert_eq!(machine.containers().len(), containers, "{point}");
        assert_eq!(machine.networks().len(), nets, "{point}");
        assert_eq!(
            after["kernels"].as_array().map(Vec::len),
            Some(3),
            "{point}"
        );
        if !ends {
            machine.ok(&["terminate", NAME, "--force", "--yes"]);
            until_status(&machine, "TERMINATED");
        }
        assert!(machine.networks().is_empty(), "{point}");
    }
}
