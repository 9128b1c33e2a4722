//! The official client and workbay on one cluster: each shows what the other does, without a key.

use std::time::Duration;

use crate::{
    built::{Named, machine, open, row},
    script,
    support::{Bench, name},
    terminal::{PATIENCE, Terminal},
};

/// The official client, as `user`.
fn client(words: &[&str]) -> String {
    script::output("client", words)
}

/// Waits until the row of a session is so.
fn shows(terminal: &mut Terminal, session: &str, what: &str) {
    terminal.wait_until(what, |screen| {
        row(screen, session).is_some_and(|row| row.contains(what))
    });
}

#[tokio::test]
async fn each_shows_what_the_other_does() {
    let _bench = Bench::new().await;
    let prefix = name();
    let _ended = Named(prefix.clone());
    let machine = machine("");
    let mut terminal = open(&machine);
    terminal.be_patient(Duration::from_secs(300));

    // What the client does to sessions is in the list.
    let (theirs, ours) = (format!("{prefix}-theirs"), format!("{prefix}-ours"));
    let create = [
        "session", "create", "--name", &theirs, "-r", "cpu=1", "-r", "mem=256m",
    ];
    let create = [
        &create[..],
        &["--scaling-group", "default", "--enqueue-only", "python"],
    ]
    .concat();
    client(&create);
    shows(&mut terminal, &theirs, "RUNNING");
    client(&["session", "destroy", &theirs]);
    terminal.wait_until("it has left the tab", |screen| {
        row(screen, &theirs).is_none()
    });

    // And what workbay does is in the client's list at once.
    machine.ok(&["launch", "--name", &ours, "--cpu", "1", "--mem", "256m"]);
    assert!(client(&["session", "list"]).contains(&ours));
    shows(&mut terminal, &ours, "RUNNING");
    machine.ok(&["terminate", "--yes", "--force", &ours]);
    terminal.wait_until("it has left the tab", |screen| row(screen, &ours).is_none());
    let listed = client(&["session", "list", "--all"]);
    let gone = listed.lines().filter(|line| line.contains(ours.as_str()));
    assert!(
        gone.clone().all(|line| !line.contains("RUNNING")),
        "{listed}"
    );

    folders(&mut terminal);
    terminal.type_("q");
    assert_eq!(terminal.wait_end(), 0);
}

/// The open data page shows the folders that the client makes and deletes.
fn folders(terminal: &mut Terminal) {
    let folder = name();
    terminal.be_patient(PATIENCE);
    terminal.type_("D");
    terminal.wait_for("Data of");
    client(&["vfolder", "create", &folder, "local:volume1"]);
    terminal.wait_for(&folder);
    client(&["vfolder", "delete", &folder]);
    terminal.wait_gone(&folder);
    client(&["vfolder", "delete-trash", &folder]);
    terminal.type_("\x1b");
    terminal.wait_gone("Data of");
}
