//! Carries out transfers of files. Each has a task, which talks to the daemon and works on files of this machine, so
//! that the loop of the TUI never waits for either.

mod complete;
mod copy;
mod download;
mod edit;
mod local;
mod remote;
mod small;
mod task;
mod upload;

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use tokio::sync::{Mutex, mpsc, oneshot};

pub use self::complete::complete;
use self::task::{Memory, Orders, Task};
use super::connection::Current;
use crate::app::{
    msg::Msg,
    transfers::{TransferEnd, TransferEvent, TransferId, TransferJob, TransferOrder},
};

/// Capacity of the queue of answers to one transfer. It waits for one at a time.
const ANSWERS: usize = 4;

/// The transfers of the TUI.
pub struct TransferRunner {
    open: HashMap<TransferId, Handle>,
    current: Current,
    answers: mpsc::Sender<Msg>,
    /// The directory for files that are being edited.
    drafts: PathBuf,
}

/// A transfer that runs, or was interrupted.
struct Handle {
    orders: mpsc::Sender<TransferOrder>,
    cancel: Option<oneshot::Sender<()>>,
    /// What a transfer that continues must know.
    memory: Arc<Mutex<Memory>>,
}

impl TransferRunner {
    pub fn new(current: Current, answers: mpsc::Sender<Msg>, drafts: PathBuf) -> Self {
        Self {
            open: HashMap::new(),
            current,
            answers,
            drafts,
        }
    }

    /// Carries out an order. Never waits.
    pub fn order(&mut self, id: TransferId, order: TransferOrder) {
        match order {
            TransferOrder::Start { job, resumed } => self.start(id, job, resumed),
            TransferOrder::Cancel => {
                let handle = self.open.get_mut(&id);
                if let Some(cancel) = handle.and_then(|it| it.cancel.take()) {
                    let _ = cancel.send(());
                }
            }
            order => {
                if let Some(handle) = self.open.get(&id) {
                    let _ = handle.orders.try_send(order);
                }
            }
        }
    }

    fn start(&mut self, id: TransferId, job: TransferJob, resumed: bool) {
        let memory = self.open.remove(&id).filter(|_| resumed);
        let memory = memory.map_or_else(Arc::default, |handle| handle.memory);
        let (orders, received) = mpsc::channel(ANSWERS);
        let (cancel, cancelled) = oneshot::channel();
        let handle = Handle {
            orders,
            cancel: Some(cancel),
            memory: memory.clone(),
        };
        self.open.insert(id, handle);
        let client = self.current.borrow().clone();
        let answers = self.answers.clone();
        let drafts = self.drafts.clone();
        tokio::spawn(async move {
            let orders = Orders::new(received);
            let mut task = Task::new(
                id,
                client,
                answers.clone(),
                orders,
                memory.lock_owned().await,
            );
            let end = tokio::select! {
                end = task.carry_out(&job, &drafts) => end,
                () = stopped(cancelled) => TransferEnd::Cancelled,
            };
            if end == TransferEnd::Cancelled {
                task.clean_up().await;
            }
            task.report().await;
            let event = TransferEvent::Ended(end);
            let _ = answers.send(Msg::Transfer { id, event }).await;
        });
    }
}

/// Waits until the transfer is cancelled.
async fn stopped(cancelled: oneshot::Receiver<()>) {
    if cancelled.await.is_err() {
        // The TUI ends, and the runtime with it.
        std::future::pending::<()>().await;
    }
}
