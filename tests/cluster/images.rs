//! Images that were made of sessions: shown and found by the name that was given, and chosen only by who
//! wants them.

use workbay::model::{environment::EnvironmentSource, session::SessionType, spec::LaunchRequest};

use crate::{
    built::{Named, machine, open},
    support::{Bench, by_admin, name, small},
};

/// As the cluster's own image of that kind is called.
const OWN: &str = "wbt-mine";

#[tokio::test]
async fn an_image_of_a_session_has_its_name_and_is_nobodys_default() {
    for config in [crate::support::by_keys(), by_admin()] {
        let bench = Bench::with(config).await;
        let all = bench.engine.environments().await.unwrap();
        assert!(all[0].facts.customized.is_none(), "{all:?}");
        let own = all.iter().find(|it| {
            let customized = it.facts.customized.as_ref();
            customized.is_some_and(|it| it.name == OWN)
        });
        let own = own.unwrap_or_else(|| panic!("no {OWN} in {all:?}"));
        let EnvironmentSource::Image { reference } = &own.source else {
            panic!("{own:?}");
        };
        assert!(reference.contains("customized_"), "{reference}");
    }
    let _bench = Bench::new().await;
    let machine = machine("");
    assert!(machine.ok(&["env", "ls"]).contains(OWN));
    let listed = machine.ok(&["image", "ls"]);
    let own = listed.lines().find(|line| line.starts_with(OWN));
    assert!(
        own.is_some_and(|line| line.contains("-customized_")),
        "{listed}"
    );
    let others = [
        "image",
        "rm",
        "local/stable/unstartable:1-debian12",
        "--yes",
    ];
    let refused = machine.workbay(&others);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("created from your sessions"), "{said}");
    assert!(machine.ok(&["image", "ls"]).contains(others[2]));
    let prefix = name();
    let _ended = Named(prefix.clone());
    let mut words = vec!["launch", "--name", &prefix, "--env", OWN];
    words.extend(["--cpu", "1", "--mem", "256m", "--json"]);
    let made = machine.json(&words);
    let label = made["environment"]["version"].as_str().unwrap();
    assert!(label.contains("customized_"), "{made}");
    // The launcher shows its name, and begins with the plain one.
    let mut terminal = open(&machine);
    terminal.type_("n");
    terminal.wait_for("Launch a session");
    terminal.type_("\x1b2");
    terminal.wait_for(OWN);
    let chosen = terminal.screen();
    let chosen = chosen
        .lines()
        .find(|line| line.contains("Environment"))
        .unwrap();
    assert!(!chosen.contains(OWN), "{chosen}");
}

#[tokio::test]
async fn no_image_is_made_of_a_batch_session() {
    let bench = Bench::new().await;
    let batch = LaunchRequest {
        session_type: SessionType::Batch,
        startup_command: Some("sleep 600".to_owned()),
        ..small()
    };
    let (ours, asked) = bench.running(batch).await;
    let machine = machine("");
    let name = asked.name.unwrap();
    let refused = machine.workbay(&["commit", &name, "wbt-image"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success(), "{said}");
    assert!(said.contains("interactive"), "{said}");
    drop(ours);
}
