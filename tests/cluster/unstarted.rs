//! A session that ends before it runs: the reason is reported, and the session is listed among those with errors.

use workbay::model::{
    capability::Capability,
    session::Session,
    spec::LaunchRequest,
    status::{Status, Tab},
    text::Clean,
};

use crate::{
    built::{Named, machine},
    support::{Bench, name, page, small},
};

/// The image whose containers cannot make their user.
const IMAGE: &str = "local/stable/unstartable:1-debian12";

#[tokio::test]
async fn why_a_session_did_not_start_is_reported() {
    let bench = Bench::new().await;
    let request = LaunchRequest {
        image: Some(IMAGE.to_owned()),
        ..small()
    };
    let ours = bench.enqueue(request.clone()).await;
    if let Some(why) = bench.lack(Capability::StartFailures) {
        // It may count as one that runs. If it never does, the reason is reported.
        assert!(why.ends_with("older than 26.8"), "{why}");
        let is_settled = |it: &Session| it.status == Status::Running || it.status.is_final();
        let session = bench.until_long(ours.id(), is_settled).await;
        let reason = session.status_message.as_ref().map(Clean::as_str);
        let is_explained = reason.is_some_and(|it| it.contains("container ended before"));
        assert!(session.started_at.is_some() || is_explained, "{session:?}");
        return;
    }
    let ended = bench.until_long(ours.id(), |it| it.status.is_final()).await;
    assert_eq!(ended.status, Status::Terminated);
    assert_eq!((ended.started_at, ended.tab()), (None, Tab::Others));
    let why = ended.status_message.clone().unwrap();
    assert!(why.as_str().contains(": not found"), "{why}");
    assert!(why.as_str().contains("container ended before"), "{why}");
    // The manager's lists agree with us.
    let name = request.name.as_deref();
    let there = async |tab| page(&bench.engine, tab, name).await.len();
    assert_eq!(
        (there(Tab::Others).await, there(Tab::Finished).await),
        (1, 0)
    );
    let row = page(&bench.engine, Tab::Others, name).await.remove(0);
    assert_eq!(row.tab(), Tab::Others);
}

#[tokio::test]
async fn a_client_that_waits_for_it_gets_the_reason() {
    let bench = Bench::new().await;
    let prefix = name();
    let _ended = Named(prefix.clone());
    let machine = machine("");
    let mut words = vec!["launch", "--name", &prefix, "--image", IMAGE];
    words.extend(["--cpu", "1", "--mem", "256m", "--wait"]);
    let failed = machine.workbay(&words);
    if bench.lack(Capability::StartFailures).is_some() {
        let said = String::from_utf8_lossy(&failed.stderr).into_owned();
        assert!(
            failed.status.success() || said.contains("is TERMINATED"),
            "{said}"
        );
        return;
    }
    let said = String::from_utf8_lossy(&failed.stderr).into_owned();
    assert_eq!(failed.status.code(), Some(1), "{said}");
    assert!(said.contains("is TERMINATED"), "{said}");
    assert!(said.contains(": not found"), "{said}");
    assert!(machine.ok(&["ls", "--tab", "others"]).contains(&prefix));
    assert!(!machine.ok(&["ls", "--tab", "finished"]).contains(&prefix));
}
