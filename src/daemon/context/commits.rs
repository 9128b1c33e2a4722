//! Creates images from sessions: one task each.

use std::sync::Arc;

use futures_util::StreamExt as _;

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
