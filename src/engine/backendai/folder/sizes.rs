//! The sizes of folders. Managers report them only for one folder at a time, and ask the storage for each, so they are
//! read a few at a time when a client waits for them, and kept for a while.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use futures_util::{StreamExt as _, stream};
use serde_json::Value;
use tokio::time::timeout;

use crate::{
    engine::backendai::{
        connect::connection::ManagerConnection,
        request::{
            http::{ManagerCall, SHORT},
            lenient_json::{self, Node},
        },
    },
    model::{files::SpaceUse, folder::Folder, text::Clean},
};

/// A size that was read within this time isn't read again.
const FRESH: Duration = Duration::from_secs(60);
/// How long one list waits for sizes.
const PATIENCE: Duration = Duration::from_secs(20);
/// How many folders are asked for at a time.
const AT_ONCE: usize = 4;
/// How many folders are asked for in one list.
const MOST: usize = 200;

#[derive(Debug, Default)]
pub(in crate::engine::backendai) struct FolderSizes {
    known: Mutex<HashMap<Clean, (Instant, SpaceUse)>>,
}

impl FolderSizes {
    fn known(&self) -> MutexGuard<'_, HashMap<Clean, (Instant, SpaceUse)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the sizes that aren't known, for a limited time.
    pub(super) async fn measure(&self, connection: &ManagerConnection, folders: &[Folder]) {
        let due: Vec<Clean> = {
            let mut known = self.known();
            known.retain(|id, _| folders.iter().any(|it| it.id == *id));
            let fresh = |id: &Clean| known.get(id).is_some_and(|(at, _)| at.elapsed() < FRESH);
            let due = folders
                .iter()
                .filter(|it| is_readable(it) && !fresh(&it.id));
            due.map(|it| it.id.clone()).take(MOST).collect()
        };
        let asked = stream::iter(due)
            .map(|id| async move { (size_of(connection, &id).await, id) })
            .buffer_unordered(AT_ONCE)
            .for_each(async |(size, id)| {
                if let Some(size) = size {
                    self.known().insert(id, (now(), size));
                }
            });
        // What isn't read in time stays unknown.
        let _ = timeout(PATIENCE, asked).await;
    }

    /// Fills in what is known. `complete` = nothing more is being read.
    pub(super) fn fill(&self, folders: &mut [Folder], complete: bool) {
        let known = self.known();
        for folder in folders {
            match known.get(&folder.id) {
                Some((_, found)) => {
                    folder.size = Some(found.size);
                    folder.files = Some(found.files);
                }
                None => folder.measuring = !complete && is_readable(folder),
            }
        }
    }
}

fn is_readable(folder: &Folder) -> bool {
    matches!(folder.status.as_str(), "ready" | "mounted" | "performing")
}

async fn size_of(connection: &ManagerConnection, id: &Clean) -> Option<SpaceUse> {
    let call = ManagerCall::get(format!("/folders/{id}")).within(SHORT);
    let answer: Value = match connection.http.json(&call).await {
        Ok(answer) => answer,
        Err(failure) => {
            tracing::debug!(folder = %id, why = %failure.message(), "no size");
            return None;
        }
    };
    let node = Node::new(&answer);
    let files = node.int("numFiles").or_else(|| node.int("num_files"));
    Some(SpaceUse {
        files: u64::try_from(files.unwrap_or(0)).unwrap_or(0),
        size: lenient_json::bytes(node.raw("used_bytes"))?,
    })
}

#[expect(
    clippy::disallowed_methods,
    reason = "the age of a size is only compared with this clock"
)]
fn now() -> Instant {
    Instant::now()
}
