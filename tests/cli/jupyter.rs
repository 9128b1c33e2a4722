//! Jupyter in a session, as its users have it: one command, then the printed URL, in a client and in a browser.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio_tungstenite::{
    client_async,
    tungstenite::{Message, client::IntoClientRequest as _},
};

use crate::{
    browser::Browser,
    cli::ports::{browse_with_cookie, parts},
    machine::Machine,
    terminal::PATIENCE,
};

/// Prints the memory limit of the container that it runs in, by either version of control groups.
const CODE: &str = "import os\n\
    for path in ['/sys/fs/cgroup/memory/memory.limit_in_bytes', '/sys/fs/cgroup/memory.max']:\n    \
    if os.path.exists(path): print('limit', open(path).read().strip())";

/// A machine with a session of 512 MiB in which Jupyter runs, and its URL.
fn with_jupyter(name: &str) -> (Machine, String) {
    let machine = Machine::new();
    machine.ok(&[
        "launch", "--env", "host", "--name", name, "--mem", "512m", "--cpu", "1", "--wait",
    ]);
    let url = machine.ok(&["app", "start", name, "jupyter"]);
    (machine, url.trim().to_owned())
}

/// The JSON that a request is answered with.
fn ask(port: u16, method: &str, path: &str, cookie: &str, body: &Value) -> Value {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let body = body.to_string();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 20"), "{answer}");
    serde_json::from_str(body).unwrap_or_else(|why| panic!("{why}: {answer}"))
}

/// What a kernel prints for a piece of code, over its WebSocket through the gateway.
async fn executed(port: u16, cookie: &str, kernel: &str, code: &str) -> String {
    let url = format!("ws://127.0.0.1:{port}/api/kernels/{kernel}/channels?session_id=test");
    let mut request = url.into_client_request().unwrap();
    request
        .headers_mut()
        .insert("Cookie", cookie.parse().unwrap());
    let stream = tokio::net::TcpStream::connect(("127.0.0.1", port))
        .await
        .unwrap();
    let (mut socket, _) = client_async(request, stream).await.unwrap();
    let message = json!({
        "header": {
            "msg_id": "one", "msg_type": "execute_request", "username": "", "session": "test",
            "date": "2026-01-01T00:00:00Z", "version": "5.3",
        },
        "parent_header": {}, "metadata": {}, "buffers": [], "channel": "shell",
        "content": {
            "code": code, "silent": false, "store_history": true, "user_expressions": {},
            "allow_stdin": false, "stop_on_error": true,
        },
    });
    let text = Message::text(message.to_string());
    socket.send(text).await.unwrap();
    while let Some(message) = socket.next().await {
        let Message::Text(text) = message.unwrap() else {
            continue;
        };
        let message: Value = serde_json::from_str(&text).unwrap();
        let kind = message["header"]["msg_type"].as_str().unwrap_or_default();
        assert_ne!(kind, "error", "{message}");
        if kind == "stream" {
            return message["content"]["text"].as_str().unwrap().to_owned();
        }
    }
    panic!("the kernel closed the connection");
}

#[tokio::test]
async fn a_client_runs_a_cell_through_the_gateway() {
    let (machine, url) = with_jupyter("cli-jupyter");
    let (port, _) = parts(&url);
    let (_, cookie) = browse_with_cookie(&url);
    let notebook = json!({"type": "notebook"});
    let made = ask(port, "POST", "/api/contents", &cookie, &notebook);
    assert_eq!(made["path"], "Untitled.ipynb");
    // The files of the notebook are those of the session's shells.
    let files = machine.ok(&["exec", "cli-jupyter", "--", "ls"]);
    assert!(files.contains("Untitled.ipynb"), "{files}");
    let started = ask(port, "POST", "/api/kernels", &cookie, &json!({}));
    let kernel = started["id"].as_str().unwrap();
    let printed = tokio::time::timeout(PATIENCE, executed(port, &cookie, kernel, CODE)).await;
    assert_eq!(printed.unwrap(), format!("limit {}\n", 512 << 20));

    let shown = machine.json(&["app", "ls", "cli-jupyter", "--json"]);
    assert_eq!(shown[0]["state"]["state"], "running", "{shown}");
    machine.ok(&["app", "stop", "cli-jupyter", "jupyter"]);
    assert_eq!(
        machine.json(&["port", "ls", "--json"]),
        json!([]),
        "the forward is closed with its app"
    );
}

#[tokio::test]
async fn a_browser_runs_a_cell_by_the_url_alone() {
    let (machine, url) = with_jupyter("cli-browser");
    let (port, _) = parts(&url);
    let profile = machine.path("chromium");
    std::fs::create_dir_all(&profile).unwrap();
    let mut browser = Browser::start(&profile).await;
    let tree = "location.pathname == '/tree' && document.title.includes('Home')";
    browser.open(&url, tree).await;
    // The token is gone from the address, and what follows needs only the cookie.
    assert_eq!(browser.value("location.search").await, "");
    let make = "fetch('/api/contents', {method: 'POST', headers: {'Content-Type': 'application/json'}, \
                body: '{\"type\": \"notebook\"}'}).then(answer => answer.json()).then(file => file.path)";
    let notebook = browser.request(make).await;
    let notebook = notebook.as_str().expect("a notebook is created");
    let page = format!("http://127.0.0.1:{port}/notebooks/{notebook}");
    browser
        .open(
            &page,
            "typeof Jupyter == 'object' && !!Jupyter.notebook && Jupyter.notebook._fully_loaded && \
             !!Jupyter.notebook.kernel && Jupyter.notebook.kernel.is_connected()",
        )
        .await;
    let run = format!(
        "(cell => {{ cell.set_text({}); cell.execute(); }})(Jupyter.notebook.get_cell(0))",
        json!(CODE)
    );
    browser.value(&run).await;
    let limit = 512 << 20;
    let printed = format!(
        "!!document.querySelector('.output_stdout') && \
         document.querySelector('.output_stdout').innerText.trim() == 'limit {limit}'"
    );
    browser.until(&printed).await;
    let picture = Path::new(env!("CARGO_TARGET_TMPDIR")).join("jupyter.png");
    browser.picture(&picture).await;
    assert!(std::fs::metadata(picture).unwrap().len() > 10_000);
}
