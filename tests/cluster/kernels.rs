//! Kernels are named by as much of their ids as tells them apart: managers make ids of the time.

use crate::{
    hand::{Named, machine},
    support::{Bench, name},
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
    assert!(alike.len() >= 8, "{main} {sub}");
    let refused = machine.workbay(&["logs", &name, "--kernel", alike]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success(), "{said}");
    let both = said.contains(&format!("main1 ({main})")) && said.contains(&format!("sub1 ({sub})"));
    assert!(said.contains("may be any of") && both, "{said}");
}

#[tokio::test]
async fn what_is_held_counts_at_once() {
    let _bench = Bench::new().await;
    let prefix = name();
    let _ended = Named(prefix.clone());
    let machine = machine("");
    let group = || {
        let catalogue = machine.json(&["catalogue", "--json"]);
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
    assert_eq!(cores(&after, "using"), used + 1.0, "{after}");
    assert!(cores(&after, "remaining") <= all - used - 1.0, "{after}");
}
