//! Administrators: sessions of several owners are distinguished, and a session is created for another user by the
//! address alone.

use workbay::model::capability::Capability;

use crate::{
    built::machine,
    machine::Machine,
    support::{Bench, USER, by_admin, end, name, small},
};

/// The administrator who lists everyone's sessions, as context `everyone`.
pub fn administrator() -> Machine {
    let endpoint = crate::support::manager();
    let mut machine = machine(&format!(
        r#"
[contexts.everyone]
kind = "backendai"
endpoint = "{endpoint}"
access-key = "AKIAIOSFODNN7EXAMPLE"
secret-key = {{ env = "WBT_ADMIN_KEY" }}
all-users = true
"#
    ));
    machine.set("WBT_ADMIN_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
    machine
}

#[tokio::test]
async fn sessions_of_several_owners_are_distinguished_and_made_by_address() {
    let bench = Bench::new().await;
    let asked = small();
    let users = bench.enqueue(asked.clone()).await;
    let machine = administrator();
    // For the user by the address alone, and one of the administrator's own.
    let (theirs, own) = (name(), name());
    let launch = |name: &str, more: &[&str]| {
        let mut words = vec!["--context", "everyone", "launch", "--name", name];
        words.extend(["--cpu", "1", "--mem", "256m", "--json"]);
        words.extend(more);
        let made = machine.json(&words);
        made["id"].as_str().unwrap().parse().unwrap()
    };
    let administrator = Bench::with(by_admin()).await;
    let made = match administrator.lack(Capability::Owners) {
        None => vec![launch(&theirs, &["--owner", USER.0]), launch(&own, &[])],
        Some(why) => {
            let mut words = vec!["--context", "everyone", "launch", "--owner", USER.0];
            words.extend(["--cpu", "1", "--mem", "256m"]);
            let refused = machine.workbay(&words);
            let said = String::from_utf8_lossy(&refused.stderr).into_owned();
            assert!(!refused.status.success() && said.contains(&why), "{said}");
            vec![launch(&own, &[])]
        }
    };
    // The user's own session replaces one that was created for them.
    let theirs = match made.len() {
        1 => asked.name.clone().unwrap(),
        _ => theirs,
    };
    let listed = machine.ok(&["--context", "everyone", "ls"]);
    let head = listed.lines().next().unwrap();
    for column in ["OWNER", "PROJECT", "AGENT"] {
        assert!(head.contains(column), "{listed}");
    }
    let row = |name: &str| listed.lines().find(|line| line.contains(name)).unwrap();
    assert!(row(&theirs).contains("user@lablup.com"), "{listed}");
    assert!(row(&own).contains("admin@lablup.com"), "{listed}");
    let filtered = machine.ok(&[
        "--context",
        "everyone",
        "ls",
        "--filter",
        "admin@lablup.com",
    ]);
    assert!(
        filtered.contains(&own) && !filtered.contains(&theirs),
        "{filtered}"
    );
    // One's own list needs no such column.
    let mine = machine.ok(&["ls"]);
    assert!(!mine.contains("OWNER") && mine.contains(&theirs), "{mine}");
    for id in made {
        end(&administrator.engine, id).await;
    }
    drop(users);
}
