//! Which events the log files of the daemon and the TUI contain.

use std::env;

use tracing::{Metadata, level_filters::LevelFilter};
use tracing_subscriber::{
    filter::{FilterExt as _, Targets, filter_fn},
    layer::Filter,
    registry::LookupSpan,
};

/// Sets the levels: one for all targets, or one for each (`debug`, `info,workbay=trace`).
const VARIABLE: &str = "WORKBAY_LOG";

/// Libraries that trace whole requests with credentials, and every frame and packet with what users type.
const PRIVATE: [&str; 2] = ["tungstenite", "russh"];

/// The levels of `WORKBAY_LOG`, or `info` without it or if it can't be read. Private libraries never log below `info`.
pub fn from_environment<S: tracing::Subscriber + for<'a> LookupSpan<'a>>() -> impl Filter<S> {
    let value = env::var(VARIABLE).unwrap_or_default();
    targets(&value).and(filter_fn(is_allowed))
}

fn targets(value: &str) -> Targets {
    let parsed = value.parse().ok();
    let parsed = parsed.filter(|_| !value.is_empty());
    parsed.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO))
}

fn is_allowed(event: &Metadata<'_>) -> bool {
    let is_private = PRIVATE.iter().any(|name| event.target().starts_with(name));
    !is_private || *event.level() <= LevelFilter::INFO
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use tracing_subscriber::{Layer, layer::SubscriberExt as _};

    use super::*;

    /// Counts the events that pass the filter.
    #[derive(Clone, Default)]
    struct Counter(Arc<AtomicUsize>);

    impl<S: tracing::Subscriber> Layer<S> for Counter {
        fn on_event(
            &self,
            _event: &tracing::Event<'_>,
            _context: tracing_subscriber::layer::Context<'_, S>,
        ) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn counted(value: &str, log: impl FnOnce()) -> usize {
        let counter = Counter::default();
        let filter = targets(value).and(filter_fn(is_allowed));
        let subscriber = tracing_subscriber::registry().with(counter.clone().with_filter(filter));
        tracing::subscriber::with_default(subscriber, log);
        counter.0.load(Ordering::Relaxed)
    }

    #[test]
    fn logins_and_what_is_typed_are_never_traced() {
        for value in [
            "trace",
            "tungstenite=trace,russh=trace,russh_sftp=trace",
            "info,tungstenite::handshake=trace,russh::client=debug",
        ] {
            let count = counted(value, || {
                tracing::trace!(target: "tungstenite", "frame");
                tracing::trace!(target: "tungstenite::handshake", "request");
                tracing::debug!(target: "russh::client", "packet");
                tracing::debug!(target: "russh_sftp::server", "packet");
            });
            assert_eq!(count, 0, "{value}");
        }
        let warned = counted("trace", || tracing::warn!(target: "russh", "closed"));
        assert_eq!(warned, 1);
    }

    #[test]
    fn levels_are_set_for_all_targets_or_for_some() {
        let log = || {
            tracing::debug!(target: "workbay::daemon", "an event");
            tracing::debug!(target: "hyper", "an event");
            tracing::info!(target: "hyper", "an event");
        };
        for (value, count) in [
            ("", 1),
            ("debug", 3),
            ("info,workbay=debug", 2),
            ("workbay=trace", 1),
            ("off", 0),
            ("no-level=of=this", 1),
        ] {
            assert_eq!(counted(value, log), count, "{value}");
        }
    }
}
