//! The first session, and launches that go wrong.

use workbay::model::resources::Bytes;

use super::{
    person::Person,
    support::{Call, TestDaemon, eventually},
};

#[tokio::test]
async fn a_first_session_runs_after_four_keys() {
    let daemon = TestDaemon::open().await;
    let mut person = Person::at(&daemon).await;
    person.presses("n ctrl-r enter enter").await;
    person.sees_line(&["-session", "RUNNING", "host"]).await;
    person.sees("Running 1").await;
    assert_eq!(daemon.engine.containers().len(), 1);
    person.presses("q").await;
    person.has_left().await;
    assert_eq!(daemon.engine.containers().len(), 1, "leaving ends nothing");
}

#[tokio::test]
async fn a_refused_launch_keeps_what_was_typed_and_says_why() {
    let daemon = TestDaemon::open().await;
    let mut person = Person::at(&daemon).await;
    person.launches("train").await;
    person.presses("n").await;
    person.types("train").await;
    person.presses("alt-enter").await;
    person.sees("is taken by a session").await;
    person.sees_line(&["Name", "train"]).await;
    // Fixed on the spot.
    person.types("-again").await;
    person.presses("alt-enter enter").await;
    person.sees_line(&["train-again", "RUNNING"]).await;
    person.sees("Running 2").await;
    assert_eq!(daemon.engine.containers().len(), 2);
}

#[tokio::test]
async fn a_launch_without_room_waits_and_says_for_what() {
    let daemon = TestDaemon::open().await;
    daemon.engine.set_others(Bytes(8 * Bytes::GIB));
    let mut person = Person::at(&daemon).await;
    person.presses("n alt-enter enter").await;
    person.sees("needs 256 MiB of memory").await;
    daemon.engine.set_others(Bytes(0));
    person.presses("R").await;
    person.sees_line(&["-session", "RUNNING"]).await;
}

#[tokio::test]
async fn a_launch_is_seen_while_it_is_in_progress() {
    let daemon = TestDaemon::open().await;
    let mut person = Person::at(&daemon).await;
    daemon.engine.hold(Call::Create);
    person.presses("n alt-enter enter").await;
    person.sees("PREPARING").await;
    eventually("it is being made", || {
        daemon.engine.count(Call::Create) == 1
    })
    .await;
    // Ended before it began.
    person.presses("x y").await;
    person.sees("Ending ").await;
    daemon.engine.release(Call::Create);
    person.sees("Running 0").await;
    person.presses("2").await;
    person.sees_line(&["-session", "cancelled"]).await;
    assert!(daemon.engine.containers().is_empty());
}

#[tokio::test]
async fn a_launch_whose_image_is_in_progress_is_left_running_or_cancelled() {
    let daemon = TestDaemon::open().await;
    let mut person = Person::at(&daemon).await;
    for left in [true, false] {
        person.presses("n alt-2 tab").await;
        // No more than half of it ever comes.
        person.types("never/ends:1").await;
        person.presses("alt-enter enter").await;
        person.sees("Pulling the image for").await;
        person.sees("50 MiB of 100 MiB").await;
        person.presses(if left { "enter" } else { "esc" }).await;
        person.sees_no("Pulling the image for").await;
    }
    person.sees("Running 1").await;
    person.sees_line(&["-session", "PULLING 50%"]).await;
    person.presses("2").await;
    person.sees_line(&["-session", "cancelled"]).await;
    assert_eq!(daemon.engine.count(Call::Pull), 1, "it was shared");
    assert!(daemon.engine.containers().is_empty());
}

#[tokio::test]
async fn a_form_whose_daemon_dies_keeps_what_was_typed_and_is_sent_again() {
    let mut daemon = TestDaemon::open().await;
    let mut person = Person::at(&daemon).await;
    person.launches("first-one").await;
    person.presses("n").await;
    person.types("stubborn").await;
    person.presses("alt-enter").await;
    person.sees("Press Enter to launch without a folder").await;
    // What others use is counted before each launch: the answer does not come.
    daemon.engine.hold(Call::List);
    let lists = daemon.engine.count(Call::List);
    person.presses("enter").await;
    person.sees("Launching").await;
    eventually("the launch is under way", || {
        daemon.engine.count(Call::List) > lists
    })
    .await;
    daemon.stop().await;
    person.sees("daemon disconnected").await;
    person.sees("stubborn").await;
    daemon.engine.release(Call::List);
    daemon.start().await;
    person.sees_no("daemon disconnected").await;
    eventually("it is launched", || daemon.engine.containers().len() == 2).await;
    person.sees_no("Storage").await;
    person.sees_line(&["stubborn", "RUNNING"]).await;
    person.sees_no("already").await;
}
