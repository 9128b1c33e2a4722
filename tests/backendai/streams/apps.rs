//! Apps of a session, and connections to their ports.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use workbay::{
    engine::api::{Apps as _, DialTarget, Streams as _},
    model::{
        app::{AppStart, AppState},
        failure::FailureKind,
    },
};

use super::{
    manager::{Answer, RequestTopic, SESSION, StreamManager, json, no_such, problem},
    tcpproxy::{Ended, Fault},
};

const APPS: &str = r#"[{"name":"sshd","protocol":"tcp","ports":[2200]},
    {"name":"tensorboard","protocol":"http","ports":[6006],"allowed_arguments":["--logdir"]},
    {"name":"hostport1","protocol":"internal","ports":[30001]},
    {"name":"9000","protocol":"preopen","ports":[9000]},
    {"name":"ttyd","protocol":"http","ports":[7681]}]"#;

const TOKEN: &str = r#"{"token":"t","wsproxy_addr":"http://127.0.0.1:10200"}"#;

async fn with_apps() -> StreamManager {
    let manager = StreamManager::start().await;
    manager.answer(RequestTopic::Apps, [json(APPS)]);
    manager.answer(RequestTopic::StartService, [json(TOKEN)]);
    manager.answer(
        RequestTopic::StopService,
        [Answer::Json(204, String::new())],
    );
    manager
}

fn tensorboard() -> AppStart {
    let mut start = AppStart::of("tensorboard");
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    start.arguments.extend([pair("logdir", "/home/work/a b")]);
    start.env.extend([pair("MODE", "x")]);
    start
}

#[tokio::test]
async fn services_are_apps_and_ports_between_containers_are_not() {
    let manager = with_apps().await;
    let apps = manager.engine().apps(SESSION).await.unwrap();
    let names: Vec<&str> = apps.iter().map(|app| app.name.as_str()).collect();
    assert_eq!(names, ["ttyd", "sshd", "tensorboard", "9000"]);
    manager.stand("TERMINATED");
    let error = manager.engine().apps(SESSION).await.unwrap_err();
    assert!(error.to_string().contains("isn't running"), "{error}");
}

#[tokio::test]
async fn a_start_is_requested_as_the_manager_takes_it() {
    let manager = with_apps().await;
    let started = manager.engine().start_app(SESSION, &tensorboard()).await;
    let app = started.unwrap();
    assert_eq!((app.state, app.ports), (AppState::Running, vec![6006]));
    let asked = manager.asked(RequestTopic::StartService).remove(0);
    assert_eq!(asked.target, format!("/session/{SESSION}/start-service"));
    let body: serde_json::Value = serde_json::from_str(&asked.body).unwrap();
    let expected = serde_json::json!({
        "app": "tensorboard",
        "arguments": r#"{"--logdir":"/home/work/a b"}"#,
        "envs": r#"{"MODE":"x"}"#,
    });
    assert_eq!(body, expected);
    // What is opened in advance isn't started.
    let app = manager
        .engine()
        .start_app(SESSION, &AppStart::of("9000"))
        .await;
    assert_eq!(app.unwrap().state, AppState::Unknown);
    assert_eq!(manager.asked(RequestTopic::StartService).len(), 1);
}

#[tokio::test]
async fn a_cluster_without_an_app_proxy_starts_apps_by_a_connection() {
    let mut manager = with_apps().await;
    let none = "No coordinator configured for this resource group";
    let refused = problem(503, "service-unavailable", none);
    manager.answer(RequestTopic::StartService, [refused]);
    manager.answer(RequestTopic::Tcpproxy, [Answer::Port]);
    let started = manager.engine().start_app(SESSION, &tensorboard()).await;
    assert_eq!(started.unwrap().state, AppState::Running);
    let asked = manager.asked(RequestTopic::Tcpproxy).remove(0);
    let query = "?app=tensorboard&arguments=%7B%22--logdir%22%3A%22%2Fhome%2Fwork%2Fa%20b%22%7D\
                 &envs=%7B%22MODE%22%3A%22x%22%7D";
    assert!(asked.target.ends_with(query), "{}", asked.target);
    let (_bytes, line) = manager.port().await;
    assert_eq!(line.ended().await, Ended::Farewell(Some(1000)));
    // Without that, the first refusal is the one that counts.
    manager.answer(
        RequestTopic::Tcpproxy,
        [problem(403, "generic-forbidden", "No.")],
    );
    let error = manager.engine().start_app(SESSION, &tensorboard()).await;
    assert!(error.unwrap_err().to_string().contains(none));
}

#[tokio::test]
async fn refusals_say_what_can_be_done() {
    let manager = with_apps().await;
    let body = r#"{"type":"https://api.backend.ai/probs/internal-server-error",
        "title":"Internal server error.","msg":"Failed to launch the app service",
        "data":"the executable file is not found: tensorboard"}"#;
    let failed = Answer::Json(500, body.to_owned());
    manager.answer(RequestTopic::StartService, [failed]);
    let error = manager.engine().start_app(SESSION, &tensorboard()).await;
    let error = error.unwrap_err();
    assert_eq!(
        error.to_string(),
        "'tensorboard' didn't start: the executable file is not found: tensorboard"
    );
    assert!(error.hint.unwrap().as_str().contains("workbay logs"));
    assert_eq!(manager.asked(RequestTopic::Tcpproxy).len(), 0);
    let mut start = tensorboard();
    start.arguments.insert("other".to_owned(), String::new());
    let error = manager
        .engine()
        .start_app(SESSION, &start)
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind, error.hint.unwrap().as_str()),
        (FailureKind::Usage, "it takes logdir")
    );
    let error = manager
        .engine()
        .start_app(SESSION, &AppStart::of("x"))
        .await;
    let hint = error.unwrap_err().hint.unwrap();
    assert_eq!(hint, "its apps are ttyd, sshd, tensorboard, 9000");
    let error = manager.engine().app_log(SESSION, "ttyd").await.unwrap_err();
    assert_eq!(error.kind, FailureKind::Unsupported);
}

#[tokio::test]
async fn a_stop_is_requested() {
    let manager = with_apps().await;
    manager.engine().stop_app(SESSION, "ttyd").await.unwrap();
    let asked = manager.asked(RequestTopic::StopService).remove(0);
    let path = format!("/session/{SESSION}/shutdown-service?service_name=ttyd");
    assert_eq!(asked.target, path);
    let error = manager
        .engine()
        .stop_app(SESSION, "9000")
        .await
        .unwrap_err();
    assert_eq!(error.kind, FailureKind::Refused);
    manager.answer(RequestTopic::StopService, [no_such("No such session.")]);
    assert!(manager.engine().stop_app(SESSION, "ttyd").await.is_err());
}

fn target(service: &str) -> DialTarget {
    DialTarget {
        service: service.to_owned(),
        port: None,
    }
}

#[tokio::test]
async fn a_connection_is_one_stream_and_closed_when_it_is_dropped() {
    let mut manager = with_apps().await;
    manager.answer(RequestTopic::Tcpproxy, [Answer::Port]);
    let engine = manager.engine();
    let mut stream = engine.connect(SESSION, &target("ttyd")).await.unwrap();
    let (mut bytes, line) = manager.port().await;
    stream.write_all(b"question").await.unwrap();
    stream.shutdown().await.unwrap();
    let mut said = [0; 8];
    bytes.read_exact(&mut said).await.unwrap();
    assert_eq!(&said, b"question");
    bytes.write_all(b"answer").await.unwrap();
    let mut answer = [0; 6];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"answer");
    line.fault(Fault::Close(1001));
    assert_eq!(stream.read(&mut answer).await.unwrap(), 0);

    let stream = engine.connect(SESSION, &target("ttyd")).await.unwrap();
    let (_bytes, line) = manager.port().await;
    drop(stream);
    assert_eq!(line.ended().await, Ended::Farewell(None));
}

#[tokio::test]
async fn a_port_that_refuses_is_an_error() {
    let manager = with_apps().await;
    manager.answer(RequestTopic::Tcpproxy, [Answer::Close(1013)]);
    let connected = manager.engine().connect(SESSION, &target("ttyd")).await;
    let mut answer = String::new();
    let error = connected.unwrap().read_to_string(&mut answer).await;
    assert_eq!(
        error.unwrap_err().to_string(),
        "no program listens on the port of the service"
    );
}
