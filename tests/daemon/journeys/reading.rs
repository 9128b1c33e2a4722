//! Reading endless output: logs and terminals.

use super::{
    support::{TestDaemon, eventually},
    user::User,
};

#[tokio::test]
async fn a_log_is_followed_and_keys_answer_during_a_flood() {
    let daemon = TestDaemon::open().await;
    let mut user = User::at(&daemon).await;
    user.launches("talker").await;
    let id = daemon.engine.containers()[0].session;
    daemon.engine.write_log(id, "ready to talk\n");
    user.presses("l").await;
    user.sees("ready to talk").await;
    user.sees("following").await;
    daemon.engine.write_log(id, "one word more\n");
    user.sees("one word more").await;

    daemon.engine.flood(id);
    user.sees("flood ").await;
    user.sees_no("ready to talk").await;
    // Keys are handled before the flood.
    user.presses("?").await;
    user.sees("type a word or a key").await;
    let read = daemon.engine.flooded(id);
    user.presses("esc").await;
    user.sees_no("type a word or a key").await;
    user.presses("F").await;
    user.sees("F follow").await;
    let paused = user.line("flood ");
    eventually("the flood continues", || daemon.engine.flooded(id) > read).await;
    assert_eq!(user.line("flood "), paused, "a paused log stands still");
    user.presses("F").await;
    user.sees("following").await;
    daemon.engine.calm(id);
    daemon.engine.write_log(id, "the last word\n");
    user.sees("the last word").await;
    user.presses("esc").await;
    user.sees_line(&["talker", "RUNNING"]).await;
}

#[tokio::test]
async fn every_line_of_a_long_log_is_reached_and_searched() {
    let daemon = TestDaemon::open().await;
    let mut user = User::at(&daemon).await;
    user.launches("talker").await;
    let id = daemon.engine.containers()[0].session;
    let lines = (0..200_000).map(|n| match n {
        150_000 => "ValueError: in the middle\n".to_owned(),
        n => format!("entry {n}\n"),
    });
    daemon.engine.write_log(id, &lines.collect::<String>());
    user.presses("l").await;
    user.sees("entry 199999").await;
    user.sees("of 200,000").await;
    user.presses("g").await;
    user.sees("lines 1-21 of 200,000").await;
    user.sees_line(&["entry 0"]).await;
    user.presses("pagedown").await;
    user.sees("lines 21-41 of 200,000").await;
    user.presses("/").await;
    user.types("entry 1234").await;
    user.presses("enter").await;
    // 1234, 12340 to 12349 and 123400 to 123499.
    user.sees("1 of 111 lines").await;
    user.sees_line(&["entry 1234"]).await;
    user.presses("N").await;
    user.sees("111 of 111 lines").await;
    user.sees("entry 123499").await;
    daemon.engine.write_log(id, "entry 123450 again\n");
    user.sees("111 of 112 lines").await;
    user.presses("esc e").await;
    user.sees("errors  1 of 1").await;
    user.sees("ValueError: in the middle").await;
    user.sees("entry 150001").await;
    user.presses("esc G").await;
    user.sees("entry 123450 again").await;
    user.sees("following").await;
}

#[tokio::test]
async fn the_list_answers_after_a_flood_was_left_alone() {
    let daemon = TestDaemon::open().await;
    let mut user = User::at(&daemon).await;
    user.launches("flooder").await;
    let id = daemon.engine.containers()[0].session;
    daemon.engine.flood(id);
    user.presses("l").await;
    user.sees("flood ").await;
    user.presses("esc").await;
    user.launches("calm-one").await;
    // A client that left doesn't read, so the work for it stops.
    let settled = std::cell::Cell::new(u64::MAX);
    eventually("nobody reads the flood", || {
        let read = daemon.engine.flooded(id);
        settled.replace(read) == read
    })
    .await;
    user.presses("q").await;
    user.has_left().await;
}

#[tokio::test]
async fn a_followed_log_continues_after_the_daemon_was_exchanged() {
    let mut daemon = TestDaemon::open().await;
    let mut user = User::at(&daemon).await;
    user.launches("talker").await;
    let id = daemon.engine.containers()[0].session;
    daemon.engine.write_log(id, "before the change\n");
    user.presses("l").await;
    user.sees("before the change").await;
    daemon.stop().await;
    user.sees("interrupted").await;
    daemon.engine.write_log(id, "in between\n");
    daemon.start().await;
    user.sees("following").await;
    daemon.engine.write_log(id, "after the change\n");
    for line in ["before the change", "in between", "after the change"] {
        user.sees(line).await;
    }
    let screen = user.screen();
    assert_eq!(screen.matches("before the change").count(), 1, "{screen}");
    daemon.engine.die(id, 0, false);
    user.sees_line(&["Log of talker", "ended"]).await;
}

#[tokio::test]
async fn a_shell_that_writes_without_an_end_blocks_nobody() {
    let daemon = TestDaemon::open().await;
    let mut user = User::at(&daemon).await;
    user.launches("calm-one").await;
    user.launches("loud-one").await;
    user.presses("s").await;
    user.types("drip").await;
    user.presses("ctrl-j").await;
    user.sees("drop 9").await;
    // To another shell, and back.
    user.presses("ctrl-] d").await;
    user.sees_line(&["loud-one", "RUNNING"]).await;
    user.presses("/").await;
    user.types("calm").await;
    user.presses("enter s").await;
    user.types("hello").await;
    user.sees("hello").await;
    user.presses("ctrl-] (").await;
    user.sees("drop ").await;
    user.presses("ctrl-c").await;
    user.types("quiet again").await;
    user.sees("quiet again").await;
}
