//! The engine disconnects and comes back while a user looks.

use super::{
    support::{Call, TestDaemon, eventually},
    user::User,
};

/// The only session with this name.
fn id_of(daemon: &TestDaemon, name: &str) -> workbay::model::id::SessionId {
    let containers = daemon.engine.containers();
    let found = containers.iter().find(|container| container.name == name);
    found.expect("the session has a container").session
}

#[tokio::test]
async fn while_the_engine_is_disconnected_the_rows_stay_and_one_full_list_brings_them_up_to_date() {
    let daemon = TestDaemon::open().await;
    let mut user = User::at(&daemon).await;
    user.launches("stays").await;
    user.launches("ends-unseen").await;
    let ends = id_of(&daemon, "ends-unseen");
    let lists = daemon.engine.count(Call::List);

    daemon.engine.cut();
    user.sees("The engine at memory: doesn't answer").await;
    user.sees("Start the engine").await;
    user.sees_line(&["stays", "RUNNING"]).await;
    user.sees_line(&["ends-unseen", "RUNNING"]).await;
    user.presses("n").await;
    user.sees_no("Launch a session").await;

    daemon.engine.die(ends, 3, false);
    daemon.engine.restore();
    user.sees_no("doesn't answer").await;
    user.sees("Running 1   Finished 1").await;
    user.sees_line(&["stays", "RUNNING"]).await;
    assert_eq!(daemon.engine.count(Call::List), lists + 1);
    user.presses("2").await;
    user.sees_line(&["ends-unseen", "lost"]).await;
}

#[tokio::test]
async fn a_launch_that_the_engine_did_not_survive_is_under_others_with_the_reason() {
    let daemon = TestDaemon::open().await;
    let mut user = User::at(&daemon).await;
    daemon.engine.hold(Call::Start);
    user.presses("n").await;
    user.types("unlucky").await;
    user.presses("alt-enter enter").await;
    eventually("it is being started", || {
        daemon.engine.count(Call::Start) == 1
    })
    .await;
    daemon.engine.cut();
    daemon.engine.release(Call::Start);
    user.sees("Others 1").await;
    user.presses("3").await;
    user.sees_line(&["unlucky", "ERROR"]).await;
    user.presses("enter").await;
    user.sees("Relaunch it when").await;

    daemon.engine.restore();
    eventually("what was half made is removed", || {
        daemon.engine.containers().is_empty()
    })
    .await;
    user.sees("▪ connected").await;
    user.sees("Others 1").await;
}

#[tokio::test]
async fn an_engine_that_is_disconnected_from_the_start_is_waited_for() {
    let mut daemon = TestDaemon::closed(super::support::test_daemon::settings());
    daemon.engine.cut();
    daemon.start().await;
    let options = workbay::client::ConnectOptions::existing(daemon.paths());
    let mut user = User::sits_down("jin", options);
    user.sees("doesn't answer").await;
    daemon.engine.restore();
    user.sees("▪ connected").await;
    user.launches("at-last").await;
}
