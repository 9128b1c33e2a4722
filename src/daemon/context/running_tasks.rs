//! Tasks that carry out orders and can be cancelled by the number of their order.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::task::AbortHandle;

use crate::{
    daemon::fault::{self, Moment},
    scheduler::order::OrderKind,
};

/// Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct RunningTasks(Arc<Mutex<HashMap<u64, AbortHandle>>>);

impl RunningTasks {
    fn tasks(&self) -> MutexGuard<'_, HashMap<u64, AbortHandle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, number: u64, task: AbortHandle) {
        let mut tasks = self.tasks();
        tasks.retain(|_, task| !task.is_finished());
        tasks.insert(number, task);
    }

    /// Carries out an order to cancel a task. The engine stops the work when the task's stream is closed.
    pub(super) fn cancel(&self, number: u64, order: OrderKind) {
        fault::point(Moment::Before, order);
        if let Some(task) = self.tasks().remove(&number) {
            task.abort();
        }
        fault::point(Moment::After, order);
    }
}
