//! Events: hints as they come, and every way a stream can end.

use futures_util::StreamExt;
use workbay::engine::manager::Manager as _;

use super::{
    ONE, id,
    manager::{Manager, Reply},
    open, reason_and_fix,
};

const PATH: &str = "GET /events/session?sessionName=*&scope=*";

fn event(name: &str) -> String {
    format!(
        "event: {name}\ndata: {{\"reason\":\"\",\"sessionName\":\"alpha\",\"sessionId\":\"{ONE}\",\"exitCode\":null}}\n\n"
    )
}

#[tokio::test]
async fn events_name_their_session() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let (sender, reply) = Reply::events();
    manager.on(PATH, reply);
    let mut events = engine.events().await.unwrap();
    assert_eq!(
        manager.asked().pop().unwrap().headers["accept"],
        "text/event-stream"
    );
    // In two parts, with signs of life and what is no event for us between.
    let text = format!(
        "{}: ping\n\nevent: new_kind\ndata: [1]\n\n{}",
        event("session_started"),
        event("kernel_terminated")
    );
    let (head, tail) = text.split_at(30);
    sender.send(head.to_owned()).await.unwrap();
    sender.send(tail.to_owned()).await.unwrap();
    let first = events.next().await.unwrap().unwrap();
    assert_eq!(
        (first.session, first.event.as_str()),
        (id(ONE), "session_started")
    );
    let second = events.next().await.unwrap().unwrap();
    assert_eq!(second.event, "kernel_terminated");
    drop(sender);
    let error = events.next().await.unwrap().unwrap_err();
    assert!(error.is_lost());
    assert_eq!(
        reason_and_fix(&error).0,
        format!(
            "the engine at {} doesn't answer: it closed the event stream",
            manager.endpoint()
        )
    );
    assert!(events.next().await.is_none());
}

#[tokio::test]
async fn a_silent_connection_is_noticed() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let (sender, reply) = Reply::events();
    manager.on(PATH, reply);
    let mut events = engine.events().await.unwrap();
    sender.send(event("session_started")).await.unwrap();
    events.next().await.unwrap().unwrap();
    // From here on nothing comes; only the clock can end it.
    tokio::time::pause();
    let error = events.next().await.unwrap().unwrap_err();
    assert_eq!(
        reason_and_fix(&error).0,
        format!(
            "the engine at {} doesn't answer: its event stream isn't responding",
            manager.endpoint()
        )
    );
}

#[tokio::test]
async fn events_that_are_refused() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    manager.on(
        PATH,
        Reply::problem(404, "url-not-found", "Unknown URL path.", ""),
    );
    let error = engine.events().await.err().unwrap();
    assert_eq!(error.to_string(), "Unknown URL path");
}

#[tokio::test]
async fn an_administrator_gets_events_of_everyone() {
    let manager = Manager::start().await;
    manager.set(|state| state.role = "superadmin");
    let mut config = super::config(&manager.endpoint());
    config.all_users = true;
    let engine = workbay::engine::backendai::BackendAiEngine::new(config);
    let (_sender, reply) = Reply::events();
    manager.on(PATH, reply);
    let _events = engine.events().await.unwrap();
    assert_eq!(
        manager.asked().pop().unwrap().target,
        "/events/session?sessionName=*&scope=*&ownerAccessKey=*&groupName=*"
    );
}
