//! The daemon dies or is exchanged under the TUI.

use workbay::client::ConnectOptions;

use super::{
    person::Person,
    support::{
        TestDaemon,
        place::{self, DaemonDirectories},
    },
};

#[test]
#[ignore = "the other tests of this file start it as their daemon"]
fn be_the_daemon() {
    place::be_the_daemon();
}

#[tokio::test]
async fn a_killed_daemon_comes_back_and_the_shell_opens_again() {
    let place = DaemonDirectories::new("journeys::daemon::be_the_daemon");
    let mut person = Person::sits_down("jin", place.options(""));
    person.sees("▪ connected").await;
    person.launches("lasting").await;
    person.presses("s").await;
    person.types("typed-before").await;
    person.sees("typed-before").await;

    let first = place.pid().expect("the daemon lives");
    place.kill();
    person.has_seen("reopens automatically").await;
    // Nobody does anything: the TUI starts a new daemon, the pane opens with a fresh screen.
    person.sees_no("typed-before").await;
    person.sees_no("reopens").await;
    person.types("typed-after").await;
    person.sees("typed-after").await;
    assert_ne!(place.pid(), Some(first));

    person.presses("ctrl-] d").await;
    person.sees_line(&["lasting", "RUNNING"]).await;
    let world = place.world();
    assert_eq!(world.made.values().collect::<Vec<_>>(), [&1]);
    assert_eq!(world.started.values().collect::<Vec<_>>(), [&1]);
}

#[tokio::test]
async fn while_no_daemon_answers_the_list_stays_and_says_so() {
    let mut daemon = TestDaemon::open().await;
    let mut person = Person::sits_down("jin", ConnectOptions::existing(daemon.paths()));
    person.sees("▪ connected").await;
    person.launches("lasting").await;
    daemon.stop().await;
    person.sees("Daemon disconnected").await;
    person.sees_line(&["lasting", "RUNNING"]).await;
    person.presses("n").await;
    person.sees_no("Launch a session").await;
    daemon.start().await;
    person.sees_no("Daemon disconnected").await;
    person.sees("▪ connected").await;
    person.launches("next-one").await;
    person.sees("Running 2").await;
}
