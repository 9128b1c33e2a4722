//! Headless Chromium, steered by its debugging protocol.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use base64::Engine as _;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::{WebSocketStream, client_async, tungstenite::Message};

use crate::{
    poll,
    terminal::{PATIENCE, now},
};

/// Chromium aborts the requests of a page when an address of the machine comes or goes, as those of Docker's networks do
/// when other tests start containers. A user reloads the page then.
const NETWORK_CHANGED: &str = "net::ERR_NETWORK_CHANGED";

/// A browser with one page.
pub struct Browser {
    process: Child,
    page: WebSocketStream<TcpStream>,
    last: u64,
    /// Why requests of the page failed since it was opened.
    failed: Vec<String>,
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Its children end with it.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Browser {
    /// Starts a browser whose profile is in `directory`.
    pub async fn start(directory: &Path) -> Self {
        let mut process = Command::new("chromium")
            .args(["--headless=new", "--no-sandbox", "--disable-gpu"])
            .args(["--window-size=1200,900", "--remote-debugging-port=0"])
            .args(["--no-first-run", "--disable-dev-shm-usage"])
            .arg(format!("--user-data-dir={}", directory.display()))
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromium is installed by scripts/test-setup");
        let file = directory.join("DevToolsActivePort");
        let listens = poll::until(Duration::from_millis(20), PATIENCE, async || {
            let ended = process.try_wait().unwrap();
            assert!(ended.is_none(), "chromium ended: {ended:?}");
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            // The file is complete when it has both lines.
            let (port, path) = text.trim_end().split_once('\n')?;
            Some((port.parse::<u16>().unwrap(), path.to_owned()))
        });
        let (port, browser) = listens.await.expect("chromium listens");
        let mut page = connect(port, &browser).await;
        let command = json!({"id": 0, "method": "Target.getTargets"});
        page.send(Message::text(command.to_string())).await.unwrap();
        let answer = answer_to(&mut page, 0, &mut Vec::new()).await;
        let targets = answer["targetInfos"].as_array().unwrap();
        let target = targets.iter().find(|it| it["type"] == "page").unwrap();
        let id = target["targetId"].as_str().unwrap();
        let page = connect(port, &format!("/devtools/page/{id}")).await;
        let mut browser = Self {
            process,
            page,
            last: 0,
            failed: Vec::new(),
        };
        browser.call("Network.enable", json!({})).await;
        browser
    }

    async fn call(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let command = json!({"id": self.last, "method": method, "params": params});
        let text = Message::text(command.to_string());
        self.page.send(text).await.unwrap();
        answer_to(&mut self.page, self.last, &mut self.failed).await
    }

    /// Opens a page, and waits until an expression is true in it.
    pub async fn open(&mut self, url: &str, expression: &str) {
        let deadline = now() + PATIENCE;
        self.go(url).await;
        while self.value(expression).await != true {
            if self.failed.iter().any(|it| it == NETWORK_CHANGED) {
                self.go(url).await;
            }
            self.not_after(deadline, expression).await;
        }
    }

    async fn go(&mut self, url: &str) {
        self.failed.clear();
        let answer = self.call("Page.navigate", json!({"url": url})).await;
        match answer["errorText"].as_str() {
            None => {}
            Some(NETWORK_CHANGED) => self.failed.push(NETWORK_CHANGED.to_owned()),
            Some(error) => panic!("{url}: {error}"),
        }
    }

    /// The value of an expression in the page; promises are awaited.
    pub async fn value(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", params).await;
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub async fn until(&mut self, expression: &str) {
        let deadline = now() + PATIENCE;
        while self.value(expression).await != true {
            self.not_after(deadline, expression).await;
        }
    }

    async fn not_after(&mut self, deadline: Instant, expression: &str) {
        if now() > deadline {
            let page = "location.pathname + ' ' + document.body.innerText.slice(0, 2000)";
            let (shown, failed) = (self.value(page).await, &self.failed);
            panic!("it never came that {expression}; the page: {shown}; failed: {failed:?}");
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }

    /// The value of an expression that makes a request. The request is repeated if the machine's networks changed.
    pub async fn request(&mut self, expression: &str) -> Value {
        let deadline = now() + PATIENCE;
        loop {
            self.failed.clear();
            let value = self.value(expression).await;
            if !self.failed.iter().any(|it| it == NETWORK_CHANGED) {
                return value;
            }
            self.not_after(deadline, expression).await;
        }
    }

    /// Writes what the page shows to a PNG file.
    pub async fn picture(&mut self, file: &Path) {
        let answer = self
            .call("Page.captureScreenshot", json!({"format": "png"}))
            .await;
        let text = answer["data"].as_str().unwrap();
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(text)
            .unwrap();
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
    }
}

async fn connect(port: u16, path: &str) -> WebSocketStream<TcpStream> {
    let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let url = format!("ws://127.0.0.1:{port}{path}");
    client_async(url, stream).await.unwrap().0
}

/// The result of the command with this id. Of the events before it, requests that failed are kept.
async fn answer_to(
    page: &mut WebSocketStream<TcpStream>,
    id: u64,
    failed: &mut Vec<String>,
) -> Value {
    let answered = async {
        while let Some(message) = page.next().await {
            let Message::Text(text) = message.unwrap() else {
                continue;
            };
            let value: Value = serde_json::from_str(&text).unwrap();
            if value["method"] == "Network.loadingFailed" {
                let why = value["params"]["errorText"].as_str();
                failed.extend(why.map(str::to_owned));
            }
            if value["id"] == id {
                assert_eq!(value.get("error"), None, "{value}");
                return value["result"].clone();
            }
        }
        panic!("chromium closed the connection");
    };
    let answered = tokio::time::timeout(PATIENCE, answered).await;
    answered.expect("chromium answers")
}
