//! The machine was restarted while sessions ran.

use workbay::model::{capability::EngineState, change::Change, status::Status};

use crate::support::House;

#[tokio::test]
async fn what_ran_is_reported_as_ended_with_the_machine_by_whichever_daemon_first_reaches_the_engine()
 {
    let mut house = House::open().await;
    house.stop().await;
    house.boot = Some("first".to_owned());
    house.start().await;
    let mut face = house.face().await;
    let (gone, exited) = (face.run("gone").await, face.run("exited").await);
    let home = face.session(exited).unwrap().home;
    drop(face);
    house.stop().await;
    house.engine.vanish(gone);
    house.engine.die(exited, 143, false);
    house.boot = Some("second".to_owned());

    // The engine is not up yet, and this daemon ends before it is.
    house.engine.cut();
    house.start().await;
    let mut face = house.face().await;
    let is_lost = |change: &Change| match change {
        Change::Engine { engine, .. } => matches!(**engine, EngineState::Lost { .. }),
        _ => false,
    };
    let engine_lost = matches!(face.snapshot.contexts[0].engine, EngineState::Lost { .. });
    if !engine_lost {
        face.until_received(is_lost).await;
    }
    drop(face);
    house.stop().await;
    house.engine.restore();
    house.start().await;
    let mut face = house.face().await;
    for id in [gone, exited] {
        let ended = face.until_status(id, Status::Terminated).await;
        assert_eq!(ended.status_info, Some("host-reboot".into()));
        let why = "this machine restarted while the session ran";
        assert_eq!(ended.status_message, Some(why.into()));
    }
    assert_eq!(face.session(exited).unwrap().home, home, "it is kept");
    assert_eq!(house.engine.forgotten(), []);
}
