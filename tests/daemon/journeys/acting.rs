//! Acting on sessions: end, rename, find.

use super::{
    support::{Call, TestDaemon, eventually},
    user::User,
};

fn names(daemon: &TestDaemon) -> Vec<String> {
    let containers = daemon.engine.containers();
    let mut names: Vec<String> = containers.into_iter().map(|found| found.name).collect();
    names.sort();
    names
}

#[tokio::test]
async fn ending_a_session_is_asked_first_and_it_is_found_under_finished() {
    let daemon = TestDaemon::open().await;
    let mut user = User::at(&daemon).await;
    user.launches("lasting").await;
    user.presses("x").await;
    user.sees("Terminate lasting?").await;
    user.sees("All running programs").await;
    user.presses("n").await;
    user.sees_no("Terminate lasting?").await;
    user.sees_line(&["lasting", "RUNNING"]).await;
    assert_eq!(daemon.engine.count(Call::Stop), 0);

    // Enter alone never ends anything: the safe button is the marked one.
    user.presses("x").await;
    user.sees("Terminate lasting?").await;
    user.presses("enter").await;
    user.sees_no("Terminate lasting?").await;
    assert_eq!(daemon.engine.count(Call::Stop), 0);

    user.presses("x y").await;
    user.sees("Running 0   Finished 1").await;
    user.presses("2").await;
    user.sees_line(&["lasting", "terminated"]).await;
    assert!(daemon.engine.containers().is_empty());
    user.presses("enter").await;
    user.sees("user-requested").await;
}

#[tokio::test]
async fn a_new_name_reaches_the_engine_and_a_taken_one_is_refused() {
    let daemon = TestDaemon::open().await;
    let mut user = User::at(&daemon).await;
    user.launches("other").await;
    user.launches("before").await;
    user.presses("r ctrl-u").await;
    user.types("after").await;
    user.presses("enter").await;
    user.sees_line(&["after", "RUNNING"]).await;
    user.sees_no("before").await;
    assert_eq!(names(&daemon), ["after", "other"]);

    user.presses("r ctrl-u").await;
    user.types("other").await;
    user.presses("enter").await;
    user.sees("the name other is already taken").await;
    user.sees_line(&["after", "RUNNING"]).await;
    assert_eq!(names(&daemon), ["after", "other"]);
}

#[tokio::test]
async fn a_filter_finds_the_session_that_is_acted_on() {
    let daemon = TestDaemon::open().await;
    let mut user = User::at(&daemon).await;
    for name in ["alpha-one", "beta-two", "gamma-one"] {
        user.launches(name).await;
    }
    user.presses("/").await;
    user.types("btw").await;
    user.sees_no("alpha-one").await;
    user.sees_no("gamma-one").await;
    user.sees_line(&["beta-two", "RUNNING"]).await;
    user.presses("enter x").await;
    user.sees("Terminate beta-two?").await;
    user.presses("y").await;
    user.sees("Running 2   Finished 1").await;
    assert_eq!(names(&daemon), ["alpha-one", "gamma-one"]);
    user.presses("esc").await;
    user.sees_line(&["alpha-one", "RUNNING"]).await;
    user.sees_line(&["gamma-one", "RUNNING"]).await;
}

#[tokio::test]
async fn a_session_that_ends_on_its_own_leaves_the_list_with_its_reason() {
    let daemon = TestDaemon::open().await;
    let mut user = User::at(&daemon).await;
    user.launches("hungry").await;
    daemon
        .engine
        .die(daemon.engine.containers()[0].session, 137, true);
    user.sees("Running 0   Finished 1").await;
    user.presses("2 enter").await;
    user.sees("it used more memory than its 256 MiB").await;
}

#[tokio::test]
async fn a_question_about_a_session_that_ended_meanwhile_does_no_harm() {
    let daemon = TestDaemon::open().await;
    let mut user = User::at(&daemon).await;
    user.launches("fleeting").await;
    user.presses("x").await;
    user.sees("Terminate fleeting?").await;
    daemon
        .engine
        .die(daemon.engine.containers()[0].session, 0, false);
    user.sees("Finished 1").await;
    user.presses("y").await;
    user.sees("has already ended").await;
    user.sees("Running 0   Finished 1   Others 0").await;
}

#[tokio::test]
async fn what_is_typed_before_a_shell_is_open_reaches_it() {
    let daemon = TestDaemon::open().await;
    let mut user = User::at(&daemon).await;
    user.launches("slow-one").await;
    daemon.engine.hold(Call::Attach);
    user.presses("s").await;
    user.sees("opening a shell in slow-one").await;
    user.types("typed-ahead").await;
    eventually("it is being opened", || {
        daemon.engine.count(Call::Attach) == 1
    })
    .await;
    daemon.engine.release(Call::Attach);
    user.sees("typed-ahead").await;
    // Back in the list and again in the same terminal: the screen is as it was.
    user.presses("ctrl-] d").await;
    user.sees_line(&["slow-one", "RUNNING"]).await;
    user.presses("s").await;
    user.sees("typed-ahead").await;
    assert_eq!(daemon.engine.count(Call::Attach), 1);
}
