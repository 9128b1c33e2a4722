//! Sessions that run one command.

use workbay::model::{
    log::LogOptions,
    session::{BatchResult, SessionType},
    spec::LaunchRequest,
};

use crate::support::{Bench, read_log, small};

/// A small session that runs one command.
pub fn batch(command: &str) -> LaunchRequest {
    LaunchRequest {
        session_type: SessionType::Batch,
        startup_command: Some(command.to_owned()),
        ..small()
    }
}

#[tokio::test]
async fn a_batch_session_reports_its_result() {
    let bench = Bench::new().await;
    for (command, result) in [
        ("echo $((6*7)) is what it printed", BatchResult::Success),
        ("exit 3", BatchResult::Failure),
    ] {
        let (ours, _, _) = bench.started(batch(command)).await;
        let session = bench
            .until_session(ours.id(), |session| session.status.is_final())
            .await;
        assert_eq!(session.result, result, "{session:?}");
        assert_eq!(session.session_type, SessionType::Batch);
        assert_eq!(session.startup_command, Some(command.into()));
        let log = read_log(&bench.engine, ours.id(), LogOptions::default()).await;
        if result == BatchResult::Success {
            assert!(log.contains("42 is what it printed"), "{log}");
        }
    }
}
