//! Two clients at one daemon, and one person who comes back.

use workbay::client::ConnectOptions;

use super::{person::Person, support::TestDaemon};

#[tokio::test]
async fn two_faces_see_the_same_changes() {
    let daemon = TestDaemon::open().await;
    let options = || ConnectOptions::existing(daemon.paths());
    let mut one = Person::sits_down("jin", options());
    let mut two = Person::sits_down("sue", options());
    one.sees("▪ connected").await;
    two.sees("▪ connected").await;
    one.launches("shared-one").await;
    two.sees_line(&["shared-one", "RUNNING"]).await;
    two.presses("r ctrl-u").await;
    two.types("by-another-name").await;
    two.presses("enter").await;
    one.sees_line(&["by-another-name", "RUNNING"]).await;
    one.presses("x y").await;
    one.sees("Finished 1").await;
    two.sees("Finished 1").await;
    two.sees_no("by-another-name").await;
}

#[tokio::test]
async fn a_closed_window_ends_nothing_and_one_comes_back_to_the_same_session() {
    let daemon = TestDaemon::open().await;
    let mut person = Person::at(&daemon).await;
    person.launches("lasting").await;
    person.presses("s").await;
    person.types("echo").await;
    person.sees("echo").await;
    person.closes_the_window().await;

    let mut person = Person::at(&daemon).await;
    person.sees_line(&["lasting", "RUNNING"]).await;
    person.presses("s").await;
    person.types("again").await;
    person.sees("again").await;
    // The end of a program in the shell is reported, and Enter opens a new one.
    person.presses("e x i t ctrl-j").await;
    person.sees("shell ended").await;
    person.presses("enter").await;
    person.sees_no("shell ended").await;
    person.types("once-more").await;
    person.sees("once-more").await;
}
