//! Reports clock changes and sleep of the machine to the state machines, which count times of sessions.

use super::{
    clock_comparison::{ClockReading, Jump},
    core::Core,
};
use crate::{daemon::context::runner::ContextMachine, scheduler::fact::Fact};

impl Core {
    /// Checks whether the clock was set or the machine slept. Users got no warnings in that time.
    pub(in crate::daemon) async fn notice_jump(&mut self) {
        let Some(Jump { set_by }) = self.pace.compare(ClockReading::take()) else {
            return;
        };
        if set_by.is_zero() {
            tracing::info!("the machine slept");
        } else {
            let direction = if set_by.is_negative() {
                "back"
            } else {
                "forward"
            };
            let seconds = set_by.as_secs().abs();
            tracing::warn!(
                seconds,
                "the clock was set {direction}: workbay shifts the times of sessions"
            );
        }
        for runner in &mut self.contexts {
            if let ContextMachine::Scheduler(driver) = &mut runner.machine {
                driver.push(Fact::Jumped { set_by });
            }
        }
        self.settle_all().await;
    }
}
