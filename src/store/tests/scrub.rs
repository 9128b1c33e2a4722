//! Tests that secrets of earlier versions are removed from the file.

use super::*;
use crate::model::{secret_rules::SecretRules, spec::LaunchRequest};

const SECRETS: [(&str, &str); 3] = [
    ("DB_PASS", "hush-hush"),
    ("DATABASE_URL", "postgres://u:hush-hush@db/x"),
    ("MY_OWN", "hush-hush"),
];

/// A session as an earlier version wrote it, and the recent launch of it.
fn written(number: u128, step: Step) -> Vec<Write> {
    let env: BTreeMap<String, String> = SECRETS
        .iter()
        .chain(&[("STAGE", "test")])
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let launch = LaunchRequest {
        env: env.clone(),
        ..LaunchRequest::default()
    };
    let mut record = record(number);
    record.step = step;
    record.spec.env = env;
    record.request = Some(Box::new(launch.clone()));
    let recent = Write::Recent {
        at: Timestamp::UNIX_EPOCH,
        context: ContextName::local(),
        title: "old".into(),
        launch: Box::new(launch),
    };
    vec![Write::Session(Box::new(record)), recent]
}

fn rules(add: &str) -> SecretRules {
    SecretRules {
        add: vec![add.parse().unwrap()],
        remove: Vec::new(),
    }
}

fn contains_secret(dir: &TempDir) -> bool {
    let mut left = vec![dir.path().to_path_buf()];
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(fs::read_dir(&path).unwrap().map(|it| it.unwrap().path()));
        } else if fs::read(&path)
            .unwrap()
            .windows(9)
            .any(|it| it == b"hush-hush")
        {
            return true;
        }
    }
    false
}

#[tokio::test]
async fn what_is_secret_by_new_rules_is_removed_from_the_file_and_its_copies() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(&dir);
    store.write(written(1, Step::Settled)).await.unwrap();
    store.close().await;
    let path = options(&dir).database;
    fs::create_dir(path.with_file_name("backup")).unwrap();
    fs::copy(&path, path.with_file_name("backup").join("workbay.db.copy")).unwrap();
    assert!(contains_secret(&dir));
    let mut later = options(&dir);
    later.secrets = rules("MY_*");
    let (store, opened) = Store::open(&later).unwrap();
    let record = &opened.records[0];
    assert_eq!(record.spec.env.keys().collect::<Vec<_>>(), ["STAGE"]);
    assert_eq!(
        record.spec.secret_names,
        ["DATABASE_URL", "DB_PASS", "MY_OWN"]
    );
    let launch = store.recents().await.unwrap().remove(0).launch;
    assert_eq!(record.request.as_deref(), Some(&launch));
    for (name, _) in SECRETS {
        assert!(
            launch.env[name].is_empty() && launch.is_secret(name),
            "{name}"
        );
    }
    assert_eq!(launch.env["STAGE"], "test");
    store.close().await;
    assert!(!contains_secret(&dir), "in the file, its log or a copy");
}

#[tokio::test]
async fn a_session_that_waits_keeps_what_it_is_made_with() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(&dir);
    store.write(written(1, Step::Wait)).await.unwrap();
    store.close().await;
    let mut later = options(&dir);
    later.secrets = rules("MY_*");
    let (store, opened) = Store::open(&later).unwrap();
    assert_eq!(opened.records[0].spec.env["DB_PASS"], "hush-hush");
    // The values are removed once the session has started.
    let mut record = opened.records[0].clone();
    record.step = Step::Settled;
    store
        .write(vec![Write::Session(Box::new(record))])
        .await
        .unwrap();
    store.close().await;
    let (store, _) = Store::open(&later).unwrap();
    store.close().await;
    assert!(!contains_secret(&dir));
}
