//! Reads the keymap again when one of its files changes.

use std::path::PathBuf;

use tokio::sync::{mpsc, watch};

use super::watch::FileWatch;
use crate::{app::msg::Msg, keymap::Keymap, model::problem::Problem};

/// The keymap in use, and the directory of your own ones.
#[derive(Clone, Debug)]
pub struct WatchedKeymap {
    name: String,
    directory: PathBuf,
    keymap: Keymap,
    /// What was reported last.
    problems: Vec<Problem>,
}

impl WatchedKeymap {
    pub fn new(name: String, directory: PathBuf, keymap: Keymap) -> Self {
        Self {
            name,
            directory,
            keymap,
            problems: Vec::new(),
        }
    }

    /// The name of the keymap.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sends each change of the keymap until the TUI ends. `names` has the keymap that the setting names.
    pub async fn follow(mut self, changes: mpsc::Sender<Msg>, names: watch::Receiver<String>) {
        let mut watch = FileWatch::new(vec![self.directory.clone()]);
        loop {
            watch.changed().await;
            self.name.clone_from(&names.borrow());
            let Some(msg) = self.read().await else {
                continue;
            };
            if changes.send(msg).await.is_err() {
                return;
            }
        }
    }

    /// The changed keymap or its new problems, `None` if both are the same.
    async fn read(&mut self) -> Option<Msg> {
        let (name, directory) = (self.name.clone(), self.directory.clone());
        let read = tokio::task::spawn_blocking(move || Keymap::load(&name, Some(&directory)));
        let (keymap, problems) = read.await.ok()?;
        let are_new = problems != self.problems;
        self.problems.clone_from(&problems);
        if !problems.is_empty() {
            return are_new.then_some(Msg::Keymap(Err(problems)));
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
        let directory = dir.path().to_path_buf();
        let watched = WatchedKeymap::new("mine".to_owned(), directory, keymap);
        let (changes, mut received) = mpsc::channel(4);
        let (_names_in, names) = watch::channel("mine".to_owned());
        let task = tokio::spawn(watched.follow(changes, names));
        // The task begins to watch at its first step.
        tokio::task::yield_now().await;
        put(text("session.logs"));
        let changed = received.recv().await.unwrap();
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
