//! `workbay daemon unit`: prints a systemd user unit for this user's daemon.

use std::{env, fmt::Write as _, path::Path};

use crate::cli::{
    fail::{Fail, Outcome},
    output,
};

/// Environment variables that the daemon can't find out on its own. None of them is a secret.
const KEPT: [&str; 14] = [
    "WORKBAY_CONFIG_DIR",
    "WORKBAY_STATE_DIR",
    "WORKBAY_DATA_DIR",
    "WORKBAY_CACHE_DIR",
    "WORKBAY_RUNTIME_DIR",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "DOCKER_HOST",
    "DOCKER_CONTEXT",
    "DOCKER_CONFIG",
    "DOCKER_TLS_VERIFY",
    "DOCKER_CERT_PATH",
];

/// The directories of a user's programs, which systemd may not know.
const PATH: &str = "PATH";

/// Prints the unit for the running program.
pub fn print() -> Outcome {
    let program = env::current_exe()
        .map_err(|error| Fail::new(1, tr!("workbay's path is unknown: {error}", error)))?;
    output::print(&unit(&program, |name| env::var(name).ok()))?;
    Ok(0)
}

fn unit(program: &Path, variable: impl Fn(&str) -> Option<String>) -> String {
    let mut kept = String::new();
    for name in KEPT.into_iter().chain([PATH]) {
        let set = variable(name).filter(|value| !value.is_empty() && !value.contains('\n'));
        if let Some(value) = set {
            // Writing to a string cannot fail.
            let _ = writeln!(kept, "Environment={}", word(&format!("{name}={value}")));
        }
    }
    // systemd expands variables only in commands.
    let program = word(&program.display().to_string()).replace('$', "$$");
    format!(
        "# Written by `workbay daemon unit`. To use it:\n\
         #   workbay daemon unit > ~/.config/systemd/user/workbay.service\n\
         #   workbay daemon stop; systemctl --user daemon-reload\n\
         #   systemctl --user enable --now workbay\n\
         #   loginctl enable-linger     (so that it runs while you are logged out)\n\
         [Unit]\n\
         Description=workbay: container compute sessions of this user\n\
         \n\
         [Service]\n\
         ExecStart={program} daemon run\n\
         {kept}\
         Restart=on-failure\n\
         RestartSec=3\n\
         # Only the daemon ends: what it started for an engine has sessions in it.\n\
         KillMode=process\n\
         TimeoutStopSec=60\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n"
    )
}

/// Quotes a text as a single word of a unit file, without special meaning to systemd.
fn word(text: &str) -> String {
    let mut quoted = String::from("\"");
    for one in text.chars() {
        match one {
            '"' | '\\' => quoted.extend(['\\', one]),
            '%' => quoted.push_str("%%"),
            _ => quoted.push(one),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_runs_this_program_with_its_directories_and_no_secret() {
        let variable = |name: &str| match name {
            "WORKBAY_STATE_DIR" => Some("/a b/100%".to_owned()),
            "DOCKER_CERT_PATH" => Some("/certs".to_owned()),
            "BACKEND_SECRET_KEY" => Some("hush".to_owned()),
            _ => None,
        };
        let unit = unit(Path::new("/opt/my tools/workbay"), variable);
        for line in [
            "ExecStart=\"/opt/my tools/workbay\" daemon run",
            "Environment=\"WORKBAY_STATE_DIR=/a b/100%%\"",
            "Environment=\"DOCKER_CERT_PATH=/certs\"",
            "KillMode=process",
            "Restart=on-failure",
            "WantedBy=default.target",
        ] {
            assert!(unit.lines().any(|one| one == line), "no {line} in {unit}");
        }
        assert!(!unit.contains("hush") && !unit.contains("DOCKER_HOST"));
    }

    #[test]
    fn a_word_stays_one_whatever_is_in_it() {
        assert_eq!(word(r#"a "b" \c $d %e"#), r#""a \"b\" \\c $d %%e""#);
    }
}
