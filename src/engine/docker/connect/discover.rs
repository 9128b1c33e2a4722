//! Finds the engine: configuration, DOCKER_HOST, Docker's context, the default sockets.

use std::{fs, path::PathBuf};

use super::{
    docker_context,
    endpoint::Endpoint,
    process_env::ProcessEnv,
    transport::{
        socket_check::listens,
        ssh_target::SshPlace,
        tls::{self, TlsFiles},
    },
};
use crate::model::failure::Failure;

/// The engine's address, in this order: configuration, DOCKER_HOST, DOCKER_CONTEXT or the current
/// context, rootless Docker, Docker, rootless Podman, Podman, and Podman without a socket if Docker isn't
/// installed. The configuration may also be `docker` or `podman`.
pub(in crate::engine::docker) fn find(
    configured: Option<&str>,
    around: &ProcessEnv,
) -> Result<Endpoint, Failure> {
    match configured {
        Some("docker") => return of_sockets(&docker_sockets(around)),
        Some("podman") => return podman(around),
        Some(url) => {
            return parse(
                url,
                tr_sent!("the configuration (engine.endpoint)"),
                around,
                None,
            );
        }
        None => {}
    }
    if let Some(url) = &around.docker_host {
        return parse(url, "DOCKER_HOST", around, None);
    }
    if let Some(chosen) = docker_context::chosen(around)? {
        return parse(&chosen.host, &chosen.said_by, around, chosen.material);
    }
    let [mut all, podmans] = [docker_sockets(around), podman_sockets(around)];
    all.extend(podmans);
    let found = of_sockets(&all);
    // If Docker is installed but stopped, its sessions must not be looked up in Podman.
    match (found, &around.podman) {
        (Err(_), Some(program)) if !around.has_docker => Ok(Endpoint::Podman {
            program: program.clone(),
        }),
        (found, _) => found,
    }
}

/// The first socket that exists.
fn of_sockets(candidates: &[PathBuf]) -> Result<Endpoint, Failure> {
    let there = candidates.iter().find(|socket| socket.exists());
    there
        .map(|socket| Endpoint::Socket(socket.clone()))
        .ok_or_else(|| nothing_found(candidates))
}

/// Podman's own socket if a process listens on it; otherwise its program.
fn podman(around: &ProcessEnv) -> Result<Endpoint, Failure> {
    let candidates = podman_sockets(around);
    if let Some(socket) = candidates.iter().find(|socket| listens(socket)) {
        return Ok(Endpoint::Socket(socket.clone()));
    }
    match &around.podman {
        Some(program) => Ok(Endpoint::Podman {
            program: program.clone(),
        }),
        None => of_sockets(&candidates),
    }
}

/// Parses an address; `material` is the TLS material of the context it comes from.
fn parse(
    url: &str,
    said_by: &str,
    around: &ProcessEnv,
    material: Option<TlsFiles>,
) -> Result<Endpoint, Failure> {
    let path = url.strip_prefix("unix://").unwrap_or(url);
    if path.starts_with('/') {
        return Ok(Endpoint::Socket(PathBuf::from(path)));
    }
    if let Some(place) = url.strip_prefix("ssh://") {
        return SshPlace::parse(place)
            .map(Endpoint::Ssh)
            .map_err(|why| bad_address(url, said_by, &why));
    }
    for (scheme, with_tls) in [("tcp://", false), ("http://", false), ("https://", true)] {
        if let Some(address) = url.strip_prefix(scheme) {
            let tls = match material {
                Some(material) => Some(material),
                None if with_tls || around.tls_verify => Some(TlsFiles::of_person(around)),
                None => None,
            };
            let address = tls::address(address, tls.is_some())
                .map_err(|why| bad_address(url, said_by, &why))?;
            return Ok(Endpoint::Tcp { address, tls });
        }
    }
    let known = tr_sent!("use unix:///path/of/a.sock, ssh://user@host or tcp://host:port");
    Err(bad_address(url, said_by, known))
}

fn bad_address(url: &str, said_by: &str, why: &str) -> Failure {
    Failure::unsupported(tr_sent!(
        "{said_by} has the invalid engine address '{url}': {why}",
        said_by,
        url,
        why
    ))
}

fn docker_sockets(around: &ProcessEnv) -> Vec<PathBuf> {
    let runtime = around.runtime_dir.as_ref();
    let rootless = runtime.map(|dir| dir.join("docker.sock"));
    let system = around.root.join("var/run/docker.sock");
    rootless.into_iter().chain([system]).collect()
}

fn podman_sockets(around: &ProcessEnv) -> Vec<PathBuf> {
    let runtime = around.runtime_dir.as_ref();
    let rootless = runtime.map(|dir| dir.join("podman/podman.sock"));
    let system = around.root.join("run/podman/podman.sock");
    rootless.into_iter().chain([system]).collect()
}

fn nothing_found(looked: &[PathBuf]) -> Failure {
    let places: Vec<String> = looked.iter().map(|p| p.display().to_string()).collect();
    Failure::unreachable(
        tr_sent!("this machine"),
        tr_sent!(
            "no container engine found ({places})",
            places = places.join(", ")
        ),
    )
    .hint(install_line(
        &fs::read_to_string("/etc/os-release").unwrap_or_default(),
    ))
}

/// The command that installs an engine on this system.
fn install_line(os_release: &str) -> String {
    let has = |word: &str| {
        os_release
            .lines()
            .filter(|line| line.starts_with("ID=") || line.starts_with("ID_LIKE="))
            .any(|line| line.contains(word))
    };
    let line = if has("debian") || has("ubuntu") {
        tr_sent!("install one: `sudo apt-get install docker.io`")
    } else if has("fedora") || has("rhel") {
        tr_sent!(
            "install one: `sudo dnf install podman`, then `systemctl --user enable --now podman.socket`"
        )
    } else if has("arch") {
        tr_sent!("install one: `sudo pacman -S docker`, then `sudo systemctl enable --now docker`")
    } else if has("suse") {
        tr_sent!(
            "install one: `sudo zypper install docker`, then `sudo systemctl enable --now docker`"
        )
    } else {
        tr_sent!("install Docker (https://docs.docker.com/engine/install) or Podman")
    };
    line.to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::model::failure::FailureKind;

    fn socket(root: &Path, place: &str) -> PathBuf {
        let path = root.join(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "").unwrap();
        path
    }

    #[test]
    fn the_order_is_the_documented_one() {
        let dir = tempfile::tempdir().unwrap();
        let mut around = ProcessEnv {
            root: dir.path().to_owned(),
            runtime_dir: Some(dir.path().join("user")),
            ..ProcessEnv::default()
        };
        let nothing = find(None, &around).unwrap_err();
        assert!(
            nothing.to_string().contains("no container engine"),
            "{nothing}"
        );
        for place in [
            "run/podman/podman.sock",
            "user/podman/podman.sock",
            "var/run/docker.sock",
            "user/docker.sock",
        ] {
            let made = socket(dir.path(), place);
            assert_eq!(find(None, &around).unwrap(), Endpoint::Socket(made));
        }
        around.docker_host = Some("unix:///by/host.sock".into());
        assert_eq!(find(None, &around).unwrap().url(), "unix:///by/host.sock");
        let configured = find(Some("unix:///by/config.sock"), &around).unwrap();
        assert_eq!(configured.url(), "unix:///by/config.sock");
    }

    #[test]
    fn engines_of_other_machines_are_reported_by_their_scheme() {
        let of = |url: &str, verify: bool| {
            let around = ProcessEnv {
                docker_host: Some(url.into()),
                docker_config: Some("/home/kim/.docker".into()),
                tls_verify: verify,
                ..ProcessEnv::default()
            };
            find(None, &around)
        };
        let plain = of("tcp://10.0.0.1:2375", false).unwrap();
        assert!(matches!(plain, Endpoint::Tcp { tls: None, .. }));
        let Endpoint::Tcp {
            address,
            tls: Some(files),
        } = of("tcp://10.0.0.1", true).unwrap()
        else {
            panic!("no TLS");
        };
        assert_eq!(address, "10.0.0.1:2376");
        assert_eq!(files, TlsFiles::in_dir(Path::new("/home/kim/.docker")));
        let ssh = of("ssh://me@there:2222", false).unwrap();
        assert_eq!(ssh.url(), "ssh://me@there:2222");
        for bad in ["npipe:////./pipe/x", "ssh://-oProxyCommand=x", "tcp://"] {
            let error = of(bad, false).unwrap_err();
            assert!(
                error.kind == FailureKind::Unsupported && error.to_string().contains(bad),
                "{error}"
            );
        }
    }

    #[test]
    fn podman_without_a_socket_is_run_where_there_is_no_docker() {
        let dir = tempfile::tempdir().unwrap();
        let mut around = ProcessEnv {
            root: dir.path().to_owned(),
            podman: Some("/usr/bin/podman".into()),
            ..ProcessEnv::default()
        };
        let service = Endpoint::Podman {
            program: "/usr/bin/podman".into(),
        };
        assert_eq!(find(None, &around).unwrap(), service);
        around.has_docker = true;
        assert!(find(None, &around).is_err());
        assert_eq!(find(Some("podman"), &around).unwrap(), service);
        // A socket without a listener isn't Podman's.
        socket(dir.path(), "run/podman/podman.sock");
        assert_eq!(find(Some("podman"), &around).unwrap(), service);
        let docker = socket(dir.path(), "var/run/docker.sock");
        assert_eq!(
            find(Some("docker"), &around).unwrap(),
            Endpoint::Socket(docker)
        );
    }

    #[test]
    fn each_system_has_its_line() {
        assert!(install_line("ID=ubuntu\nID_LIKE=debian\n").contains("apt-get"));
        assert!(install_line("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n").contains("dnf"));
        assert!(install_line("").contains("docs.docker.com"));
    }
}
