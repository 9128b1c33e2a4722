//! A folder on the cluster, deleted with its test: the engine makes folders and mounts them, it does
//! not delete them.

use serde_json::{Value, json};
use workbay::model::folder::Folder;

use crate::support::{Bench, USER, name, web_server};

pub struct Made(pub Folder);

impl Made {
    pub async fn new(bench: &Bench) -> Self {
        let folder = bench.engine.create_folder(&name()).await.unwrap();
        Self(folder)
    }

    pub fn name(&self) -> &str {
        self.0.name.as_str()
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        let id = self.0.id.to_string();
        // A runtime of its own: the test's may be the one that is unwinding.
        let deleted = std::thread::spawn(move || {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap()
                .block_on(delete(&id));
        });
        if deleted.join().is_err() {
            eprintln!("the folder {} may be left on the cluster", self.0.name);
        }
    }
}

/// Into the bin, and out of it.
async fn delete(id: &str) {
    let login = json!({"username": USER.0, "password": USER.1});
    let (headers, _) = send("POST", "/server/login", None, &login).await;
    let session = headers.expect("the login has an id");
    let bin = json!({"vfolderId": id});
    send("DELETE", "/func/folders", Some(&session), &bin).await;
    let gone = json!({"vfolder_id": id});
    let path = "/func/folders/delete-from-trash-bin";
    send("POST", path, Some(&session), &gone).await;
}

/// One request to the web server; the id of the login where it made one.
async fn send(
    method: &str,
    path: &str,
    session: Option<&str>,
    body: &Value,
) -> (Option<String>, String) {
    // Another test may have done it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
    let mut request = reqwest::Client::new()
        .request(method, format!("{}{path}", web_server()))
        .header("Content-Type", "application/json")
        .body(body.to_string());
    if let Some(session) = session {
        request = request.header("X-BackendAI-SessionID", session);
    }
    let answer = request.send().await.unwrap();
    assert!(answer.status().is_success(), "{path}: {}", answer.status());
    let id = answer.headers().get("X-BackendAI-SessionID");
    let id = id.and_then(|id| id.to_str().ok()).map(str::to_owned);
    (id, answer.text().await.unwrap())
}
