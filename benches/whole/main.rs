//! Whole-program measurements: the built program on a pseudo-terminal beside its peers, interleaved in
//! one run. Raw samples go to `docs/benchmarks/samples.json`, the tables to `docs/benchmarks.md`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what cannot go on here stops"
)]

#[path = "../../tests/support/machine.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod machine;
#[path = "../../tests/support/schemas.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod schemas;
#[path = "../../tests/support/terminal.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod terminal;

mod crowd;
mod drain;
mod goals;
mod many;
mod measure;
mod panes;
mod peers;
mod report;
mod samples;
mod usage;

use samples::Samples;

/// What can be measured alone, into the samples of an earlier run.
struct MeasuredPart {
    name: &'static str,
    is_its: fn(&str) -> bool,
    measure: fn(&mut Samples),
}

const PARTS: &[MeasuredPart] = &[
    MeasuredPart {
        name: "list",
        is_its: goals::is_of_list,
        measure: goals::list,
    },
    MeasuredPart {
        name: "usage",
        is_its: usage::is_of_here,
        measure: usage::alone,
    },
    MeasuredPart {
        name: "panes",
        is_its: panes::is_of_here,
        measure: panes::alone,
    },
    MeasuredPart {
        name: "many",
        is_its: many::is_of_here,
        measure: many::alone,
    },
    MeasuredPart {
        name: "crowd",
        is_its: crowd::is_of_here,
        measure: crowd::alone,
    },
];

fn main() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("docs/benchmarks");
    let file = folder.join("samples.json");
    let asked = |word: &str| std::env::args().any(|arg| arg == word);
    let earlier = || -> Samples {
        let text = std::fs::read_to_string(&file).expect("samples of an earlier run");
        serde_json::from_str(&text).expect("samples read")
    };
    let samples = if asked("report") {
        earlier()
    } else {
        let part = PARTS.iter().find(|part| asked(part.name));
        let samples = match part {
            Some(part) => {
                let mut samples = earlier();
                samples.figures.retain(|name, _| !(part.is_its)(name));
                (part.measure)(&mut samples);
                samples
            }
            None => goals::everything(),
        };
        std::fs::create_dir_all(&folder).expect("docs/benchmarks");
        let text = serde_json::to_string_pretty(&samples).expect("samples print");
        std::fs::write(&file, text).expect("samples are kept");
        samples
    };
    std::fs::write(root.join("docs/benchmarks.md"), report::markdown(&samples))
        .expect("the report is written");
    println!("docs/benchmarks.md is written");
}
