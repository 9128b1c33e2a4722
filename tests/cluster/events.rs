//! What the cluster reports on its own.

use futures_util::StreamExt;
use workbay::model::status::Status;

use crate::changes::Changes as _;
use crate::support::{Bench, small, within};

#[tokio::test]
async fn a_session_is_followed_by_events_from_queue_to_end() {
    let bench = Bench::new().await;
    let mut events = bench.engine.events().await.unwrap();
    let (ours, _) = bench.running(small()).await;
    bench.engine.terminate(ours.id(), false).await.unwrap();
    let mut seen = Vec::new();
    within(async {
        while !seen.iter().any(|event| event == "session_terminated") {
            let event = events.next().await.expect("the events go on").unwrap();
            if event.session == ours.id() {
                seen.push(event.event.to_string());
            }
        }
    })
    .await;
    for wanted in ["session_scheduled", "session_started", "kernel_started"] {
        assert!(
            seen.iter().any(|event| event == wanted),
            "no {wanted} among {seen:?}"
        );
    }
    bench.until_status(ours.id(), &Status::Terminated).await;
}
