//! Runs image pulls: one task each.

use std::sync::Arc;

use futures_util::StreamExt as _;

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
