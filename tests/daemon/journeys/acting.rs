//! Acting on sessions: end, rename, find.

use super::{
    person::Person,
    support::{Call, TestDaemon, eventually},
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
    let mut person = Person::at(&daemon).await;
    person.launches("lasting").await;
    person.presses("x").await;
    person.sees("Terminate lasting?").await;
    person.sees("All running programs").await;
    person.presses("n").await;
    person.sees_no("Terminate lasting?").await;
    person.sees_line(&["lasting", "RUNNING"]).await;
    assert_eq!(daemon.engine.count(Call::Stop), 0);

    // Enter alone never ends anything: the safe button is the marked one.
    person.presses("x").await;
    person.sees("Terminate lasting?").await;
    person.presses("enter").await;
    person.sees_no("Terminate lasting?").await;
    assert_eq!(daemon.engine.count(Call::Stop), 0);

    person.presses("x y").await;
    person.sees("Running 0   Finished 1").await;
    person.presses("2").await;
    person.sees_line(&["lasting", "terminated"]).await;
    assert!(daemon.engine.containers().is_empty());
    person.presses("enter").await;
    person.sees("user-requested").await;
}

#[tokio::test]
async fn a_new_name_reaches_the_engine_and_a_taken_one_is_refused() {
    let daemon = TestDaemon::open().await;
    let mut person = Person::at(&daemon).await;
    person.launches("other").await;
    person.launches("before").await;
    person.presses("r ctrl-u").await;
    person.types("after").await;
    person.presses("enter").await;
    person.sees_line(&["after", "RUNNING"]).await;
    person.sees_no("before").await;
    assert_eq!(names(&daemon), ["after", "other"]);

    person.presses("r ctrl-u").await;
    person.types("other").await;
    person.presses("enter").await;
    person.sees("the name other is already taken").await;
    person.sees_line(&["after", "RUNNING"]).await;
    assert_eq!(names(&daemon), ["after", "other"]);
}

#[tokio::test]
async fn a_filter_finds_the_session_that_is_acted_on() {
    let daemon = TestDaemon::open().await;
    let mut person = Person::at(&daemon).await;
    for name in ["alpha-one", "beta-two", "gamma-one"] {
        person.launches(name).await;
    }
    person.presses("/").await;
    person.types("btw").await;
    person.sees_no("alpha-one").await;
    person.sees_no("gamma-one").await;
    person.sees_line(&["beta-two", "RUNNING"]).await;
    person.presses("enter x").await;
    person.sees("Terminate beta-two?").await;
    person.presses("y").await;
    person.sees("Running 2   Finished 1").await;
    assert_eq!(names(&daemon), ["alpha-one", "gamma-one"]);
    person.presses("esc").await;
    person.sees_line(&["alpha-one", "RUNNING"]).await;
    person.sees_line(&["gamma-one", "RUNNING"]).await;
}

#[tokio::test]
async fn a_session_that_ends_on_its_own_leaves_the_list_with_its_reason() {
    let daemon = TestDaemon::open().await;
    let mut person = Person::at(&daemon).await;
    person.launches("hungry").await;
    daemon
        .engine
        .die(daemon.engine.containers()[0].session, 137, true);
    person.sees("Running 0   Finished 1").await;
    person.presses("2 enter").await;
    person.sees("it used more memory than its 256 MiB").await;
}

#[tokio::test]
async fn a_question_about_a_session_that_ended_meanwhile_does_no_harm() {
    let daemon = TestDaemon::open().await;
    let mut person = Person::at(&daemon).await;
    person.launches("fleeting").await;
    person.presses("x").await;
    person.sees("Terminate fleeting?").await;
    daemon
        .engine
        .die(daemon.engine.containers()[0].session, 0, false);
    person.sees("Finished 1").await;
    person.presses("y").await;
    person.sees("has already ended").await;
    person.sees("Running 0   Finished 1   Others 0").await;
}

#[tokio::test]
async fn what_is_typed_before_a_shell_is_open_reaches_it() {
    let daemon = TestDaemon::open().await;
    let mut person = Person::at(&daemon).await;
    person.launches("slow-one").await;
    daemon.engine.hold(Call::Attach);
    person.presses("s").await;
    person.sees("opening a shell in slow-one").await;
    person.types("typed-ahead").await;
    eventually("it is being opened", || {
        daemon.engine.count(Call::Attach) == 1
    })
    .await;
    daemon.engine.release(Call::Attach);
    person.sees("typed-ahead").await;
    // Back in the list and again in the same terminal: the screen is as it was.
    person.presses("ctrl-] d").await;
    person.sees_line(&["slow-one", "RUNNING"]).await;
    person.presses("s").await;
    person.sees("typed-ahead").await;
    assert_eq!(daemon.engine.count(Call::Attach), 1);
}
