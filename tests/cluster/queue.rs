//! What waits, why, and what is taken out of the queue again.

use workbay::model::{
    history::Outcome,
    spec::LaunchRequest,
    status::{Status, Tab},
};

use crate::support::{Bench, cores_of_the_node, page, small};

#[tokio::test]
async fn what_does_not_fit_waits_and_says_why() {
    let bench = Bench::new().await;
    let (_first, _) = bench.running(small()).await;
    // All processors of the node, one of which is taken.
    let all = LaunchRequest {
        cpu: Some(cores_of_the_node(&bench).await),
        ..small()
    };
    let waiting = bench.enqueue(all.clone()).await;
    let session = bench
        .until_session(waiting.id(), |session| {
            session
                .status_message
                .as_ref()
                .is_some_and(|why| why.as_str().contains("waiting"))
        })
        .await;
    assert_eq!(session.status, Status::Pending);
    assert!(
        session
            .kernels
            .iter()
            .all(|kernel| kernel.started_at.is_none())
    );

    let history = bench.engine.history(waiting.id()).await.unwrap();
    let refused = history
        .iter()
        .find(|entry| entry.result == Outcome::NeedRetry);
    let refused = refused.unwrap_or_else(|| panic!("no attempt is told: {history:?}"));
    assert_eq!(refused.phase, *"schedule-sessions");
    assert!(
        refused.steps.iter().any(|step| step.message.is_some()),
        "{refused:?}"
    );

    let listed = page(&bench.engine, Tab::Running, all.name.as_deref()).await;
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].status, Status::Pending);

    bench.engine.terminate(waiting.id(), false).await.unwrap();
    let session = bench
        .until_session(waiting.id(), |session| session.status.is_final())
        .await;
    assert_eq!(session.status, Status::Cancelled);
    let listed = page(&bench.engine, Tab::Finished, all.name.as_deref()).await;
    assert_eq!(listed.len(), 1);
}
