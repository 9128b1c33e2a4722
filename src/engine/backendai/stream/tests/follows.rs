//! Following a log that can only be read whole.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use futures_util::StreamExt as _;

use crate::{
    engine::{
        api::Result,
        backendai::stream::follow::{self, ManagerLog},
    },
    model::{
        failure::Failure,
        log::{LogOptions, LogSource},
    },
};

/// What the next readings find. The last step repeats. `None` means that there is no log.
#[derive(Clone, Default)]
struct LogScript {
    steps: Arc<Mutex<VecDeque<LogReading>>>,
    readings: Arc<Mutex<usize>>,
}

#[derive(Clone)]
struct LogReading {
    log: Result<Option<String>>,
    ended: bool,
}

impl LogScript {
    fn of<const N: usize>(steps: [(Result<Option<&str>>, bool); N]) -> Self {
        let steps = steps.map(|(log, ended)| LogReading {
            log: log.map(|log| log.map(str::to_owned)),
            ended,
        });
        Self {
            steps: Arc::new(Mutex::new(steps.into())),
            readings: Arc::default(),
        }
    }

    fn readings(&self) -> usize {
        *self.readings.lock().unwrap()
    }
}

#[async_trait]
impl ManagerLog for LogScript {
    async fn log(&self) -> Result<Option<String>> {
        *self.readings.lock().unwrap() += 1;
        let mut steps = self.steps.lock().unwrap();
        let step = steps.front().unwrap().clone();
        if steps.len() > 1 {
            steps.pop_front();
        }
        step.log
    }

    async fn ended(&self) -> Result<bool> {
        Ok(self.steps.lock().unwrap().front().unwrap().ended)
    }

    async fn none(&self) -> Failure {
        Failure::engine_refused("no log")
    }
}

fn following(tail: Option<u32>) -> LogOptions {
    LogOptions {
        follow: true,
        tail,
        kernel: None,
        timestamps: false,
        before: None,
    }
}

/// Everything that a log returns until it ends.
async fn read(script: &LogScript, options: LogOptions) -> Result<String> {
    let mut text = String::new();
    let mut chunks = follow::open(script.clone(), options).await?;
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        assert_eq!(chunk.source, LogSource::Stdout);
        text.push_str(std::str::from_utf8(&chunk.bytes).unwrap());
    }
    Ok(text)
}

fn lost() -> Failure {
    Failure::unreachable("http://manager", "it is away")
}

#[tokio::test(start_paused = true)]
async fn what_is_new_is_reported_until_the_session_ends() {
    let script = LogScript::of([
        (Ok(Some("one\n")), false),
        (Ok(Some("one\n")), false),
        (Ok(Some("one\ntwo\n")), false),
        (Ok(Some("one\ntwo\nthree\n")), true),
    ]);
    let reported = read(&script, following(None)).await.unwrap();
    assert_eq!(reported, "one\ntwo\nthree\n");
    assert_eq!(script.readings(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_log_that_is_not_there_yet_is_waited_for() {
    let script = LogScript::of([
        (Ok(None), false),
        (Ok(None), false),
        (Ok(Some("")), false),
        (Ok(Some("a\nb\nc\n")), false),
        (Ok(Some("a\nb\nc\nd\n")), true),
    ]);
    assert_eq!(
        read(&script, following(Some(2))).await.unwrap(),
        "b\nc\nd\n"
    );
}

#[tokio::test]
async fn without_following_it_is_read_once() {
    let script = LogScript::of([(Ok(Some("a\nb\nc\n")), false)]);
    let options = LogOptions {
        tail: Some(1),
        ..LogOptions::default()
    };
    assert_eq!(read(&script, options).await.unwrap(), "c\n");
    assert_eq!(script.readings(), 1);
    let none = LogScript::of([(Ok(None), false)]);
    let error = read(&none, LogOptions::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "the engine refused: no log");
}

#[tokio::test(start_paused = true)]
async fn lost_lines_are_reported_where_they_are_missing() {
    let script = LogScript::of([
        (Ok(Some("line 1 of the very long log\n")), false),
        (Ok(Some("line 9 of the very long log\n")), true),
    ]);
    assert_eq!(
        read(&script, following(None)).await.unwrap(),
        "line 1 of the very long log\n\
         \n… lines are missing: the log was truncated before workbay read them …\n\
         line 9 of the very long log\n"
    );
}

#[tokio::test(start_paused = true)]
async fn a_manager_that_disconnects_for_a_moment_is_waited_for() {
    let script = LogScript::of([
        (Ok(Some("one\n")), false),
        (Err(lost()), false),
        (Err(lost()), false),
        (Ok(Some("one\ntwo\n")), true),
    ]);
    assert_eq!(read(&script, following(None)).await.unwrap(), "one\ntwo\n");
}

#[tokio::test(start_paused = true)]
async fn a_manager_that_stays_unreachable_is_reported() {
    let script = LogScript::of([(Ok(Some("one\n")), false), (Err(lost()), false)]);
    let mut chunks = follow::open(script.clone(), following(None)).await.unwrap();
    assert!(chunks.next().await.unwrap().is_ok());
    assert!(chunks.next().await.unwrap().unwrap_err().is_lost());
    assert!(chunks.next().await.is_none());
    assert_eq!(script.readings(), 4);
}

#[tokio::test(start_paused = true)]
async fn the_log_of_an_ended_session_is_waited_for_but_not_for_ever() {
    let script = LogScript::of([
        (Ok(Some("one\n")), false),
        (Ok(None), true),
        (Ok(Some("one\ntwo\n")), true),
    ]);
    assert_eq!(read(&script, following(None)).await.unwrap(), "one\ntwo\n");
    let never = LogScript::of([(Ok(Some("one\n")), false), (Ok(None), true)]);
    assert_eq!(read(&never, following(None)).await.unwrap(), "one\n");
    assert_eq!(never.readings(), 4);
}

#[tokio::test(start_paused = true)]
async fn nobody_reads_nobody_asks() {
    let script = LogScript::of([(Ok(Some("one\n")), false)]);
    let mut chunks = follow::open(script.clone(), following(None)).await.unwrap();
    assert!(chunks.next().await.unwrap().is_ok());
    tokio::time::sleep(std::time::Duration::from_secs(600)).await;
    assert_eq!(script.readings(), 1);
    drop(chunks);
    tokio::time::sleep(std::time::Duration::from_secs(600)).await;
    assert_eq!(script.readings(), 1);
}
