//! Files: the first page of 100,000 entries, and transfers against `docker cp` and `rsync` to the same place, in one run
//! whose rounds alternate. `scripts/bench files` prints the medians and the goals.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "what cannot go on here stops"
)]

#[path = "../../tests/support/machine.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod machine;
#[path = "../../tests/support/schemas.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod schemas;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use machine::Machine;
use workbay::{
    files::Root,
    model::files::{FileOrder, FilePath, FileRequest, ListOptions},
};

const ROUNDS: usize = 5;
const ENTRIES: usize = 100_000;
const LARGE: usize = 512 << 20;
const SMALL: usize = 2000;

fn main() {
    list();
    transfers();
}

/// The median of some rounds in seconds, after one that warms up.
fn median(mut once: impl FnMut() -> f64) -> f64 {
    once();
    let mut samples: Vec<f64> = (0..ROUNDS).map(|_| once()).collect();
    samples.sort_unstable_by(f64::total_cmp);
    samples[ROUNDS / 2]
}

fn timed(work: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    work();
    begun.elapsed().as_secs_f64()
}

fn list() {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..ENTRIES {
        fs::write(dir.path().join(format!("file-{number}")), "").unwrap();
    }
    let root = Root::open(dir.path(), None).unwrap();
    println!("the first 100 of {ENTRIES} entries:");
    for order in [FileOrder::Name, FileOrder::Size, FileOrder::Modified] {
        let request = FileRequest::List {
            path: FilePath::root(),
            options: ListOptions {
                order,
                count: 100,
                ..ListOptions::default()
            },
        };
        let seconds = median(|| timed(|| drop(root.answer(&request).unwrap())));
        println!(
            "  by {order:?}: {:.1} ms (goal: max 100 by name)",
            seconds * 1e3
        );
    }
}

/// One file or many in a directory of their own.
struct Source {
    name: &'static str,
    path: PathBuf,
}

fn transfers() {
    let machine = Machine::new();
    let printed = machine.ok(&["folder", "create", "bench"]);
    let folder = PathBuf::from(printed.trim().split_once(' ').unwrap().1);
    machine.ok(&machine::launch(
        "bench-files",
        &["--mount", "bench", "--wait"],
    ));
    let container = machine.containers().first().expect("a container").clone();
    let here = machine.path("here");
    fs::create_dir_all(here.join("small")).unwrap();
    let bytes: Vec<u8> = (0..LARGE).map(|at| (at * 31 + at / 4093) as u8).collect();
    fs::write(here.join("large"), &bytes).unwrap();
    for number in 0..SMALL {
        fs::write(here.join(format!("small/{number}")), &bytes[..4000]).unwrap();
    }
    for source in [
        Source {
            name: "one file of 512 MiB",
            path: here.join("large"),
        },
        Source {
            name: "2000 files of 4 kB",
            path: here.join("small"),
        },
    ] {
        compare(&machine, &container, &folder, &source);
    }
    let _ = machine.workbay(&["terminate", "--force", "bench-files"]);
}

/// Three programs, into the folder and out of it. Each stores what it wrote, because workbay does.
fn compare(machine: &Machine, container: &str, folder: &Path, source: &Source) {
    let name = source.path.file_name().unwrap().to_str().unwrap();
    let (inside, out) = (folder.join(name), machine.path("out"));
    let text = |path: &Path| path.display().to_string();
    let program = |program: &str, arguments: &[&str]| {
        let status = Command::new(program).args(arguments).output().unwrap();
        assert!(status.status.success(), "{program}: {status:?}");
    };
    let clean = |path: &Path| {
        let _ = fs::remove_dir_all(path);
        let _ = fs::remove_file(path);
        fs::create_dir_all(&out).unwrap();
        program("sync", &[]);
    };
    let in_container = format!("{container}:/home/work/bench");
    let from_container = format!("{in_container}/{name}");
    let place = format!("bench/{name}");
    let put: [(&str, &dyn Fn()); 3] = [
        ("workbay", &|| {
            drop(machine.ok(&["folder", "put", &text(&source.path), "bench"]));
        }),
        ("docker cp", &|| {
            program("docker", &["cp", &text(&source.path), &in_container]);
        }),
        ("rsync", &|| {
            program("rsync", &["-a", &text(&source.path), &text(folder)]);
        }),
    ];
    report(source.name, "put", &put, &|| clean(&inside));
    put[0].1();
    let get: [(&str, &dyn Fn()); 3] = [
        ("workbay", &|| {
            drop(machine.ok(&["folder", "get", &place, &text(&out)]));
        }),
        ("docker cp", &|| {
            program("docker", &["cp", &from_container, &text(&out)]);
        }),
        ("rsync", &|| {
            program("rsync", &["-a", &text(&inside), &text(&out)]);
        }),
    ];
    report(source.name, "get", &get, &|| clean(&out));
}

fn report(what: &str, verb: &str, programs: &[(&str, &dyn Fn())], clean: &dyn Fn()) {
    let mut samples = vec![Vec::new(); programs.len()];
    for round in 0..=ROUNDS {
        for (at, (_, once)) in programs.iter().enumerate() {
            clean();
            let seconds = timed(|| {
                once();
                // The same for all: the bytes are on the disk.
                rustix::fs::sync();
            });
            if round > 0 {
                samples[at].push(seconds);
            }
        }
    }
    println!("{verb} {what}:");
    let medians: Vec<f64> = samples
        .iter_mut()
        .map(|samples| {
            samples.sort_unstable_by(f64::total_cmp);
            samples[ROUNDS / 2]
        })
        .collect();
    for (((name, _), seconds), samples) in programs.iter().zip(&medians).zip(&samples) {
        let ratio = seconds / medians[0];
        println!("  {name}: {seconds:.3} s, workbay is {ratio:.2}x as fast (goal: min 0.9)");
        println!("    samples: {samples:.3?}");
    }
}
