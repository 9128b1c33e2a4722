//! Two clients at one daemon, and one user who comes back.

use workbay::client::ConnectOptions;

use super::{support::TestDaemon, user::User};

#[tokio::test]
async fn two_faces_see_the_same_changes() {
    let daemon = TestDaemon::open().await;
    let options = || ConnectOptions::existing(daemon.paths());
    let mut one = User::sits_down("jin", options());
    let mut two = User::sits_down("sue", options());
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
    let mut user = User::at(&daemon).await;
    user.launches("lasting").await;
    user.presses("s").await;
    user.types("echo").await;
    user.sees("echo").await;
    user.closes_the_window().await;

    let mut user = User::at(&daemon).await;
    user.sees_line(&["lasting", "RUNNING"]).await;
    user.presses("s").await;
    user.types("again").await;
    user.sees("again").await;
    // The end of a program in the shell is reported, and Enter opens a new one.
    user.presses("e x i t ctrl-j").await;
    user.sees("shell ended").await;
    user.presses("enter").await;
    user.sees_no("shell ended").await;
    user.types("once-more").await;
    user.sees("once-more").await;
}
