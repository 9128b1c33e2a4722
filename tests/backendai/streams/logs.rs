//! Logs as the manager answers for them.

use futures_util::StreamExt as _;
use workbay::{
    engine::api::Streams as _,
    model::{
        failure::{Failure, FailureKind},
        id::KernelId,
        log::LogOptions,
    },
};

use super::manager::{
    Answer, KERNEL, ME, RequestTopic, SESSION, StreamManager, json, log, no_such, problem, standing,
};

const FOLLOW: LogOptions = LogOptions {
    follow: true,
    tail: None,
    kernel: None,
    timestamps: false,
    before: None,
};

async fn read(manager: &StreamManager, options: LogOptions) -> Result<String, Failure> {
    let mut text = Vec::new();
    let mut chunks = manager.engine().logs(SESSION, options).await?;
    while let Some(chunk) = chunks.next().await {
        text.extend_from_slice(&chunk?.bytes);
    }
    Ok(String::from_utf8(text).unwrap())
}

#[tokio::test]
async fn a_kernel_s_log_is_asked_for_by_its_id() {
    let manager = StreamManager::start().await;
    manager.answer(RequestTopic::Logs, [log("one\r\ntwo\r\n")]);
    let options = LogOptions {
        tail: Some(1),
        kernel: Some(KERNEL.parse().unwrap()),
        ..LogOptions::default()
    };
    assert_eq!(read(&manager, options).await.unwrap(), "two\r\n");
    let expected = format!("/session/{SESSION}/logs?kernel_id={KERNEL}");
    assert_eq!(manager.asked(RequestTopic::Logs)[0].target, expected);
}

#[tokio::test]
async fn it_is_followed_from_before_its_beginning_to_its_end() {
    let manager = StreamManager::start().await;
    let [pending, running, ended] =
        ["PENDING", "RUNNING", "TERMINATED"].map(|s| standing(s, "INTERACTIVE", ME));
    manager.answer(
        RequestTopic::Standing,
        [pending.clone(), pending, running, ended],
    );
    let not_yet = problem(
        404,
        "agent-not-found",
        "Kernel has not been assigned to an agent.",
    );
    manager.answer(
        RequestTopic::Logs,
        [
            not_yet,
            log("one\n"),
            log("one\ntwo\n"),
            log("one\ntwo\nend\n"),
        ],
    );
    assert_eq!(read(&manager, FOLLOW).await.unwrap(), "one\ntwo\nend\n");
}

#[tokio::test]
async fn there_is_none_yet() {
    let manager = StreamManager::start().await;
    manager.stand("CREATING");
    manager.answer(
        RequestTopic::Logs,
        [problem(
            500,
            "internal-server-error",
            "Internal server error",
        )],
    );
    let error = read(&manager, LogOptions::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "no log yet: the session is CREATING");
}

#[tokio::test]
async fn none_was_kept() {
    let manager = StreamManager::start().await;
    manager.stand("CANCELLED");
    manager.answer(RequestTopic::Logs, [no_such("No such kernel.")]);
    let error = read(&manager, LogOptions::default()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "this session has no log: it ended before it wrote one"
    );
}

#[tokio::test]
async fn a_running_session_s_failure_is_reported_as_it_is() {
    let manager = StreamManager::start().await;
    manager.answer(
        RequestTopic::Logs,
        [problem(500, "agent-error", "Agent does not answer")],
    );
    let error = read(&manager, LogOptions::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "Agent does not answer");
}

#[tokio::test]
async fn a_session_that_has_vanished() {
    let manager = StreamManager::start().await;
    let gone = json(r#"{"data":{"compute_session":null}}"#);
    manager.answer(RequestTopic::Standing, [gone]);
    manager.answer(RequestTopic::Logs, [no_such("No such session.")]);
    let error = read(&manager, FOLLOW).await.unwrap_err();
    assert!(error.kind == FailureKind::NotFound, "{error:?}");
}

#[tokio::test]
async fn a_batch_command_s_output_may_lie_apart() {
    let manager = StreamManager::start().await;
    manager.answer(
        RequestTopic::Standing,
        [standing("TERMINATED", "BATCH", ME)],
    );
    manager.answer(RequestTopic::Logs, [log("")]);
    manager.answer(
        RequestTopic::TaskLogs,
        [Answer::Json(200, "trained\n".to_owned())],
    );
    assert_eq!(
        read(&manager, LogOptions::default()).await.unwrap(),
        "trained\n"
    );
    let expected = format!("/session/_/logs?kernel_id={KERNEL}");
    assert_eq!(manager.asked(RequestTopic::TaskLogs)[0].target, expected);
}

#[tokio::test]
async fn the_output_of_a_batch_command_is_not_the_log_of_another_container() {
    let manager = StreamManager::start().await;
    manager.answer(
        RequestTopic::Standing,
        [standing("TERMINATED", "BATCH", ME)],
    );
    manager.answer(RequestTopic::Logs, [log("")]);
    manager.answer(
        RequestTopic::TaskLogs,
        [Answer::Json(200, "trained\n".to_owned())],
    );
    let of = |kernel: KernelId| LogOptions {
        kernel: Some(kernel),
        ..LogOptions::default()
    };
    let main = read(&manager, of(KERNEL.parse().unwrap())).await;
    assert_eq!(main.unwrap(), "trained\n");
    let sub = read(&manager, of(KernelId::from_u128(2))).await;
    assert_eq!(sub.unwrap(), "");
    assert_eq!(manager.asked(RequestTopic::TaskLogs).len(), 1);
}

#[tokio::test]
async fn half_an_answer_is_a_lost_connection() {
    let manager = StreamManager::start().await;
    let half = "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"result\": {\"logs\": \"on";
    manager.answer(RequestTopic::Logs, [Answer::Raw(half)]);
    let error = read(&manager, LogOptions::default()).await.unwrap_err();
    assert!(error.is_lost(), "{error:?}");
}
