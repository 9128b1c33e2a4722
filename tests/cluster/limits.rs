//! A launch is checked against what the cluster has, by a daemon that has only just begun, too.

use crate::{
    built::{Named, machine},
    support::{Bench, name},
};

#[tokio::test]
async fn what_no_node_has_is_refused_by_a_fresh_daemon() {
    let _bench = Bench::new().await;
    let prefix = name();
    let _ended = Named(prefix.clone());
    for (option, amount, message) in [
        ("--cpu", "3000", "is above the limit"),
        ("--mem", "100t", "is above the limit"),
        ("--agent", "i-loca", "Did you mean i-local?"),
    ] {
        // Each with a daemon of its own, which knows nothing yet.
        let machine = machine("");
        let refused = machine.workbay(&["launch", "--name", &prefix, option, amount]);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains(option) && said.contains(message), "{said}");
        let listed = machine.ok(&["ls"]);
        assert!(!listed.contains(&prefix), "{listed}");
    }
}
