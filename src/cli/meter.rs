//! The progress of a transfer: amount, rate and time left.

use std::time::Duration;

use tokio::time::Instant;

use crate::{
    cli::{progress::Progress, times},
    model::resources::Bytes,
};

/// The time between two changes of the line.
const PAUSE: Duration = Duration::from_millis(200);

pub struct Meter {
    progress: Progress,
    begun: Instant,
    shown: Option<Instant>,
    /// The bytes that were transferred since the beginning.
    bytes: u64,
}

impl Meter {
    pub fn new() -> Self {
        Self {
            progress: Progress::new(),
            begun: Instant::now(),
            shown: None,
            bytes: 0,
        }
    }

    /// Counts bytes of the file `name`, of which `done` of `size` are transferred now.
    pub fn add(&mut self, bytes: u64, name: &str, done: u64, size: u64) {
        self.bytes += bytes;
        if let Some(seconds) = self.due() {
            self.progress
                .transfer(&text(name, done, size, self.bytes, seconds));
        }
    }

    /// `bytes` are transferred now, of `size` if that is known.
    pub fn set(&mut self, name: &str, bytes: u64, size: Option<u64>) {
        self.bytes = bytes;
        if let Some(seconds) = self.due() {
            let text = match size {
                Some(size) => text(name, bytes, size, bytes, seconds),
                None => format!("{name}: {}", Bytes(bytes)),
            };
            self.progress.transfer(&text);
        }
    }

    /// Removes the line.
    pub fn clear(&mut self) {
        self.progress.clear();
    }

    /// The seconds since the beginning, if the line may change now.
    fn due(&mut self) -> Option<f64> {
        let now = Instant::now();
        if self.shown.is_some_and(|at| now < at + PAUSE) {
            return None;
        }
        self.shown = Some(now);
        Some(now.duration_since(self.begun).as_secs_f64())
    }
}

fn text(name: &str, done: u64, size: u64, bytes: u64, seconds: f64) -> String {
    let percent = (done.min(size) * 100).checked_div(size).unwrap_or(100);
    let amount = format!("{name}: {percent}% of {}", Bytes(size));
    if seconds < 1.0 || bytes == 0 {
        return amount;
    }
    let rate = bytes as f64 / seconds;
    let left = size.saturating_sub(done) as f64 / rate;
    let left = times::elapsed(left.ceil() as i64);
    tr!(
        "{amount}, {rate}/s, {left} left",
        amount,
        rate = Bytes(rate as u64),
        left
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_and_time_left_follow_from_what_was_transferred() {
        let mib = Bytes::MIB;
        let shown = text("f", 30 * mib, 100 * mib, 20 * mib, 2.0);
        assert_eq!(shown, "f: 30% of 100 MiB, 10 MiB/s, 7s left");
        assert_eq!(text("f", 0, 0, 0, 0.0), "f: 100% of 0 B");
    }
}
