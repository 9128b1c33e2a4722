//! Runs image pulls: one task each, which can be cancelled.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::StreamExt as _;
use tokio::task::AbortHandle;

use super::driver::Reporter;
use crate::{
    daemon::fault::{self, Moment},
    engine::api::Containers,
    model::{failure::Failure, pull::PullFigures},
    scheduler::{
        fact::Fact,
        order::{OrderKind, PullNumber},
    },
};

/// Cheap to clone.
#[derive(Clone, Default)]
pub(in crate::daemon) struct Pulls {
    tasks: Arc<Mutex<HashMap<PullNumber, AbortHandle>>>,
}

impl Pulls {
    fn tasks(&self) -> MutexGuard<'_, HashMap<PullNumber, AbortHandle>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a pull that has started.
    pub fn began(&self, number: PullNumber, task: AbortHandle) {
        let mut tasks = self.tasks();
        tasks.retain(|_, task| !task.is_finished());
        tasks.insert(number, task);
    }

    /// Cancels a pull by closing its connection to the engine, which then stops.
    pub fn cancel(&self, number: PullNumber) {
        fault::point(Moment::Before, OrderKind::CancelPull);
        if let Some(task) = self.tasks().remove(&number) {
            task.abort();
        }
        fault::point(Moment::After, OrderKind::CancelPull);
    }
}

/// Fetches an image, reporting the progress and the result.
pub(in crate::daemon) async fn carry_out(
    engine: Result<Arc<dyn Containers>, Failure>,
    reporter: &Reporter<Fact>,
    number: PullNumber,
    reference: &str,
) {
    fault::point(Moment::Before, OrderKind::Pull);
    let result = match engine {
        Ok(engine) => follow(&engine, reporter, number, reference).await,
        Err(failure) => Err(failure),
    };
    fault::point(Moment::After, OrderKind::Pull);
    if let Err(failure) = &result {
        tracing::warn!(%reference, why = %failure.message(), "not pulled");
    }
    let pulled = Fact::Pulled { number, result };
    reporter.report(pulled).await;
}

async fn follow(
    engine: &Arc<dyn Containers>,
    reporter: &Reporter<Fact>,
    number: PullNumber,
    reference: &str,
) -> Result<(), Failure> {
    let mut steps = engine.pull(reference).await?;
    while let Some(step) = steps.next().await {
        let figures: PullFigures = step?;
        let pulling = Fact::Pulling { number, figures };
        reporter.report(pulling).await;
    }
    Ok(())
}
