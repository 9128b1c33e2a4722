//! The first session, and launches that go wrong.

use workbay::model::resources::Bytes;

use super::{
    support::{Call, TestDaemon, eventually},
    user::User,
};

#[tokio::test]
async fn a_first_session_runs_after_four_keys() {
    let daemon = TestDaemon::open().await;
    let mut user = User::at(&daemon).await;
    user.presses("n ctrl-r enter enter").await;
    user.sees_line(&["-session", "RUNNING", "host"]).await;
    user.sees("Running 1").await;
    assert_eq!(daemon.engine.containers().len(), 1);
    user.presses("q").await;
    user.has_left().await;
    assert_eq!(daemon.engine.containers().len(), 1, "leaving ends nothing");
}

#[tokio::test]
async fn a_refused_launch_keeps_what_was_typed_and_says_why() {
    let daemon = TestDaemon::open().await;
    let mut user = User::at(&daemon).await;
    user.launches("train").await;
    user.presses("n").await;
    user.types("train").await;
    user.presses("alt-enter").await;
    user.sees("is taken by a session").await;
    user.sees_line(&["Name", "train"]).await;
    // Fixed in the launcher.
    user.types("-again").await;
    user.presses("alt-enter enter").await;
    user.sees_line(&["train-again", "RUNNING"]).await;
    user.sees("Running 2").await;
    assert_eq!(daemon.engine.containers().len(), 2);
}

#[tokio::test]
async fn a_launch_without_room_waits_and_says_for_what() {
    let daemon = TestDaemon::open().await;
    daemon.engine.set_others(Bytes(8 * Bytes::GIB));
    let mut user = User::at(&daemon).await;
    user.presses("n alt-enter enter").await;
    user.sees("needs 256 MiB of memory").await;
    daemon.engine.set_others(Bytes(0));
    user.presses("R").await;
    user.sees_line(&["-session", "RUNNING"]).await;
}

#[tokio::test]
async fn a_launch_is_seen_while_it_is_in_progress() {
    let daemon = TestDaemon::open().await;
    let mut user = User::at(&daemon).await;
    daemon.engine.hold(Call::Create);
    user.presses("n alt-enter enter").await;
    user.sees("PREPARING").await;
    eventually("it is being made", || {
        daemon.engine.count(Call::Create) == 1
    })
    .await;
    // Cancelled before it ran.
    user.presses("x y").await;
    user.sees("Ending ").await;
    daemon.engine.release(Call::Create);
    user.sees("Running 0").await;
    user.presses("2").await;
    user.sees_line(&["-session", "cancelled"]).await;
    assert!(daemon.engine.containers().is_empty());
}

#[tokio::test]
async fn a_launch_whose_image_is_in_progress_is_left_running_or_cancelled() {
    let daemon = TestDaemon::open().await;
    let mut user = User::at(&daemon).await;
    for left in [true, false] {
        user.presses("n alt-2 tab").await;
        // Only half of the image ever comes.
        user.types("never/ends:1").await;
        user.presses("alt-enter enter").await;
        user.sees("Pulling the image for").await;
        user.sees("50 MiB of 100 MiB").await;
        user.presses(if left { "enter" } else { "esc" }).await;
        user.sees_no("Pulling the image for").await;
    }
    user.sees("Running 1").await;
    user.sees_line(&["-session", "PULLING 50%"]).await;
    user.presses("2").await;
    user.sees_line(&["-session", "cancelled"]).await;
    assert_eq!(daemon.engine.count(Call::Pull), 1, "it was shared");
    assert!(daemon.engine.containers().is_empty());
}

#[tokio::test]
async fn a_form_whose_daemon_dies_keeps_what_was_typed_and_is_sent_again() {
    let mut daemon = TestDaemon::open().await;
    let mut user = User::at(&daemon).await;
    user.launches("first-one").await;
    user.presses("n").await;
    user.types("stubborn").await;
    user.presses("alt-enter").await;
    user.sees("Press Enter to launch without a folder").await;
    // What others use is counted before each launch, but the answer doesn't come.
    daemon.engine.hold(Call::List);
    let lists = daemon.engine.count(Call::List);
    user.presses("enter").await;
    user.sees("Launching").await;
    eventually("the launch is under way", || {
        daemon.engine.count(Call::List) > lists
    })
    .await;
    daemon.stop().await;
    user.sees("daemon disconnected").await;
    user.sees("stubborn").await;
    daemon.engine.release(Call::List);
    daemon.start().await;
    user.sees_no("daemon disconnected").await;
    eventually("it is launched", || daemon.engine.containers().len() == 2).await;
    user.sees_no("Storage").await;
    user.sees_line(&["stubborn", "RUNNING"]).await;
    user.sees_no("already").await;
}
