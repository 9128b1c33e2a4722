//! Checks programs of this machine that sessions need.

use std::{fs, process::Command};

use super::Finding;

/// The oldest supported tmux, because of how workbay controls clients and options.
const OLDEST_TMUX: (u32, u32) = (3, 2);

/// Checks the host's tmux, which is copied into every session.
pub fn tmux() -> Finding {
    let Ok(output) = Command::new("tmux").arg("-V").output() else {
        let message = tr!("tmux isn't installed on this machine. Shells of sessions need it");
        return Finding::bad(tr_later!("tmux"), message).hint(install("tmux"));
    };
    let said = String::from_utf8_lossy(&output.stdout);
    let said = said.trim();
    match version(said) {
        Some(version) if version >= OLDEST_TMUX => Finding::ok(tr_later!("tmux"), said),
        Some(_) => Finding::bad(
            tr_later!("tmux"),
            tr!("{said} is too old. workbay needs tmux 3.2 or newer", said),
        )
        .hint(install("tmux")),
        None => Finding::warn(
            tr_later!("tmux"),
            tr!("its version can't be read from '{said}'", said),
        ),
    }
}

/// `tmux 3.3a`, `tmux next-3.5` -> (3, 3), (3, 5).
fn version(text: &str) -> Option<(u32, u32)> {
    let word = text.split_whitespace().nth(1)?;
    let digits = word.trim_start_matches(|c: char| !c.is_ascii_digit());
    let (major, rest) = digits.split_once('.')?;
    let end = rest.find(|c: char| !c.is_ascii_digit());
    let minor = &rest[..end.unwrap_or(rest.len())];
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Whether a program is on the PATH.
pub fn is_on_path(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(name).is_file())
}

/// The command that installs a package on this machine.
pub fn install(package: &str) -> String {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    install_on(&release, package)
}

fn install_on(release: &str, package: &str) -> String {
    const MANAGERS: [(&[&str], &str); 6] = [
        (&["debian", "ubuntu"], "sudo apt-get install"),
        (&["fedora", "rhel", "centos"], "sudo dnf install"),
        (&["arch"], "sudo pacman -S"),
        (&["alpine"], "sudo apk add"),
        (&["suse", "opensuse"], "sudo zypper install"),
        (&["gentoo"], "sudo emerge"),
    ];
    let families: Vec<&str> = release
        .lines()
        .filter_map(|line| {
            line.strip_prefix("ID=")
                .or_else(|| line.strip_prefix("ID_LIKE="))
        })
        .flat_map(|value| value.trim_matches('"').split_whitespace())
        .collect();
    let known = MANAGERS
        .iter()
        .find(|(names, _)| names.iter().any(|name| families.contains(name)));
    match known {
        Some((_, command)) => format!("{command} {package}"),
        None => tr!("install the package {package}", package),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_tmux_are_read() {
        for (text, read) in [
            ("tmux 3.3a", Some((3, 3))),
            ("tmux 3.2", Some((3, 2))),
            ("tmux next-3.5", Some((3, 5))),
            ("tmux 2.9a", Some((2, 9))),
            ("tmux master", None),
            ("", None),
        ] {
            assert_eq!(version(text), read, "{text}");
        }
    }

    #[test]
    fn the_package_manager_is_that_of_the_distribution() {
        let install = |release| install_on(release, "tmux");
        assert_eq!(install("ID=debian\n"), "sudo apt-get install tmux");
        assert_eq!(
            install("ID=rocky\nID_LIKE=\"rhel centos fedora\"\n"),
            "sudo dnf install tmux"
        );
        assert_eq!(install("ID=nixos\n"), "install the package tmux");
    }
}
