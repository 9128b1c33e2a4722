//! Reading what does not stop: logs and terminals.

use super::{
    person::Person,
    support::{TestDaemon, eventually},
};

#[tokio::test]
async fn a_log_is_followed_and_keys_answer_during_a_flood() {
    let daemon = TestDaemon::open().await;
    let mut person = Person::at(&daemon).await;
    person.launches("talker").await;
    let id = daemon.engine.containers()[0].session;
    daemon.engine.write_log(id, "ready to talk\n");
    person.presses("l").await;
    person.sees("ready to talk").await;
    person.sees("following").await;
    daemon.engine.write_log(id, "one word more\n");
    person.sees("one word more").await;

    daemon.engine.flood(id);
    person.sees("flood ").await;
    person.sees_no("ready to talk").await;
    // The keyboard goes before the flood.
    person.presses("?").await;
    person.sees("type a word or a key").await;
    let read = daemon.engine.flooded(id);
    person.presses("esc").await;
    person.sees_no("type a word or a key").await;
    person.presses("F").await;
    person.sees("F follow").await;
    let paused = person.line("flood ");
    eventually("the flood continues", || daemon.engine.flooded(id) > read).await;
    assert_eq!(person.line("flood "), paused, "a paused log stands still");
    person.presses("F").await;
    person.sees("following").await;
    daemon.engine.calm(id);
    daemon.engine.write_log(id, "the last word\n");
    person.sees("the last word").await;
    person.presses("esc").await;
    person.sees_line(&["talker", "RUNNING"]).await;
}

#[tokio::test]
async fn every_line_of_a_long_log_is_reached_and_searched() {
    let daemon = TestDaemon::open().await;
    let mut person = Person::at(&daemon).await;
    person.launches("talker").await;
    let id = daemon.engine.containers()[0].session;
    let lines = (0..200_000).map(|n| match n {
        150_000 => "ValueError: in the middle\n".to_owned(),
        n => format!("entry {n}\n"),
    });
    daemon.engine.write_log(id, &lines.collect::<String>());
    person.presses("l").await;
    person.sees("entry 199999").await;
    person.sees("of 200,000").await;
    person.presses("g").await;
    person.sees("lines 1-21 of 200,000").await;
    person.sees_line(&["entry 0"]).await;
    person.presses("pagedown").await;
    person.sees("lines 21-41 of 200,000").await;
    person.presses("/").await;
    person.types("entry 1234").await;
    person.presses("enter").await;
    // 1234, 12340 to 12349 and 123400 to 123499.
    person.sees("1 of 111 lines").await;
    person.sees_line(&["entry 1234"]).await;
    person.presses("N").await;
    person.sees("111 of 111 lines").await;
    person.sees("entry 123499").await;
    daemon.engine.write_log(id, "entry 123450 again\n");
    person.sees("111 of 112 lines").await;
    person.presses("esc e").await;
    person.sees("errors  1 of 1").await;
    person.sees("ValueError: in the middle").await;
    person.sees("entry 150001").await;
    person.presses("esc G").await;
    person.sees("entry 123450 again").await;
    person.sees("following").await;
}

#[tokio::test]
async fn the_list_answers_after_a_flood_was_left_alone() {
    let daemon = TestDaemon::open().await;
    let mut person = Person::at(&daemon).await;
    person.launches("flooder").await;
    let id = daemon.engine.containers()[0].session;
    daemon.engine.flood(id);
    person.presses("l").await;
    person.sees("flood ").await;
    person.presses("esc").await;
    person.launches("calm-one").await;
    // A client that left does not read: what was in progress comes to rest.
    let settled = std::cell::Cell::new(u64::MAX);
    eventually("nobody reads the flood", || {
        let read = daemon.engine.flooded(id);
        settled.replace(read) == read
    })
    .await;
    person.presses("q").await;
    person.has_left().await;
}

#[tokio::test]
async fn a_followed_log_continues_after_the_daemon_was_exchanged() {
    let mut daemon = TestDaemon::open().await;
    let mut person = Person::at(&daemon).await;
    person.launches("talker").await;
    let id = daemon.engine.containers()[0].session;
    daemon.engine.write_log(id, "before the change\n");
    person.presses("l").await;
    person.sees("before the change").await;
    daemon.stop().await;
    person.sees("interrupted").await;
    daemon.engine.write_log(id, "in between\n");
    daemon.start().await;
    person.sees("following").await;
    daemon.engine.write_log(id, "after the change\n");
    for line in ["before the change", "in between", "after the change"] {
        person.sees(line).await;
    }
    let screen = person.screen();
    assert_eq!(screen.matches("before the change").count(), 1, "{screen}");
    daemon.engine.die(id, 0, false);
    person.sees_line(&["Log of talker", "ended"]).await;
}

#[tokio::test]
async fn a_shell_that_writes_without_an_end_blocks_nobody() {
    let daemon = TestDaemon::open().await;
    let mut person = Person::at(&daemon).await;
    person.launches("calm-one").await;
    person.launches("loud-one").await;
    person.presses("s").await;
    person.types("drip").await;
    person.presses("ctrl-j").await;
    person.sees("drop 9").await;
    // Away from it, into another shell, and back.
    person.presses("ctrl-] d").await;
    person.sees_line(&["loud-one", "RUNNING"]).await;
    person.presses("/").await;
    person.types("calm").await;
    person.presses("enter s").await;
    person.types("hello").await;
    person.sees("hello").await;
    person.presses("ctrl-] (").await;
    person.sees("drop ").await;
    person.presses("ctrl-c").await;
    person.types("quiet again").await;
    person.sees("quiet again").await;
}
