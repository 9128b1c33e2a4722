//! Uploads to a folder of the cluster and downloads from it, beside the official client. Both start a program, log in and
//! transfer; the client runs in the cluster's root directory, so its files are there.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{built, machine::Machine, millis, samples::Samples, terminal::now};

const ROUNDS: usize = 5;
const SIZE: usize = 256 << 20;
/// How many small files a directory has, and their size in bytes.
const FILES: usize = 50;
const SMALL: usize = 4096;

pub fn measure(samples: &mut Samples) {
    let place = Place::new();
    let folder = format!("bench-{}", std::process::id());
    let machine = built::machine("");
    machine.ok(&["folder", "create", &folder]);
    let to = Folder {
        machine: &machine,
        name: &folder,
    };
    for round in 0..ROUNDS {
        let mut timed = |name: &str, work: &dyn Fn()| {
            let start = now();
            work();
            samples.add(name, millis(now() - start));
        };
        timed("upload/workbay", &|| to.put(&place.at("large"), "large"));
        timed("upload/client", &|| {
            client(&["vfolder", "upload", &folder, "client-large"]);
        });
        timed("download/workbay", &|| to.get("large", &place.at("back")));
        // The client neither replaces a file that it downloads nor a directory that it uploads.
        let _ = fs::remove_file(place.at("client-large"));
        timed("download/client", &|| {
            client(&["vfolder", "download", &folder, "client-large"]);
        });
        assert_eq!(
            fs::metadata(place.at("back")).expect("the file").len(),
            SIZE as u64
        );
        timed("small/workbay", &|| to.put(&place.at("small"), "ours"));
        let small = format!("small-{round}");
        fs::rename(place.at("small"), place.at(&small)).expect("another name");
        timed("small/client", &|| {
            client(&["vfolder", "upload", "-r", &folder, &small]);
        });
        fs::rename(place.at(&small), place.at("small")).expect("the old name");
    }
    machine.ok(&["folder", "rm", &folder]);
    machine.ok(&["folder", "purge", &folder, "--yes"]);
}

struct Folder<'a> {
    machine: &'a Machine,
    name: &'a str,
}

impl Folder<'_> {
    fn put(&self, from: &Path, name: &str) {
        let to = format!("{}/{name}", self.name);
        self.machine
            .ok(&["folder", "put", &from.display().to_string(), &to]);
    }

    fn get(&self, name: &str, to: &Path) {
        let from = format!("{}/{name}", self.name);
        self.machine
            .ok(&["folder", "get", &from, &to.display().to_string()]);
    }
}

/// The working directory of the official client, with the files. They are removed with this.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        let cluster = std::env::var_os("WORKBAY_CLUSTER_DIR")
            .map_or_else(|| "/var/tmp/backendai-cluster".into(), PathBuf::from);
        let place = Self(cluster.join("state/home"));
        let bytes: Vec<u8> = (0..SIZE).map(|at| (at * 31 + at / 4093) as u8).collect();
        for name in ["large", "client-large"] {
            fs::write(place.at(name), &bytes).expect("a file");
        }
        fs::create_dir_all(place.at("small")).expect("a directory");
        for number in 0..FILES {
            fs::write(place.at(&format!("small/{number}")), &bytes[..SMALL]).expect("a file");
        }
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for name in ["large", "client-large", "back"] {
            let _ = fs::remove_file(self.at(name));
        }
        let _ = fs::remove_dir_all(self.at("small"));
    }
}

fn client(arguments: &[&str]) {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/cluster/client");
    let done = Command::new(program)
        .args(arguments)
        .output()
        .expect("the client");
    assert!(
        done.status.success(),
        "{arguments:?}: {}{}",
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr)
    );
}
