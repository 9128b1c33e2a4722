//! Waiting for a condition that nothing reports.

use std::{
    thread,
    time::{Duration, Instant},
};

/// The first pause between two checks. Each is half as long again as the one before.
const FIRST: Duration = Duration::from_millis(10);
const LONGEST: Duration = Duration::from_millis(50);

/// A limited time.
pub(super) struct Patience {
    begun: Instant,
    most: Duration,
    pause: Duration,
}

impl Patience {
    pub(super) fn of(most: Duration) -> Self {
        Self {
            begun: now(),
            most,
            pause: FIRST,
        }
    }

    /// Pauses. Returns whether time is left.
    pub(super) fn wait(&mut self) -> bool {
        if now().duration_since(self.begun) >= self.most {
            return false;
        }
        thread::sleep(self.pause);
        self.pause = (self.pause * 3 / 2).min(LONGEST);
        true
    }
}

/// Whether it becomes true in time.
pub(super) fn until(most: Duration, mut is_true: impl FnMut() -> bool) -> bool {
    let mut patience = Patience::of(most);
    loop {
        if is_true() {
            return true;
        }
        if !patience.wait() {
            return false;
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "programs of a session are waited for by the clock"
)]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_looked_at_until_it_holds_and_at_least_once() {
        let mut checks = 0;
        let held = until(Duration::from_secs(60), || {
            checks += 1;
            checks == 4
        });
        assert!(held && checks == 4);
        assert!(until(Duration::ZERO, || true) && !until(Duration::ZERO, || false));
    }
}
