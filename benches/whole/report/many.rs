//! A hundred thousand ended sessions.

use super::TableRow;
use crate::samples::Samples;

pub fn rows(samples: &Samples) -> Vec<TableRow> {
    let of =
        |what: &str, size: usize, q| samples.quantile(&format!("many-{what}/workbay/{size}"), q);
    let key = |goal: &str, what: &str, q, ratio, limit| TableRow {
        goal: goal.to_owned(),
        ours: of(what, 100_000, q),
        theirs: of(what, 50, q),
        peer: "50 ended sessions",
        unit: "ms",
        ratio,
        limit,
    };
    let mib = |size| of("rss", size, 0.5).map(|kib| kib / 1024.0);
    let (many, few) = (mib(100_000), mib(50));
    vec![
        key(
            "13 page of 100,000 ended sessions, key to frame, p50",
            "scroll",
            0.5,
            Some(1.2),
            None,
        ),
        key("13 the same, p99", "scroll", 0.99, None, Some(1.0)),
        key(
            "14 letter into the filter of 100,000, to frame, p50",
            "filter",
            0.5,
            None,
            Some(2.0),
        ),
        key("14 the same, p99", "filter", 0.99, None, Some(8.0)),
        key(
            "from exec until 100,000 ended sessions are listed, cold",
            "listed",
            0.5,
            None,
            Some(60.0),
        ),
        TableRow {
            ours: many,
            theirs: few,
            unit: "MiB",
            ..key(
                "12 memory of the TUI, 100,000 ended sessions",
                "rss",
                0.5,
                None,
                few.map(|few| few + 30.0),
            )
        },
    ]
}
