//! How the preopen ports of a session are reached now.

use std::fmt::Write as _;

use super::{ports, session::Session};

/// Where the user's programs find the ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// From the engine's machine: `172.18.0.2:8080`.
    pub address: String,
    /// The command that forwards them to another machine.
    pub tunnel: String,
}

/// `None` = no port was opened, or no address is known. `endpoint` is the address of the engine. `login` is
/// the SSH login of the daemon's machine: `kim@gpu1`.
pub fn reached(session: &Session, endpoint: &str, login: &str) -> Option<Reached> {
    let opened = &session.preopen_ports;
    if opened.is_empty() || !session.status.is_live() {
        return None;
    }
    let address = session.main_kernel()?.address.as_ref()?;
    let shown = match opened.as_slice() {
        [port] => format!("{address}:{port}"),
        several => tr!(
            "{address}, ports {ports}",
            address,
            ports = ports::write(several)
        ),
    };
    let mut tunnel = "ssh".to_owned();
    for port in opened {
        let _ = write!(tunnel, " -L {port}:{address}:{port}");
    }
    let _ = write!(tunnel, " {}", host(endpoint).as_deref().unwrap_or(login));
    Some(Reached {
        address: shown,
        tunnel,
    })
}

/// The machine of an engine that is reached by SSH, in the notation of `ssh`.
fn host(endpoint: &str) -> Option<String> {
    let rest = endpoint.strip_prefix("ssh://")?;
    let host = rest.split('/').next().filter(|host| !host.is_empty())?;
    Some(match host.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !port.is_empty() => {
            format!("-p {port} {host}")
        }
        _ => host.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{id::KernelId, kernel::Kernel, status::Status, testing};

    fn session(opened: &[u16], address: Option<&str>) -> Session {
        let mut session = testing::session(1, "train");
        session.status = Status::Running;
        session.preopen_ports = opened.to_vec();
        let mut kernel = Kernel::new(KernelId::from_u128(2), "main1".into(), Status::Running);
        kernel.address = address.map(Into::into);
        session.kernels = vec![kernel];
        session
    }

    #[test]
    fn the_address_and_a_tunnel_are_reported_while_it_runs() {
        let one = session(&[8080], Some("172.18.0.2"));
        let found = reached(&one, "unix:///var/run/docker.sock", "kim@gpu1").unwrap();
        assert_eq!(found.address, "172.18.0.2:8080");
        assert_eq!(found.tunnel, "ssh -L 8080:172.18.0.2:8080 kim@gpu1");
        let two = session(&[8080, 8081, 9000], Some("172.18.0.2"));
        let found = reached(&two, "ssh://lee@far:2222", "kim@gpu1").unwrap();
        assert_eq!(found.address, "172.18.0.2, ports 8080-8081, 9000");
        assert_eq!(
            found.tunnel,
            "ssh -L 8080:172.18.0.2:8080 -L 8081:172.18.0.2:8081 -L 9000:172.18.0.2:9000 -p 2222 lee@far"
        );
        let mut ended = session(&[8080], Some("172.18.0.2"));
        ended.status = Status::Terminated;
        for none in [
            &ended,
            &session(&[], Some("172.18.0.2")),
            &session(&[1], None),
        ] {
            assert_eq!(reached(none, "", "kim@gpu1"), None);
        }
        assert_eq!(host("ssh://far/run/docker.sock").as_deref(), Some("far"));
        assert_eq!(host("tcp://far:2375"), None);
    }
}
