//! Launches from the command line, through the daemon.

use crate::{
    built::{Named, machine},
    support::{Bench, cores_of_the_node, name, small},
};

#[tokio::test]
async fn several_copies_and_what_they_were_asked_for() {
    let bench = Bench::new().await;
    // With one of its processors taken all of them are not free: they wait, and cost nothing.
    let (_first, _) = bench.running(small()).await;
    let cores = cores_of_the_node(&bench).await.to_string();
    let prefix = name();
    let _ended = Named(prefix.clone());
    let machine = machine("");
    let mut words = vec!["launch", "--name", &prefix, "--count", "2"];
    words.extend(["--cpu", &cores, "--mem", "256m", "--priority", "7"]);
    words.extend(["--preopen", "9000", "--batch", "--command", "true"]);
    machine.ok(&words);
    let listed = machine.json(&["ls", "--json"]);
    let rows = listed.as_array().or_else(|| listed["sessions"].as_array());
    let rows: Vec<_> = rows
        .unwrap()
        .iter()
        .filter(|row| {
            let name = row["name"].as_str().unwrap();
            name.starts_with(&prefix)
        })
        .collect();
    let mut names: Vec<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, [format!("{prefix}-1"), format!("{prefix}-2")]);
    for row in rows {
        assert_eq!(
            (&row["status"], &row["type"], &row["placement"]["priority"]),
            (&"PENDING".into(), &"batch".into(), &7.into()),
            "{row}"
        );
    }
    // The same name again: nothing is launched, and it is said why.
    let again = machine.workbay(&["launch", "--name", &format!("{prefix}-1")]);
    assert!(!again.status.success());
    let stderr = String::from_utf8_lossy(&again.stderr);
    assert!(
        stderr.contains("a session with that name already exists"),
        "{stderr}"
    );
}
