//! Creates images from sessions: one task each, which can be cancelled.

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
    model::{
        failure::Failure,
        own_image::{CommitPlan, CommitStep},
    },
    scheduler::{
        fact::Fact,
        order::{CommitNumber, OrderKind},
    },
};

/// Cheap to clone.
#[derive(Clone, Default)]
pub(in crate::daemon) struct Commits {
    tasks: Arc<Mutex<HashMap<CommitNumber, AbortHandle>>>,
}

impl Commits {
    fn tasks(&self) -> MutexGuard<'_, HashMap<CommitNumber, AbortHandle>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers one that has begun.
    pub fn began(&self, number: CommitNumber, task: AbortHandle) {
        let mut tasks = self.tasks();
        tasks.retain(|_, task| !task.is_finished());
        tasks.insert(number, task);
    }

    /// Drops the engine's stream. The engine then deletes what it has of the image.
    pub fn cancel(&self, number: CommitNumber) {
        fault::point(Moment::Before, OrderKind::CancelCommit);
        if let Some(task) = self.tasks().remove(&number) {
            task.abort();
        }
        fault::point(Moment::After, OrderKind::CancelCommit);
    }
}

/// Creates an image, reporting each step and the result.
pub(in crate::daemon) async fn carry_out(
    engine: Result<Arc<dyn Containers>, Failure>,
    reporter: &Reporter<Fact>,
    number: CommitNumber,
    plan: &CommitPlan,
) {
    fault::point(Moment::Before, OrderKind::Commit);
    let session = plan.session;
    let report = async |result| {
        let step = Fact::Committing {
            session,
            number,
            result,
        };
        reporter.report(step).await;
    };
    let steps = match engine {
        Ok(engine) => engine.commit(plan).await,
        Err(failure) => Err(failure),
    };
    let mut steps = match steps {
        Ok(steps) => steps,
        Err(failure) => {
            fault::point(Moment::After, OrderKind::Commit);
            return report(Err(failure)).await;
        }
    };
    while let Some(step) = steps.next().await {
        if let Err(failure) = &step {
            tracing::warn!(%session, why = %failure.message(), "no image was created");
        }
        let over = !matches!(step, Ok(CommitStep::Begun { .. }));
        if over {
            fault::point(Moment::After, OrderKind::Commit);
        }
        report(step).await;
        if over {
            return;
        }
    }
    let ended = Failure::reported(tr_sent!("it ended the work without a result"));
    report(Err(ended)).await;
}
