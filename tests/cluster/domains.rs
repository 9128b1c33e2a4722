//! A second domain: an account of it works in it, and others don't see its sessions. An account without a project gets the
//! reason why it can't launch.

use crate::{
    built::machine,
    machine::Machine,
    script,
    support::{Bench, manager, name},
};
use workbay::model::capability::Capability;

const MEMBER: &str = "annexed@example.com";

/// The domain `annex`. It is closed with this.
struct Annex {
    /// Name, access key and secret key of each account.
    keys: String,
}

impl Annex {
    fn open() -> Self {
        let keys = script::output("domain", &["open"]);
        Self { keys }
    }

    /// The access key and the secret key of an account.
    fn keys(&self, account: &str) -> (&str, &str) {
        let accounts = self
            .keys
            .lines()
            .map(|it| it.split(' ').collect::<Vec<_>>());
        let mut found = accounts.filter(|words| words[0] == account);
        let words = found
            .next()
            .unwrap_or_else(|| panic!("no {account} in {}", self.keys));
        (words[1], words[2])
    }

    /// A machine with the accounts as contexts, beside `cluster` and the administrator's `everyone`.
    fn machine(&self) -> Machine {
        let administrator = (
            "AKIAIOSFODNN7EXAMPLE",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        );
        let accounts = [
            ("annexed", self.keys("annexed"), ""),
            ("nothing", self.keys("nothing"), ""),
            ("everyone", administrator, "all-users = true"),
        ];
        let contexts = accounts.map(|(account, (access, _), more)| {
            let endpoint = manager();
            format!(
                "\n[contexts.{account}]\nkind = \"backendai\"\nendpoint = \"{endpoint}\"\naccess-key = \"{access}\"\nsecret-key \
                 = {{ env = \"WBT_{account}\" }}\n{more}\n"
            )
        });
        let mut machine = machine(&contexts.concat());
        for (account, (_, secret), _) in accounts {
            machine.set(&format!("WBT_{account}"), secret);
        }
        machine
    }
}

impl Drop for Annex {
    fn drop(&mut self) {
        script::run("domain", &["close"]);
    }
}

/// Sessions of a context whose names begin so. They end with this.
struct OfContext<'a>(&'a Machine, &'a str, String);

impl Drop for OfContext<'_> {
    fn drop(&mut self) {
        let Self(machine, context, prefix) = self;
        machine.workbay(&[
            "--context",
            context,
            "terminate",
            "--yes",
            "--force",
            &format!("{prefix}*"),
        ]);
    }
}

#[tokio::test]
async fn another_domain_and_an_account_without_a_project() {
    let bench = Bench::new().await;
    let annex = Annex::open();
    let machine = annex.machine();
    let prefix = name();
    let _ended = OfContext(&machine, "annexed", prefix.clone());

    let resources = machine.ok(&["--context", "annexed", "resources"]);
    for words in ["domain annex", "annex-team"] {
        assert!(resources.contains(words), "{resources}");
    }
    let session = format!("{prefix}-1");
    let mut words = vec!["--context", "annexed", "launch", "--name", &session];
    words.extend(["--cpu", "1", "--mem", "256m", "--wait"]);
    machine.ok(&words);
    let owner = |context: &str, session: &str| {
        let listed = machine.json(&["--context", context, "ls", "--json"]);
        let rows = listed.as_array().unwrap().iter();
        let mut found = rows.filter(|it| it["name"] == session);
        found.next().map(|it| it["owner"].clone())
    };
    assert_eq!(owner("annexed", &session).unwrap(), MEMBER);
    assert_eq!(owner("everyone", &session).unwrap(), MEMBER);
    assert_eq!(
        owner("cluster", &session),
        None,
        "another user of another domain"
    );

    if bench.lack(Capability::Owners).is_none() {
        let theirs = format!("{prefix}-2");
        let mut words = vec![
            "--context",
            "everyone",
            "launch",
            "--name",
            &theirs,
            "--owner",
            MEMBER,
        ];
        words.extend(["--cpu", "1", "--mem", "256m"]);
        machine.ok(&words);
        assert_eq!(owner("annexed", &theirs).unwrap(), MEMBER);
    }
    an_account_without_a_project(&machine);
}

fn an_account_without_a_project(machine: &Machine) {
    let in_context = |words: &[&str]| machine.workbay(&[&["--context", "nothing"], words].concat());
    let stderr =
        |output: &std::process::Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let why = "nothing@example.com is in no project, so it can't launch sessions";
    assert_eq!(
        machine.json(&["--context", "nothing", "ls", "--json"]),
        serde_json::json!([])
    );
    let catalogue = machine.json(&["--context", "nothing", "resources", "--json"]);
    // Newer releases give each account a project of its own, in which it can launch sessions.
    if catalogue["projects"]
        .as_array()
        .is_some_and(|it| !it.is_empty())
    {
        return;
    }
    let resources = in_context(&["resources"]);
    assert!(resources.status.success(), "{resources:?}");
    assert_eq!(
        stderr(&resources),
        format!("workbay: resource groups can't be read: {why}\n")
    );
    let refused = in_context(&[
        "launch",
        "--name",
        "wbt-nothing",
        "--cpu",
        "1",
        "--mem",
        "256m",
    ]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let said = stderr(&refused);
    assert!(
        said.contains(why) && said.contains("ask an administrator"),
        "{said}"
    );
}
