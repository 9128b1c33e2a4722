//! An app of the catalog that needs only busybox.

use tokio::io::AsyncReadExt as _;
use workbay::{
    engine::api::{Apps as _, DialTarget, Streams as _},
    model::{
        app::{App, AppProtocol, AppStart, AppState},
        app_definition::AppDefinition,
        id::SessionId,
    },
};

use crate::{bench::Bench, pane::within};

/// An app that prints a line on each connection to its port.
pub fn echo_app() -> AppDefinition {
    let serve = "exec /bin/busybox nc -ll -p {port} -e /bin/busybox echo from the app";
    AppDefinition {
        command: ["/bin/busybox", "sh", "-c", serve]
            .map(str::to_owned)
            .to_vec(),
        protocol: AppProtocol::Tcp,
        ..AppDefinition::of("echo")
    }
}

/// It is listed, starts, answers and stops in a session that was launched with it.
pub async fn works(bench: &Bench, session: SessionId) {
    assert_eq!(listed(bench, session).await.state, AppState::Stopped);
    let start = AppStart::of("echo");
    let started = within(bench.engine.start_app(session, &start)).await;
    let started = started.unwrap();
    assert_eq!(started.state, AppState::Running);
    let to = DialTarget {
        service: started.ports[0].to_string(),
        port: None,
    };
    let mut stream = within(bench.engine.connect(session, &to)).await.unwrap();
    let mut answer = String::new();
    within(stream.read_to_string(&mut answer)).await.unwrap();
    assert_eq!(answer, "from the app\n");
    within(bench.engine.stop_app(session, "echo"))
        .await
        .unwrap();
    assert_eq!(listed(bench, session).await.state, AppState::Stopped);
}

async fn listed(bench: &Bench, session: SessionId) -> App {
    let apps = within(bench.engine.apps(session)).await.unwrap();
    let echo = apps.into_iter().find(|app| app.name == *"echo");
    echo.expect("the app is listed")
}
