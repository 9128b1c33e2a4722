//! Whether the processor of the engine's machine runs what an image holds.

use std::{env::consts::ARCH, fs, path::Path};

use crate::engine::docker::connect::connection::Line;
use crate::engine::{api::Result, error::EngineError};

/// What registries call the processors, and what the kernel and its emulators call them.
const NAMES: [(&str, &str); 11] = [
    ("amd64", "x86_64"),
    ("arm64", "aarch64"),
    ("386", "i386"),
    ("386", "i686"),
    ("arm", "arm"),
    ("arm", "armv6l"),
    ("arm", "armv7l"),
    ("ppc64le", "ppc64le"),
    ("s390x", "s390x"),
    ("riscv64", "riscv64"),
    ("loong64", "loongarch64"),
];

/// What runs beside one's own.
const ALSO: [(&str, &str); 2] = [("amd64", "386"), ("arm64", "arm")];

/// Where the kernel tells which programs it hands to an emulator.
const EMULATORS: &str = "/proc/sys/fs/binfmt_misc";

/// Refuses an image whose programs could not be started: the engine makes a container of it all the same,
/// and its first program would end with "exec format error". `of_image` is what the image says; one that
/// says nothing is tried.
pub(in crate::engine::docker) fn check(
    line: &Line,
    reference: &str,
    of_image: Option<&str>,
) -> Result<()> {
    // Which emulators another machine has cannot be seen from here.
    let emulators = line.remote.is_none().then(|| Path::new(EMULATORS));
    judge(reference, of_image, &line.processor, emulators)
}

/// `processor` is what the engine says of its machine; one that says nothing is taken for ours.
fn judge(
    reference: &str,
    of_image: Option<&str>,
    processor: &str,
    emulators: Option<&Path>,
) -> Result<()> {
    let there = spelled(if processor.is_empty() {
        ARCH
    } else {
        processor
    });
    let Some(its) = of_image.filter(|its| !its.is_empty()).map(spelled) else {
        return Ok(());
    };
    let emulated = || emulators.is_some_and(|emulators| is_emulated(emulators, its));
    if its == there || ALSO.contains(&(there, its)) || emulated() {
        return Ok(());
    }
    Err(EngineError::Declined {
        why: format!(
            "the image '{reference}' is for {its} processors, but the engine's machine is {there}"
        ),
        hint: Some(format!(
            "run `docker pull --platform linux/{there} {reference}`, if the image exists for \
             {there}"
        )),
    })
}

/// As registries spell it.
pub(in crate::engine::docker) fn spelled(name: &str) -> &str {
    let known = NAMES.iter().find(|(_, kernel)| *kernel == name);
    known.map_or(name, |(registry, _)| registry)
}

/// Whether an emulator stands ready for all containers.
fn is_emulated(emulators: &Path, name: &str) -> bool {
    let known = NAMES.iter().find(|(registry, _)| *registry == name);
    let Some((_, kernel)) = known else {
        return false;
    };
    let told = fs::read_to_string(emulators.join(format!("qemu-{kernel}")));
    told.is_ok_and(|told| told.starts_with("enabled"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engines_own_processor_is_known_by_either_name() {
        for (processor, image) in [
            ("x86_64", "amd64"),
            ("amd64", "amd64"),
            ("aarch64", "arm64"),
            ("armv7l", "arm"),
            ("x86_64", "386"),
            ("", ARCH),
            ("s390x", ""),
        ] {
            judge("x:1", Some(image), processor, None).unwrap();
        }
        judge("x:1", None, "x86_64", None).unwrap();
    }

    #[test]
    fn another_one_is_refused_with_both_names() {
        // Whatever this machine is: the engine's counts.
        for (processor, image) in [("aarch64", "amd64"), ("x86_64", "arm64"), ("", "mips64le")] {
            let refused = judge("x:1", Some(image), processor, None);
            let error = refused.unwrap_err().to_string();
            let there = spelled(if processor.is_empty() {
                ARCH
            } else {
                processor
            });
            for told in [image, there, "'x:1'"] {
                assert!(error.contains(told), "{error}");
            }
        }
    }

    #[test]
    fn an_emulator_counts_while_it_is_enabled() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!is_emulated(dir.path(), "arm64"));
        let file = dir.path().join("qemu-aarch64");
        fs::write(&file, "enabled\ninterpreter /usr/bin/qemu-aarch64-static\n").unwrap();
        assert!(is_emulated(dir.path(), "arm64"));
        fs::write(&file, "disabled\n").unwrap();
        assert!(!is_emulated(dir.path(), "arm64"));
    }
}
