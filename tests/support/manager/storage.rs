//! The files of folder `mydata`, and the storage proxy that carries them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Asked, Reply, State};

#[derive(Default)]
pub(crate) struct Storage {
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) directories: BTreeSet<String>,
    /// By token: path, size, what arrived.
    uploads: BTreeMap<String, (String, usize, String)>,
}

fn ok(body: Value) -> Reply {
    Reply::Json(200, body)
}

fn missing() -> Reply {
    Reply::problem(404, "not-found", "No such file", "")
}

impl State {
    /// What the storage proxy answers, which knows tokens and no signatures.
    pub(super) fn proxy(&mut self, asked: &Asked) -> Option<Reply> {
        let rest = asked.target.strip_prefix("/storage/")?;
        let (what, query) = rest.split_once('?')?;
        let token = query.strip_prefix("token=")?.split('&').next()?;
        let token = &token.replace("%2F", "/");
        match (what, asked.method.as_str()) {
            ("download", "GET") => {
                let Some(content) = self.storage.files.get(token) else {
                    return Some(missing());
                };
                let range = asked.headers.get("range");
                let from =
                    range.and_then(|it| it.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok());
                let status = if range.is_some() { 206 } else { 200 };
                let from: usize = from.unwrap_or(0);
                Some(Reply::Raw(
                    status,
                    vec![],
                    content.as_bytes()[from..].to_vec(),
                ))
            }
            ("upload", "HEAD") => {
                let Some((_, size, arrived)) = self.storage.uploads.get(token) else {
                    return Some(Reply::Raw(404, vec![], vec![]));
                };
                let headers = vec![
                    ("Upload-Offset", arrived.len().to_string()),
                    ("Upload-Length", size.to_string()),
                ];
                Some(Reply::Raw(200, headers, vec![]))
            }
            ("upload", "PATCH") => {
                let offset = asked.headers.get("upload-offset")?.parse().ok();
                let Some((path, size, arrived)) = self.storage.uploads.get_mut(token) else {
                    return Some(missing());
                };
                if offset != Some(arrived.len()) {
                    return Some(Reply::problem(409, "conflict", "Another offset", ""));
                }
                arrived.push_str(&asked.body);
                if arrived.len() == *size {
                    self.storage.files.insert(path.clone(), arrived.clone());
                    self.storage.uploads.remove(token);
                }
                Some(Reply::Raw(204, vec![], vec![]))
            }
            _ => Some(missing()),
        }
    }

    /// What the manager answers about files of the folder.
    pub(super) fn files(&mut self, asked: &Asked) -> Option<Reply> {
        let rest = asked.target.strip_prefix("/folders/mydata/")?;
        let (what, query) = rest.split_once('?').unwrap_or((rest, ""));
        let body = asked.json();
        let text = |field: &str| body[field].as_str().unwrap_or_default().to_owned();
        let host = asked.headers.get("host")?;
        let ticket = |what: &str, token: &str| json!({"token": token, "url": format!("http://{host}/storage/{what}")});
        match (asked.method.as_str(), what) {
            ("GET", "files") => {
                let path = query.strip_prefix("path=")?.replace("%2F", "/");
                Some(self.listed(if path == "." { "" } else { &path }))
            }
            ("POST", "mkdir") => {
                self.storage.directories.insert(text("path"));
                Some(ok(json!({})))
            }
            ("POST", "rename-file") => {
                let from = text("target_path");
                let directory = from
                    .rsplit_once('/')
                    .map_or(String::new(), |(dir, _)| format!("{dir}/"));
                Some(self.moved(&from, &format!("{directory}{}", text("new_name"))))
            }
            ("POST", "move-file") => Some(self.moved(&text("src"), &text("dst"))),
            ("DELETE", "delete-files") => {
                for file in body["files"].as_array()? {
                    let file = file.as_str()?;
                    let below = format!("{file}/");
                    let is_gone = |path: &String| *path == *file || path.starts_with(&below);
                    self.storage.files.retain(|path, _| !is_gone(path));
                    self.storage.directories.retain(|path| !is_gone(path));
                }
                Some(ok(json!({})))
            }
            ("POST", "request-upload") => {
                let token = format!("u{}", self.storage.uploads.len());
                let size = body["size"].as_u64()? as usize;
                let upload = (text("path"), size, String::new());
                self.storage.uploads.insert(token.clone(), upload);
                Some(ok(ticket("upload", &token)))
            }
            // The token is the path.
            ("POST", "request-download") => Some(ok(ticket("download", &text("path")))),
            _ => None,
        }
    }

    fn moved(&mut self, from: &str, to: &str) -> Reply {
        let Some(content) = self.storage.files.remove(from) else {
            return missing();
        };
        self.storage.files.insert(to.to_owned(), content);
        ok(json!({}))
    }

    fn listed(&self, directory: &str) -> Reply {
        if !directory.is_empty() && !self.storage.directories.contains(directory) {
            return missing();
        }
        let name = |path: &str| {
            let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
            (above == directory).then(|| name.to_owned())
        };
        let files = self.storage.files.iter().filter_map(|(path, content)| {
            Some(
                json!({"name": name(path)?, "type": "FILE", "size": content.len(), "mode": "644",
                "created": "2026-11-21T12:04:13+00:00", "modified": "2026-11-21T12:04:13+00:00"}),
            )
        });
        let directories = self.storage.directories.iter().filter_map(|path| {
            Some(json!({"name": name(path)?, "type": "DIRECTORY", "size": 4096, "mode": "755"}))
        });
        let items: Vec<Value> = files.chain(directories).collect();
        ok(json!({"items": items, "files": "[]"}))
    }
}
