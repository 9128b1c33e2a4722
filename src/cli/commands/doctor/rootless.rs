//! Checks what Podman needs from this machine when it runs without root.

use std::{fs, path::Path};

use super::{Finding, host};

/// The cgroup controllers that limit sessions of a rootless engine, if systemd delegates them.
const CONTROLLERS: [&str; 3] = ["cpu", "memory", "pids"];

/// Empty if Podman isn't installed, or if root runs it.
pub fn examine() -> Vec<Finding> {
    if rustix::process::geteuid().is_root() || !host::is_on_path("podman") {
        return Vec::new();
    }
    let user = crate::config::user::user_name();
    let uid = rustix::process::getuid().as_raw();
    let mut findings = Vec::new();
    findings.extend(helpers());
    for file in ["/etc/subuid", "/etc/subgid"] {
        let text = fs::read_to_string(file).unwrap_or_default();
        findings.extend(range(file, &text, &user, uid));
    }
    findings.extend(tunnel(Path::new("/dev/net/tun")));
    findings.push(delegation(Path::new("/sys/fs/cgroup"), uid));
    findings
}

fn helpers() -> Option<Finding> {
    let missing = ["newuidmap", "newgidmap"]
        .into_iter()
        .find(|name| !host::is_on_path(name))?;
    let message = tr!(
        "{missing} is missing: rootless Podman needs it to map users into containers",
        missing
    );
    Some(Finding::bad(tr_later!("podman"), message).hint(host::install("uidmap")))
}

/// `NAME:FIRST:COUNT`, by name or number.
fn range(file: &'static str, text: &str, user: &str, uid: u32) -> Option<Finding> {
    let own = |line: &str| {
        let who = line.split(':').next().unwrap_or_default();
        who == user || who.parse() == Ok(uid)
    };
    if text.lines().any(own) {
        return None;
    }
    let message = tr!(
        "{file} has no entry for {user}: rootless Podman has no user IDs for containers",
        file,
        user
    );
    Some(Finding::bad(tr_later!("podman"), message).hint(
        tr!("sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 $USER; podman system migrate"),
    ))
}

/// Checks the device that rootless networks use.
fn tunnel(device: &Path) -> Option<Finding> {
    let shown = device.display();
    let hint = if device.exists() {
        format!("sudo chmod 666 {shown}")
    } else {
        "sudo modprobe tun".to_owned()
    };
    match fs::File::options().read(true).write(true).open(device) {
        Ok(_) => None,
        Err(why) => {
            let message = tr!(
                "{shown} can't be opened ({why}): rootless containers have no network",
                shown,
                why
            );
            Some(Finding::warn(tr_later!("podman"), message).hint(hint))
        }
    }
}

fn delegation(cgroups: &Path, uid: u32) -> Finding {
    if !cgroups.join("cgroup.controllers").is_file() {
        let message = tr!(
            "this machine uses control groups version 1: a rootless engine can't limit \
                       sessions"
        );
        return Finding::warn(tr_later!("podman"), message).hint(tr!(
            "boot with systemd.unified_cgroup_hierarchy=1, or use the machine's own engine"
        ));
    }
    let own = format!("user.slice/user-{uid}.slice/user@{uid}.service/cgroup.controllers");
    let given = fs::read_to_string(cgroups.join(own)).unwrap_or_default();
    let missing: Vec<&str> = CONTROLLERS
        .into_iter()
        .filter(|wanted| given.split_whitespace().all(|one| one != *wanted))
        .collect();
    if missing.is_empty() {
        return Finding::ok(
            tr_later!("podman"),
            tr!("rootless containers can be limited (control groups are delegated)"),
        );
    }
    let message = tr!(
        "systemd doesn't delegate {missing}: these limits aren't enforced",
        missing = missing.join(", ")
    );
    Finding::warn(tr_later!("podman"), message).hint(tr!(
        "sudo mkdir -p /etc/systemd/system/user@.service.d; printf '[Service]\\nDelegate=cpu \
         cpuset io memory pids\\n' | sudo tee /etc/systemd/system/user@.service.d/delegate.conf; \
         sudo systemctl daemon-reload; then log out and in again"
    ))
}

#[cfg(test)]
mod tests {
    use super::{super::Level, *};

    #[test]
    fn ranges_are_found_by_name_or_number() {
        let text = "kim:100000:65536\n1001:165536:65536\n";
        assert_eq!(range("/etc/subuid", text, "kim", 7), None);
        assert_eq!(range("/etc/subuid", text, "lee", 1001), None);
        let missing = range("/etc/subuid", text, "ki", 100).unwrap();
        assert!(missing.hint.unwrap().as_str().contains("--add-subuids"));
    }

    #[test]
    fn a_device_that_is_not_there_is_loaded_and_a_closed_one_opened() {
        let dir = tempfile::tempdir().unwrap();
        let device = dir.path().join("tun");
        assert!(
            tunnel(&device)
                .unwrap()
                .hint
                .unwrap()
                .as_str()
                .contains("modprobe")
        );
        fs::write(&device, "").unwrap();
        assert_eq!(tunnel(&device), None);
    }

    #[test]
    fn what_is_not_handed_on_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let of = || delegation(dir.path(), 1000);
        assert!(of().message.as_str().contains("version 1"));
        fs::write(dir.path().join("cgroup.controllers"), "cpu memory pids\n").unwrap();
        let own = dir
            .path()
            .join("user.slice/user-1000.slice/user@1000.service");
        fs::create_dir_all(&own).unwrap();
        fs::write(own.join("cgroup.controllers"), "memory pids\n").unwrap();
        assert!(
            of().message.as_str().contains("delegate cpu:"),
            "{:?}",
            of()
        );
        fs::write(
            own.join("cgroup.controllers"),
            "cpuset cpu io memory pids\n",
        )
        .unwrap();
        assert_eq!(of().level, Level::Ok);
    }
}
