//! The machine was restarted while sessions ran.

use workbay::model::{capability::EngineState, change::Change, status::Status};

use crate::support::TestDaemon;

#[tokio::test]
async fn what_ran_is_reported_as_ended_with_the_machine_by_whichever_daemon_first_reaches_the_engine()
 {
    let mut daemon = TestDaemon::open().await;
    daemon.stop().await;
    daemon.boot = Some("first".to_owned());
    daemon.start().await;
    let mut client = daemon.client().await;
    let (gone, exited) = (client.run("gone").await, client.run("exited").await);
    let home = client.session(exited).unwrap().home;
    drop(client);
    daemon.stop().await;
    daemon.engine.vanish(gone);
    daemon.engine.die(exited, 143, false);
    daemon.boot = Some("second".to_owned());

    // The engine is not up yet, and this daemon ends before it is.
    daemon.engine.cut();
    daemon.start().await;
    let mut client = daemon.client().await;
    let is_lost = |change: &Change| match change {
        Change::Engine { engine, .. } => matches!(**engine, EngineState::Lost { .. }),
        _ => false,
    };
    let engine_lost = matches!(client.snapshot.contexts[0].engine, EngineState::Lost { .. });
    if !engine_lost {
        client.until_received(is_lost).await;
    }
    drop(client);
    daemon.stop().await;
    daemon.engine.restore();
    daemon.start().await;
    let mut client = daemon.client().await;
    for id in [gone, exited] {
        let ended = client.until_status(id, Status::Terminated).await;
        assert_eq!(ended.status_info, Some("host-reboot".into()));
        let why = "this machine restarted while the session ran";
        assert_eq!(ended.status_message, Some(why.into()));
    }
    assert_eq!(client.session(exited).unwrap().home, home, "it is kept");
    assert_eq!(daemon.engine.forgotten(), []);
}
