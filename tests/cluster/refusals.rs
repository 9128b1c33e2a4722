//! What the cluster does not accept, and the sentence that says so.

use futures_util::StreamExt;
use jiff::{SignedDuration, Timestamp};
use workbay::{
    engine::backendai::Login,
    model::{failure::Failure, secret::Secret},
};

use crate::changes::Changes as _;
use crate::support::{ACCESS_KEY, Bench, by_keys, by_login, engine, now, small, too_large};

fn an_hour_ahead() -> Timestamp {
    now() + SignedDuration::from_hours(1)
}

fn an_hour_behind() -> Timestamp {
    now() - SignedDuration::from_hours(1)
}

#[track_caller]
fn denied<T: std::fmt::Debug>(result: Result<T, Failure>) -> String {
    match result {
        Err(error) if error.is_denied() => error.to_string(),
        other => panic!("not denied but {other:?}"),
    }
}

#[tokio::test]
async fn a_wrong_secret_key_is_reported() {
    Bench::new().await;
    let mut config = by_keys();
    config.login = Login::Api {
        access_key: ACCESS_KEY.to_owned(),
        secret_key: Secret::new("not-the-key"),
    };
    let why = denied(engine(config).probe().await);
    assert!(why.contains("key"), "{why}");
    assert!(!why.contains("not-the-key"), "{why}");
}

#[tokio::test]
async fn a_wrong_clock_is_reported_with_how_wrong_it_is() {
    Bench::new().await;
    for (clock, side) in [
        (an_hour_ahead as fn() -> Timestamp, "ahead"),
        (an_hour_behind, "behind"),
    ] {
        let mut config = by_keys();
        config.clock = clock;
        let why = denied(engine(config).probe().await);
        assert!(why.contains(side), "{why}");
        assert!(
            ["59 min", "60 min", "61 min", "1 h"]
                .iter()
                .any(|much| why.contains(much)),
            "{why}"
        );
    }
}

#[tokio::test]
async fn a_wrong_password_is_reported() {
    Bench::new().await;
    let mut config = by_login();
    config.login = Login::Session {
        username: "user@lablup.com".to_owned(),
        password: Secret::new("not-the-password"),
    };
    let why = denied(engine(config).probe().await);
    assert!(!why.contains("not-the-password"), "{why}");
}

#[tokio::test]
async fn a_project_without_a_registry_cannot_take_an_image() {
    let bench = Bench::new().await;
    let (ours, _) = bench.running(small()).await;
    let refused = match bench.engine.commit(ours.id(), "wbt-image").await {
        Err(refused) => refused,
        Ok(mut progress) => loop {
            match progress.next().await {
                Some(Ok(_)) => {}
                Some(Err(refused)) => break refused,
                None => panic!("an image was made where no registry is"),
            }
        },
    };
    assert!(refused.to_string().contains("registry"), "{refused}");
}

#[tokio::test]
async fn a_name_that_is_taken_is_reported() {
    let bench = Bench::new().await;
    let request = too_large();
    let _ours = bench.enqueue(request.clone()).await;
    let refused = bench.engine.launch(&request).await.unwrap_err();
    assert!(refused.to_string().contains("name"), "{refused}");
}

#[tokio::test]
async fn more_than_the_image_takes_or_the_policy_allows_is_reported() {
    let bench = Bench::new().await;
    let mut request = small();
    request.environment = Some("no-such-environment".to_owned());
    let refused = bench.engine.launch(&request).await.unwrap_err();
    assert!(
        refused.to_string().contains("no-such-environment"),
        "{refused}"
    );
    let mut request = small();
    request.mem = Some("1m".parse().unwrap());
    let refused = bench.engine.launch(&request).await.unwrap_err();
    assert!(refused.to_string().contains("mem"), "{refused}");
}
