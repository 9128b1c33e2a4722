//! Reads the keymap again when one of its files changes.

use std::path::PathBuf;

use tokio::sync::mpsc;

use super::watch::Watch;
use crate::{app::msg::Msg, keymap::Keymap};

/// The keymap in use, and the directory of your own ones.
#[derive(Clone, Debug)]
pub struct WatchedKeymap {
    pub name: String,
    pub directory: PathBuf,
    pub keymap: Keymap,
}

impl WatchedKeymap {
    /// Sends each change of the keymap until the TUI ends. Without a directory, there is nothing to watch.
    pub async fn follow(mut self, changes: mpsc::Sender<Msg>) {
        let Ok(mut watch) = Watch::directory(&self.directory) else {
            return;
        };
        while let Ok(names) = watch.changed().await {
            let is_keymap = |name: &std::ffi::OsString| {
                let ends = std::path::Path::new(name).extension();
                ends.is_some_and(|end| end == "toml")
            };
            if !names.iter().any(is_keymap) {
                continue;
            }
            let Some(msg) = self.read().await else {
                continue;
            };
            if changes.send(msg).await.is_err() {
                return;
            }
        }
    }

    /// The changed keymap or its problems, `None` if it is the same.
    async fn read(&mut self) -> Option<Msg> {
        let (name, directory) = (self.name.clone(), self.directory.clone());
        let read = tokio::task::spawn_blocking(move || Keymap::load(&name, Some(&directory)));
        let (keymap, problems) = read.await.ok()?;
        if !problems.is_empty() {
            return Some(Msg::Keymap(Err(problems)));
        }
        let is_same = keymap == self.keymap;
        self.keymap = keymap.clone();
        (!is_same).then(|| Msg::Keymap(Ok(Box::new(keymap))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_changed_keymap_is_read_and_a_mistake_is_reported() {
        let dir = tempfile::tempdir().unwrap();
        // Replaced at once, so that no half of it is read.
        let put = |text: String| {
            let draft = dir.path().join("draft");
            std::fs::write(&draft, text).unwrap();
            std::fs::rename(draft, dir.path().join("mine.toml")).unwrap();
        };
        let text = |action: &str| format!("[sessions]\n\"z\" = \"{action}\"\n");
        put(text("session.open"));
        let (keymap, problems) = Keymap::load("mine", Some(dir.path()));
        assert_eq!(problems, []);
        let watched = WatchedKeymap {
            name: "mine".to_owned(),
            directory: dir.path().to_path_buf(),
            keymap,
        };
        let (changes, mut received) = mpsc::channel(4);
        let task = tokio::spawn(watched.follow(changes));
        // Until the watch has begun, a change isn't seen, so it is made again.
        let changed = loop {
            put(text("session.logs"));
            tokio::select! {
                msg = received.recv() => break msg.unwrap(),
                () = tokio::task::yield_now() => {}
            }
        };
        let (expected, _) = Keymap::load("mine", Some(dir.path()));
        assert_eq!(changed, Msg::Keymap(Ok(Box::new(expected))));
        put(text("session.lgos"));
        let Some(Msg::Keymap(Err(problems))) = received.recv().await else {
            panic!("no problem was reported");
        };
        assert_eq!((problems.len(), problems[0].line), (1, 2));
        task.abort();
    }
}
