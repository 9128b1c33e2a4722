//! What the manager reports without a request: session events and the progress of tasks.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use futures_util::stream::{self, BoxStream, StreamExt};
use serde_json::Value;

use crate::{
    engine::{
        api::Result,
        backendai::{
            BackendAiEngine,
            request::{
                http::{Http, ManagerCall},
                lenient_json::Node,
                manager_error::{Recipient, declined},
                quote::quote,
                sse::{Parser, SseEvent},
            },
        },
        manager::{ManagerEvent, TaskProgress},
    },
    model::{failure::Failure, text::Clean},
};

/// The manager sends a heartbeat every 15 s. A connection that is silent for longer than this is
/// half-open.
const SILENCE: Duration = Duration::from_secs(50);

impl BackendAiEngine {
    pub(in crate::engine::backendai) async fn listen(
        &self,
    ) -> Result<BoxStream<'static, Result<ManagerEvent>>> {
        let connection = self.core.connection().await?;
        let mut path = "/events/session?sessionName=*&scope=*".to_owned();
        if connection.all_users {
            path.push_str("&ownerAccessKey=*&groupName=*");
        }
        let events = follow(connection.http.clone(), path).await?;
        let reported = events.filter_map(|event| async {
            match event {
                Ok(event) => session_event(&event).map(Ok),
                Err(error) => Some(Err(error)),
            }
        });
        Ok(reported.boxed())
    }
}

/// Follows a task until it ends: its progress, then nothing, or why it failed.
pub(in crate::engine::backendai) async fn task(
    http: Arc<Http>,
    id: &str,
) -> Result<BoxStream<'static, Result<TaskProgress>>> {
    let path = format!("/events/background-task?taskId={}", quote(id));
    let events = follow(http, path).await?;
    let steps = stream::unfold((events, false), |(mut events, ended)| async move {
        if ended {
            return None;
        }
        loop {
            let step = match events.next().await? {
                Ok(event) => task_event(&event),
                Err(error) => Some(TaskStep::Last(Some(Err(error)))),
            };
            match step {
                None => {}
                Some(TaskStep::On(progress)) => return Some((Ok(progress), (events, false))),
                Some(TaskStep::Last(last)) => return last.map(|last| (last, (events, true))),
            }
        }
    });
    Ok(steps.boxed())
}

enum TaskStep {
    On(TaskProgress),
    Last(Option<Result<TaskProgress>>),
}

/// Opens a stream of events. An end and a silence are errors.
async fn follow(http: Arc<Http>, path: String) -> Result<BoxStream<'static, Result<SseEvent>>> {
    let call = ManagerCall::get(path).accepting("text/event-stream");
    let response = http.open(&call).await?;
    let reading = EventReader {
        response,
        parser: Parser::default(),
        ready: VecDeque::new(),
        whom: http.whom.clone(),
        over: false,
    };
    let events = stream::unfold(reading, |mut reading| async move {
        let event = reading.next().await?;
        Some((event, reading))
    });
    Ok(events.boxed())
}

struct EventReader {
    response: reqwest::Response,
    parser: Parser,
    ready: VecDeque<SseEvent>,
    whom: Recipient,
    over: bool,
}

impl EventReader {
    async fn next(&mut self) -> Option<Result<SseEvent>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            if self.over {
                return None;
            }
            if let Err(error) = self.read().await {
                self.over = true;
                return Some(Err(error));
            }
        }
    }

    async fn read(&mut self) -> Result<()> {
        let lost = |why: &str| self.whom.unreachable(why, None);
        let chunk = match tokio::time::timeout(SILENCE, self.response.chunk()).await {
            Err(_) => return Err(lost(tr_sent!("its event stream isn't responding"))),
            Ok(Err(_)) => return Err(lost(tr_sent!("its event stream broke"))),
            Ok(Ok(None)) => return Err(lost(tr_sent!("it closed the event stream"))),
            Ok(Ok(Some(chunk))) => chunk,
        };
        match self.parser.push(&chunk) {
            Some(events) => self.ready.extend(events),
            None => return Err(lost(tr_sent!("its event stream is invalid"))),
        }
        Ok(())
    }
}

/// Reads an event about a session; `None` for other events and those that can't be read.
fn session_event(event: &SseEvent) -> Option<ManagerEvent> {
    let data: Value = serde_json::from_str(&event.data).ok()?;
    let data = Node::new(&data);
    Some(ManagerEvent {
        session: data.str("sessionId")?.parse().ok()?,
        event: Clean::new(&event.name),
        reason: data.text("reason"),
    })
}

fn task_event(event: &SseEvent) -> Option<TaskStep> {
    let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
    let data = Node::new(&data);
    let message = data.text("message").unwrap_or_default();
    let progress = |done: f64| TaskProgress {
        message: message.clone(),
        done,
        total: data.number("total_progress").unwrap_or(0.0),
    };
    match event.name.as_str() {
        "bgtask_updated" => {
            let done = data.number("current_progress").unwrap_or(0.0);
            Some(TaskStep::On(progress(done)))
        }
        "bgtask_done" if data.raw("errors").is_null() => Some(TaskStep::Last(None)),
        "bgtask_done" => Some(TaskStep::Last(Some(Err(declined(tr_sent!(
            "completed with errors: {errors}",
            errors = quote(&data.raw("errors").to_string())
        )))))),
        "bgtask_cancelled" => Some(TaskStep::Last(Some(Err(declined(tr_sent!(
            "it was cancelled"
        )))))),
        "bgtask_failed" => {
            let words = if message.is_empty() {
                tr_sent!("the manager gives no reason").to_owned()
            } else {
                message.into_string()
            };
            Some(TaskStep::Last(Some(Err(Failure::refused(tr_sent!(
                "it failed: {words}",
                words
            ))))))
        }
        "server_close" => Some(TaskStep::Last(None)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(name: &str, data: &str) -> SseEvent {
        SseEvent {
            name: name.to_owned(),
            data: data.to_owned(),
        }
    }

    #[test]
    fn session_and_kernel_events_name_their_session() {
        let reported = session_event(&event(
            "kernel_started",
            r#"{"reason":"","sessionName":"sse-one","sessionId":"1874aaa2-b973-45b4-b18f-aaa0c2a084a0","kernelId":"01a1fe1e-ad07-7010-a2ab-02b329ae69b0"}"#,
        ))
        .unwrap();
        assert_eq!(
            reported.session.to_string(),
            "1874aaa2-b973-45b4-b18f-aaa0c2a084a0"
        );
        assert_eq!(
            (reported.event.as_str(), reported.reason),
            ("kernel_started", None)
        );
        for odd in ["", "{}", "{\"sessionId\":\"x\"}", "[1"] {
            assert_eq!(session_event(&event("session_started", odd)), None, "{odd}");
        }
    }

    #[test]
    fn a_task_ends_in_one_of_its_ways() {
        let on = task_event(&event(
            "bgtask_updated",
            r#"{"message":"Committed image","current_progress":1.0,"total_progress":"3"}"#,
        ));
        let Some(TaskStep::On(progress)) = on else {
            panic!("no progress");
        };
        assert_eq!((progress.done, progress.total), (1.0, 3.0));
        let last = |name: &str, data: &str| match task_event(&event(name, data)) {
            Some(TaskStep::Last(Some(Err(error)))) => Some(error.to_string()),
            Some(TaskStep::Last(None)) => None,
            _ => panic!("{name} isn't an end"),
        };
        assert_eq!(
            last("bgtask_done", r#"{"task_id":"x","message":"Completed"}"#),
            None
        );
        assert_eq!(
            last("bgtask_done", r#"{"errors":["push failed"]}"#).unwrap(),
            "completed with errors: [\"push failed\"]"
        );
        assert_eq!(
            last("bgtask_failed", r#"{"message":"no space"}"#).unwrap(),
            "it failed: no space"
        );
        assert!(task_event(&event("ping", "")).is_none());
    }

    #[test]
    fn fuzz_manager_events() {
        crate::fuzz::parser("manager-events", &[], |bytes, _| {
            let text = String::from_utf8_lossy(bytes);
            let (name, data) = text.split_once('\n').unwrap_or((&text, ""));
            let event = event(name, data);
            let read = session_event(&event).map(|it| (it.session, it.event, it.reason));
            crate::fuzz::bounded(bytes, &read);
            let _ = task_event(&event);
        });
    }
}
