//! The daemon is killed or replaced while the TUI is open.

use workbay::client::ConnectOptions;

use super::{
    support::{
        TestDaemon,
        place::{self, DaemonDirectories},
    },
    user::User,
};

#[test]
#[ignore = "the other tests of this file start it as their daemon"]
fn be_the_daemon() {
    place::be_the_daemon();
}

#[tokio::test]
async fn a_killed_daemon_comes_back_and_the_shell_opens_again() {
    let place = DaemonDirectories::new("journeys::daemon::be_the_daemon");
    let mut user = User::sits_down("jin", place.options(""));
    user.sees("▪ connected").await;
    user.launches("lasting").await;
    user.presses("s").await;
    user.types("typed-before").await;
    user.sees("typed-before").await;

    let first = place.pid().expect("the daemon lives");
    place.kill();
    user.has_seen("reopens automatically").await;
    // Without any key: the TUI starts a new daemon, and the pane opens with a fresh screen.
    user.sees_no("typed-before").await;
    user.sees_no("reopens").await;
    user.types("typed-after").await;
    user.sees("typed-after").await;
    assert_ne!(place.pid(), Some(first));

    user.presses("ctrl-] d").await;
    user.sees_line(&["lasting", "RUNNING"]).await;
    let world = place.world();
    assert_eq!(world.made.values().collect::<Vec<_>>(), [&1]);
    assert_eq!(world.started.values().collect::<Vec<_>>(), [&1]);
}

#[tokio::test]
async fn while_no_daemon_answers_the_list_stays_and_says_so() {
    let mut daemon = TestDaemon::open().await;
    let mut user = User::sits_down("jin", ConnectOptions::existing(daemon.paths()));
    user.sees("▪ connected").await;
    user.launches("lasting").await;
    daemon.stop().await;
    user.sees("Daemon disconnected").await;
    user.sees_line(&["lasting", "RUNNING"]).await;
    user.presses("n").await;
    user.sees_no("Launch a session").await;
    daemon.start().await;
    user.sees_no("Daemon disconnected").await;
    user.sees("▪ connected").await;
    user.launches("next-one").await;
    user.sees("Running 2").await;
}
