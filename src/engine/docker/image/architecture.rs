//! Checks whether the processor of the engine's machine can run an image.

use std::{env::consts::ARCH, fs, path::Path};

use crate::{
    engine::{api::Result, docker::connect::connection::EngineConnection},
    model::failure::Failure,
};

/// The names of processors in registries, and in the kernel and its emulators.
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

/// Processors that can also run the programs of another one.
const ALSO: [(&str, &str); 2] = [("amd64", "386"), ("arm64", "arm")];

/// The directory where the kernel lists its emulators.
const EMULATORS: &str = "/proc/sys/fs/binfmt_misc";

/// Refuses an image whose programs couldn't be started: the engine would still create a container, and its
/// first program would end with "exec format error". `of_image` is the architecture in the image; an image
/// without one is accepted.
pub(in crate::engine::docker) fn check(
    connection: &EngineConnection,
    reference: &str,
    of_image: Option<&str>,
) -> Result<()> {
    // The emulators of a remote machine aren't known.
    let emulators = connection.remote.is_none().then(|| Path::new(EMULATORS));
    compare(reference, of_image, &connection.processor, emulators)
}

/// `processor` is what the engine reports; if it is empty, this machine's processor counts.
fn compare(
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
    Err(Failure::refused(tr_sent!(
        "the image '{reference}' is for {its} processors, but the engine's machine is {there}",
        reference,
        its,
        there
    ))
    .hint(tr_sent!(
        "run `docker pull --platform linux/{there} {reference}`, if the image exists for \
             {there}",
        there,
        reference
    )))
}

/// The name of a processor as registries spell it.
pub(in crate::engine::docker) fn spelled(name: &str) -> &str {
    let known = NAMES.iter().find(|(_, kernel)| *kernel == name);
    known.map_or(name, |(registry, _)| registry)
}

/// Whether an emulator is available to all containers.
fn is_emulated(emulators: &Path, name: &str) -> bool {
    let known = NAMES.iter().find(|(registry, _)| *registry == name);
    let Some((_, kernel)) = known else {
        return false;
    };
    let reported = fs::read_to_string(emulators.join(format!("qemu-{kernel}")));
    reported.is_ok_and(|reported| reported.starts_with("enabled"))
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
            compare("x:1", Some(image), processor, None).unwrap();
        }
        compare("x:1", None, "x86_64", None).unwrap();
    }

    #[test]
    fn another_one_is_refused_with_both_names() {
        // The engine's processor counts, not this machine's.
        for (processor, image) in [("aarch64", "amd64"), ("x86_64", "arm64"), ("", "mips64le")] {
            let refused = compare("x:1", Some(image), processor, None);
            let error = refused.unwrap_err().to_string();
            let there = spelled(if processor.is_empty() {
                ARCH
            } else {
                processor
            });
            for reported in [image, there, "'x:1'"] {
                assert!(error.contains(reported), "{error}");
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
