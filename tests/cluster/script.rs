//! The scripts of `scripts/cluster`, which need root.

use std::{path::Path, process::Command};

/// The words before a command that runs it as root.
pub fn as_root() -> Vec<&'static str> {
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|of| {
        use std::os::unix::fs::MetadataExt as _;
        of.uid() == 0
    });
    if is_root { vec![] } else { vec!["sudo", "-n"] }
}

/// A signed request of the administrator with a JSON body, as its script makes it. Returns what the script prints.
pub fn request_as_admin(path: &str, body: &str) -> String {
    let keys = [
        "BACKEND_ACCESS_KEY=AKIAIOSFODNN7EXAMPLE",
        "BACKEND_SECRET_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    ];
    let endpoint = format!("BACKEND_ENDPOINT={}", crate::support::manager());
    let script = path_of("request");
    let words = [
        &["env", &endpoint],
        &keys[..],
        &[&script, "POST", path, body],
    ]
    .concat();
    as_root_to_end(&words)
}

/// Runs a script of `scripts/cluster` to its end.
pub fn run(name: &str, args: &[&str]) {
    output(name, args);
}

/// What a script of `scripts/cluster` prints.
pub fn output(name: &str, args: &[&str]) -> String {
    let script = path_of(name);
    as_root_to_end(&[&[script.as_str()], args].concat())
}

/// The exit code of a script of `scripts/cluster`. Its messages are those of the test.
pub fn exit_code(name: &str, args: &[&str]) -> i32 {
    let script = path_of(name);
    let words = [&as_root()[..], &[&script], args].concat();
    let output = Command::new(words[0]).args(&words[1..]).output().unwrap();
    print!("{}", String::from_utf8_lossy(&output.stderr));
    output.status.code().unwrap_or(-1)
}

fn path_of(name: &str) -> String {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/cluster");
    scripts.join(name).display().to_string()
}

fn as_root_to_end(command: &[&str]) -> String {
    let mut words = as_root();
    words.extend(command);
    let output = Command::new(words[0]).args(&words[1..]).output().unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{words:?}:\n{out}{err}");
    out.into_owned()
}
