//! What waits, why, and what is taken out of the queue again.

use workbay::model::{
    history::Outcome,
    spec::LaunchRequest,
    status::{Status, Tab},
};

use crate::changes::Changes as _;
use crate::{
    built::machine,
    support::{Bench, by_admin, cores_of_the_node, engine, page, small, too_large},
};

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
    if bench.lacks_steps(&history) {
        assert!(history.iter().all(|entry| entry.to == Status::Pending));
    } else {
        let refused = history
            .iter()
            .find(|entry| entry.result == Outcome::NeedRetry);
        let refused = refused.unwrap_or_else(|| panic!("no attempt is reported: {history:?}"));
        assert_eq!(refused.phase, *"schedule-sessions");
        assert!(
            refused.steps.iter().any(|step| step.message.is_some()),
            "{refused:?}"
        );
    }

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

#[tokio::test]
async fn administrators_alone_change_the_priority_of_what_waits() {
    let bench = Bench::new().await;
    let request = too_large();
    let waiting = bench.enqueue(request.clone()).await;
    let name = request.name.unwrap();
    let refused = machine("").workbay(&["priority", &name, "70"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    let why = "only administrators can change a priority on this cluster";
    assert!(!refused.status.success() && said.contains(why), "{said}");
    let before = bench.session(waiting.id()).await.placement.priority;

    let administrator = engine(by_admin());
    administrator.probe().await.unwrap();
    let wanted = match administrator.prioritize(waiting.id(), 70).await {
        Ok(()) => Some(70),
        // The mutation of 26.9.6 ends in a fault of the manager's own and changes nothing.
        Err(error) => {
            let said = error.to_string();
            assert!(said.contains("the manager can't answer"), "{said}");
            assert!(said.contains("greenlet_spawn"), "{said}");
            before
        }
    };
    let after = bench.session(waiting.id()).await.placement.priority;
    assert_eq!(after, wanted);
}
