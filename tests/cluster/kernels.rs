//! Kernels are named by as much of their ids as distinguishes them: managers make ids of the time.

use workbay::{
    engine::api::{ExecCommand, Input},
    model::spec::LaunchRequest,
};

use crate::{
    built::{Named, machine},
    pane::Pane,
    support::{Bench, name, read_until, small, within},
};

#[tokio::test]
async fn a_kernel_is_found_by_the_id_that_is_printed() {
    let _bench = Bench::new().await;
    let prefix = name();
    let _ended = Named(prefix.clone());
    let machine = machine("");
    let launched = ["a", "b"].into_iter().find_map(|attempt| {
        let name = format!("{prefix}-{attempt}");
        let mut words = vec!["launch", "--wait", "--name", &name, "--cpu", "1"];
        words.extend(["--mem", "256m", "--cluster-size", "2"]);
        // Rarely a node loses a container in the making.
        machine.workbay(&words).status.success().then_some(name)
    });
    let name = launched.expect("a session starts on this cluster");
    let shown = machine.ok(&["show", &name]);
    let id = |host: &str| {
        let row = shown.lines().find(|line| line.starts_with(host)).unwrap();
        row.split_whitespace().nth(1).unwrap().to_owned()
    };
    let (main, sub) = (id("main1"), id("sub1"));
    assert_ne!(main, sub, "{shown}");
    for kernel in [main.as_str(), &sub, "main1", "sub1"] {
        machine.ok(&["logs", &name, "--kernel", kernel]);
    }
    // What both begin with may be either.
    let alike = main.bytes().zip(sub.bytes()).take_while(|(a, b)| a == b);
    let alike = &main[..alike.count()];
    if alike.len() < 4 {
        // Managers before 26 make ids at random: there is nothing that both begin with.
        return;
    }
    let refused = machine.workbay(&["logs", &name, "--kernel", alike]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success(), "{said}");
    let both = said.contains(&format!("main1 ({main})")) && said.contains(&format!("sub1 ({sub})"));
    assert!(said.contains("matches several") && both, "{said}");
}

#[tokio::test]
async fn each_kernel_has_commands_shells_windows_and_usage() {
    let bench = Bench::new().await;
    let two = LaunchRequest {
        cluster_size: Some(2),
        ..small()
    };
    let (ours, asked) = bench.running(two).await;
    let kernels = bench.session(ours.id()).await.kernels;
    let sub = kernels.iter().find(|it| it.hostname == *"sub1").unwrap();

    let run = async |argv: &[&str]| {
        let command = ExecCommand {
            argv: argv.iter().map(ToString::to_string).collect(),
            tty: None,
            kernel: Some(sub.id),
        };
        let mut running = within(bench.engine.exec(ours.id(), command)).await.unwrap();
        let mut said = String::new();
        read_until(&mut running, &mut said, |said| said.ends_with('\n')).await;
        said
    };
    assert_eq!(run(&["hostname"]).await, "sub1\n");
    let place = run(&["sh", "-c", "echo $(whoami) $(pwd)"]).await;
    assert_eq!(place, "work /home/work\n");

    // A terminal comes back to the same shell, and its windows are reported.
    let mut pane = Pane::open_in(&bench, ours.id(), "there", Some(sub.id)).await;
    pane.type_("here=in-$BACKENDAI_CLUSTER_HOST; echo $here\r")
        .await;
    pane.wait_for_line("in-sub1").await;
    drop(pane);
    let mut pane = Pane::open_in(&bench, ours.id(), "there", Some(sub.id)).await;
    pane.type_("clear; echo still-$here\r").await;
    pane.wait_for_line("still-in-sub1").await;
    let mut control = within(bench.engine.control(ours.id(), Some(sub.id)))
        .await
        .unwrap();
    let mut said = String::new();
    read_until(&mut control, &mut said, |said| {
        said.contains("%session-changed")
    })
    .await;
    let line = Input::Bytes(b"new-window -n second\n"[..].into());
    control.input.send(line).await.unwrap();
    read_until(&mut control, &mut said, |said| said.contains("%window-add")).await;
    drop((control, pane));

    // By the command line, with its log.
    let machine = machine("");
    let name = asked.name.unwrap();
    let host = machine.ok(&["exec", &name, "--kernel", "sub1", "--", "hostname"]);
    assert_eq!(host, "sub1\n");
    let log = machine.ok(&["logs", &name, "--kernel", "sub1"]);
    assert!(!log.is_empty(), "it has no log");
}

#[tokio::test]
async fn what_is_held_counts_at_once() {
    let _bench = Bench::new().await;
    let prefix = name();
    let _ended = Named(prefix.clone());
    let machine = machine("");
    let group = || {
        let catalogue = machine.json(&["resources", "--json"]);
        catalogue["resource_groups"][0].clone()
    };
    let before = group();
    let all = before["capacity"]["cpu"].as_f64().unwrap();
    let cores = |it: &serde_json::Value, what: &str| it[what]["cpu"].as_f64().unwrap();
    let used = cores(&before, "using");
    let launched = ["a", "b"].into_iter().any(|attempt| {
        let name = format!("{prefix}-{attempt}");
        let mut words = vec!["launch", "--wait", "--name", &name, "--cpu", "1"];
        words.extend(["--mem", "256m"]);
        machine.workbay(&words).status.success()
    });
    assert!(launched, "no session starts on this cluster");
    let after = group();
    let more = cores(&after, "using") - used;
    assert!((more - 1.0).abs() < 0.001, "{after}");
    assert!(cores(&after, "remaining") <= all - used - 1.0, "{after}");
}
