//! The same cluster through its web server, by user name and password.

use workbay::model::{log::LogOptions, status::Tab};

use crate::{
    pane::Pane,
    support::{Bench, by_login, page, read_log, small},
    valkey,
};

#[tokio::test]
async fn a_login_lists_launches_and_opens_a_terminal() {
    let bench = Bench::with(by_login()).await;
    let info = bench.engine.probe().await.unwrap();
    assert_eq!(info.user.unwrap().email, *"user@lablup.com");
    let (ours, asked) = bench.running(small()).await;
    let listed = page(&bench.engine, Tab::Running, asked.name.as_deref()).await;
    assert_eq!(listed.len(), 1);
    let log = read_log(&bench.engine, ours.id(), LogOptions::default()).await;
    assert!(log.contains("Kernel started at"), "{log}");
    let mut pane = Pane::open(&bench, ours.id(), "pane-a").await;
    pane.type_("echo $((6*7)) through the web server\r").await;
    pane.wait_for_line("42 through the web server").await;
}

#[tokio::test]
async fn an_expired_login_is_renewed_automatically() {
    let before = valkey::logins();
    let bench = Bench::with(by_login()).await;
    let made: Vec<String> = valkey::logins()
        .into_iter()
        .filter(|login| !before.contains(login))
        .collect();
    assert!(!made.is_empty(), "the web server keeps logins elsewhere");
    valkey::forget(&made);
    page(&bench.engine, Tab::Running, None).await;
}
